import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Bulk actions over runs have their parts at sources and workflows, and a part tells for what it skipped its rest. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE bulk_parts RENAME COLUMN webhook_id TO owner_id`
  yield* sql`ALTER TABLE bulk_marks RENAME COLUMN webhook_id TO owner_id`
  yield* sql`ALTER TABLE bulk_parts ADD COLUMN stopped_for text COLLATE "C"`
  yield* sql`ALTER TABLE bulk_actions ADD COLUMN rerun text COLLATE "C"`
})
