import type { StoredAnswer } from "@headwater/log/access/IdempotencyKeys"
import { Headers, HttpServerResponse } from "effect/http"

/**
 * Refused before anything was done, or for a reason that passes: the request may be mended, or sent again, under the
 * same key.
 */
const unkept: ReadonlySet<number> = new Set([400, 401, 408, 413, 415, 429])

/** A response as it is kept for repeats of its request; undefined for one that a repeat may better. */
export const fromResponse = (response: HttpServerResponse.HttpServerResponse): StoredAnswer | undefined => {
  const { body, status } = response
  if (status >= 500 || unkept.has(status)) return undefined
  const headers = Headers.remove(response.headers, "content-length")
  if (body._tag === "Empty") return { status, headers, body: "" }
  if (body._tag !== "Uint8Array") return undefined
  return { status, headers: { ...headers, "content-type": body.contentType }, body: Buffer.from(body.body).toString() }
}

/** @param more headers beside the answer's own */
export const toResponse = (
  { body, headers: { "content-type": contentType, ...headers }, status }: StoredAnswer,
  more: Record<string, string>
): HttpServerResponse.HttpServerResponse =>
  body === ""
    ? HttpServerResponse.empty({ status, headers: { ...headers, ...more } })
    : HttpServerResponse.text(body, {
      status,
      headers: { ...headers, ...more },
      ...(contentType === undefined ? {} : { contentType })
    })
