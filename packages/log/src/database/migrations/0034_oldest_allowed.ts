import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE oldest_allowed (
      sole boolean PRIMARY KEY DEFAULT true CHECK (sole),
      schema_number integer NOT NULL,
      version text NOT NULL
    )`
})
