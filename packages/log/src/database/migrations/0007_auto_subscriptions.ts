import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE auto_subscriptions (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      listener_id text COLLATE "C" NOT NULL,
      event_name text NOT NULL,
      stream text COLLATE "C" NOT NULL,
      created_at bigint NOT NULL,
      UNIQUE (account_id, listener_id, stream)
    )`
  yield* sql`CREATE INDEX auto_subscriptions_account ON auto_subscriptions (account_id, id)`
  // An account may have a subscription for each of its emitters: finding what a literal one matches must not take LIKE.
  yield* sql`
    ALTER TABLE subscriptions
    ADD COLUMN is_glob boolean NOT NULL GENERATED ALWAYS AS (emitter_id ~ '[*?]') STORED`
  yield* sql`CREATE INDEX subscriptions_globs ON subscriptions (account_id) WHERE is_glob`
})
