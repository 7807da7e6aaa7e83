import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN suspended_at bigint`
  yield* sql`CREATE INDEX accounts_suspended ON accounts (id) WHERE suspended_at IS NOT NULL`
  yield* sql`CREATE INDEX programs_component ON programs (component_id)`
})
