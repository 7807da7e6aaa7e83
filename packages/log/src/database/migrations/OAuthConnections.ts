import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Connections of accounts over OAuth 2 that are under way, by the hashes of what those who know of them hold. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE oauth_connections (
      state_hash text COLLATE "C" PRIMARY KEY,
      app_account_id text COLLATE "C" NOT NULL REFERENCES app_accounts ON DELETE CASCADE,
      access text COLLATE "C" NOT NULL,
      confirmation_hash text COLLATE "C" UNIQUE,
      secrets bytea NOT NULL,
      return_to text,
      expires_at bigint NOT NULL,
      ask_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX oauth_connections_app_account ON oauth_connections (app_account_id)`
  yield* sql`CREATE INDEX oauth_connections_expires_at ON oauth_connections (expires_at)`
})
