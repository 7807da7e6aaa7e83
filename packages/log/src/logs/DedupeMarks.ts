import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { inBites, removeRows } from "../internal/Removal.ts"
import { numbers, texts } from "../internal/SqlArray.ts"

/** Rows deleted at once. */
const bite = 1_000

/** An emitter's memory of the ids it has emitted: one mark an id, or one whose value is the id that counts. */
export interface DedupeMark {
  readonly emitterId: string
  readonly mark: string
  readonly value: string
  /** Unix milliseconds. */
  readonly seenAt: number
}

/** The `dedupe_marks` table. Marks outlive the events they came with. */
export class DedupeMarks extends Context.Service<DedupeMarks, {
  /** Those of the given marks the emitter has. */
  readonly known: (
    emitterId: string,
    marks: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<DedupeMark>, SqlError.SqlError>
  readonly add: (marks: ReadonlyArray<DedupeMark>) => Effect.Effect<void, SqlError.SqlError>
  /** Notes that marks were seen again, at a time in Unix milliseconds. */
  readonly touch: (
    emitterId: string,
    marks: ReadonlyArray<string>,
    now: number
  ) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Forgets marks of single ids that were last seen longer ago than the account's events are kept, and than so many days.
   * `now` is in Unix milliseconds; `defaultDays` is for accounts without a retention of their own.
   */
  readonly expire: (options: {
    readonly now: number
    readonly defaultDays: number
    readonly leastDays: number
  }) => Effect.Effect<void, SqlError.SqlError>
  readonly removeAll: (emitterId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/logs/DedupeMarks") {
  static readonly layer: Layer.Layer<DedupeMarks, never, SqlClient.SqlClient> = Layer.effect(
    DedupeMarks,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return DedupeMarks.of({
        known: (emitterId, marks) =>
          Effect.map(
            sql<{ mark: string; value: string; seen_at: bigint }>`
              SELECT mark, value, seen_at FROM dedupe_marks
              WHERE emitter_id = ${emitterId} AND mark = ANY (${texts(marks)})`,
            (rows) => rows.map((row) => ({ emitterId, mark: row.mark, value: row.value, seenAt: Number(row.seen_at) }))
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
        touch: (emitterId, marks, now) =>
          Effect.asVoid(sql`
            UPDATE dedupe_marks SET seen_at = ${now} WHERE emitter_id = ${emitterId} AND mark = ANY (${texts(marks)})`),
        expire: ({ defaultDays, leastDays, now }) => {
          const remembered = sql`greatest(coalesce(a.retention_days, ${defaultDays}::int), ${leastDays}::int)`
          const age = sql`${now}::bigint - 86400000::bigint *`
          return inBites(
            bite,
            sql`
            DELETE FROM dedupe_marks WHERE ctid = ANY (ARRAY (
              SELECT d.ctid FROM dedupe_marks d
              LEFT JOIN heads h ON h.emitter_id = d.emitter_id
              LEFT JOIN accounts a ON a.id = h.account_id
              WHERE d.seen_at < ${age} (SELECT min(${remembered}) FROM accounts a)
                AND d.seen_at < ${age} ${remembered} AND d.mark LIKE '%:%'
              LIMIT ${bite}
            )) AND seen_at < ${age} ${leastDays}::int RETURNING true`
          )
        },
        removeAll: (emitterId) => removeRows(sql, "dedupe_marks", sql`emitter_id = ${emitterId}`, bite)
      })
    })
  )
}
