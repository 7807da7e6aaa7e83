import * as RealTime from "@headwater/domain/RealTime"
import type { CommitError, Submission } from "@headwater/log/commit/Submission"
import { Clock, Effect, Exit, FiberSet, Scope } from "effect"

interface Waiting {
  /** By the monotonic clock, which nobody sets, in milliseconds. */
  readonly until: number
  readonly giveUp: () => void
}

/**
 * The time limit within which an actor's callers wait for commits to be durable, the same for each. One timer serves all
 * of them, and none has to be stopped: nearly every commit is durable within milliseconds, and a timer and a race for each
 * would take longer to make than the wait itself.
 *
 * - D1. `waiting` is in the order in which its members are given up.
 * - D2. A caller is told once: whoever takes it out of `waiting` tells it.
 * - D3. At the end of the scope all who wait are told that it is late.
 */
export class CommitDeadlines<L> {
  private readonly patienceMs: number
  private readonly late: L
  private readonly now: () => number
  private readonly run: (work: Effect.Effect<void>) => void
  private readonly waiting = new Set<Waiting>()
  private isWatched = false

  private constructor(patienceMs: number, late: L, now: () => number, run: (work: Effect.Effect<void>) => void) {
    this.patienceMs = patienceMs
    this.late = late
    this.now = now
    this.run = run
  }

  /**
   * @param patienceMs how long each commit is waited for, in milliseconds
   * @param late the error of a caller whose commit took longer
   */
  static readonly make = Effect.fnUntraced(function*<L>(patienceMs: number, late: L) {
    const clock = yield* Clock.Clock
    const run = yield* FiberSet.makeRuntime()
    const deadlines = new CommitDeadlines(
      patienceMs,
      late,
      () => RealTime.elapsedUnsafe(clock),
      (work) => void run(work)
    )
    yield* Scope.addFinalizer(yield* Effect.scope, Effect.sync(() => deadlines.giveUpAll()))
    return deadlines
  })

  /** Calls back once, when a commit has ended or is late. To give up does not take the commit back. */
  await(submission: Submission, onEnd: (exit: Exit.Exit<void, CommitError | L>) => void): void {
    const one: Waiting = { until: this.now() + this.patienceMs, giveUp: () => onEnd(Exit.fail(this.late)) }
    this.waiting.add(one)
    submission.onEnd((exit) => {
      if (this.waiting.delete(one)) onEnd(exit)
    })
    if (this.isWatched || this.waiting.size === 0) return
    this.isWatched = true
    this.run(this.watch)
  }

  private get watch(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      for (const first of this.waiting) {
        const left = first.until - this.now()
        if (left > 0) yield* Effect.sleep(left)
        if (this.waiting.delete(first)) first.giveUp()
      }
      this.isWatched = false
    })
  }

  private giveUpAll(): void {
    for (const one of this.waiting) if (this.waiting.delete(one)) one.giveUp()
  }
}
