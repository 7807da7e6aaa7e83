import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The tables of the things that accounts make. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // A component of no account is published to all of them.
  yield* sql`
    CREATE TABLE components (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" REFERENCES accounts ON DELETE CASCADE,
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
      updated_at bigint NOT NULL,
      withdrawn boolean NOT NULL DEFAULT false,
      linked text,
      has_additional_props boolean NOT NULL DEFAULT false,
      steps text,
      batch text
    )`
  yield* sql`CREATE INDEX components_key ON components (account_id, key, id)`
  yield* sql`CREATE INDEX components_published ON components (key, id) WHERE account_id IS NULL AND NOT withdrawn`
  yield* sql`CREATE INDEX components_linked ON components (account_id, code_hash, id) WHERE linked IS NOT NULL`
  yield* sql`
    CREATE TABLE programs (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      component_id text COLLATE "C" NOT NULL REFERENCES components,
      name text NOT NULL,
      name_slug text NOT NULL,
      props text,
      timers text NOT NULL,
      active boolean NOT NULL,
      state text NOT NULL,
      endpoint_key text UNIQUE,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      sealed_props bytea,
      additional_props text NOT NULL DEFAULT '[]',
      workflow text,
      UNIQUE (account_id, name_slug)
    )`
  yield* sql`CREATE INDEX programs_account ON programs (account_id, id)`
  yield* sql`CREATE INDEX programs_unready ON programs (state) WHERE state <> 'ready'`
  yield* sql`CREATE INDEX programs_component ON programs (component_id)`
  yield* sql`
    CREATE TABLE deployments (
      id text COLLATE "C" PRIMARY KEY,
      workflow_id text COLLATE "C" NOT NULL,
      component_id text COLLATE "C" NOT NULL REFERENCES components,
      sealed_values bytea NOT NULL
    )`
  yield* sql`CREATE INDEX deployments_workflow ON deployments (workflow_id)`
  yield* sql`CREATE INDEX deployments_component ON deployments (component_id)`
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
      updated_at bigint NOT NULL,
      workflow_id text COLLATE "C",
      url_password bytea,
      settings jsonb NOT NULL DEFAULT '{}',
      circuit_failures integer NOT NULL DEFAULT 0,
      circuit_opens integer NOT NULL DEFAULT 0,
      circuit_until bigint,
      rate_reserved_until bigint,
      failing_told smallint NOT NULL DEFAULT 0,
      owes_recovery boolean NOT NULL DEFAULT false,
      exhausted_told boolean NOT NULL DEFAULT false,
      request text,
      request_secrets bytea,
      key_pair bytea,
      previous_key_pair bytea,
      previous_key_pair_until bigint
    )`
  yield* sql`CREATE INDEX webhooks_account ON webhooks (account_id, id)`
  yield* sql`CREATE UNIQUE INDEX webhooks_workflow ON webhooks (workflow_id) WHERE workflow_id IS NOT NULL`
  // An account may have a subscription for each of its emitters: to find the literal ones that match must not take LIKE.
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
      is_glob boolean NOT NULL GENERATED ALWAYS AS (emitter_id ~ '[*?]') STORED,
      filter text,
      batch text,
      UNIQUE (account_id, emitter_id, listener_id, stream)
    )`
  yield* sql`CREATE INDEX subscriptions_listener ON subscriptions (listener_id)`
  yield* sql`CREATE INDEX subscriptions_globs ON subscriptions (account_id) WHERE is_glob`
  yield* sql`
    CREATE TABLE auto_subscriptions (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      listener_id text COLLATE "C" NOT NULL,
      event_name text NOT NULL,
      stream text COLLATE "C" NOT NULL,
      created_at bigint NOT NULL,
      filter text,
      batch text,
      UNIQUE (account_id, listener_id, stream)
    )`
  yield* sql`CREATE INDEX auto_subscriptions_account ON auto_subscriptions (account_id, id)`
  yield* sql`
    CREATE TABLE consumers (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      subscription_id text COLLATE "C" NOT NULL UNIQUE,
      name text,
      lease_seconds integer NOT NULL,
      lease_id text,
      lease_until bigint,
      created_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX consumers_account ON consumers (account_id, id)`
})
