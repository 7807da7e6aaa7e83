import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The files of runs of workflows that have not ended, and their bytes. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE workflow_files (
      run_id text COLLATE "C" NOT NULL,
      path text COLLATE "C" NOT NULL,
      mode integer NOT NULL,
      modified_at bigint NOT NULL,
      size integer NOT NULL,
      content text COLLATE "C",
      target text COLLATE "C",
      PRIMARY KEY (run_id, path)
    )`
  yield* sql`
    CREATE TABLE workflow_file_parts (
      run_id text COLLATE "C" NOT NULL,
      content text COLLATE "C" NOT NULL,
      place integer NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      size integer NOT NULL,
      bytes bytea NOT NULL,
      put_at bigint NOT NULL,
      PRIMARY KEY (run_id, content, place)
    )`
  yield* sql`ALTER TABLE workflow_file_parts ALTER COLUMN bytes SET STORAGE EXTERNAL`
  yield* sql`CREATE INDEX workflow_file_parts_account ON workflow_file_parts (account_id) INCLUDE (place, size)`
})
