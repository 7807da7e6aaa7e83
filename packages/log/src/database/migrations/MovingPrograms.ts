import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The time from which a source emits that was at work elsewhere before. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE programs ADD COLUMN emit_from bigint`
})
