import { AccountSlots } from "@headwater/domain/AccountSlots"
import { Sharers } from "@headwater/domain/Sharers"
import { Context, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"

/** Searches of a machine at a time: each can take a processor of the database's to itself. */
const mostSearches = 2

/**
 * The longest that Postgres may take over a search, in milliseconds: many times as long as one takes, but for texts
 * made for that.
 */
export const longestSearchMs = 10_000

/** Reads that look into payloads for a text. */
export class Searches extends Context.Service<Searches, {
  /**
   * Does such reads: one of an account at a time, in turns with those of others. One that takes longer than a search
   * may fails with a `StatementTimeoutError`.
   */
  readonly run: <A, E, R>(
    accountId: string,
    reads: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError.SqlError, R>
}>()("@headwater/log/lists/Searches") {
  static readonly layer: Layer.Layer<Searches, never, SqlClient.SqlClient> = Layer.effect(
    Searches,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const slots = new AccountSlots(Math.max(1, Math.floor(mostSearches / (yield* Sharers))), 1)
      const limit = sql`SET LOCAL statement_timeout = ${sql.literal(String(longestSearchMs))}`
      return Searches.of({
        run: (accountId, reads) => slots.hold(accountId, sql.withTransaction(Effect.andThen(limit, reads)))
      })
    })
  )
}

/** True if a search took longer than it may. */
export const isTooLong = (error: unknown): boolean =>
  SqlError.isSqlError(error) && error.reason._tag === "StatementTimeoutError"
