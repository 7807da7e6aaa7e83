import * as RealTime from "@headwater/domain/RealTime"
import { Turns } from "@headwater/domain/Turns"
import { Effect, type Scope, Semaphore } from "effect"

/**
 * Large commits, of which an account has one written at a time. The database's processors are everybody's: while other
 * accounts are there, some time passes before its next one.
 */
export interface LargeCommits {
  /** Writes when it is the commit's turn, and returns as soon as it is written. */
  readonly write: <A>(accountId: string, write: Effect.Effect<A>) => Effect.Effect<A>
}

/** An account's large commits. */
interface Line {
  readonly place: Semaphore.Semaphore
  /** How many wait, are written, or have been and are rested from. */
  count: number
}

export const make: Effect.Effect<LargeCommits, never, Scope.Scope> = Effect.gen(function*() {
  const turns = yield* Turns
  const scope = yield* Effect.scope
  const lines = new Map<string, Line>()

  const join = (accountId: string): Line => {
    const line = lines.get(accountId) ?? { place: Semaphore.makeUnsafe(1), count: 0 }
    line.count += 1
    lines.set(accountId, line)
    return line
  }

  const leave = (accountId: string, line: Line) =>
    Effect.andThen(
      line.place.release(1),
      Effect.sync(() => {
        line.count -= 1
        if (line.count === 0) lines.delete(accountId)
      })
    )

  return {
    write: (accountId, write) =>
      Effect.uninterruptible(Effect.suspend(() => {
        const line = join(accountId)
        return Effect.andThen(
          line.place.take(1),
          Effect.flatMap(RealTime.elapsed, (from) =>
            Effect.onExit(write, () =>
              Effect.flatMap(RealTime.elapsed, (until) =>
                Effect.forkIn(
                  Effect.ensuring(Effect.sleep(turns.restOf(accountId, until - from)), leave(accountId, line)),
                  scope
                ))))
        )
      }))
  }
})
