import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE components (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      key text,
      code text NOT NULL,
      code_hash text NOT NULL,
      name text NOT NULL,
      version text NOT NULL,
      type text,
      description text,
      url text,
      dedupe text,
      hooks text[] NOT NULL,
      configurable_props text NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX components_key ON components (account_id, key, id)`
  yield* sql`
    CREATE TABLE sources (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      component_id text COLLATE "C" NOT NULL REFERENCES components,
      name text NOT NULL,
      name_slug text NOT NULL,
      props text NOT NULL,
      timers text NOT NULL,
      active boolean NOT NULL,
      state text NOT NULL,
      endpoint_key text UNIQUE,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      UNIQUE (account_id, name_slug)
    )`
  yield* sql`CREATE INDEX sources_account ON sources (account_id, id)`
  yield* sql`CREATE INDEX sources_unready ON sources (state) WHERE state <> 'ready'`
  yield* sql`
    CREATE TABLE webhooks (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text,
      description text,
      url text NOT NULL,
      active boolean NOT NULL,
      disabled_reason text,
      throttled_until bigint,
      failing_since bigint,
      secret bytea NOT NULL,
      previous_secret bytea,
      previous_secret_until bigint,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX webhooks_account ON webhooks (account_id, id)`
  yield* sql`
    CREATE TABLE subscriptions (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      emitter_id text COLLATE "C" NOT NULL,
      emitter_like text COLLATE "C" NOT NULL,
      listener_id text COLLATE "C" NOT NULL,
      event_name text NOT NULL,
      stream text COLLATE "C" NOT NULL,
      created_at bigint NOT NULL,
      UNIQUE (account_id, emitter_id, listener_id, stream)
    )`
  yield* sql`CREATE INDEX subscriptions_listener ON subscriptions (listener_id)`
})
