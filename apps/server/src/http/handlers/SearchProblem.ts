import * as Problem from "@headwater/api/Problem"
import { isTooLong, longestSearchMs } from "@headwater/log/lists/Searches"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

const tooLong = Problem.invalid([{
  path: "text",
  message: `takes more than ${
    longestSearchMs / 1_000
  } s to look for here. Name an emitter, a shorter time or another text.`
}])

/** Says of a search that took too long what can be done, where a text was sought. */
export const answerSearch =
  (text: string | undefined) =>
  <A, E, R>(search: Effect.Effect<A, E | SqlError.SqlError, R>): Effect.Effect<
    A,
    E | SqlError.SqlError | Problem.InvalidRequest,
    R
  > => text === undefined ? search : Effect.catchIf(search, isTooLong, () => Effect.fail(tooLong))
