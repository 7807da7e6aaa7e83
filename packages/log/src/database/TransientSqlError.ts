import { PgProtocol } from "@effect/sql-pg"
import { Effect, Predicate, Schedule } from "effect"
import { SqlError } from "effect/sql"

const retryableReasons = new Set([
  "ConnectionError",
  "DeadlockError",
  "LockTimeoutError",
  "SerializationError",
  "StatementTimeoutError"
])

/** SQLSTATE of the server's answer, if it gave one. */
const sqlState = (error: SqlError.SqlError): string | undefined => {
  const cause = error.reason.cause
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
}

/** True if a migration has changed a table since a statement was prepared, which is prepared anew the next time. */
const isPlanOutdated = ({ reason: { cause } }: SqlError.SqlError): boolean =>
  Predicate.hasProperty(cause, "routine") && cause.routine === "RevalidateCachedQuery"

/**
 * True if an error is the database's state and not the statement's fault: the same work can succeed later. Beside
 * connections, locks and timeouts these are SQLSTATE classes 08 (connection), 53 (insufficient resources), 57P (operator
 * intervention: shutting down, starting) and 58 (system error), 25P03 (idle in a transaction for too long), and
 * 25006 (read only), as a standby answers until it is promoted. An answer that the client can't read, as one that is too
 * large for it, comes back each time, though the connection ends over it.
 */
export const isTransient = (error: SqlError.SqlError): boolean => {
  if (error.reason.cause instanceof PgProtocol.ParseError) return false
  if (retryableReasons.has(error.reason._tag) || isPlanOutdated(error)) return true
  const state = sqlState(error)
  return state !== undefined && /^(08|53|57P|58|25P03|25006)/.test(state)
}

/** True if rows were not to be had because somebody else keeps them locked. */
export const isLocked = (error: SqlError.SqlError): boolean => error.reason._tag === "LockTimeoutError"

/** True if a statement found other rows than it had to (`internal/Exactly.ts`): somebody else has changed them. */
export const hasNoSuchRows = (error: SqlError.SqlError): boolean => sqlState(error) === "22012"

const longestMessage = 300

/** An error in one line for the log, with its SQLSTATE where the database answered it. */
export const describe = (error: SqlError.SqlError): string => {
  const { cause } = error.reason
  const message = cause instanceof Error ? cause.message : error.message
  const state = sqlState(error)
  return `${message.slice(0, longestMessage)}${state === undefined ? "" : ` (SQLSTATE ${state})`}`
}

/** The schedule by which work is tried again while the database is away. */
export const retrySchedule = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])

/**
 * Repeats what fails for a while, by `retrySchedule`, and tells each failure first. The schedule is made once the first attempt
 * has failed: that takes longer than all that a commit does which succeeds.
 */
export const repeated = <A, E, R>(attempt: Effect.Effect<A, E, R>, options: {
  readonly while: (error: E) => boolean
  readonly told: (error: E) => Effect.Effect<void>
}): Effect.Effect<A, E, R> =>
  Effect.catchIf(attempt, options.while, (error) => {
    let isFirst = true
    const next = Effect.suspend(() => {
      if (!isFirst) return attempt
      isFirst = false
      return Effect.fail(error)
    })
    return Effect.tapError(next, (error) => options.while(error) ? options.told(error) : Effect.void).pipe(
      Effect.retry({ schedule: retrySchedule, while: options.while })
    )
  })

const isTransientFailure = (error: unknown): boolean => SqlError.isSqlError(error) && isTransient(error)

/**
 * Repeats a read until the database answers it. A read that the database would refuse again is a defect: an actor that
 * reads starts over, and tells why.
 */
export const untilAnswered = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  Effect.orDie(repeated(effect, {
    while: isTransientFailure,
    told: (error) => Effect.logWarning("The database does not answer; trying again", error)
  }))
