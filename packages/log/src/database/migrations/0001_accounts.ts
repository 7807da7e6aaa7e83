import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE accounts (
      id text COLLATE "C" PRIMARY KEY,
      username text NOT NULL,
      email text NOT NULL,
      plan text NOT NULL,
      daily_compute_time_quota_ms bigint,
      daily_invocations_quota bigint,
      created_at bigint NOT NULL
    )`
  yield* sql`
    CREATE TABLE api_keys (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text NOT NULL,
      hash bytea NOT NULL UNIQUE,
      sealed bytea NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint,
      revoked_at bigint
    )`
  yield* sql`CREATE INDEX api_keys_account ON api_keys (account_id, id)`
})
