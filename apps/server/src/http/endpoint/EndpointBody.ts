import * as Charset from "@headwater/domain/Charset"
import { mediaTypeOf } from "@headwater/domain/RequestEventBody"
import type { Schema } from "effect"
import * as MultipartForm from "./MultipartForm.ts"

/** A form of more fields is handed on as text alone: to take it apart costs many times its size. */
export const maxFields = 1_000

/** Fields by name, a list where a name came more than once. */
export const multimap = <A extends Schema.Json>(
  entries: Iterable<readonly [string, A]>
): Record<string, A | ReadonlyArray<A>> => {
  const byName = Map.groupBy(entries, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, fields]) => {
      const values = fields.map(([, value]) => value)
      return [name, values.length === 1 ? values[0]! : values]
    })
  )
}

/** The fields of a query, or of a form in UTF-8. `URLSearchParams` would take a question mark in front for none of it. */
export const pairsOf = (text: string): URLSearchParams => new URLSearchParams(text.replace(/^\?/, "%3F"))

/** The same of a form in another charset (URL Standard, "application/x-www-form-urlencoded parsing"). */
const pairsIn = (charset: string, body: Buffer): ReadonlyArray<readonly [string, string]> => {
  const decoder = Charset.decoderOf(charset)
  const decode = (text: string) => {
    const bytes = text.replaceAll("+", " ").replaceAll(
      /%([\da-f]{2})/gi,
      (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))
    )
    return decoder.decode(Buffer.from(bytes, "latin1"))
  }
  return body.toString("latin1").split("&").filter((pair) => pair !== "").map((pair) => {
    const at = pair.indexOf("=")
    return at === -1 ? [decode(pair), ""] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))]
  })
}

/** Texts of UTF-16 are escaped after they are written, so that there are no bytes to be read in another charset. */
const isAscii = (charset: string): boolean => !charset.startsWith("utf-16")

/** The fields of a form; undefined where there are too many. */
const parseForm = (contentType: string, body: Buffer, text: string): Schema.Json | undefined => {
  let fields = 1
  for (let i = text.indexOf("&"); i !== -1; i = text.indexOf("&", i + 1)) if (++fields > maxFields) return undefined
  const pairs = pairsOf(Charset.withoutMark(text))
  const named = Charset.named(contentType) ?? pairs.get("_charset_") ?? undefined
  const charset = Charset.of(body, named)
  return multimap(charset === Charset.utf8 || !isAscii(charset) ? pairs : pairsIn(charset, body))
}

/** A file of a form. */
export type FormFile = Extract<MultipartForm.Part["value"], { readonly filename: string }>

const valueOf = ({ value }: MultipartForm.Part, urlOf: (file: FormFile) => string): Schema.Json =>
  "charset" in value
    ? Charset.withoutMark(Charset.decode(value.content, value.charset))
    : {
      url: urlOf(value),
      filename: value.filename,
      mimetype: value.contentType,
      content_type: value.contentType,
      content: value.content.toString("base64")
    }

/**
 * The fields of a form, files of a multipart form in base64 too. Undefined for a body that is no form, or none that can be
 * taken apart.
 */
export const fieldsOf = (
  contentType: string,
  body: Buffer,
  text: string,
  urlOf: (file: FormFile) => string
): Schema.Json | undefined => {
  switch (mediaTypeOf(contentType)) {
    case "application/x-www-form-urlencoded":
      return parseForm(contentType, body, text)
    case "multipart/form-data": {
      const parts = MultipartForm.parse(contentType, body, maxFields)
      return parts && multimap(parts.map((part) => [part.name, valueOf(part, urlOf)] as const))
    }
    default:
      return undefined
  }
}
