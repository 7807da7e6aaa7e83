/** Headers that accounts give to requests of the server. */

/** The limits of one webhook's headers, plain and secret ones together. */
export const limits = {
  count: 32,
  /** Of names and values together. */
  bytes: 8_192
} as const

/** Headers about the connection, or set by the server itself. */
const reserved =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect|proxy-connection|http2-settings|webhook-.*|x-headwater-.*)$/

/** True if only the server may set the header. Case does not matter. */
export const isReserved = (name: string): boolean => reserved.test(name.toLowerCase())

/** RFC 9110, section 5.6.2. */
const name = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Printable ASCII, with blanks only inside: every receiver reads it as the same text. */
const value = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

/** The fault of a header, if it has one. */
export const faultOf = (given: { readonly name: string; readonly value: string }): string | undefined => {
  if (!name.test(given.name) || given.name === "__proto__") return "is not the name of a header"
  if (isReserved(given.name)) return "is a header that the server itself sends"
  if (!value.test(given.value)) return "must have a value of printable ASCII characters, with blanks inside alone"
  return undefined
}
