import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The tables of deliveries, their attempts, and what is done with many of them. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // The row of a delivery that has not arrived has all that a list shows of it; for one that has arrived, its last attempt does.
  yield* sql`
    CREATE TABLE deliveries (
      id text COLLATE "C" PRIMARY KEY,
      webhook_id text COLLATE "C" NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      emitter_id text COLLATE "C" NOT NULL,
      stream text COLLATE "C" NOT NULL,
      event_id bigint NOT NULL,
      attempts integer NOT NULL,
      state text NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      last_at bigint,
      status integer,
      error_class text,
      apart boolean NOT NULL DEFAULT false,
      event_count integer NOT NULL DEFAULT 1,
      last_event_id bigint,
      batch_id text,
      batch_event_ids text
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
  yield* sql`CREATE INDEX deliveries_webhook ON deliveries (webhook_id, state, id)`
  yield* sql`CREATE INDEX deliveries_account ON deliveries (account_id, state, id)`
  yield* sql`CREATE INDEX deliveries_event ON deliveries (event_id, emitter_id, stream)`
  yield* sql`CREATE INDEX deliveries_ended ON deliveries (event_id) WHERE state <> 'pending'`
  yield* sql`CREATE INDEX deliveries_lines ON deliveries (webhook_id, emitter_id, event_id) WHERE state = 'pending'`
  yield* sql`
    CREATE INDEX deliveries_batch ON deliveries (subscription_id, emitter_id, last_event_id)
    WHERE last_event_id > event_id`
  yield* sql`
    CREATE INDEX deliveries_batch_pending ON deliveries (emitter_id, stream, last_event_id)
    WHERE last_event_id > event_id AND state = 'pending'`
  // One index is both the key and the order of an account's list. A batch of one event has null in the columns of batches.
  yield* sql`
    CREATE TABLE attempts (
      delivery_id text COLLATE "C",
      attempt integer,
      webhook_id text COLLATE "C" NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      emitter_id text COLLATE "C" NOT NULL,
      stream text COLLATE "C" NOT NULL,
      event_id bigint NOT NULL,
      emit_id text COLLATE "C" NOT NULL,
      started_at bigint,
      duration_ms integer NOT NULL,
      outcome text NOT NULL,
      status integer,
      address text,
      error_class text,
      error_message text,
      response_headers text,
      response_body bytea,
      next_at bigint,
      account_id text COLLATE "C",
      request_headers text,
      dns_ms smallint,
      connect_ms smallint,
      tls_ms smallint,
      first_byte_ms smallint,
      event_count integer,
      last_event_id bigint,
      batch_event_ids text,
      first_request text,
      PRIMARY KEY (account_id, delivery_id, attempt, started_at)
    ) PARTITION BY RANGE (started_at)`
  yield* sql`CREATE INDEX attempts_event ON attempts (event_id)`
  yield* sql`CREATE INDEX attempts_webhook ON attempts (webhook_id, delivery_id, attempt)`
  yield* sql`
    CREATE INDEX attempts_batch ON attempts (subscription_id, emitter_id, last_event_id)
    WHERE last_event_id > event_id`
  // This partition takes the rows of days that have none, so that such a day loses nothing.
  yield* sql`CREATE TABLE attempts_default PARTITION OF attempts DEFAULT`
  yield* sql`
    CREATE TABLE bulk_actions (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      action text NOT NULL,
      filter text NOT NULL,
      dry_run boolean NOT NULL,
      rate_limit integer NOT NULL,
      state text NOT NULL,
      created_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX bulk_actions_account ON bulk_actions (account_id, id)`
  // A part outlives its webhook, so that its work stays counted.
  yield* sql`
    CREATE TABLE bulk_parts (
      bulk_id text COLLATE "C" REFERENCES bulk_actions ON DELETE CASCADE,
      webhook_id text COLLATE "C",
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
  // The work done of a part's present page. It is added up and removed with the next page.
  yield* sql`
    CREATE TABLE bulk_marks (
      bulk_id text COLLATE "C",
      webhook_id text COLLATE "C",
      key text COLLATE "C",
      outcome text NOT NULL,
      PRIMARY KEY (bulk_id, webhook_id, key),
      FOREIGN KEY (bulk_id, webhook_id) REFERENCES bulk_parts (bulk_id, webhook_id) ON DELETE CASCADE
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
})
