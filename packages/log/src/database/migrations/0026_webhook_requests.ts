import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // A request of which nothing was said has no text.
  yield* sql`
    ALTER TABLE webhooks ADD COLUMN request text, ADD COLUMN request_secrets bytea, ADD COLUMN key_pair bytea,
      ADD COLUMN previous_key_pair bytea, ADD COLUMN previous_key_pair_until bigint`
})
