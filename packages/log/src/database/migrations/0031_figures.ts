import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // The input over which an event was emitted: of an event its emitter too, of a request to the program only the id.
  yield* sql`ALTER TABLE events ADD COLUMN cause_emitter text COLLATE "C", ADD COLUMN cause_id bigint`
  yield* sql`CREATE INDEX events_cause ON events (cause_emitter, cause_id) WHERE cause_emitter IS NOT NULL`

  for (const table of ["figures_minutes", "figures_hours"]) {
    // A row of the last minute is written several times, and none of its indexed columns changes with that.
    yield* sql`
      CREATE TABLE ${sql(table)} (
        account_id text COLLATE "C" NOT NULL,
        subject_id text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
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
        latencies int[],
        PRIMARY KEY (account_id, subject_id, at)
      ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000)`
    yield* sql`CREATE INDEX ${sql(`${table}_at`)} ON ${sql(table)} (at, account_id)`
  }

  yield* sql`
    CREATE TABLE nodes (
      id text COLLATE "C" PRIMARY KEY,
      worker int,
      version text NOT NULL,
      started_at bigint NOT NULL,
      seen_at bigint NOT NULL,
      programs int NOT NULL,
      webhooks int NOT NULL,
      consumers int NOT NULL,
      accounts int NOT NULL
    ) WITH (fillfactor = 50)`
})
