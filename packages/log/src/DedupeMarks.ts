import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { numbers, texts } from "./internal/SqlArray.ts"

/** What an emitter remembers of the ids it has emitted: one mark an id, or one whose value is the id that counts. */
export interface DedupeMark {
  readonly emitterId: string
  readonly mark: string
  readonly value: string
  /** Unix milliseconds. */
  readonly seenAt: number
}

/** The `dedupe_marks` table. Marks outlive the events they came with. */
export class DedupeMarks extends Context.Service<DedupeMarks, {
  /** Those of the given marks the emitter has, with their values. */
  readonly known: (
    emitterId: string,
    marks: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, string>, SqlError.SqlError>
  readonly add: (marks: ReadonlyArray<DedupeMark>) => Effect.Effect<void, SqlError.SqlError>
  readonly removeAll: (emitterId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/DedupeMarks") {
  static readonly layer: Layer.Layer<DedupeMarks, never, SqlClient.SqlClient> = Layer.effect(
    DedupeMarks,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return DedupeMarks.of({
        known: (emitterId, marks) =>
          Effect.map(
            sql<{ mark: string; value: string }>`
              SELECT mark, value FROM dedupe_marks WHERE emitter_id = ${emitterId} AND mark = ANY (${texts(marks)})`,
            (rows) => new Map(rows.map((row) => [row.mark, row.value]))
          ),
        add: (marks) =>
          Effect.asVoid(sql`
            INSERT INTO dedupe_marks (emitter_id, mark, value, seen_at)
            SELECT * FROM unnest(
              ${texts(marks.map((mark) => mark.emitterId))},
              ${texts(marks.map((mark) => mark.mark))},
              ${texts(marks.map((mark) => mark.value))},
              ${numbers(marks.map((mark) => mark.seenAt))}
            )
            ON CONFLICT (emitter_id, mark) DO UPDATE SET
              value = excluded.value, seen_at = excluded.seen_at`),
        removeAll: (emitterId) => Effect.asVoid(sql`DELETE FROM dedupe_marks WHERE emitter_id = ${emitterId}`)
      })
    })
  )
}
