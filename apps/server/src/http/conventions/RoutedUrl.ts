/** Letters, digits and `-._~`, escaped: a URL means the same without that (RFC 3986, 6.2.2.2). */
const needlesslyEscaped = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][0-9A]|5F|7E)/gi

const unescaped = (text: string): string =>
  text.replace(needlesslyEscaped, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)))

const endpoints = "/http/"

/** Whether a URL without needless escapes is that of a source's endpoint. */
export const isOfEndpoint = (url: string): boolean => url.startsWith(endpoints)

const beginning = /^\/[^/?]*\/[^/?]*/

/**
 * The URL of a request as everything reads it that decides by its path, the router among it. What leads to an endpoint is
 * told without needless escapes, and what comes behind it stays as it is. Of all others the path is, with the `$` of
 * `$errors` as it is, and without `;` and `#`, which the router takes for its end.
 */
export const of = (url: string): string => {
  if (isOfEndpoint(url) && !beginning.exec(url)![0].includes("%")) return url
  const told = url.replace(beginning, unescaped)
  if (isOfEndpoint(told)) return told
  const at = url.indexOf("?")
  const [path, query] = at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)]
  return unescaped(path).replaceAll("%24", "$").replaceAll(";", "%3B").replaceAll("#", "%23") + query
}
