import * as Charset from "@headwater/domain/Charset"
import { mediaTypeOf } from "@headwater/domain/RequestEventBody"
import { parameterOf } from "./HeaderParameter.ts"

/** A field of a form, which is text, or a file. */
export interface Part {
  readonly name: string
  readonly value:
    | { readonly content: Buffer; readonly charset: string }
    | { readonly content: Buffer; readonly filename: string; readonly contentType: string }
}

const octets = "application/octet-stream"

/** The beginning of a delimiter, and of the part behind it. */
interface Delimiter {
  readonly from: number
  readonly to: number
  /** True if no part follows. */
  readonly isLast: boolean
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const blank = 0x20
const tab = 0x09
const hyphen = 0x2d

const isBlank = (code: number | undefined): boolean => code === blank || code === tab

interface Divided {
  readonly headers: Buffer
  readonly content: Buffer
}

/** Reads a form that is in memory as a whole. */
class FormReader {
  readonly #body: Buffer
  readonly #delimiter: Buffer
  /** The end of a line: `\r\n`, or the one that a sender has in its place all the way through. */
  #lineEnd = "\r\n"

  constructor(body: Buffer, boundary: string) {
    this.#body = body
    this.#delimiter = Buffer.from(`--${boundary}`)
  }

  /** Each part with its headers; at the end undefined where the form has none. */
  *parts(): Generator<Buffer | undefined> {
    const first = this.#firstDelimiter()
    if (first === undefined) return yield undefined
    // A form without a part that has something behind its end is no form.
    if (first.isLast && this.#body.subarray(first.to).some((byte) => byte > blank)) return yield undefined
    const separator = Buffer.concat([Buffer.from(this.#lineEnd), this.#delimiter])
    let before = first
    while (!before.isLast) {
      // An empty part has no line of its own between two delimiters.
      const next = this.#next(separator, before.to - this.#lineEnd.length)
      if (next === undefined) return yield undefined
      yield this.#body.subarray(before.to, Math.max(before.to, next.from))
      before = next
    }
  }

  /** The headers of a part, before its empty line, and the content behind it. */
  divide(part: Buffer): Divided {
    const { length } = this.#lineEnd
    const at = part.indexOf(this.#lineEnd.repeat(2))
    return at === -1
      ? { headers: part, content: Buffer.alloc(0) }
      : { headers: part.subarray(0, at), content: part.subarray(at + 2 * length) }
  }

  #firstDelimiter(): Delimiter | undefined {
    for (let at = this.#body.indexOf(this.#delimiter); at !== -1; at = this.#body.indexOf(this.#delimiter, at + 1)) {
      if (at > 0 && this.#body[at - 1] !== lineFeed) continue
      const end = this.#endOf(at)
      if (end === undefined) continue
      if (this.#body[end.to - 1] === lineFeed && this.#body[end.to - 2] !== carriageReturn) this.#lineEnd = "\n"
      return { from: at, ...end }
    }
    return undefined
  }

  #next(separator: Buffer, from: number): Delimiter | undefined {
    for (let at = this.#body.indexOf(separator, from); at !== -1; at = this.#body.indexOf(separator, at + 1)) {
      const end = this.#endOf(at + this.#lineEnd.length)
      if (end !== undefined) return { from: at, ...end }
    }
    return undefined
  }

  /** The end of a delimiter that begins here; undefined if it is the beginning of something else (RFC 2046, 5.1.1). */
  #endOf(from: number): Pick<Delimiter, "to" | "isLast"> | undefined {
    const body = this.#body
    let at = from + this.#delimiter.length
    if (body[at] === hyphen && body[at + 1] === hyphen) return { to: at + 2, isLast: true }
    while (isBlank(body[at])) at++
    if (body[at] === carriageReturn && body[at + 1] === lineFeed) return { to: at + 2, isLast: false }
    return body[at] === lineFeed ? { to: at + 1, isLast: false } : undefined
  }
}

/**
 * The headers by name in lower case. A line that begins with a blank goes on with the one before it (RFC 5322, 2.2.3).
 */
const headersOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.replaceAll(/\r?\n(?=[ \t])/g, "").split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(":")
      return colon === -1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const]
    })
  )

const partOf = ({ content, headers: bytes }: Divided, given: string | undefined): Part | undefined => {
  const headers = headersOf(Charset.decode(bytes, Charset.of(bytes, given)))
  const disposition = headers.get("content-disposition") ?? ""
  const name = parameterOf(disposition, "name")
  if (name === undefined) return undefined
  const filename = parameterOf(disposition, "filename")
  const type = headers.get("content-type") ?? ""
  const mediaType = mediaTypeOf(type)
  const charset = Charset.of(content, Charset.named(type) ?? given)
  if (filename === undefined && mediaType !== octets) return { name, value: { charset, content } }
  return { name, value: { filename: filename ?? "", contentType: mediaType === "" ? octets : mediaType, content } }
}

/**
 * The parts of a form (RFC 7578); undefined for what is none, lacks its end, has a part without a name, or more than so
 * many parts: to hand on some of them would hide the others. Names and fields are in the charset that they name, else
 * in that of the form: of its `Content-Type` or of its field `_charset_` (RFC 7578, 4.6).
 */
export const parse = (contentType: string, body: Buffer, most: number): ReadonlyArray<Part> | undefined => {
  const boundary = parameterOf(contentType, "boundary")
  if (boundary === undefined || boundary === "") return undefined
  const reader = new FormReader(body, boundary)
  const divided: Array<Divided> = []
  for (const part of reader.parts()) {
    if (part === undefined || divided.push(reader.divide(part)) > most) return undefined
  }
  const partsIn = (charset: string | undefined) => {
    const parts = divided.map((part) => partOf(part, charset))
    return parts.every((part) => part !== undefined) ? parts : undefined
  }
  const given = Charset.named(contentType)
  const parts = partsIn(given)
  const declared = given === undefined ? parts?.find(({ name }) => name === "_charset_")?.value.content : undefined
  return declared === undefined ? parts : partsIn(declared.toString("latin1"))
}
