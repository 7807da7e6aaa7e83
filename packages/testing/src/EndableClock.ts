import { type Clock, Duration, Effect } from "effect"

/** Node wakes nobody later, in milliseconds. */
const longest = 2 ** 31 - 1

/**
 * The time of another clock, by which nobody who sleeps wakes any more from the end on: of an engine that was killed. Its
 * timers go with it, so that they do not keep the process of the test.
 */
export class EndableClock implements Clock.Clock {
  private readonly other: Clock.Clock
  private readonly timers = new Set<NodeJS.Timeout>()
  private hasEnded = false

  constructor(other: Clock.Clock) {
    this.other = other
  }

  end(): void {
    this.hasEnded = true
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
  }

  readonly sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const millis = Duration.toMillis(duration)
      if (this.hasEnded || millis > longest) return
      const timer = setTimeout(() => {
        this.timers.delete(timer)
        resume(Effect.void)
      }, millis)
      this.timers.add(timer)
      return Effect.sync(() => {
        clearTimeout(timer)
        this.timers.delete(timer)
      })
    })

  readonly currentTimeMillisUnsafe = () => this.other.currentTimeMillisUnsafe()
  readonly currentTimeNanosUnsafe = () => this.other.currentTimeNanosUnsafe()
  readonly monotonicTimeNanosUnsafe = () => this.other.monotonicTimeNanosUnsafe()
  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(this.currentTimeMillisUnsafe)
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(this.currentTimeNanosUnsafe)
  readonly monotonicTimeNanos: Effect.Effect<bigint> = Effect.sync(this.monotonicTimeNanosUnsafe)
}
