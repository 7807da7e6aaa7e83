import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Data stores of accounts, and their entries. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE data_stores (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text COLLATE "C" NOT NULL,
      created_at bigint NOT NULL,
      UNIQUE (account_id, name)
    )`
  yield* sql`
    CREATE TABLE data_store_entries (
      store_id text COLLATE "C" NOT NULL REFERENCES data_stores ON DELETE CASCADE,
      key text COLLATE "C" NOT NULL,
      value text COLLATE "C" NOT NULL,
      expires_at bigint,
      updated_at bigint NOT NULL,
      PRIMARY KEY (store_id, key)
    )`
  yield* sql`CREATE INDEX data_store_entries_expires_at ON data_store_entries (expires_at) WHERE expires_at IS NOT NULL`
})
