import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The clients and tokens of accounts with apps over OAuth 2. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE oauth_accounts (
      id text COLLATE "C" PRIMARY KEY REFERENCES app_accounts ON DELETE CASCADE,
      account_id text COLLATE "C" NOT NULL,
      client text NOT NULL,
      client_secret bytea,
      tokens bytea NOT NULL,
      state text NOT NULL,
      generation integer NOT NULL,
      is_renewable boolean NOT NULL,
      expires_at bigint,
      renewed_at bigint,
      renew_at bigint,
      claimed_until bigint,
      failures integer NOT NULL DEFAULT 0,
      failing_since bigint,
      error text
    )`
  yield* sql`CREATE INDEX oauth_accounts_renew_at ON oauth_accounts (renew_at) WHERE renew_at IS NOT NULL`
})
