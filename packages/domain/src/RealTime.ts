import { Clock, Effect } from "effect"
import { VirtualClock } from "./VirtualClock.ts"

/** The clock by which real time goes: of a virtual one the one behind it. */
export const of = (clock: Clock.Clock): Clock.Clock => clock instanceof VirtualClock ? clock.real : clock

/** Whether what it says of the calendar can stand still or jump while real time goes on. */
export const isApart = (clock: Clock.Clock): boolean => clock instanceof VirtualClock

export const clock: Effect.Effect<Clock.Clock> = Effect.clockWith((clock) => Effect.succeed(of(clock)))

/** Unix milliseconds of real time: for what is agreed on with the outside, or limits it, as keys, signatures and leases. */
export const currentTimeMillis: Effect.Effect<number> = Effect.clockWith((clock) => of(clock).currentTimeMillis)

/** Has an effect go by real time. */
export const on = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) =>
    clock instanceof VirtualClock ? Effect.provideService(effect, Clock.Clock, clock.real) : effect
  )

/** Milliseconds for how long something takes or lasts, which nobody sets. They begin anywhere. */
export const elapsedUnsafe = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

export const elapsed: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => elapsedUnsafe(clock)))
