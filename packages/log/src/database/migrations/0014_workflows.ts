import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE components ADD COLUMN steps text`
  yield* sql`ALTER TABLE sources ADD COLUMN workflow text`
  yield* sql`ALTER TABLE webhooks ADD COLUMN workflow_id text COLLATE "C"`
  yield* sql`CREATE UNIQUE INDEX webhooks_workflow ON webhooks (workflow_id) WHERE workflow_id IS NOT NULL`
  yield* sql`
    CREATE TABLE deployments (
      id text COLLATE "C" PRIMARY KEY,
      workflow_id text COLLATE "C" NOT NULL,
      component_id text COLLATE "C" NOT NULL REFERENCES components,
      sealed_values bytea NOT NULL
    )`
  yield* sql`CREATE INDEX deployments_workflow ON deployments (workflow_id)`
  yield* sql`CREATE INDEX deployments_component ON deployments (component_id)`
  yield* sql`
    CREATE TABLE workflow_runs (
      id text COLLATE "C" PRIMARY KEY,
      workflow_id text COLLATE "C" NOT NULL,
      deployment_id text COLLATE "C" NOT NULL,
      trigger text NOT NULL,
      event text NOT NULL,
      started_at bigint NOT NULL,
      status text NOT NULL,
      step int NOT NULL,
      tries int NOT NULL,
      failures int NOT NULL,
      rerun_context text,
      due_at bigint,
      error text,
      ended_at bigint
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX workflow_runs_workflow ON workflow_runs (workflow_id, id)`
  yield* sql`CREATE INDEX workflow_runs_running ON workflow_runs (workflow_id, id) WHERE status = 'running'`
  yield* sql`CREATE INDEX workflow_runs_ended_at ON workflow_runs (workflow_id, ended_at)`
  yield* sql`
    CREATE TABLE workflow_steps (
      run_id text COLLATE "C" NOT NULL,
      n int NOT NULL,
      name text NOT NULL,
      status text NOT NULL,
      started_at bigint NOT NULL,
      wall_ms int NOT NULL,
      cpu_ms int NOT NULL,
      result text,
      error text,
      first_event bigint,
      last_event bigint,
      PRIMARY KEY (run_id, n)
    )`
})
