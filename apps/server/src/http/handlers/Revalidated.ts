import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"

/** True if a tag is among those that a client knows (RFC 9110, 13.1.2). */
const isAmong = (own: string, known: string): boolean =>
  known.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === own)

/**
 * Adds headers and a tag of the content to an answer, in place of which a client that has the content gets a 304. The tag is
 * weak, as one for all encodings of the content has to be (RFC 9110, 8.8.1).
 *
 * @param content of the answer, before it is compressed
 */
export const make = (content: string | Uint8Array, headers: Readonly<Record<string, string>>) => {
  const tag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`
  const tagged = { ...headers, etag: `W/${tag}` }
  const unchanged = HttpServerResponse.empty({ status: 304, headers: tagged })
  return <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const known = request.headers["if-none-match"]
      return known !== undefined && isAmong(tag, known)
        ? Effect.succeed(unchanged)
        : Effect.map(answer, HttpServerResponse.setHeaders(tagged))
    })
}
