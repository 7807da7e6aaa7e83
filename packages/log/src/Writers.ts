import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { exactly } from "./internal/Exactly.ts"

/** Rows that no writer has touched for this long are swept, in milliseconds. */
const abandonedMs = 7 * 24 * 3_600_000

/**
 * The `writers` table: one row per group commit that runs, holding the number of its last batch. It is written in each
 * batch's transaction, so after a lost connection it says whether the batch is there. (The transaction's own id can't:
 * after a crash of Postgres an id that never reached the disk is given out again.)
 */
export class Writers extends Context.Service<Writers, {
  readonly register: (id: string) => Effect.Effect<void, SqlError.SqlError>
  /** Notes a batch, in the surrounding transaction; an error if one as high was noted before. */
  readonly note: (id: string, batch: bigint) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Whether a batch was committed. Waits for one that is still being decided. One that was not never will be, even if it
   * has yet to reach the database: the higher number `next` takes its place.
   */
  readonly settle: (id: string, batch: bigint, next: bigint) => Effect.Effect<boolean, SqlError.SqlError>
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
            WITH noted AS (
              INSERT INTO writers (id, batch, seen_at) VALUES (${id}, ${batch}, ${now})
              ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, seen_at = excluded.seen_at
              WHERE writers.batch < excluded.batch
              RETURNING id
            ) ${exactly(sql, "noted", 1)}`
        }),
        settle: Effect.fnUntraced(function*(id, batch, next) {
          const now = yield* Clock.currentTimeMillis
          // One statement, which a batch that has noted its number holds up until it is committed or gone, also where the
          // row is new or has been swept.
          const [row] = yield* sql<{ batch: bigint }>`
            INSERT INTO writers (id, batch, seen_at) VALUES (${id}, ${next}, ${now})
            ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, batch =
              CASE writers.batch WHEN ${batch} THEN writers.batch ELSE greatest(writers.batch, excluded.batch) END
            RETURNING batch`
          return row!.batch === batch
        }),
        remove: (id) => Effect.asVoid(sql`DELETE FROM writers WHERE id = ${id}`)
      })
    })
  )
}
