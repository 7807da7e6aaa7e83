import { Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { CurrentAccount } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import * as Problem from "./Problem.ts"

/** On an answer that was given before, to the same request under the same key. */
export const replayedHeader = "idempotency-replayed"

const Key = Schema.String.pipe(Schema.check(Schema.isPattern(/^[\x20-\x7e]{1,255}$/u)))

export const isKey = Schema.is(Key)

/** The header by which a client repeats a request without doing it twice: of every POST endpoint. */
export const headers = {
  "idempotency-key": Schema.optionalKey(Key.annotate({
    description:
      "Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first " +
      "response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.",
    ...Extension.mark
  }))
}

/**
 * Answers a POST that was answered before under the same `Idempotency-Key` with that first answer. It belongs to each
 * POST endpoint by itself, before the middlewares of its group: those check the request and cut the answer down, of a
 * repeat like of the first.
 */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency, {
  requires: CurrentAccount
}>()("@headwater/api/Idempotency", {
  error: [
    Problem.IdempotencyConflict,
    Problem.InvalidRequest,
    Problem.UnavailableResponse,
    Problem.InternalError
  ]
}) {}
