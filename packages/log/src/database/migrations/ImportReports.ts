import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Reports of imports of accounts. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE import_reports (
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text COLLATE "C" NOT NULL,
      report text COLLATE "C" NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      PRIMARY KEY (account_id, name)
    )`
})
