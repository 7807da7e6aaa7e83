import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The tables of workflows' runs and steps. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE workflow_runs (
      id text COLLATE "C" PRIMARY KEY,
      workflow_id text COLLATE "C" NOT NULL,
      deployment_id text COLLATE "C" NOT NULL,
      trigger text NOT NULL,
      event text NOT NULL,
      started_at bigint NOT NULL,
      status text NOT NULL,
      step integer NOT NULL,
      tries integer NOT NULL,
      failures integer NOT NULL,
      rerun_context text,
      due_at bigint,
      error text,
      ended_at bigint,
      exit_reason text
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX workflow_runs_workflow ON workflow_runs (workflow_id, id)`
  yield* sql`CREATE INDEX workflow_runs_running ON workflow_runs (workflow_id, id) WHERE status = 'running'`
  yield* sql`CREATE INDEX workflow_runs_ended_at ON workflow_runs (workflow_id, ended_at)`
  yield* sql`
    CREATE TABLE workflow_steps (
      run_id text COLLATE "C",
      n integer,
      name text NOT NULL,
      status text NOT NULL,
      started_at bigint NOT NULL,
      wall_ms integer NOT NULL,
      cpu_ms integer NOT NULL,
      result text,
      error text,
      first_event bigint,
      last_event bigint,
      PRIMARY KEY (run_id, n)
    )`
})
