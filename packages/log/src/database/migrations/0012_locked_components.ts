import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX components_linked ON components (account_id, code_hash, id) WHERE linked IS NOT NULL`
})
