import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Files of accounts, and their bytes. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE stored_files (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      path text COLLATE "C" NOT NULL,
      size bigint NOT NULL,
      content_type text COLLATE "C",
      content text COLLATE "C" NOT NULL UNIQUE,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      UNIQUE (account_id, path)
    )`
  yield* sql`
    CREATE TABLE stored_file_parts (
      content text COLLATE "C" NOT NULL,
      place integer NOT NULL,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      size integer NOT NULL,
      bytes bytea NOT NULL,
      put_at bigint NOT NULL,
      PRIMARY KEY (content, place)
    )`
  yield* sql`ALTER TABLE stored_file_parts ALTER COLUMN bytes SET STORAGE EXTERNAL`
  yield* sql`CREATE INDEX stored_file_parts_account ON stored_file_parts (account_id) INCLUDE (place, size)`
  yield* sql`CREATE INDEX stored_file_parts_put_at ON stored_file_parts (put_at)`
})
