import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE subscriptions ADD COLUMN batch text`
  yield* sql`ALTER TABLE auto_subscriptions ADD COLUMN batch text`
  yield* sql`ALTER TABLE components ADD COLUMN batch text`
  // Of what is sent without a list, these say nothing.
  yield* sql`
    ALTER TABLE deliveries ADD COLUMN event_count int NOT NULL DEFAULT 1, ADD COLUMN last_event_id bigint,
      ADD COLUMN batch_id text, ADD COLUMN batch_event_ids text`
  yield* sql`ALTER TABLE attempts ADD COLUMN event_count int, ADD COLUMN last_event_id bigint,
      ADD COLUMN batch_event_ids text`
  // Find the batches that an event was in behind another. Those of a subscription are the same range of events or do not
  // overlap, but for lists of one, which a replay sends.
  yield* sql`
    CREATE INDEX attempts_batch ON attempts (subscription_id, emitter_id, last_event_id)
    WHERE last_event_id > event_id`
  yield* sql`
    CREATE INDEX deliveries_batch ON deliveries (subscription_id, emitter_id, last_event_id)
    WHERE last_event_id > event_id`
  // Finds what retention keeps.
  yield* sql`
    CREATE INDEX deliveries_batch_pending ON deliveries (emitter_id, stream, last_event_id)
    WHERE last_event_id > event_id AND state = 'pending'`
})
