import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The files of events, which go with the account's retention. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX stored_files_of_events ON stored_files (account_id, created_at) WHERE starts_with(path, '$events/')`
})
