import { Effect, Schedule, Schema, Stream } from "effect"
import { whyLost } from "../access/ApiAccess.ts"
import * as PassingFailure from "../access/PassingFailure.ts"

/** The reports about the connections of a tail. */
export interface Watcher {
  /** The connection is lost, and why; it is tried again by itself. */
  readonly lost: (why: string) => Effect.Effect<void>
  readonly back: Effect.Effect<void>
}

/** A server that shuts down takes connections and ends them at once: one counts that lasts this long, or has an event. */
const steady = "2 seconds"

/**
 * Follows tails that are lost and found together. Each connects anew whenever its connection ends, until the server
 * refuses it.
 */
export const make = (watcher: Watcher) => {
  let isLost = false

  const lost = (why: string) =>
    Effect.suspend(() => {
      if (isLost) return Effect.void
      isLost = true
      return watcher.lost(why)
    })

  const back = Effect.suspend(() => {
    if (!isLost) return Effect.void
    isLost = false
    return watcher.back
  })

  return <A, E, E2 extends { readonly _tag: string; readonly message: string }, R, R2>(
    connect: Effect.Effect<Stream.Stream<A, E, R>, E2, R2>,
    take: (item: A) => Effect.Effect<void>
  ) =>
    connect.pipe(
      Effect.tapError((error) => PassingFailure.is(error) ? lost(error.message) : Effect.void),
      PassingFailure.retry,
      Effect.tap(Effect.forkScoped(Effect.delay(back, steady))),
      Effect.flatMap((items) =>
        Stream.runForEach(items, (item) => Effect.andThen(back, take(item))).pipe(
          Effect.andThen(lost("the server has ended the connection")),
          Effect.catchIf((error) => !Schema.isSchemaError(error), (error) => lost(whyLost(error)))
        )
      ),
      Effect.scoped,
      Effect.repeat(Schedule.spaced("1 second"))
    )
}
