import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The place at which servers work on the database: a copy of it is found to be elsewhere. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE database_identity (
      sole boolean PRIMARY KEY DEFAULT true CHECK (sole),
      system_identifier text COLLATE "C",
      database_oid bigint NOT NULL,
      directory text COLLATE "C"
    )`
})
