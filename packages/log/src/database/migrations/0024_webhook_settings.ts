import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE webhooks ADD COLUMN settings jsonb NOT NULL DEFAULT '{}', ADD COLUMN circuit_failures int NOT NULL DEFAULT 0,
      ADD COLUMN circuit_opens int NOT NULL DEFAULT 0, ADD COLUMN circuit_until bigint,
      ADD COLUMN rate_reserved_until bigint`
})
