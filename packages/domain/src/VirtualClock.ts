import { type Clock, type Duration, Effect } from "effect"

/**
 * - `running`: it goes at the speed of real time, so many milliseconds ahead of it; never behind.
 * - `standing`: it stays at a time, until it is moved or runs again.
 */
export type State =
  | { readonly mode: "running"; readonly aheadMs: number }
  | { readonly mode: "standing"; readonly at: number }

/**
 * A clock whose calendar can be stopped and moved forward. Only the calendar is virtual: sleeps and the monotonic clock
 * go by real time.
 */
export class VirtualClock implements Clock.Clock {
  readonly real: Clock.Clock
  private current: State

  constructor(real: Clock.Clock, state: State = { mode: "running", aheadMs: 0 }) {
    this.real = real
    this.current = state
  }

  get state(): State {
    return this.current
  }

  get isStanding(): boolean {
    return this.current.mode === "standing"
  }

  /** Its lead over real time, in milliseconds; below 0 if it stood until real time was past it. */
  get aheadMs(): number {
    return this.currentTimeMillisUnsafe() - this.real.currentTimeMillisUnsafe()
  }

  /** Stays at a time, in Unix milliseconds, or at its present time if that is later. */
  standAt(time: number): void {
    this.current = { mode: "standing", at: Math.max(time, this.currentTimeMillisUnsafe()) }
  }

  /** Goes on at the speed of real time, from its present time or from real time if that is later. */
  run(): void {
    this.current = { mode: "running", aheadMs: Math.max(0, this.aheadMs) }
  }

  currentTimeMillisUnsafe(): number {
    return this.current.mode === "standing"
      ? this.current.at
      : this.real.currentTimeMillisUnsafe() + this.current.aheadMs
  }

  currentTimeNanosUnsafe(): bigint {
    return this.current.mode === "standing"
      ? BigInt(this.current.at) * 1_000_000n
      : this.real.currentTimeNanosUnsafe() + BigInt(this.current.aheadMs) * 1_000_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.real.monotonicTimeNanosUnsafe()
  }

  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos: Effect.Effect<bigint> = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return this.real.sleep(duration)
  }
}
