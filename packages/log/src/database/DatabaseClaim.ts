import { Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"

/** Other servers run on the database, in a way that does not go with this one's. */
export class DatabaseClaimed extends Schema.TaggedError<DatabaseClaimed>()("DatabaseClaimed", {}) {
  override get message() {
    return "another server runs on this database. To run several servers on it, give each its own HEADWATER_NODE"
  }
}

/** The lock's number: any that nothing else in the database uses. */
const lock = 4_857_201_133n

/** Of the locks that say which schema a server is made for. */
const schemas = 1_857_201

/** A server that ended a moment ago may still hold the lock. */
const patience = { schedule: Schedule.spaced("200 millis"), times: 5 }

/** The interval of the checks that the connection which holds the lock is there. */
const checkInterval = "5 seconds"

/** The addresses of servers that hold the database and are made for a schema below a number, or do not say which. */
export const olderServers = Effect.fnUntraced(function*(schemaNumber: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly address: string }>`
    SELECT DISTINCT coalesce(host(a.client_addr), 'a local socket') AS address
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.classid = ${String(lock >> 32n)}::oid AND l.objid = ${String(lock & 0xffff_ffffn)}::oid
      AND NOT EXISTS (
        SELECT FROM pg_locks s
        WHERE s.pid = l.pid AND s.locktype = 'advisory' AND s.objsubid = 2 AND s.database = l.database
          AND s.classid = ${String(schemas)}::oid AND s.objid::bigint >= ${schemaNumber}
      )
    ORDER BY 1`
  return rows.map(({ address }) => address)
})

/**
 * Holds a lock on the database for as long as this is built: one server by itself alone, several nodes together. With
 * its connection the lock is lost, and taken again with the next.
 *
 * @param options.schemaNumber of the schema that the server is made for, which others can see
 */
export const layer = (options: { readonly shared: boolean; readonly schemaNumber: number }) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const claim = `SELECT ${options.shared ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock"}(${lock}) AS taken`
    const tell = `SELECT pg_advisory_lock_shared(${schemas}, ${options.schemaNumber})`

    /** A connection that holds the lock, until the scope closes. */
    const take = Effect.gen(function*() {
      const connection = yield* sql.reserve
      yield* connection.execute(claim, [], undefined).pipe(
        Effect.filterOrFail(([row]) => row?.taken === true, () => new DatabaseClaimed()),
        Effect.retry({ ...patience, while: ({ _tag }) => _tag === "DatabaseClaimed" })
      )
      yield* connection.execute(tell, [], undefined)
      return connection
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
