import * as Effect from "effect/Effect"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** Has work done in one of the places, when the account's turn comes. */
export type PlacesByAccount = (account: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Places for work that takes long. An account has one of them at a time: what it has beyond that waits for its own, and
 * holds up no other account.
 */
export const make = Effect.fnUntraced(function*(count: number): Effect.fn.Return<PlacesByAccount, never, Scope.Scope> {
  const all = yield* PartitionedSemaphore.make<string>({ permits: count })
  const own = yield* RcMap.make({ lookup: (_account: string) => Semaphore.make(1) })
  return (account) => (work) =>
    // In a scope of its own, which is not that of the work.
    Effect.acquireUseRelease(
      Scope.make(),
      (scope) =>
        Effect.flatMap(
          Scope.provide(RcMap.get(own, account), scope),
          (one) => one.withPermit(all.withPermit(account)(work))
        ),
      Scope.close
    )
})
