import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE idempotency_keys (
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      key text COLLATE "C" NOT NULL,
      request_hash bytea NOT NULL,
      claim text NOT NULL,
      claimed_until bigint NOT NULL,
      answer bytea,
      expires_at bigint NOT NULL,
      PRIMARY KEY (account_id, key)
    )`
  yield* sql`CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at)`
})
