import { Recurring } from "@headwater/domain/Recurring"
import { type Clock, Duration, Effect, Latch } from "effect"

interface Sleeper {
  /** Unix milliseconds. */
  readonly until: number
  /** Of what goes on again and again; no time is stepped to for it. */
  readonly recurs: boolean
  readonly latch: Latch.Latch
}

const nanosOf = (ms: number): bigint => BigInt(Math.round(ms * 1e6))

/**
 * A clock that stands still but for when it is stepped. A step wakes the sleepers until then, each once however far it
 * goes, and everything that recurs: work of every second is done once in a step over a month.
 */
export class SteppedClock implements Clock.Clock {
  private time: number
  private readonly start: number
  private readonly sleepers = new Set<Sleeper>()

  /** @param start Unix milliseconds */
  constructor(start: number) {
    this.time = start
    this.start = start
  }

  /** Unix milliseconds. */
  readonly currentTimeMillisUnsafe = (): number => this.time
  readonly currentTimeNanosUnsafe = (): bigint => nanosOf(this.time)
  readonly monotonicTimeNanosUnsafe = (): bigint => nanosOf(this.time - this.start)
  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(this.currentTimeMillisUnsafe)
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(this.currentTimeNanosUnsafe)
  readonly monotonicTimeNanos: Effect.Effect<bigint> = Effect.sync(this.monotonicTimeNanosUnsafe)

  readonly sleep = (duration: Duration.Duration): Effect.Effect<void> => {
    const ms = Duration.toMillis(duration)
    if (ms <= 0) return Effect.yieldNow
    return Effect.flatMap(Effect.service(Recurring), (recurs) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const sleeper: Sleeper = { until: this.time + ms, recurs, latch: Latch.makeUnsafe() }
          this.sleepers.add(sleeper)
          return sleeper
        }),
        ({ latch }) => latch.await,
        (sleeper) => Effect.sync(() => this.sleepers.delete(sleeper))
      ))
  }

  /** The time at which the first sleeper that does not recur goes on; infinity where there is none. */
  next(): number {
    let first = Number.POSITIVE_INFINITY
    for (const { recurs, until } of this.sleepers) if (!recurs && until < first) first = until
    return first
  }

  /** Makes it this time, in Unix milliseconds, or leaves it where it is later. Wakes in the order of time. */
  stepTo(time: number): void {
    this.time = Math.max(this.time, time)
    this.wake(({ recurs, until }) => recurs || until <= this.time)
  }

  /** Nobody who sleeps now is ever woken. */
  forgetAll(): void {
    this.sleepers.clear()
  }

  /** Wakes everybody, at the time that it is. */
  wakeAll(): void {
    this.wake(() => true)
  }

  private wake(isToWake: (sleeper: Sleeper) => boolean): void {
    const woken = [...this.sleepers].filter(isToWake)
    for (const sleeper of woken.toSorted((one, other) => one.until - other.until)) {
      this.sleepers.delete(sleeper)
      sleeper.latch.openUnsafe()
    }
  }
}
