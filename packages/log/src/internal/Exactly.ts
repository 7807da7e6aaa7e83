import type { SqlClient } from "effect/sql"

/**
 * The end of a statement that is an error (a division by zero, for want of anything better in plain SQL) unless a common
 * table expression has a number of rows: for a transaction that nobody looks into before its COMMIT.
 */
export const exactly = (sql: SqlClient.SqlClient, table: string, rows: number) =>
  sql`SELECT 1 / (count(*) = ${rows})::int FROM ${sql(table)}`
