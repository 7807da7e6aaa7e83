import { Effect, Schedule } from "effect"

const passing: ReadonlySet<string> = new Set([
  "ServerAway",
  "UnavailableProblem",
  "InternalErrorProblem",
  "RateLimitedProblem"
])

/** True if a failed call to the server may succeed later without anybody doing anything. */
export const is = ({ _tag }: { readonly _tag: string }): boolean => passing.has(_tag)

const backoff = Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("5 seconds")])

/** Makes a call again until it fails for good. */
export const retry = <A, E extends { readonly _tag: string }, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.retry(call, { schedule: backoff, while: is })
