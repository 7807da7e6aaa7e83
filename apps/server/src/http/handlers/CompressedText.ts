import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import * as Revalidated from "./Revalidated.ts"

const compress = promisify(gzip)

/** True if a client takes gzip (RFC 9110, 12.5.3). */
const takesGzip = (accepted: string): boolean => {
  const weights = new Map(
    accepted.toLowerCase().split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const
    })
  )
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0
}

/**
 * Makes an answer of a text that never changes while the server runs, compressed for clients that take that, and empty
 * for those that have it.
 */
export const make = Effect.fnUntraced(function*(text: string, contentType: string) {
  const plain = new TextEncoder().encode(text)
  const compressed = yield* Effect.promise(() => compress(plain, { level: 9 }))
  const responses = {
    plain: HttpServerResponse.uint8Array(plain, { contentType }),
    compressed: HttpServerResponse.uint8Array(compressed, { contentType, headers: { "content-encoding": "gzip" } })
  }
  const answer = Effect.map(
    HttpServerRequest.HttpServerRequest,
    (request) => takesGzip(request.headers["accept-encoding"] ?? "") ? responses.compressed : responses.plain
  )
  return { answer: Revalidated.make(text, { vary: "accept-encoding" })(answer) }
})
