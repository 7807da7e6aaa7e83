import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Keys are kept as hashes alone. The newest sealed copy tells the next start whether it has the right secret, and is replaced
 * there. CLUSTER writes the table anew, so that the dropped column is gone from its file as well.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE seal_check (
      singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
      place text NOT NULL,
      sealed bytea NOT NULL
    )`
  yield* sql`
    INSERT INTO seal_check (place, sealed) SELECT 'api_keys/' || id, sealed FROM api_keys ORDER BY id DESC LIMIT 1`
  yield* sql`ALTER TABLE api_keys DROP COLUMN sealed`
  yield* sql`CLUSTER api_keys USING api_keys_pkey`
})
