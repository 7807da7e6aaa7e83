import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { texts } from "./internal/SqlArray.ts"

/** A value a program's `$.service.db` keeps: JSON text, or null to forget the key. */
export interface StateWrite {
  readonly programId: string
  readonly key: string
  readonly value: string | null
}

/** Rows removed at once. */
const bite = 500

/** The `program_state` table: what programs keep between runs. */
export class ProgramState extends Context.Service<ProgramState, {
  readonly load: (programId: string) => Effect.Effect<Record<string, string>, SqlError.SqlError>
  readonly write: (writes: ReadonlyArray<StateWrite>) => Effect.Effect<void, SqlError.SqlError>
  readonly removeAll: (programId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/ProgramState") {
  static readonly layer: Layer.Layer<ProgramState, never, SqlClient.SqlClient> = Layer.effect(
    ProgramState,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return ProgramState.of({
        load: (programId) =>
          Effect.map(
            sql<{ key: string; value: string }>`SELECT key, value FROM program_state WHERE program_id = ${programId}`,
            (rows) => Object.fromEntries(rows.map((row) => [row.key, row.value]))
          ),
        write: (writes) =>
          Effect.asVoid(sql`
            WITH write AS (
              SELECT * FROM unnest(
                ${texts(writes.map((write) => write.programId))},
                ${texts(writes.map((write) => write.key))},
                ${texts(writes.map((write) => write.value))}
              ) AS w (program_id, key, value)
            ), forgotten AS (
              DELETE FROM program_state s USING write w
              WHERE s.program_id = w.program_id AND s.key = w.key AND w.value IS NULL
            )
            INSERT INTO program_state (program_id, key, value)
            SELECT program_id, key, value FROM write WHERE value IS NOT NULL
            ON CONFLICT (program_id, key) DO UPDATE SET value = excluded.value`),
        removeAll: (programId) =>
          sql<{ readonly gone: boolean }>`
            DELETE FROM program_state WHERE ctid = ANY (ARRAY (
              SELECT ctid FROM program_state WHERE program_id = ${programId} LIMIT ${bite}
            )) RETURNING true AS gone`.pipe(
            Effect.repeat({ until: (rows) => rows.length < bite }),
            Effect.asVoid
          )
      })
    })
  )
}
