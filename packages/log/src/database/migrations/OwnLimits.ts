import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The limits that accounts set themselves, below those of the operator. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE accounts ADD COLUMN own_daily_compute_time_limit_ms bigint, ADD COLUMN own_daily_invocations_limit bigint,
      ADD COLUMN own_billing_period_invocations_limit bigint`
})
