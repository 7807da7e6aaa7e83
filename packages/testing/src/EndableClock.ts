import { type Clock, type Duration, Effect } from "effect"

/** Another clock, by which nobody who sleeps wakes any more from the end on: of an engine that was killed. */
export class EndableClock implements Clock.Clock {
  private readonly other: Clock.Clock
  private hasEnded = false

  constructor(other: Clock.Clock) {
    this.other = other
  }

  end(): void {
    this.hasEnded = true
  }

  readonly sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.andThen(this.other.sleep(duration), Effect.suspend(() => this.hasEnded ? Effect.never : Effect.void))

  readonly currentTimeMillisUnsafe = () => this.other.currentTimeMillisUnsafe()
  readonly currentTimeNanosUnsafe = () => this.other.currentTimeNanosUnsafe()
  readonly monotonicTimeNanosUnsafe = () => this.other.monotonicTimeNanosUnsafe()
  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(this.currentTimeMillisUnsafe)
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(this.currentTimeNanosUnsafe)
  readonly monotonicTimeNanos: Effect.Effect<bigint> = Effect.sync(this.monotonicTimeNanosUnsafe)
}
