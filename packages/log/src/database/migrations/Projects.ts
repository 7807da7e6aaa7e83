import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Projects of accounts, and the one that each program may belong to. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE projects (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text COLLATE "C" NOT NULL,
      name_slug text COLLATE "C" NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      UNIQUE (account_id, name),
      UNIQUE (account_id, name_slug)
    )`
  yield* sql`ALTER TABLE programs ADD COLUMN project_id text COLLATE "C" REFERENCES projects`
  yield* sql`CREATE INDEX programs_project ON programs (project_id, id) WHERE project_id IS NOT NULL`
})
