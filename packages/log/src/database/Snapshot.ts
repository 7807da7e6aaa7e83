import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/**
 * Lets several reads see the database as it was at one moment, so that what they tell fits together: a cursor, and the
 * attempts that were made before it moved.
 */
export const readTogether =
  (sql: SqlClient.SqlClient) => <A, E, R>(reads: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(reads).pipe(
      Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    )
