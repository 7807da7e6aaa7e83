import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The tables of the nodes, the versions that may use the database, and its clock. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE nodes (
      id text COLLATE "C" PRIMARY KEY,
      worker integer,
      version text NOT NULL,
      started_at bigint NOT NULL,
      seen_at bigint NOT NULL,
      programs integer NOT NULL,
      webhooks integer NOT NULL,
      consumers integer NOT NULL,
      accounts integer NOT NULL
    ) WITH (fillfactor = 50)`
  yield* sql`
    CREATE TABLE oldest_allowed (
      sole boolean PRIMARY KEY DEFAULT true CHECK (sole),
      schema_number integer NOT NULL,
      version text NOT NULL
    )`
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
