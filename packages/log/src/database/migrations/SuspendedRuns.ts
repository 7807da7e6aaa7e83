import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The reason that a run waits for, and the request by which one went on. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE workflow_runs ADD COLUMN waits_for text COLLATE "C"`
  yield* sql`ALTER TABLE workflow_steps ADD COLUMN resume_data text COLLATE "C"`
})
