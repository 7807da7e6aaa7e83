import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE app_accounts (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      app text NOT NULL,
      name text NOT NULL,
      credentials bytea NOT NULL,
      created_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX app_accounts_account ON app_accounts (account_id, id)`
})
