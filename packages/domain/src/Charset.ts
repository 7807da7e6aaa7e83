/** Text in the charsets of the Encoding Standard (https://encoding.spec.whatwg.org), which `TextDecoder` knows. */

const parameter = /;\s*charset\s*=\s*["']?([^\s;"']+)/i

/** The charset that a `Content-Type` names, as it is written there. */
export const named = (contentType: string): string | undefined => parameter.exec(contentType)?.[1]

/** The charset of a byte-order mark at the beginning, which overrides all else (Encoding Standard, "BOM sniff"). */
const marked = (bytes: Uint8Array): string | undefined => {
  const [first, second] = bytes
  if (first === 0xfe && second === 0xff) return "utf-16be"
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xef && second === 0xbb && bytes[2] === 0xbf ? utf8 : undefined
}

/** The default for a charset that is not named or not known. */
export const utf8 = "utf-8"

const utf8Decoder = new TextDecoder(utf8, { ignoreBOM: true })

type Decoder = InstanceType<typeof TextDecoder>

const known = (charset: string): Decoder | undefined => {
  if (/^utf-?8$/i.test(charset)) return utf8Decoder
  try {
    return new TextDecoder(charset, { ignoreBOM: true })
  } catch {
    return undefined
  }
}

/** The charset that bytes are in: the one of their byte-order mark, else the one that is given, else UTF-8. */
export const of = (bytes: Uint8Array, given: string | undefined): string =>
  marked(bytes) ?? (given === undefined ? utf8 : known(given)?.encoding ?? utf8)

/** Reads texts in a charset with their byte-order marks. Bytes that say nothing there become U+FFFD. */
export const decoderOf = (charset: string): Decoder => known(charset) ?? utf8Decoder

export const decode = (bytes: Uint8Array, charset: string): string => decoderOf(charset).decode(bytes)

/** A text without its byte-order mark. */
export const withoutMark = (text: string): string => text.startsWith("\ufeff") ? text.slice(1) : text
