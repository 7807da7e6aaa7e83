import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // What a list shows of a delivery that has not arrived stands in its row; of one that has, in its last attempt.
  yield* sql`
    ALTER TABLE deliveries ADD COLUMN account_id text COLLATE "C", ADD COLUMN last_at bigint, ADD COLUMN status int,
      ADD COLUMN error_class text`
  yield* sql`
    UPDATE deliveries d SET account_id = w.account_id FROM webhooks w WHERE w.id = d.webhook_id`
  yield* sql`
    UPDATE deliveries d SET last_at = a.started_at, status = a.status, error_class = a.error_class
    FROM attempts a WHERE a.delivery_id = d.id AND a.attempt = d.attempts`
  yield* sql`DELETE FROM deliveries WHERE account_id IS NULL`
  yield* sql`ALTER TABLE deliveries ALTER COLUMN account_id SET NOT NULL`
  yield* sql`DROP INDEX deliveries_webhook`
  yield* sql`CREATE INDEX deliveries_webhook ON deliveries (webhook_id, state, id)`
  yield* sql`CREATE INDEX deliveries_account ON deliveries (account_id, state, id)`
  yield* sql`CREATE INDEX deliveries_event ON deliveries (event_id, emitter_id, stream)`
  yield* sql`DROP INDEX deliveries_pending`
  yield* sql`DROP INDEX deliveries_exhausted`
  yield* sql`CREATE INDEX deliveries_ended ON deliveries (event_id) WHERE state <> 'pending'`

  yield* sql`ALTER TABLE attempts DROP CONSTRAINT attempts_pkey`
  yield* sql`DROP INDEX attempts_webhook`
  yield* sql`
    ALTER TABLE attempts ADD COLUMN account_id text COLLATE "C", ADD COLUMN request_headers text,
      ADD COLUMN dns_ms smallint, ADD COLUMN connect_ms smallint, ADD COLUMN tls_ms smallint,
      ADD COLUMN first_byte_ms smallint`
  yield* sql`UPDATE attempts a SET account_id = w.account_id FROM webhooks w WHERE w.id = a.webhook_id`
  yield* sql`DELETE FROM attempts WHERE account_id IS NULL`
  // One index is both the key and the order of an account's list.
  yield* sql`ALTER TABLE attempts ADD PRIMARY KEY (account_id, delivery_id, attempt, started_at)`
  yield* sql`CREATE INDEX attempts_webhook ON attempts (webhook_id, delivery_id, attempt)`
})
