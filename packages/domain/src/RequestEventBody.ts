import { isDeeper } from "./JsonDepth.ts"

/** Deeper JSON is handed on as text alone. */
const maxJsonDepth = 100

const parseJson = (text: string): unknown => {
  if (isDeeper(text, maxJsonDepth)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The media type that a `Content-Type` header names, without its parameters, in lower case. */
export const mediaTypeOf = (contentType: string): string => contentType.split(";", 1)[0]!.trim().toLowerCase()

/** What the text of a request's body says by its content type: JSON parsed, and anything else, or what does not parse, as text. */
export const ofText = (contentType: string, text: string): unknown => {
  const mediaType = mediaTypeOf(contentType)
  return mediaType === "application/json" || mediaType.endsWith("+json") ? parseJson(text) : text
}

/**
 * A request's event as component code sees it. Kept, it has no `body` where that is what `ofText` makes of `bodyRaw`: most of
 * an event's bytes would be there twice.
 */
export const expand = (event: unknown): unknown => {
  if (typeof event !== "object" || event === null || !("bodyRaw" in event) || "body" in event) return event
  const { bodyRaw, client_ip, headers, url, ...rest } = event as Record<string, unknown>
  const contentType = (headers as Record<string, unknown> | undefined)?.["content-type"] ?? ""
  return { ...rest, headers, bodyRaw, body: ofText(String(contentType), String(bodyRaw)), client_ip, url }
}
