import * as RealTime from "@headwater/domain/RealTime"
import type { Submission } from "@headwater/log/commit/Submission"
import { Clock, Effect, Exit, FiberSet, type Scope } from "effect"

/** How long its owner waits for commits to be durable, the same for each. */
export interface Patience {
  /** Returns when a commit is durable; `late` where that takes too long. To give up does not take the commit back. */
  readonly durable: <E, L>(submission: Submission<E>, late: L) => Effect.Effect<void, E | L>
  /** The same as a call: answers how to stop waiting. */
  readonly await: <E, L>(
    submission: Submission<E>,
    late: L,
    onEnd: (exit: Exit.Exit<void, E | L>) => void
  ) => () => void
}

interface Waiting {
  /** By the monotonic clock, which nobody sets, in milliseconds. */
  readonly until: number
  readonly giveUp: () => void
}

/**
 * One timer for all that is waited for, and none that has to be stopped: what is waited for is nearly always there within
 * milliseconds, and a timer and a race for each takes longer to make than what it is for.
 *
 * @param patienceMs how long each is waited for, in milliseconds
 */
export const make = Effect.fnUntraced(function*(patienceMs: number): Effect.fn.Return<Patience, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const now = () => RealTime.elapsedUnsafe(clock)
  /** In the order in which they are given up. */
  const waiting = new Set<Waiting>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const one of waiting) if (waiting.delete(one)) one.giveUp()
    })
  )
  const run = yield* FiberSet.makeRuntime()
  let isWatched = false

  const watch = Effect.gen(function*() {
    for (const first of waiting) {
      const left = first.until - now()
      if (left > 0) yield* Effect.sleep(left)
      if (waiting.delete(first)) first.giveUp()
    }
    isWatched = false
  })

  const add = (one: Waiting) => {
    waiting.add(one)
    if (isWatched) return
    isWatched = true
    run(watch)
  }

  const awaitEnd: Patience["await"] = (submission, late, onEnd) => {
    const one: Waiting = { until: now() + patienceMs, giveUp: () => onEnd(Exit.fail(late)) }
    add(one)
    submission.onEnd((exit) => {
      if (waiting.delete(one)) onEnd(exit)
    })
    return () => waiting.delete(one)
  }

  return {
    await: awaitEnd,
    durable: <E, L>(submission: Submission<E>, late: L) =>
      Effect.callback<void, E | L>((resume) => {
        const stop = awaitEnd(submission, late, resume)
        return Effect.sync(stop)
      })
  }
})
