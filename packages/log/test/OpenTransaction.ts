import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"

/** Runs an effect in a transaction that stays open until `commit`. */
export const inOpenTransaction = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const done = yield* Deferred.make<void>()
  const end = yield* Deferred.make<void>()
  const fiber = yield* effect.pipe(
    Effect.andThen(Deferred.succeed(done, undefined)),
    Effect.andThen(Deferred.await(end)),
    sql.withTransaction,
    Effect.forkChild
  )
  yield* Deferred.await(done)
  return { commit: Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber)) }
})
