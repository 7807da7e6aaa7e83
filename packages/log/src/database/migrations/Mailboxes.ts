import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** E-mail addresses are found in whichever case senders write them. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX programs_mailbox ON programs (lower(endpoint_key)) WHERE endpoint_key IS NOT NULL`
})
