import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The time from which a source emits that was at work elsewhere before, and the programs of which nothing is sent yet. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE programs ADD COLUMN emit_from bigint, ADD COLUMN shadow boolean NOT NULL DEFAULT false`
})
