import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // What arrived before, or is sent again by a replay, is no matter of its cursor's accounting.
  yield* sql`ALTER TABLE deliveries ADD COLUMN apart boolean NOT NULL DEFAULT false`
  // What the lines of a webhook stand on.
  yield* sql`
    CREATE INDEX deliveries_lines ON deliveries (webhook_id, emitter_id, event_id) WHERE state = 'pending'`
})
