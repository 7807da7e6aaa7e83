import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Nothing that changes with a commit is indexed, so that these updates stay on their page (HOT).
  yield* sql`
    CREATE TABLE heads (
      emitter_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      epoch bigint NOT NULL,
      last_id bigint NOT NULL,
      streams jsonb NOT NULL
    ) WITH (fillfactor = 50)`
  yield* sql`CREATE INDEX heads_account ON heads (account_id, emitter_id)`
  yield* sql`
    CREATE TABLE events (
      emitter_id text COLLATE "C" NOT NULL,
      stream text COLLATE "C" NOT NULL,
      id bigint NOT NULL,
      n bigint NOT NULL,
      emit_id text COLLATE "C" NOT NULL,
      hops smallint NOT NULL,
      meta text,
      payload text NOT NULL,
      PRIMARY KEY (emitter_id, stream, id)
    )`
  yield* sql`
    CREATE TABLE cursors (
      subscription_id text COLLATE "C" NOT NULL,
      emitter_id text COLLATE "C" NOT NULL,
      n bigint NOT NULL,
      id bigint NOT NULL,
      start_n bigint NOT NULL,
      delivered bigint NOT NULL DEFAULT 0,
      pending bigint NOT NULL DEFAULT 0,
      exhausted bigint NOT NULL DEFAULT 0,
      dropped bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (subscription_id, emitter_id)
    ) WITH (fillfactor = 50)`
  yield* sql`
    CREATE TABLE source_state (
      source_id text COLLATE "C" NOT NULL,
      key text NOT NULL,
      value text NOT NULL,
      PRIMARY KEY (source_id, key)
    )`
  yield* sql`
    CREATE TABLE dedupe_marks (
      emitter_id text COLLATE "C" NOT NULL,
      mark text COLLATE "C" NOT NULL,
      value text NOT NULL,
      seen_at bigint NOT NULL,
      PRIMARY KEY (emitter_id, mark)
    )`
  yield* sql`
    CREATE TABLE due_work (
      owner_id text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      due_at bigint NOT NULL,
      payload text NOT NULL,
      PRIMARY KEY (owner_id, kind, key)
    )`
  yield* sql`CREATE INDEX due_work_due_at ON due_work (due_at)`
  yield* sql`
    CREATE TABLE deliveries (
      id text COLLATE "C" PRIMARY KEY,
      webhook_id text COLLATE "C" NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      emitter_id text COLLATE "C" NOT NULL,
      stream text COLLATE "C" NOT NULL,
      event_id bigint NOT NULL,
      attempts int NOT NULL,
      state text NOT NULL
    )`
  yield* sql`CREATE INDEX deliveries_webhook ON deliveries (webhook_id, id)`
  yield* sql`
    CREATE TABLE attempts (
      delivery_id text COLLATE "C" NOT NULL,
      attempt int NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      subscription_id text COLLATE "C" NOT NULL,
      emitter_id text COLLATE "C" NOT NULL,
      stream text COLLATE "C" NOT NULL,
      event_id bigint NOT NULL,
      emit_id text COLLATE "C" NOT NULL,
      started_at bigint NOT NULL,
      duration_ms int NOT NULL,
      outcome text NOT NULL,
      status int,
      address text,
      error_class text,
      error_message text,
      response_headers text,
      response_body bytea,
      next_at bigint,
      PRIMARY KEY (delivery_id, attempt)
    )`
  yield* sql`CREATE INDEX attempts_webhook ON attempts (webhook_id, started_at)`
  yield* sql`
    CREATE TABLE writers (
      id text COLLATE "C" PRIMARY KEY,
      batch bigint NOT NULL,
      seen_at bigint NOT NULL
    ) WITH (fillfactor = 50)`
  yield* sql`
    CREATE TABLE usage (
      emitter_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      day date NOT NULL,
      invocations bigint NOT NULL,
      compute_ms bigint NOT NULL,
      PRIMARY KEY (emitter_id, day)
    ) WITH (fillfactor = 50)`
  yield* sql`CREATE INDEX usage_account_day ON usage (account_id, day)`
})
