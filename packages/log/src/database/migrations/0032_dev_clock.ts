import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // One row in a database that was made for a clock that can be moved; none in any other.
  yield* sql`
    CREATE TABLE dev_clock (
      sole boolean PRIMARY KEY DEFAULT true CHECK (sole),
      stands_at bigint,
      ahead_ms bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50)`
  yield* sql`
    CREATE TABLE clock_operations (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL,
      from_at bigint NOT NULL,
      to_at bigint,
      to_next boolean NOT NULL,
      max_fired bigint,
      at bigint NOT NULL,
      fired jsonb NOT NULL DEFAULT '{}',
      swept_at bigint NOT NULL,
      reason text,
      began_at bigint NOT NULL,
      ended_at bigint
    ) WITH (fillfactor = 50)`
  yield* sql`CREATE UNIQUE INDEX clock_operations_open ON clock_operations ((true)) WHERE ended_at IS NULL`
})
