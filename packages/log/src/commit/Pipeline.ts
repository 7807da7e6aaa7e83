import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Option, Stream } from "effect"
import { SqlClient, type SqlConnection, type SqlError } from "effect/sql"
import { isLocked, isTransient } from "../database/TransientSqlError.ts"
import * as CrashPoint from "./CrashPoint.ts"

/** Statements that are written without waiting for the answers of those before them. */
const pipelined = (connection: PgConnection.PgConnection): SqlConnection.Connection => {
  const execute: SqlConnection.Connection["execute"] = (sql, params, transformRows) =>
    Effect.map(connection.query(sql, params), ({ rows }) => transformRows === undefined ? rows : transformRows(rows))
  const executeValues: SqlConnection.Connection["executeValues"] = (sql, params) => connection.queryValues(sql, params)
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, params) => connection.query(sql, params),
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: () => Stream.die("A stream has no place in a pipeline")
  }
}

type Statement = Effect.Effect<unknown, SqlError.SqlError>

/**
 * True if an error says that nothing was written. A connection may end once all is, also over an answer that can't be
 * read, which is not transient.
 */
const isRefused = (error: SqlError.SqlError): boolean =>
  isLocked(error) || (error.reason._tag !== "ConnectionError" && !isTransient(error))

const unexplained = Effect.die("A transaction was rolled back though no statement of it had failed")

/**
 * Transactions whose statements are all known before the first of them is answered: they go to the database as one
 * message and come back as one, where each would be a round trip.
 */
export class Pipeline extends Context.Service<Pipeline, {
  /**
   * Runs statements of one query each in one transaction, each whatever became of those before it; a single one is its
   * own transaction. Answers none where the transaction was committed; else the error of the first statement that was
   * refused, and nothing was written. It fails where it is not known whether the transaction was committed.
   */
  readonly transact: (
    statements: ReadonlyArray<Statement>
  ) => Effect.Effect<Option.Option<SqlError.SqlError>, SqlError.SqlError>
}>()("@headwater/log/commit/Pipeline") {
  static readonly layer: Layer.Layer<Pipeline, SqlError.SqlError, PgClient.PgClient | SqlClient.SqlClient> = Layer
    .effect(
      Pipeline,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { config } = yield* PgClient.PgClient
        const connectionWith = (startupParameters: Readonly<Record<string, string>>) =>
          PgPool.make({
            ...config,
            multiplex: true,
            minConnections: 0,
            maxConnections: 1,
            startupParameters: {
              ...config.startupParameters,
              // Whoever's rows somebody else keeps locked for longer is to wait for them beside the others.
              lock_timeout: "100ms",
              // Planning the larger statements takes longer than running them. A plan made once has to be good for
              // every batch and size of table: by the indexes.
              plan_cache_mode: "force_generic_plan",
              enable_seqscan: "off",
              enable_hashjoin: "off",
              enable_mergejoin: "off",
              ...startupParameters
            }
          })
        const single = yield* connectionWith({})
        // A statement that comes to run outside of the transaction, whatever the reason, must not write.
        const several = yield* connectionWith({ default_transaction_read_only: "on" })

        const runningOn = (connection: PgConnection.PgConnection) =>
          Effect.provideService(sql.transactionService, [pipelined(connection), 0])
        // The connection sends what it was given in a microtask of its own, which is queued behind the first of these.
        const sent = Effect.sync(() => queueMicrotask(() => queueMicrotask(() => CrashPoint.reached("commit-sent"))))

        const transactOne = Effect.fnUntraced(function*(connection: PgConnection.PgConnection, statement: Statement) {
          yield* sent
          const exit = yield* Effect.exit(runningOn(connection)(statement))
          if (Exit.isSuccess(exit)) return Option.none<SqlError.SqlError>()
          const refusal = Exit.findErrorOption(exit)
          return Option.isSome(refusal) && isRefused(refusal.value) ? refusal : yield* Effect.failCause(exit.cause)
        })

        const transactSeveral = Effect.fnUntraced(function*(
          connection: PgConnection.PgConnection,
          statements: ReadonlyArray<Statement>
        ) {
          let unsent = false
          const [begun, written, ended] = yield* Effect.all([
            Effect.exit(connection.query("BEGIN READ WRITE")),
            Effect.forEach(statements, (statement) =>
              Effect.exit(runningOn(connection)(statement)).pipe(
                Effect.tap((exit) =>
                  Effect.sync(() => {
                    unsent ||= Exit.isFailure(exit)
                  })
                )
              ), { concurrency: "unbounded" }),
            // A statement that fails before the database has answered anything, such as one with a value that can't be
            // encoded, never reaches it.
            Effect.exit(Effect.suspend(() => connection.query(unsent ? "ROLLBACK" : "COMMIT"))),
            sent
          ], { concurrency: "unbounded" })
          const { command } = yield* ended
          const failed = [begun, ...written].find(({ _tag }) => _tag === "Failure")
          const refusal = failed === undefined ? Option.none() : Exit.findErrorOption(failed)
          if (command !== "COMMIT" && Option.isSome(refusal)) return refusal
          if (failed !== undefined) yield* failed
          return command === "COMMIT" ? Option.none<SqlError.SqlError>() : yield* unexplained
        })

        return Pipeline.of({
          transact: (statements) =>
            Effect.uninterruptible(
              statements.length === 1
                ? single.use((connection) => transactOne(connection, statements[0]!))
                : several.use((connection) => transactSeveral(connection, statements))
            )
        })
      })
    )
}
