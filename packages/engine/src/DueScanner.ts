import { type DueOwner, DueWork } from "@headwater/log/DueWork"
import { Clock, Effect, Layer, Schedule } from "effect"
import { Actors } from "./Actors.ts"
import { untilAnswered } from "./DatabaseRetry.ts"
import * as Wake from "./Wake.ts"

/** How often due work is looked for: the most that a timer or a retry is late by. */
const scanInterval = "200 millis"

/** Owners woken by one scan: about what a node gets done meanwhile, so that they are not all in memory at once. */
const page = 200

/** An owner that was woken and left its work due is woken again after this long, in milliseconds. */
const wakeAgainMs = 10_000

/** Wakes the owners of work whose time has come. Due work needs no resident actor; this finds it. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const actors = yield* Actors
  const dueWork = yield* DueWork
  /** What owners were woken for, and when. Left out of what is looked for, so that no other waits behind them. */
  const woken = new Map<string, DueOwner & { readonly at: number }>()

  const scan = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    for (const [ownerId, { at }] of woken) {
      if (now - at >= wakeAgainMs) woken.delete(ownerId)
    }
    for (const { dueAt, ownerId } of yield* untilAnswered(dueWork.ownersDue(now, page, [...woken.values()]))) {
      woken.set(ownerId, { ownerId, dueAt, at: now })
      actors.wake(ownerId, Wake.forDueWork)
    }
  })

  yield* scan.pipe(
    Effect.catchCause((cause) => Effect.logError("The scan for due work failed", cause)),
    Effect.repeat(Schedule.spaced(scanInterval)),
    Effect.forkScoped
  )
}))
