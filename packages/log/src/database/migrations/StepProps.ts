import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The props that a step ran with. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE workflow_steps ADD COLUMN configured_props text COLLATE "C"`
})
