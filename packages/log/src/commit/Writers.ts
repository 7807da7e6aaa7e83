import * as RealTime from "@headwater/domain/RealTime"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Insertion from "../internal/Insertion.ts"
import type { FilledInsertion } from "../internal/Insertion.ts"
import { bigints, numbers, texts } from "../internal/SqlArray.ts"

/** Rows of this age are swept, in milliseconds: nothing of their batch is still on its way. */
const abandonedMs = 7 * 24 * 3_600_000

const intoBatches = Insertion.into<{ readonly id: string; readonly batch: bigint; readonly at: number }>("batches")`
  INSERT INTO batches (writer_id, batch, written, seen_at)
  SELECT writer_id, batch, true, seen_at FROM unnest(
    ${(batches) => texts(batches.map(({ id }) => id))},
    ${(batches) => bigints(batches.map(({ batch }) => batch))},
    ${(batches) => numbers(batches.map(({ at }) => at))}
  ) AS b (writer_id, batch, seen_at)`

/**
 * The `batches` table: a row for each batch that a writer wrote, in the batch's transaction, so after a lost connection
 * it says whether the batch is there. (The transaction's own id can't: after a crash of Postgres an id that never
 * reached the disk is given out again.) A row of its own for each, since a row that all of them change has more
 * versions the longer somebody holds a snapshot.
 */
export class Writers extends Context.Service<Writers, {
  /** Forgets what writers left that are gone. */
  readonly sweep: Effect.Effect<void, SqlError.SqlError>
  /** Makes the insertion that notes a batch in its transaction: an error if its number was noted or settled before. */
  readonly note: (id: string, batch: bigint) => Effect.Effect<FilledInsertion>
  /**
   * True if a batch was committed. Waits for one that is still being decided. One that was not never will be, even if
   * it has yet to reach the database: its number is taken.
   */
  readonly settle: (id: string, batch: bigint) => Effect.Effect<boolean, SqlError.SqlError>
  /** Forgets the batches from one number up to another that are known to be written. */
  readonly forget: (id: string, from: bigint, to: bigint) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/commit/Writers") {
  static readonly layer: Layer.Layer<Writers, never, SqlClient.SqlClient> = Layer.effect(
    Writers,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return Writers.of({
        sweep: Effect.gen(function*() {
          const now = yield* RealTime.currentTimeMillis
          yield* sql`DELETE FROM batches WHERE seen_at < ${now - abandonedMs}`
        }),
        note: (id, batch) => Effect.map(RealTime.currentTimeMillis, (at) => intoBatches.of([{ id, batch, at }])),
        settle: Effect.fnUntraced(function*(id, batch) {
          const now = yield* RealTime.currentTimeMillis
          // Held up by a batch that has noted its number until it is committed or gone.
          const [row] = yield* sql<{ written: boolean }>`
            INSERT INTO batches (writer_id, batch, written, seen_at) VALUES (${id}, ${batch}, false, ${now})
            ON CONFLICT (writer_id, batch) DO UPDATE SET seen_at = excluded.seen_at
            RETURNING written`
          return row!.written
        }),
        forget: (id, from, to) =>
          Effect.asVoid(sql`
            DELETE FROM batches WHERE writer_id = ${id} AND batch BETWEEN ${from} AND ${to} AND written`)
      })
    })
  )
}
