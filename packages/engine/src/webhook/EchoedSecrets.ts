import { placeOf } from "@headwater/egress/Place"
import { isSecret, mask } from "./SentHeaders.ts"

/** Shorter secrets would be found in text that only happens to hold them. */
const leastLength = 4

/** Parts of a secret that are as long count as secrets themselves, such as the value of a cookie. */
const leastPart = 8

/** So much of the beginning of a secret is masked as if it were the whole: it may have been cut. */
const anchorLength = 16

/** The parts of a header's value that count as secrets, such as those of `Bearer x` and `a=x; b=y`. */
const partsOf = (value: string): ReadonlyArray<string> => {
  const words = value.split(/[\s;,]+/)
  const behindScheme = /^[\w-]+ +(.+)$/.exec(value)?.[1] ?? ""
  const assigned = words.flatMap((word) => word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : [])
  const parts = [...words, ...assigned].map((part) => part.replace(/^"(.*)"$/, "$1"))
  return [...parts.filter((part) => part.length >= leastPart), behindScheme]
}

/** The user's password, as the receiver reads it (RFC 7617). */
const passwordOf = (value: string): ReadonlyArray<string> => {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(value)?.[1]
  if (encoded === undefined) return []
  const text = Buffer.from(encoded, "base64").toString()
  const password = text.slice(text.indexOf(":") + 1)
  return [text, password]
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;"
}

/** The spellings of a text in JSON, also with `\/` for a slash or `\u003c` for `<`, and in URLs, forms and HTML. */
const spellingsOf = (text: string): ReadonlyArray<string> => {
  const json = JSON.stringify(text).slice(1, -1)
  const url = encodeURIComponent(text)
  return [
    text,
    json,
    json.replaceAll("/", "\\/"),
    json.replaceAll(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`),
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    String(new URLSearchParams({ "": text })).slice(1),
    text.replaceAll(/[&<>"']/g, (character) => entities[character]!)
  ]
}

/**
 * Masks the secrets of requests in the answers of their endpoint before these are kept: many endpoints show what they
 * were sent. All text is taken byte by byte, so bytes that are no UTF-8 are left as they are.
 */
export class EchoedSecrets {
  private readonly spellings: ReadonlyArray<string>

  /** @param values of headers */
  constructor(values: ReadonlyArray<string>) {
    const secrets = values.flatMap((value) => [value, ...partsOf(value), ...passwordOf(value)])
      .filter((secret) => secret.length >= leastLength)
    this.spellings = [
      ...new Set(secrets.flatMap(spellingsOf).map((text) => Buffer.from(text).toString("latin1")))
    ]
  }

  /**
   * Those of requests to a URL.
   *
   * @param headers of which those with a telling name are secret
   */
  static of(
    url: string,
    headers: Readonly<Record<string, string>> = {},
    secretHeaders: Readonly<Record<string, string>> = {}
  ): EchoedSecrets {
    const { authorization } = placeOf(new URL(url))
    const named = Object.entries(headers).flatMap(([name, value]) => isSecret(name) ? [value] : [])
    return new EchoedSecrets([
      ...Object.values(secretHeaders),
      ...named,
      ...(authorization === undefined ? [] : [authorization])
    ])
  }

  /** @param isCut whether more came than there is here */
  body(bytes: Uint8Array, isCut: boolean): Uint8Array {
    if (this.spellings.length === 0) return bytes
    const text = Buffer.from(bytes).toString("latin1")
    const masked = this.masked(text, isCut)
    return masked === text ? bytes : Buffer.from(masked, "latin1")
  }

  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.spellings.length === 0) return headers
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, this.masked(value, false)])
    )
  }

  private masked(text: string, isCut: boolean): string {
    const found = this.spellings.flatMap((spelling) => placesOf(text, spelling)).sort((a, b) => a.start - b.start)
    let masked = ""
    let until = 0
    for (const { end, start } of found) {
      if (start >= until) masked += text.slice(until, start) + mask
      until = Math.max(until, end)
    }
    masked += text.slice(until)
    return isCut ? withoutStart(masked, this.spellings) : masked
  }
}

/** A part of a text that shows a secret: a text may show two spellings of one that overlap. */
interface Place {
  readonly start: number
  readonly end: number
}

/** Takes time in proportion to the text, however alike it and the secret are. */
const placesOf = (text: string, secret: string): ReadonlyArray<Place> => {
  const anchor = secret.slice(0, anchorLength)
  const places: Array<Place> = []
  let start = text.indexOf(anchor)
  while (start !== -1) {
    let length = anchor.length
    while (length < secret.length && text[start + length] === secret[length]) length += 1
    places.push({ start, end: start + length })
    start = text.indexOf(anchor, start + length)
  }
  return places
}

/** Masks the beginning of a secret at the end of a text that was cut. */
const withoutStart = (text: string, secrets: ReadonlyArray<string>): string => {
  for (const secret of secrets) {
    for (let length = Math.min(secret.length, anchorLength) - 1; length >= leastLength; length--) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + mask
    }
  }
  return text
}
