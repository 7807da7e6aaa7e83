import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // JSON of the request of an attempt that was sent before the one that counts; few have one.
  yield* sql`ALTER TABLE attempts ADD COLUMN first_request text`
})
