import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The tables of accounts, their keys and sessions, and what was done with them. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE accounts (
      id text COLLATE "C" PRIMARY KEY,
      username text NOT NULL,
      email text NOT NULL,
      plan text NOT NULL,
      daily_compute_time_quota_ms bigint,
      daily_invocations_quota bigint,
      created_at bigint NOT NULL,
      billing_period_invocations_quota bigint,
      retention_days integer,
      suspended_at bigint
    )`
  yield* sql`CREATE INDEX accounts_suspended ON accounts (id) WHERE suspended_at IS NOT NULL`
  yield* sql`
    CREATE TABLE api_keys (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text NOT NULL,
      hash bytea NOT NULL UNIQUE,
      created_at bigint NOT NULL,
      expires_at bigint,
      revoked_at bigint,
      scope text NOT NULL DEFAULT 'write'
    )`
  yield* sql`CREATE INDEX api_keys_account ON api_keys (account_id, id)`
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
      status integer NOT NULL,
      client_ip text NOT NULL
    )`
  yield* sql`CREATE INDEX audit_log_account ON audit_log (account_id, id)`
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
  yield* sql`
    CREATE TABLE idempotency_keys (
      account_id text COLLATE "C" REFERENCES accounts ON DELETE CASCADE,
      key text COLLATE "C",
      request_hash bytea NOT NULL,
      claim text NOT NULL,
      claimed_until bigint NOT NULL,
      answer bytea,
      expires_at bigint NOT NULL,
      PRIMARY KEY (account_id, key)
    )`
  yield* sql`CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at)`
  // One sealed word, which opens only under the secret that the database's secrets are sealed under.
  yield* sql`
    CREATE TABLE seal_check (
      singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
      place text NOT NULL,
      sealed bytea NOT NULL
    )`
})
