import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The tables of the figures of charts. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["figures_minutes", "figures_hours"]) {
    // A row of the last minute is written several times, and changes none of its indexed columns.
    yield* sql`
      CREATE TABLE ${sql(table)} (
        account_id text COLLATE "C",
        subject_id text COLLATE "C",
        at bigint,
        requests bigint NOT NULL,
        events bigint NOT NULL,
        errors bigint NOT NULL,
        runs bigint NOT NULL,
        failed_runs bigint NOT NULL,
        run_ms bigint NOT NULL,
        attempts bigint NOT NULL,
        failed_attempts bigint NOT NULL,
        attempt_ms bigint NOT NULL,
        exhausted bigint NOT NULL,
        dropped bigint NOT NULL,
        filtered bigint NOT NULL,
        latencies integer[],
        samples bigint NOT NULL DEFAULT 0,
        waiting bigint NOT NULL DEFAULT 0,
        pending bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (account_id, subject_id, at)
      ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000)`
    yield* sql`CREATE INDEX ${sql(`${table}_at`)} ON ${sql(table)} (at, account_id)`
  }
})
