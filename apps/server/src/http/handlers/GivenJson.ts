import * as ExactJson from "@headwater/domain/ExactJson"
import { Effect, type Schema } from "effect"
import { HttpServerRequest } from "effect/http"

/**
 * A field of the request's body that is passed on, with its numbers as they were sent (`ExactJson`): schemas read bodies by
 * `JSON.parse`, which makes others of large ones.
 *
 * @param value what the schema has read
 */
export const exactly = Effect.fnUntraced(function*(name: string, value: Schema.Json) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const body = yield* Effect.orDie(request.text)
  if (!ExactJson.mayHoldInexact(body)) return value
  return (ExactJson.parse(body) as Schema.JsonObject)[name]!
})
