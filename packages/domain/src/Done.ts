import { type Effect, Exit } from "effect"

/** True if an effect is done already: its value is there without a fiber. */
export const isDone = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Effect.Effect<A, E, R> & Exit.Success<A> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)
