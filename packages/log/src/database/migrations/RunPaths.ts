import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The paths on which a run is at the same time, while it is in branches that run at once. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE workflow_run_paths (
      run_id text COLLATE "C" NOT NULL,
      path text COLLATE "C" NOT NULL,
      parent text COLLATE "C",
      block text COLLATE "C" NOT NULL,
      branch text COLLATE "C" NOT NULL,
      until integer NOT NULL,
      joins integer NOT NULL,
      status text COLLATE "C" NOT NULL,
      step integer NOT NULL,
      tries integer NOT NULL,
      failures integer NOT NULL,
      rerun_context text COLLATE "C",
      due_at bigint,
      waits_for text COLLATE "C",
      error text COLLATE "C",
      PRIMARY KEY (run_id, path)
    )`
  yield* sql`ALTER TABLE workflow_steps ADD COLUMN path text COLLATE "C"`
})
