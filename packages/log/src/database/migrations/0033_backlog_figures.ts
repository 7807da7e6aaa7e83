import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["figures_minutes", "figures_hours"]) {
    yield* sql`
      ALTER TABLE ${sql(table)}
        ADD COLUMN samples bigint NOT NULL DEFAULT 0,
        ADD COLUMN waiting bigint NOT NULL DEFAULT 0,
        ADD COLUMN pending bigint NOT NULL DEFAULT 0`
  }
})
