/** The `Link` header of an answer (RFC 8288, section 3). */

const separators = /[\s,]*/y

const target = /<([^>]*)>/y

/** A name, and a value in quotes or as it stands. Nothing at all is a parameter too, which says nothing. */
const parameter = /\s*;\s*(?:([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,<>][^";,<>]*)?))?)?/y

const end = /\s*(?=,|$)/y

/**
 * The links in the order of the header, each with its `target` and its parameters: by their names in lower case, lists
 * of the values that are given under one name.
 *
 * @throws where it can't be read to its end: a link that is not seen might be the one that matters
 */
export const parse = (header) => {
  let at = 0
  const take = (pattern) => {
    pattern.lastIndex = at
    const found = pattern.exec(header)
    if (found !== null) at = pattern.lastIndex
    return found
  }
  const failed = () => new Error(`the Link header can't be read from here: ${header.slice(at, at + 100)}`)
  const links = []
  for (take(separators); at < header.length; take(separators)) {
    const found = take(target)
    if (found === null) throw failed()
    const parameters = new Map()
    for (let each = take(parameter); each !== null; each = take(parameter)) {
      const [, name, quoted, plain = ""] = each
      const value = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain.trim().replace(/^'(.*)'$/, "$1")
      const key = name?.toLowerCase()
      if (key !== undefined) parameters.set(key, [...(parameters.get(key) ?? []), value])
    }
    if (take(end) === null) throw failed()
    links.push({ target: found[1].trim(), parameters })
  }
  return links
}

/**
 * The URLs of the links of a page that have a relation, without repetitions.
 *
 * The first `rel` of a link counts (RFC 8288, 3.3). The others count where no link would be found without them.
 *
 * @param url of the page: a link that says it is one of another does not count
 */
export const urlsOf = (header, relation, url) => {
  const withoutFragment = (reference) => URL.parse(reference, url)?.href.replace(/#.*$/, "")
  const links = parse(header).filter(({ parameters }) => {
    const [anchor = ""] = parameters.get("anchor") ?? []
    return !anchor.startsWith("#") && withoutFragment(anchor) === withoutFragment("")
  })
  const within = (relations) => relations.some((list) => list.toLowerCase().split(/\s+/).includes(relation))
  const relationsOf = ({ parameters }) => parameters.get("rel") ?? []
  const first = links.filter((link) => within(relationsOf(link).slice(0, 1)))
  const found = first.length > 0 ? first : links.filter((link) => within(relationsOf(link)))
  return [
    ...new Set(found.map(({ target }) => {
      if (!URL.canParse(target, url)) throw new Error(`the link to the ${relation} page is no URL: ${target}`)
      return new URL(target, url).href
    }))
  ]
}
