import { Clock, Effect } from "effect"
import { VirtualClock } from "./VirtualClock.ts"

/** The clock of real time: for a virtual clock, the one behind it. */
export const of = (clock: Clock.Clock): Clock.Clock => clock instanceof VirtualClock ? clock.real : clock

/** True if the clock's calendar can stand still or jump while real time goes on. */
export const isApart = (clock: Clock.Clock): boolean => clock instanceof VirtualClock

export const clock: Effect.Effect<Clock.Clock> = Effect.clockWith((clock) => Effect.succeed(of(clock)))

/** Unix milliseconds of real time, for agreements with the outside and limits on it: keys, signatures and leases. */
export const currentTimeMillis: Effect.Effect<number> = Effect.clockWith((clock) => of(clock).currentTimeMillis)

/** Runs an effect by real time. */
export const on = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) =>
    clock instanceof VirtualClock ? Effect.provideService(effect, Clock.Clock, clock.real) : effect
  )

/** Milliseconds that measure durations. Nobody sets them, and they begin anywhere. */
export const elapsedUnsafe = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

export const elapsed: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => elapsedUnsafe(clock)))
