import { Clock, Effect, Schema } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { BenchServer } from "./BenchServer.ts"
import * as Database from "./Database.ts"

const Account = Schema.Struct({ data: Schema.Struct({ id: Schema.String }) })

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Writes what charts show straight into the tables: of the account and each subject, every minute of two days, and every hour of 30. */
export const make = Effect.fnUntraced(
  function*(server: BenchServer, subjectIds: ReadonlyArray<string>) {
    const sql = yield* Database.client(yield* server.database("postgres"))
    const { data: { id: accountId } } = yield* server.api(Account, "GET", "/users/me")
    const now = yield* Clock.currentTimeMillis
    const hour = now - now % hourMs
    const spans = [
      { table: "figures_minutes", stepMs: minuteMs, from: hour - 47 * hourMs, to: now - now % minuteMs - minuteMs },
      { table: "figures_hours", stepMs: hourMs, from: hour - 30 * 24 * hourMs, to: hour - 48 * hourMs }
    ]
    for (const { from, stepMs, table, to } of spans) {
      yield* sql`
        INSERT INTO ${
        sql(table)
      } (account_id, subject_id, at, requests, events, errors, runs, failed_runs, run_ms, attempts,
          failed_attempts, attempt_ms, exhausted, dropped, filtered, latencies)
        SELECT ${accountId}, subject, at, 20, 20, at / ${stepMs}::bigint % 7, 20, at / ${stepMs}::bigint % 7, 60, 18, 1, 900, 0, 0, 2,
          array_fill(0, ARRAY[10]) || 12 || array_fill(0, ARRAY[4]) || 6 || array_fill(0, ARRAY[14])
        FROM string_to_table(${["", ...subjectIds].join(",")}, ',') AS subject,
          generate_series(${from}::bigint, ${to}::bigint, ${stepMs}::bigint) AS at
        ON CONFLICT DO NOTHING`
      yield* sql`VACUUM ANALYZE ${sql(table)}`
    }
  },
  Effect.scoped,
  Effect.catchTag(
    "SqlError",
    (error) => Effect.fail(new BenchFailed({ message: `figures can't be written: ${String(error.cause)}` }))
  )
)
