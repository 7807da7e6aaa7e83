import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // A component of no account is published to all of them.
  yield* sql`ALTER TABLE components ALTER COLUMN account_id DROP NOT NULL`
  yield* sql`ALTER TABLE components ADD COLUMN withdrawn boolean NOT NULL DEFAULT false`
  yield* sql`CREATE INDEX components_published ON components (key, id) WHERE account_id IS NULL AND NOT withdrawn`
})
