/** Letters, digits and `-._~`, escaped: a URL means the same without that (RFC 3986, 6.2.2.2). */
const needlesslyEscaped = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][0-9A]|5F|7E)/gi

const unescaped = (text: string): string =>
  text.replace(needlesslyEscaped, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)))

const endpoints = "/http/"

/** True if a URL without needless escapes is that of a source's endpoint. */
export const isOfEndpoint = (url: string): boolean => url.startsWith(endpoints)

const beginning = /^\/[^/?]*\/[^/?]*/

/**
 * The URL of a request as the router, and everything else that decides by its path, reads it. The part that leads to an
 * endpoint is without needless escapes, and the rest behind it stays as it is. All other URLs are without them in the
 * whole path, with the `$` of `$errors` as it is, and `;` and `#` escaped, which the router takes for the path's end.
 */
export const of = (url: string): string => {
  if (isOfEndpoint(url) && !beginning.exec(url)![0].includes("%")) return url
  const told = url.replace(beginning, unescaped)
  if (isOfEndpoint(told)) return told
  const at = url.indexOf("?")
  const [path, query] = at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)]
  return unescaped(path).replaceAll("%24", "$").replaceAll(";", "%3B").replaceAll("#", "%23") + query
}
