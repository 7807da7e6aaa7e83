import { Effect, Fiber, type Scope, Semaphore } from "effect"

/** Commits that are under way while their actor goes on. */
export interface InFlight {
  /**
   * Starts an effect at once, in the order of the calls, and answers its fiber. Waits where as many as may be are under
   * way.
   */
  readonly start: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<Fiber.Fiber<A, E>>
  /** Returns when everything that is under way now has ended. */
  readonly settled: Effect.Effect<void>
}

const most = 64

export const make: Effect.Effect<InFlight, never, Scope.Scope> = Effect.gen(function*() {
  const scope = yield* Effect.scope
  const slots = yield* Semaphore.make(most)
  const underWay = new Set<Fiber.Fiber<unknown, unknown>>()
  return {
    start: Effect.fnUntraced(function*<A, E>(effect: Effect.Effect<A, E>) {
      yield* slots.take(1)
      const fiber = yield* effect.pipe(
        Effect.ensuring(slots.release(1)),
        Effect.forkIn(scope, { startImmediately: true })
      )
      underWay.add(fiber)
      fiber.addObserver(() => underWay.delete(fiber))
      return fiber
    }, Effect.uninterruptible),
    settled: Effect.suspend(() => Effect.forEach([...underWay], (fiber) => Fiber.await(fiber), { discard: true }))
  }
})
