import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN retention_days int`
  yield* sql`ALTER TABLE attempts RENAME TO attempts_before`
  yield* sql`ALTER INDEX attempts_pkey RENAME TO attempts_before_pkey`
  yield* sql`ALTER INDEX attempts_webhook RENAME TO attempts_before_webhook`
  yield* sql`
    CREATE TABLE attempts (
      delivery_id text COLLATE "C" NOT NULL,
      attempt int NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      emitter_id text COLLATE "C" NOT NULL,
      stream text COLLATE "C" NOT NULL,
      event_id bigint NOT NULL,
      emit_id text COLLATE "C" NOT NULL,
      started_at bigint NOT NULL,
      duration_ms int NOT NULL,
      outcome text NOT NULL,
      status int,
      address text,
      error_class text,
      error_message text,
      response_headers text,
      response_body bytea,
      next_at bigint,
      PRIMARY KEY (delivery_id, attempt, started_at)
    ) PARTITION BY RANGE (started_at)`
  yield* sql`CREATE INDEX attempts_webhook ON attempts (webhook_id, started_at)`
  yield* sql`CREATE INDEX attempts_event ON attempts (event_id)`
  // Takes what no day's partition does, so that a day without one loses nothing.
  yield* sql`CREATE TABLE attempts_default PARTITION OF attempts DEFAULT`
  yield* sql`INSERT INTO attempts SELECT * FROM attempts_before`
  yield* sql`DROP TABLE attempts_before`
  yield* sql`
    CREATE TABLE trims (
      emitter_id text COLLATE "C" NOT NULL,
      stream text COLLATE "C" NOT NULL,
      removed bigint NOT NULL,
      PRIMARY KEY (emitter_id, stream)
    )`
  yield* sql`CREATE INDEX deliveries_pending ON deliveries (emitter_id, stream, event_id) WHERE state = 'pending'`
  yield* sql`CREATE INDEX deliveries_exhausted ON deliveries (event_id) WHERE state = 'exhausted'`
  // Marks are written in the order of their time, which is what such an index wants: it costs next to nothing.
  yield* sql`CREATE INDEX dedupe_marks_seen_at ON dedupe_marks USING brin (seen_at)`
  // Rows come and go for ever: cleaned by count and not by share, so that a large table is not left to bloat.
  yield* sql`
    ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
      autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.1)`
  yield* sql`ALTER TABLE due_work SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
  yield* sql`ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
  yield* sql`ALTER TABLE dedupe_marks SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`
})
