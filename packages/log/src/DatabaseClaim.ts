import { Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"

/** Other servers run on the database, in a way that does not go with this one's. */
export class DatabaseClaimed extends Schema.TaggedError<DatabaseClaimed>()("DatabaseClaimed", {}) {
  override get message() {
    return "another server runs on this database. To run several servers on it, give each its own HEADWATER_NODE"
  }
}

/** The lock's number: any that nothing else in the database uses. */
const lock = 4_857_201_133

/** How often it is made sure that the connection which holds the lock is there. */
const checkInterval = "5 seconds"

/**
 * Holds a lock on the database for as long as this is built: one server by itself alone, several nodes together. With
 * its connection the lock is lost, and taken again with the next.
 */
export const layer = (options: { readonly shared: boolean }) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const statement = `SELECT ${
      options.shared ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock"
    }(${lock}) AS taken`

    /** A connection that holds the lock, until the scope closes. */
    const take = Effect.gen(function*() {
      const connection = yield* sql.reserve
      const [row] = yield* connection.execute(statement, [], undefined)
      return row?.taken === true ? connection : yield* new DatabaseClaimed()
    })

    const untilLost = (connection: SqlConnection.Connection) =>
      connection.execute("SELECT 1", [], undefined).pipe(
        Effect.repeat(Schedule.spaced(checkInterval)),
        Effect.catch((error) => Effect.logWarning("Lost the lock on the database; taking it again", error))
      )

    const first = yield* take
    yield* untilLost(first).pipe(
      Effect.andThen(
        Effect.scoped(Effect.flatMap(take, untilLost)).pipe(
          Effect.catchTags({
            DatabaseClaimed: (error) => Effect.logError(error.message),
            SqlError: (error) => Effect.logWarning("Can't take the lock on the database yet", error)
          }),
          Effect.repeat(Schedule.spaced(checkInterval))
        )
      ),
      Effect.forkScoped
    )
  }))
