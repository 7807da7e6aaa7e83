import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { numbers, texts } from "./internal/SqlArray.ts"

/** What one run cost. */
export interface UsageEntry {
  readonly emitterId: string
  readonly accountId: string
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string
  readonly invocations: number
  readonly computeMs: number
}

/** The `usage` table: a row per emitter and day, so that emitters of one account don't wait for each other. */
export class Usage extends Context.Service<Usage, {
  readonly add: (entries: ReadonlyArray<UsageEntry>) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/Usage") {
  static readonly layer: Layer.Layer<Usage, never, SqlClient.SqlClient> = Layer.effect(
    Usage,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return Usage.of({
        add: (entries) =>
          Effect.asVoid(sql`
            INSERT INTO usage AS u (emitter_id, account_id, day, invocations, compute_ms)
            SELECT emitter_id, account_id, day::date, sum(invocations)::bigint, sum(compute_ms)::bigint
            FROM unnest(
              ${texts(entries.map((entry) => entry.emitterId))},
              ${texts(entries.map((entry) => entry.accountId))},
              ${texts(entries.map((entry) => entry.day))},
              ${numbers(entries.map((entry) => entry.invocations))},
              ${numbers(entries.map((entry) => entry.computeMs))}
            ) AS e (emitter_id, account_id, day, invocations, compute_ms)
            GROUP BY emitter_id, account_id, day
            ORDER BY emitter_id, day
            ON CONFLICT (emitter_id, day) DO UPDATE SET
              invocations = u.invocations + excluded.invocations,
              compute_ms = u.compute_ms + excluded.compute_ms`)
      })
    })
  )
}
