import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Scans go on behind the last owner they saw, however much is due at the same time.
  yield* sql`CREATE INDEX due_work_owners ON due_work (due_at, owner_id)`
  yield* sql`DROP INDEX due_work_due_at`
})
