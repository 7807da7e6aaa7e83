import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Keys from before could do everything, and so can those that a server of the version before still makes.
  yield* sql`ALTER TABLE api_keys ADD COLUMN scope text NOT NULL DEFAULT 'write'`

  yield* sql`
    CREATE TABLE sessions (
      id text COLLATE "C" PRIMARY KEY,
      hash bytea NOT NULL UNIQUE,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      key_id text COLLATE "C" NOT NULL REFERENCES api_keys ON DELETE CASCADE,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      used_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX sessions_account ON sessions (account_id, id)`

  yield* sql`
    CREATE TABLE audit_log (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      key_id text COLLATE "C" NOT NULL,
      session_id text COLLATE "C",
      operation text NOT NULL,
      method text NOT NULL,
      path text NOT NULL,
      resource_id text,
      status int NOT NULL,
      client_ip text NOT NULL
    )`
  yield* sql`CREATE INDEX audit_log_account ON audit_log (account_id, id)`
})
