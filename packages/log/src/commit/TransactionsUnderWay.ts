import * as RealTime from "@headwater/domain/RealTime"
import { type Clock, Effect, Latch } from "effect"

/**
 * The transactions that are under way. One lasts until its outcome is known, with all that is tried and asked until
 * then.
 */
export class TransactionsUnderWay {
  /** Open while any is under way. */
  readonly busy = Latch.makeUnsafe(false)
  private readonly clock: Clock.Clock
  /** The times at which they began, the oldest first. */
  private readonly begun = new Set<{ readonly since: number }>()

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** The age of the oldest, in milliseconds; 0 if there is none. */
  get ageMs(): number {
    for (const { since } of this.begun) return RealTime.elapsedUnsafe(this.clock) - since
    return 0
  }

  /** Counts a transaction as under way while it is written, and then says how many milliseconds that took. */
  during<A, E>(write: Effect.Effect<A, E>, ended?: (ms: number) => void): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const one = { since: RealTime.elapsedUnsafe(this.clock) }
      this.begun.add(one)
      this.busy.openUnsafe()
      return Effect.onExit(write, () => {
        this.begun.delete(one)
        if (this.begun.size === 0) this.busy.closeUnsafe()
        ended?.(RealTime.elapsedUnsafe(this.clock) - one.since)
        return Effect.void
      })
    })
  }
}
