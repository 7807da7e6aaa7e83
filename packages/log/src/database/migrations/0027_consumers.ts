import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE consumers (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      subscription_id text COLLATE "C" NOT NULL UNIQUE,
      name text,
      lease_seconds int NOT NULL,
      lease_id text,
      lease_until bigint,
      created_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX consumers_account ON consumers (account_id, id)`
})
