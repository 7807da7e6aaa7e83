import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE webhooks ADD COLUMN failing_told smallint NOT NULL DEFAULT 0,
      ADD COLUMN owes_recovery boolean NOT NULL DEFAULT false, ADD COLUMN exhausted_told boolean NOT NULL DEFAULT false`
  // That these are out of service was told.
  yield* sql`UPDATE webhooks SET owes_recovery = true WHERE NOT active AND disabled_reason IS NOT NULL`
})
