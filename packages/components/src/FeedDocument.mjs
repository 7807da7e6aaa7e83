/** What RSS (2.0, 1.0 and their like), Atom and JSON Feed documents say, in one form. */
import { XMLParser } from "fast-xml-parser"
import { createHash } from "node:crypto"

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  parseTagValue: false,
  htmlEntities: true,
  // What holds markup is read by itself: written out it would come apart.
  stopNodes: ["..content", "..summary", "..description", "..content:encoded"]
})

const listOf = (value) => value === undefined ? [] : Array.isArray(value) ? value : [value]

/** The text of an element, the first of several; one with attributes is an object. */
const textOf = (element) => {
  const [first] = listOf(element)
  const text = typeof first === "object" ? first["#text"] : first
  return text === undefined || text === "" ? undefined : String(text)
}

/** Text that is markup, escaped, in CDATA or written out. */
const markupOf = (element) => {
  const written = textOf(element)
  if (written === undefined) return undefined
  const { x } = parser.parse(`<x>${written}</x>`)
  return typeof x === "string" ? x : written
}

const firstOf = (...values) => values.find((value) => value !== undefined)

const dateOf = (text) => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

const resolved = (link, base) =>
  link === undefined ? undefined : URL.canParse(link, base) ? new URL(link, base).href : link

const enclosureOf = (url, type, length) => ({ url, type, length: length > 0 ? Number(length) : undefined })

const ofRss = (item) => ({
  id: firstOf(textOf(item.guid), item["@rdf:about"]),
  title: textOf(item.title),
  link: firstOf(textOf(item.link), item.guid?.["@isPermaLink"] === "false" ? undefined : textOf(item.guid)),
  author: firstOf(textOf(item["dc:creator"]), textOf(item.author)),
  published: dateOf(firstOf(textOf(item.pubDate), textOf(item["dc:date"]))),
  summary: markupOf(item.description),
  content: markupOf(item["content:encoded"]),
  categories: [...listOf(item.category), ...listOf(item["dc:subject"])].map(textOf),
  enclosures: listOf(item.enclosure).map((each) => enclosureOf(each["@url"], each["@type"], each["@length"]))
})

const linkOf = (element, rel) => listOf(element.link).find((link) => (link["@rel"] ?? "alternate") === rel)?.["@href"]

const ofAtom = (entry) => ({
  id: textOf(entry.id),
  title: textOf(entry.title),
  link: linkOf(entry, "alternate"),
  author: textOf(listOf(entry.author)[0]?.name),
  published: dateOf(textOf(entry.published)),
  updated: dateOf(textOf(entry.updated)),
  summary: markupOf(entry.summary),
  content: markupOf(entry.content),
  categories: listOf(entry.category).map((category) => category["@term"]),
  enclosures: listOf(entry.link).filter((link) => link["@rel"] === "enclosure")
    .map((link) => enclosureOf(link["@href"], link["@type"], link["@length"]))
})

const ofJson = (item) => ({
  id: item.id === undefined ? undefined : String(item.id),
  title: item.title,
  link: firstOf(item.url, item.external_url),
  author: firstOf(item.authors?.[0]?.name, item.author?.name),
  published: dateOf(item.date_published),
  updated: dateOf(item.date_modified),
  summary: item.summary,
  content: firstOf(item.content_html, item.content_text),
  categories: item.tags ?? [],
  enclosures: (item.attachments ?? []).map((each) => enclosureOf(each.url, each.mime_type, each.size_in_bytes))
})

const read = (text) => {
  if (text.trimStart().startsWith("{")) {
    const { home_page_url: link, items, title } = JSON.parse(text)
    if (Array.isArray(items)) return { title, link, items: items.map(ofJson) }
  }
  const { feed, "rdf:RDF": rdf, rss } = parser.parse(text)
  if (feed) return { title: textOf(feed.title), link: linkOf(feed, "alternate"), items: listOf(feed.entry).map(ofAtom) }
  const channel = rdf?.channel ?? rss?.channel
  if (!channel) throw new Error("it is neither RSS nor Atom nor a JSON Feed")
  return {
    title: textOf(channel.title),
    link: textOf(channel.link),
    items: listOf(rdf?.item ?? channel.item).map(ofRss)
  }
}

const timeOf = ({ published, updated }) => Date.parse(published ?? updated)

/** Newest first: by their times where all have one, else as they are. */
const sorted = (items) =>
  items.some((item) => Number.isNaN(timeOf(item))) ? items : items.toSorted((a, b) => timeOf(b) - timeOf(a))

/**
 * The title and link of a feed, and its items, newest first; each has an `id`.
 *
 * @param url where the document is from, for links that are relative
 */
export const parse = (text, url) => {
  const { items, link, title } = read(text)
  return {
    title,
    link: resolved(link, url),
    items: sorted(items).map((item) => ({
      ...item,
      id: firstOf(item.id, item.link, createHash("sha256").update(JSON.stringify(item)).digest("hex")),
      link: resolved(item.link, url),
      enclosures: item.enclosures.map((each) => ({ ...each, url: resolved(each.url, url) }))
    }))
  }
}

/** The encoding that an XML document says it is in. */
export const encodingOf = (bytes) =>
  /^\s*<\?xml[^>]*\sencoding=["']([\w.:-]+)/.exec(bytes.subarray(0, 200).toString("latin1"))?.[1]
