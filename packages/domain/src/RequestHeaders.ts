/** Headers that accounts give to requests of the server. */

/** What the headers of one webhook come to at most, plain and secret ones together. */
export const limits = {
  count: 32,
  /** Of names and values together. */
  bytes: 8_192
} as const

/** About the connection, or said by the server itself. */
const reserved =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect|proxy-connection|http2-settings|webhook-.*|x-headwater-.*)$/

/** Whether only the server says it. In whatever case. */
export const isReserved = (name: string): boolean => reserved.test(name.toLowerCase())

/** RFC 9110, section 5.6.2. */
const name = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Printable ASCII, with blanks inside alone: what every receiver reads as the same text. */
const value = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

/** What is wrong with a header, if anything. */
export const faultOf = (given: { readonly name: string; readonly value: string }): string | undefined => {
  if (!name.test(given.name) || given.name === "__proto__") return "is not the name of a header"
  if (isReserved(given.name)) return "is a header that the server itself sends"
  if (!value.test(given.value)) return "must have a value of printable ASCII characters, with blanks inside alone"
  return undefined
}
