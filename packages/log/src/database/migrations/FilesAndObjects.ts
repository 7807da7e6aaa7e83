import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The files of events, which go with the account's retention, and what each workflow sends to object storage. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX stored_files_of_events ON stored_files (account_id, created_at) WHERE starts_with(path, '$events/')`
  // Without a cursor it begins with the stream, which is empty.
  yield* sql`
    INSERT INTO subscriptions
      (id, account_id, emitter_id, emitter_like, listener_id, event_name, stream, filter, batch, created_at)
    SELECT 'sub_' || substr(md5(s.id || 's3'), 1, 20), account_id, emitter_id, emitter_like, listener_id, '$s3', '$s3', NULL,
      '{"maxEvents":1000,"maxWaitMs":60000,"maxBytes":4194304}', created_at
    FROM subscriptions s
    WHERE stream = '$sends' AND listener_id IN (SELECT id FROM webhooks WHERE workflow_id IS NOT NULL)
    ON CONFLICT (account_id, emitter_id, listener_id, stream) DO NOTHING`
})
