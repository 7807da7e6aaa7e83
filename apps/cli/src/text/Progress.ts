import { Clock, Effect } from "effect"

/** Work that ends sooner is not shown. */
const patienceMs = 500
const intervalMs = 500

const clear = "\r\u001b[K"

/** True if somebody watches: a line that is written over is of no use in a file. */
const isWatched = (): boolean => process.stderr.isTTY === true && process.env["TERM"] !== "dumb"

/** Some terminals do not say how wide they are. */
const columns = (): number => process.stderr.columns > 1 ? process.stderr.columns : 80

const write = (text: string) => Effect.sync(() => void process.stderr.write(text))

/** Clears the line for a question. */
export const cleared = Effect.suspend(() => isWatched() ? write(clear) : Effect.void)

/**
 * Says on a terminal, in a line on standard error that is written over and is gone at the end, what is going on and for
 * how long.
 *
 * @param what asked anew for each writing; undefined while somebody is asked something, whose line stays
 */
export const during =
  (what: () => string | undefined) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    if (!isWatched()) return effect
    return Effect.scoped(Effect.gen(function*() {
      const began = yield* Clock.currentTimeMillis
      const tell = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const doing = what()
        if (doing === undefined) return Effect.void
        const line = `${doing} … ${Math.floor((now - began) / 1_000)} s`
        return write(clear + line.slice(0, columns() - 1))
      })
      let isTold = false
      yield* Effect.addFinalizer(() => isTold ? write(clear) : Effect.void)
      yield* Effect.forkScoped(
        Effect.sleep(patienceMs).pipe(
          Effect.andThen(Effect.forever(Effect.suspend(() => {
            isTold = true
            return Effect.andThen(tell, Effect.sleep(intervalMs))
          })))
        )
      )
      return yield* effect
    }))
  }
