import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The checksums of the files of accounts: each names the bytes that it is of, since servers of before write a file anew without
 * one.
 */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE stored_files ADD COLUMN checksum text COLLATE "C"`
})
