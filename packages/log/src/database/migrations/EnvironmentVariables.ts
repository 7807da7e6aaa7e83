import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Environment variables of accounts and programs: those of one owner in one sealed text. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE environments (
      owner_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      variables bytea NOT NULL,
      changed_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX environments_changed_at ON environments (changed_at)`
  yield* sql`CREATE INDEX environments_account ON environments (account_id)`
})
