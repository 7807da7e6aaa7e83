import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE components ADD COLUMN has_additional_props boolean NOT NULL DEFAULT false`
  yield* sql`ALTER TABLE sources ADD COLUMN additional_props text NOT NULL DEFAULT '[]'`
})
