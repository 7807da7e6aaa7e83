import { isTransient, retrySchedule } from "@headwater/log/database/TransientSqlError"
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { Unavailable } from "./Unavailable.ts"

const isTransientFailure = (error: unknown): boolean => SqlError.isSqlError(error) && isTransient(error)

/**
 * Repeats a read of an actor until the database answers it. What the database would refuse again is a defect: the actor
 * starts over, and tells why.
 */
export const untilAnswered = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  effect.pipe(
    Effect.tapError((error) =>
      isTransientFailure(error) ? Effect.logWarning("The database does not answer; trying again", error) : Effect.void
    ),
    Effect.retry({ schedule: retrySchedule, while: isTransientFailure }),
    Effect.orDie
  )

/** For a caller who can try again: a database that is away is said so, and what it refuses is a defect. */
export const toUnavailable = (error: SqlError.SqlError): Effect.Effect<never, Unavailable> =>
  isTransient(error)
    ? Effect.andThen(
      Effect.logWarning("The database is not available", error),
      new Unavailable({ message: "The database is not available.", retryAfterSeconds: 1 })
    )
    : Effect.die(error)
