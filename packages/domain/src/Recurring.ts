import { Context, type Duration, Effect, Schedule } from "effect"

/**
 * True in a fiber that does something again and again, however little there is to do: a sweep, a scan. A clock that
 * goes from one due time to the next does not stop where such a fiber would go on.
 */
export const Recurring: Context.Reference<boolean> = Context.Reference("@headwater/domain/Recurring", {
  defaultValue: () => false
})

/**
 * Does work again and again, each time an interval after it ended, and never returns. A failure is logged, and ends
 * nothing.
 *
 * @param name the work as the log names it, behind "Could not"
 */
export const repeat = <E, R>(
  name: string,
  interval: Duration.Input,
  work: Effect.Effect<unknown, E, R>
): Effect.Effect<void, never, R> =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(`Could not ${name}; trying again`, cause)),
    Effect.repeat(Schedule.spaced(interval)),
    Effect.asVoid,
    Effect.provideService(Recurring, true)
  )

/** The same beside all else, for as long as the scope is open. */
export const every = <E, R>(name: string, interval: Duration.Input, work: Effect.Effect<unknown, E, R>) =>
  Effect.forkScoped(repeat(name, interval, work))
