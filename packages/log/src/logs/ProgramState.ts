import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Insertion from "../internal/Insertion.ts"
import { removeRows } from "../internal/Removal.ts"
import { shared } from "../internal/SharedStatement.ts"
import { texts } from "../internal/SqlArray.ts"

/** A value a program's `$.service.db` keeps: JSON text, or null to forget the key. */
export interface StateWrite {
  readonly programId: string
  readonly key: string
  readonly value: string | null
}

/** Rows removed at once. */
const bite = 500

/** Writes what programs keep, each key once, in a transaction that holds their fences. */
export const intoProgramStateJournal = Insertion.into<StateWrite>("program_state_journal")`
  INSERT INTO program_state_journal (program_id, key, value)
  SELECT * FROM unnest(
    ${(writes) => texts(writes.map((write) => write.programId))},
    ${(writes) => texts(writes.map((write) => write.key))},
    ${(writes) => texts(writes.map((write) => write.value))}
  ) AS w`

/**
 * The state that programs keep between runs: the view `program_state`, of the tables `program_state_folded` and
 * `program_state_journal` (`Journals`).
 */
export class ProgramState extends Context.Service<ProgramState, {
  readonly load: (programId: string) => Effect.Effect<Record<string, string>, SqlError.SqlError>
  readonly write: (writes: ReadonlyArray<StateWrite>) => Effect.Effect<void, SqlError.SqlError>
  /** Of a program that has no head any more. */
  readonly removeAll: (programId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/logs/ProgramState") {
  static readonly layer: Layer.Layer<ProgramState, never, SqlClient.SqlClient> = Layer.effect(
    ProgramState,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return ProgramState.of({
        load: shared((programIds: ReadonlyArray<string>) =>
          Effect.map(
            sql<{ program_id: string; key: string; value: string }>`
              SELECT program_id, key, value FROM program_state WHERE program_id = ANY (${texts(programIds)})`,
            (rows) => {
              const states = Map.groupBy(rows, (row) => row.program_id)
              return programIds.map((id) =>
                Object.fromEntries((states.get(id) ?? []).map(({ key, value }) => [key, value]))
              )
            }
          )
        ),
        write: (writes) => intoProgramStateJournal.run(sql, writes),
        removeAll: (programId) => removeRows(sql, "program_state_folded", sql`program_id = ${programId}`, bite)
      })
    })
  )
}
