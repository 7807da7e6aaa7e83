import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"

/**
 * Removes rows so many at a time, so that no transaction is long.
 *
 * @param remove removes at most `bite` rows, and answers a row for each
 */
export const inBites = (
  bite: number,
  remove: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(Effect.repeat(remove, { until: (rows) => rows.length < bite }))

/** Removes the rows of a table that a condition holds for, in bites. */
export const removeRows = (
  sql: SqlClient.SqlClient,
  table: string,
  where: Statement.Fragment,
  bite = 1_000
): Effect.Effect<void, SqlError.SqlError> =>
  inBites(
    bite,
    sql`
      DELETE FROM ${sql(table)} WHERE ctid = ANY (ARRAY (
        SELECT ctid FROM ${sql(table)} WHERE ${where} LIMIT ${bite}
      )) RETURNING true`
  )
