import { Effect, Layer, Queue } from "effect"
import * as Wake from "../routing/Wake.ts"
import { Actors } from "./Actors.ts"
import { Suspensions } from "./Suspensions.ts"

/** Wakes what belongs to an account that was resumed: it goes on from where it stood. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const actors = yield* Actors
  const { released } = yield* Suspensions
  yield* Queue.take(released).pipe(
    Effect.map((ids) => {
      for (const id of ids) actors.wake(id, Wake.forEverything)
    }),
    Effect.forever,
    Effect.forkScoped
  )
}))
