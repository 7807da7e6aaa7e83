import { Seal, type SealBroken } from "@headwater/domain/Seal"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

const place = "seal_check"
const word = Redacted.make("headwater")

/**
 * The `seal_check` table: one sealed word, which opens only under the secret that this database's secrets are sealed
 * under.
 */
export class SealCheck extends Context.Service<SealCheck, {
  /** Fails where the word was sealed under another secret. A database without a word passes. */
  readonly verify: Effect.Effect<void, SqlError.SqlError | SealBroken>
  /** Verifies, and leaves the word for the next start. On several nodes that start at once, the first one leaves it. */
  readonly keep: Effect.Effect<void, SqlError.SqlError | SealBroken>
}>()("@headwater/log/access/SealCheck") {
  static readonly layer: Layer.Layer<SealCheck, never, SqlClient.SqlClient | Seal> = Layer.effect(
    SealCheck,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const seal = yield* Seal

      const verify = Effect.flatMap(
        sql<{ readonly place: string; readonly sealed: Uint8Array }>`SELECT place, sealed FROM seal_check`,
        ([row]) => row === undefined ? Effect.void : Effect.asVoid(seal.open(row.place, row.sealed))
      )

      return SealCheck.of({
        verify,
        keep: Effect.gen(function*() {
          yield* verify
          const sealed = yield* seal.seal(place, word)
          // The copy of an API key that an older server sealed gives way to the word.
          yield* sql`
            INSERT INTO seal_check (place, sealed) VALUES (${place}, ${sealed})
            ON CONFLICT (singleton) DO UPDATE SET place = excluded.place, sealed = excluded.sealed
            WHERE seal_check.place <> ${place}`
          yield* verify
        })
      })
    })
  )
}
