import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // What arrived before, or is sent again by a replay, is no matter of its cursor's accounting.
  yield* sql`ALTER TABLE deliveries ADD COLUMN apart boolean NOT NULL DEFAULT false`
  // What the lines of a webhook stand on.
  yield* sql`
    CREATE INDEX deliveries_lines ON deliveries (webhook_id, emitter_id, event_id) WHERE state = 'pending'`

  yield* sql`
    CREATE TABLE bulk_actions (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      action text NOT NULL,
      filter text NOT NULL,
      dry_run boolean NOT NULL,
      rate_limit int NOT NULL,
      state text NOT NULL,
      created_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX bulk_actions_account ON bulk_actions (account_id, id)`
  // Outlives its webhook, so that what was done stays counted.
  yield* sql`
    CREATE TABLE bulk_parts (
      bulk_id text COLLATE "C" NOT NULL REFERENCES bulk_actions ON DELETE CASCADE,
      webhook_id text COLLATE "C" NOT NULL,
      place text COLLATE "C" NOT NULL DEFAULT '',
      place_at bigint,
      matched bigint NOT NULL DEFAULT 0,
      done bigint NOT NULL DEFAULT 0,
      failed bigint NOT NULL DEFAULT 0,
      skipped bigint NOT NULL DEFAULT 0,
      ended_at bigint,
      PRIMARY KEY (bulk_id, webhook_id)
    ) WITH (fillfactor = 50)`
  yield* sql`CREATE INDEX bulk_parts_open ON bulk_parts (webhook_id, bulk_id) WHERE ended_at IS NULL`
  // What is done of the page that a part is at. It is added up, and removed, with the next page.
  yield* sql`
    CREATE TABLE bulk_marks (
      bulk_id text COLLATE "C" NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      outcome text NOT NULL,
      PRIMARY KEY (bulk_id, webhook_id, key),
      FOREIGN KEY (bulk_id, webhook_id) REFERENCES bulk_parts ON DELETE CASCADE
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
})
