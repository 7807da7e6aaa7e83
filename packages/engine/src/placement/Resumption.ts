import { Effect, Layer, Queue } from "effect"
import { ActorCalls } from "../ground/ActorCalls.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import * as Wake from "../ground/Wake.ts"

/** Wakes the actors of an account that was resumed: they go on from their places. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const actors = yield* ActorCalls
  const { released } = yield* Suspensions
  yield* Queue.take(released).pipe(
    Effect.map((ids) => {
      for (const id of ids) actors.wake(id, Wake.forEverything)
    }),
    Effect.forever,
    Effect.forkScoped
  )
}))
