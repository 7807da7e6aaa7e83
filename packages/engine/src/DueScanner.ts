import { DueWork } from "@headwater/log/DueWork"
import { Clock, Effect, Layer, Schedule } from "effect"
import { Actors } from "./Actors.ts"
import { untilAnswered } from "./DatabaseRetry.ts"
import * as Wake from "./Wake.ts"

/** How often due work is looked for: the most that a timer or a retry is late by. */
const scanInterval = "200 millis"

const page = 1_000

/** An owner that was woken and left its work due is woken again after this long, in milliseconds. */
const wakeAgainMs = 10_000

/** Wakes the owners of work whose time has come. Due work needs no resident actor; this finds it. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const actors = yield* Actors
  const dueWork = yield* DueWork
  /** For each owner what it was woken for, and when. */
  const woken = new Map<string, { readonly dueAt: number; readonly at: number }>()

  const scan = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const due = yield* untilAnswered(dueWork.ownersDue(now, page))
    for (const [ownerId, { at }] of woken) {
      if (now - at >= wakeAgainMs) woken.delete(ownerId)
    }
    for (const { dueAt, ownerId } of due) {
      if (woken.get(ownerId)?.dueAt === dueAt) continue
      woken.set(ownerId, { dueAt, at: now })
      actors.wake(ownerId, Wake.forDueWork)
    }
  })

  yield* scan.pipe(
    Effect.catchCause((cause) => Effect.logError("The scan for due work failed", cause)),
    Effect.repeat(Schedule.spaced(scanInterval)),
    Effect.forkScoped
  )
}))
