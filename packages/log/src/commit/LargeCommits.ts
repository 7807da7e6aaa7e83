import { AccountCapacity } from "@headwater/domain/AccountCapacity"
import * as RealTime from "@headwater/domain/RealTime"
import { Turns } from "@headwater/domain/Turns"
import { Effect, type Scope } from "effect"

/**
 * Large commits, of which an account has one written at a time. The database's processors are everybody's: while other
 * accounts are there, some time passes before its next one.
 */
export interface LargeCommits {
  /** Writes when it is the commit's turn, and returns as soon as it is written. */
  readonly write: <A>(accountId: string, write: Effect.Effect<A>) => Effect.Effect<A>
}

export const make: Effect.Effect<LargeCommits, never, Scope.Scope> = Effect.gen(function*() {
  const turns = yield* Turns
  const scope = yield* Effect.scope
  const unbounded = { count: Infinity, bytes: Infinity }
  const capacity = new AccountCapacity(unbounded, { ...unbounded, count: 1 })

  /** Gives the account's place back once it has rested. */
  const rest = (accountId: string, tookMs: number) =>
    Effect.sleep(turns.restOf(accountId, tookMs)).pipe(
      Effect.ensuring(Effect.sync(() => capacity.release(accountId, 0))),
      Effect.forkIn(scope)
    )

  return {
    write: (accountId, write) =>
      capacity.free(accountId).pipe(
        Effect.map(() => capacity.take(accountId, 0)),
        Effect.andThen(RealTime.elapsed),
        Effect.flatMap((from) =>
          Effect.onExit(write, () => Effect.flatMap(RealTime.elapsed, (until) => rest(accountId, until - from)))
        ),
        Effect.uninterruptible
      )
  }
})
