import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { texts } from "./internal/SqlArray.ts"

/** A value a source's `$.service.db` keeps: JSON text, or null to forget the key. */
export interface StateWrite {
  readonly sourceId: string
  readonly key: string
  readonly value: string | null
}

/** The `source_state` table: what sources keep between runs. */
export class SourceState extends Context.Service<SourceState, {
  readonly load: (sourceId: string) => Effect.Effect<Record<string, string>, SqlError.SqlError>
  readonly write: (writes: ReadonlyArray<StateWrite>) => Effect.Effect<void, SqlError.SqlError>
  readonly removeAll: (sourceId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/SourceState") {
  static readonly layer: Layer.Layer<SourceState, never, SqlClient.SqlClient> = Layer.effect(
    SourceState,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return SourceState.of({
        load: (sourceId) =>
          Effect.map(
            sql<{ key: string; value: string }>`SELECT key, value FROM source_state WHERE source_id = ${sourceId}`,
            (rows) => Object.fromEntries(rows.map((row) => [row.key, row.value]))
          ),
        write: (writes) =>
          Effect.asVoid(sql`
            WITH write AS (
              SELECT * FROM unnest(
                ${texts(writes.map((write) => write.sourceId))},
                ${texts(writes.map((write) => write.key))},
                ${texts(writes.map((write) => write.value))}
              ) AS w (source_id, key, value)
            ), forgotten AS (
              DELETE FROM source_state s USING write w
              WHERE s.source_id = w.source_id AND s.key = w.key AND w.value IS NULL
            )
            INSERT INTO source_state (source_id, key, value)
            SELECT source_id, key, value FROM write WHERE value IS NOT NULL
            ON CONFLICT (source_id, key) DO UPDATE SET value = excluded.value`),
        removeAll: (sourceId) => Effect.asVoid(sql`DELETE FROM source_state WHERE source_id = ${sourceId}`)
      })
    })
  )
}
