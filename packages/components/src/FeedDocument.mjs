/** What RSS (0.9 to 2.0), Atom (0.3 and 1.0) and JSON Feed documents say, in one form. */
import { createHash } from "node:crypto"
import * as ExactJson from "./ExactJson.mjs"
import * as FeedDate from "./FeedDate.mjs"
import { parse as parseXml, resolved, textOfHtml } from "./XmlTree.mjs"

/** The namespaces whose elements are looked for under a prefix, by the prefix. */
const namespaces = {
  atom: ["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"],
  content: ["http://purl.org/rss/1.0/modules/content/"],
  dc: ["http://purl.org/dc/elements/1.1/", "http://purl.org/dc/elements/1.0/"],
  dcterms: ["http://purl.org/dc/terms/"],
  itunes: ["http://www.itunes.com/dtds/podcast-1.0.dtd"],
  media: ["http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss"]
}

const prefixOf = new Map(Object.entries(namespaces).flatMap(([prefix, uris]) => uris.map((uri) => [uri, prefix])))

const rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

const xhtml = "http://www.w3.org/1999/xhtml"

/**
 * What is in an element under a name. One without a prefix is of the namespace of what it is in: `title` isn't
 * `media:title`, whatever a document calls that. Many documents have no namespace, or a wrong one.
 */
const listOf = (parent, name) => {
  const [local, prefix] = name.toLowerCase().split(":").toReversed()
  return parent.elements.filter((element) => {
    if (element.local !== local) return false
    const known = prefixOf.get(element.namespace)
    if (prefix !== undefined) return known === prefix || element.namespace === prefix
    return element.namespace === parent.namespace || (element.prefix === "" && known === undefined)
  })
}

const firstOf = (...values) => values.find((value) => value !== undefined)

const filled = (text) => text === "" ? undefined : text

const filledOf = (parent, name) => listOf(parent, name).find(({ text }) => text !== "")

/** The text of the first such element that has some. */
const textOf = (parent, ...names) =>
  firstOf(...names.flatMap((name) => listOf(parent, name).map(({ text }) => filled(text))))

/** Text that is markup, escaped, in CDATA or written out. */
const markupOf = (element) => {
  if (element === undefined) return undefined
  if (element.attributes.get("mode") === "base64") return filled(Buffer.from(element.text, "base64").toString())
  if (element.elements.length === 0) return filled(element.text)
  // Without the document around it nobody knows its prefixes.
  const prefixes = [...element.elements[0].prefixes].filter(([prefix, uri]) => prefix !== "" && uri === xhtml)
  return prefixes.reduce(
    (markup, [prefix]) => markup.replaceAll(`<${prefix}:`, "<").replaceAll(`</${prefix}:`, "</"),
    element.markup
  )
}

const dateOf = (parent, ...names) =>
  firstOf(...names.flatMap((name) => listOf(parent, name).map(({ text }) => FeedDate.parse(text))))

const enclosureOf = (url, type, length) => ({ url, type, length: length > 0 ? Number(length) : undefined })

/** The URL that an element names. */
const placeOf = (element) =>
  element && resolved(element.attributes.get("href") ?? element.attributes.get("url") ?? element.text, element.base)

const attributesOf = (element, ...names) => names.map((name) => element.attributes.get(name))

/** RFC 4287, 4.2.7.2: a relation may be a URI. */
const relationOf = (link) =>
  (link.attributes.get("rel") ?? "alternate").toLowerCase().replace("http://www.iana.org/assignments/relation/", "")

const linksOf = (parent, name, relation) =>
  listOf(parent, name).filter((link) => relationOf(link) === relation && link.attributes.has("href"))

/** One that doesn't say so has to look like it: many that are none don't say so either. */
const isPermalink = ({ attributes, text }) => {
  const told = attributes.get("ispermalink")?.toLowerCase()
  return told === "true" || (told !== "false" && /^(https?:\/)?\//i.test(text))
}

const ofRss = (item) => {
  const link = filledOf(item, "link")
  const guid = filledOf(item, "guid")
  const permalink = guid !== undefined && isPermalink(guid) ? guid : undefined
  const enclosures = listOf(item, "enclosure").filter(({ attributes }) => attributes.has("url"))
  return {
    id: firstOf(guid?.text, filled(item.attributeOf(rdf, "about"))),
    title: textOf(item, "title"),
    link: firstOf(link?.text, permalink?.text),
    author: textOf(item, "dc:creator", "author"),
    published: dateOf(item, "pubDate", "dc:date", "dcterms:issued", "dcterms:created", "atom:published"),
    updated: dateOf(item, "dcterms:modified", "atom:updated"),
    summary: markupOf(listOf(item, "description")[0]),
    content: markupOf(listOf(item, "content:encoded")[0]),
    categories: [...listOf(item, "category"), ...listOf(item, "dc:subject")].map(({ text }) => filled(text)),
    enclosures: enclosures.map((each) => enclosureOf(...attributesOf(each, "url", "type", "length"))),
    places: {
      link: placeOf(link ?? permalink ?? linksOf(item, "atom:link", "alternate")[0]),
      enclosures: enclosures.map(placeOf)
    }
  }
}

/** RFC 4287, 3.1.1: a title may be markup. It is text here. */
const titleOf = (parent) => {
  const [title] = listOf(parent, "title")
  const type = title?.attributes.get("type")?.toLowerCase()
  if (title?.elements.length > 0) return filled(title.text.replaceAll(/[ \t\n]+/g, " "))
  const text = markupOf(title)
  return text !== undefined && /html/.test(type) ? filled(textOfHtml(text)) : text
}

const authorOf = (parent) => firstOf(...listOf(parent, "author").map((author) => textOf(author, "name")))

const ofAtom = (entry, feed) => {
  const [link] = linksOf(entry, "link", "alternate")
  const enclosures = linksOf(entry, "link", "enclosure")
  return {
    id: textOf(entry, "id"),
    title: titleOf(entry),
    link: link?.attributes.get("href"),
    author: firstOf(authorOf(entry), ...listOf(entry, "source").map(authorOf), authorOf(feed)),
    published: dateOf(entry, "published", "issued", "created"),
    updated: dateOf(entry, "updated", "modified"),
    summary: markupOf(listOf(entry, "summary")[0]),
    content: markupOf(listOf(entry, "content")[0]),
    categories: listOf(entry, "category").map((category) => category.attributes.get("term")),
    enclosures: enclosures.map((each) => enclosureOf(...attributesOf(each, "href", "type", "length"))),
    places: { link: placeOf(link), enclosures: enclosures.map(placeOf) }
  }
}

const givenText = (value) => typeof value === "string" ? filled(value) : undefined

const ofJson = (url) => (item) => {
  const link = firstOf(givenText(item.url), givenText(item.external_url))
  const attachments = (item.attachments ?? []).filter((each) => givenText(each?.url) !== undefined)
  return {
    id: filled(String(item.id ?? "")),
    title: item.title,
    link,
    author: firstOf(item.authors?.[0]?.name, item.author?.name),
    published: FeedDate.parse(item.date_published),
    updated: FeedDate.parse(item.date_modified),
    summary: item.summary,
    content: firstOf(item.content_html, item.content_text),
    categories: item.tags ?? [],
    enclosures: attachments.map((each) => enclosureOf(each.url, each.mime_type, each.size_in_bytes)),
    places: { link: link && resolved(link, url), enclosures: attachments.map((each) => resolved(each.url, url)) }
  }
}

const isObject = (value) => typeof value === "object" && value !== null

const readXml = (text, url) => {
  const top = parseXml(text, url)
  const root = top.find(({ local }) => ["feed", "rdf", "rss"].includes(local))
  if (root?.local === "feed") {
    const [link] = linksOf(root, "link", "alternate")
    return {
      title: titleOf(root),
      link: placeOf(link),
      items: listOf(root, "entry").map((entry) => ofAtom(entry, root))
    }
  }
  const channel = root?.elements.find(({ local }) => local === "channel")
  if (channel === undefined) throw new Error("it is neither RSS nor Atom nor a JSON Feed")
  return {
    title: textOf(channel, "title"),
    link: placeOf(filledOf(channel, "link")),
    // In RSS 1.0 they are beside the channel.
    items: [...channel.elements, ...root.elements].filter(({ local }) => local === "item").map(ofRss)
  }
}

const read = (text, url) => {
  if (text.trimStart().startsWith("{")) {
    const { home_page_url: link, items, title } = ExactJson.parse(text)
    if (Array.isArray(items)) {
      return { title, link: givenText(link) && resolved(link, url), items: items.filter(isObject).map(ofJson(url)) }
    }
  }
  return readXml(text, url)
}

const timeOf = ({ published, updated }) => Date.parse(published ?? updated)

/** Newest first: by their times where all have one, else as they are. */
const sorted = (items) =>
  items.some((item) => Number.isNaN(timeOf(item))) ? items : items.toSorted((a, b) => timeOf(b) - timeOf(a))

const digestOf = (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex")

/** What tells an item from others: its id, else its link and what tells those with one link apart, else all of it. */
const idsOf = (item) => {
  const { content, id, link, published, summary, title, updated } = item
  if (id !== undefined) return [id]
  if (link === undefined) return [digestOf(item)]
  const time = published ?? updated
  return [link, digestOf(time === undefined ? [link, title, summary, content] : [link, title, time])]
}

/**
 * The title and link of a feed, and its items, newest first.
 *
 * Each item has `ids`: the first tells it from the others, unless several have it.
 *
 * @param url where the document is from, for links that are relative
 * @throws where the document is no feed
 */
export const parse = (text, url) => {
  const { items, link, title } = read(text, url)
  return {
    title,
    link,
    items: sorted(items).map(({ places, ...item }) => ({
      ...item,
      ids: idsOf(item),
      link: places.link,
      enclosures: item.enclosures.map((each, index) => ({ ...each, url: places.enclosures[index] }))
    }))
  }
}

/** The encoding that an XML document says it is in. */
export const encodingOf = (bytes) =>
  /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(bytes.subarray(0, 200).toString("latin1"))?.[1]
