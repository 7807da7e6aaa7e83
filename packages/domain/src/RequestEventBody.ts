import * as Charset from "./Charset.ts"
import { isDeeper } from "./JsonDepth.ts"

/** Deeper JSON is handed on as text alone. */
const maxJsonDepth = 100

type Parse = (text: string) => unknown

const parsed = (text: string, parse: Parse): unknown => {
  if (isDeeper(text, maxJsonDepth)) return text
  try {
    return parse(Charset.withoutMark(text))
  } catch {
    return text
  }
}

/** The media type that a `Content-Type` header names, without its parameters, in lower case. */
export const mediaTypeOf = (contentType: string): string => contentType.split(";", 1)[0]!.trim().toLowerCase()

/**
 * The value of a request body's text by its content type: JSON is parsed; other text, or JSON that does not parse,
 * stays text.
 */
export const ofText = (contentType: string, text: string, parse: Parse = JSON.parse): unknown => {
  const mediaType = mediaTypeOf(contentType)
  return mediaType === "application/json" || mediaType.endsWith("+json") ? parsed(text, parse) : text
}

/** A body's text by its content type, and its bytes in base64 where the text in UTF-8 is not the same bytes. */
export interface BodyText {
  readonly bodyRaw: string
  readonly bodyBase64?: string
}

/** The charset of a body with this content type. */
export const charsetOf = (contentType: string, bytes: Uint8Array): string =>
  Charset.of(bytes, Charset.named(contentType))

export const textOf = (contentType: string, bytes: Uint8Array): BodyText => {
  const charset = charsetOf(contentType, bytes)
  const bodyRaw = Charset.decode(bytes, charset)
  if (charset === Charset.utf8 && !bodyRaw.includes("\ufffd")) return { bodyRaw }
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Buffer.from(bodyRaw).equals(body) ? { bodyRaw } : { bodyRaw, bodyBase64: body.toString("base64") }
}

const textIn = (contentType: string, base64: string): string => {
  const bytes = Buffer.from(base64, "base64")
  return Charset.decode(bytes, charsetOf(contentType, bytes))
}

/**
 * A request's event as component code sees it. A stored event has no `body` if `ofText` makes it of `bodyRaw`, and no
 * `bodyRaw` if it has `bodyBase64`: most of its bytes would be stored twice.
 *
 * @param parse reads the body where it is JSON
 */
export const expand = (event: unknown, parse: Parse = JSON.parse): unknown => {
  if (typeof event !== "object" || event === null) return event
  const { body, bodyBase64, bodyRaw, client_ip, headers, url, ...rest } = event as Record<string, unknown>
  if (bodyRaw === undefined && bodyBase64 === undefined || bodyRaw !== undefined && body !== undefined) return event
  const contentType = String((headers as Record<string, unknown> | undefined)?.["content-type"] ?? "")
  const text = bodyRaw === undefined ? textIn(contentType, String(bodyBase64)) : String(bodyRaw)
  return {
    ...rest,
    headers,
    bodyRaw: text,
    ...(bodyBase64 === undefined ? {} : { bodyBase64 }),
    body: body === undefined ? ofText(contentType, text, parse) : body,
    client_ip,
    url
  }
}
