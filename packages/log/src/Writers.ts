import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** Rows that no writer has touched for this long are swept, in milliseconds. */
const abandonedMs = 7 * 24 * 3_600_000

/**
 * The `writers` table: one row per group commit that runs, holding the number of its last batch. It is written in each
 * batch's transaction, so after a lost connection it says whether the batch is there. (The transaction's own id can't:
 * after a crash of Postgres an id that never reached the disk is given out again.)
 */
export class Writers extends Context.Service<Writers, {
  readonly register: (id: string) => Effect.Effect<void, SqlError.SqlError>
  /** Notes a batch, in the surrounding transaction. */
  readonly note: (id: string, batch: bigint) => Effect.Effect<void, SqlError.SqlError>
  /** The last batch that was committed. Waits for one that is still being decided. */
  readonly lastBatch: (id: string) => Effect.Effect<bigint, SqlError.SqlError>
  readonly remove: (id: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/Writers") {
  static readonly layer: Layer.Layer<Writers, never, SqlClient.SqlClient> = Layer.effect(
    Writers,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return Writers.of({
        register: Effect.fnUntraced(function*(id) {
          const now = yield* Clock.currentTimeMillis
          yield* sql`DELETE FROM writers WHERE seen_at < ${now - abandonedMs}`
          yield* sql`INSERT INTO writers (id, batch, seen_at) VALUES (${id}, 0, ${now})`
        }),
        note: Effect.fnUntraced(function*(id, batch) {
          const now = yield* Clock.currentTimeMillis
          yield* sql`
            INSERT INTO writers (id, batch, seen_at) VALUES (${id}, ${batch}, ${now})
            ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, seen_at = excluded.seen_at`
        }),
        lastBatch: (id) =>
          Effect.map(
            // A batch under way holds the row's lock, so this answers when it is committed or gone.
            sql.withTransaction(sql<{ batch: bigint }>`SELECT batch FROM writers WHERE id = ${id} FOR UPDATE`),
            ([row]) => row?.batch ?? 0n
          ),
        remove: (id) => Effect.asVoid(sql`DELETE FROM writers WHERE id = ${id}`)
      })
    })
  )
}
