import * as Problem from "@headwater/api/Problem"
import type { SealBroken } from "@headwater/domain/Seal"
import type { Unavailable } from "@headwater/engine/Unavailable"
import { isTransient } from "@headwater/log/database/TransientSqlError"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Cause, Effect, Predicate } from "effect"
import type { SqlError } from "effect/sql"

const retryAfterSeconds = 5

/** The failures that any endpoint can have without a fault of the client. */
export type Failure = SqlError.SqlError | SealBroken | Unavailable | SandboxUnavailable

const isFailure = (error: unknown): error is Failure =>
  Predicate.isTagged(error, "SqlError") || Predicate.isTagged(error, "SealBroken") ||
  Predicate.isTagged(error, "Unavailable") || Predicate.isTagged(error, "SandboxUnavailable")

/** A 500 tells the client nothing of the cause; the log has it, under the same request id. */
export const internalError = (cause: unknown): Effect.Effect<never, Problem.InternalError> =>
  Effect.andThen(
    Effect.logError("A request failed", cause),
    Effect.fail(
      new Problem.InternalError(
        Problem.because("Something went wrong in the server. Its log has the details under the X-Request-Id.")
      )
    )
  )

const problemOf = (failure: Failure): Effect.Effect<never, Problem.Unavailable | Problem.InternalError> => {
  switch (failure._tag) {
    case "Unavailable":
      return Effect.fail(Problem.unavailable(failure.message, failure.retryAfterSeconds))
    case "SandboxUnavailable":
      return Effect.fail(
        Problem.unavailable("The server can't run component code now. Try again later.", retryAfterSeconds)
      )
    case "SqlError":
      return isTransient(failure)
        ? Effect.andThen(
          Effect.logWarning("The database is not available", failure),
          Effect.fail(Problem.unavailable("The database is not available.", retryAfterSeconds))
        )
        : internalError(failure)
    case "SealBroken":
      return internalError(failure)
  }
}

const interrupted = Problem.unavailable(
  "The server is shutting down, or hands over to another what it was asked for. Try again.",
  1
)

/**
 * The problem of a failure that nobody has handled. An interrupted request was not refused: its owner leaves this node.
 * The database may go away where an error has no place to go, in the midst of rolling back for one: that is no fault of
 * ours either.
 */
export const unhandled = (
  cause: Cause.Cause<unknown>
): Effect.Effect<never, Problem.Unavailable | Problem.InternalError> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.fail(interrupted)
  const errors = cause.reasons.map((reason) =>
    Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
  )
  const away = errors.find((error) => isFailure(error) && error._tag === "SqlError" && isTransient(error))
  return isFailure(away) ? problemOf(away) : internalError(cause)
}

/** Turns the failures that any endpoint may have into their problems and leaves the others. */
export const answerFailures = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, Failure> | Problem.Unavailable | Problem.InternalError, R> =>
  effect.pipe(
    Effect.catch((error): Effect.Effect<never, Exclude<E, Failure> | Problem.Unavailable | Problem.InternalError> =>
      isFailure(error) ? problemOf(error) : Effect.fail(error as Exclude<E, Failure>)
    )
  )
