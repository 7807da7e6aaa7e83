import type { AccountId } from "@headwater/domain/Id"
import { Clock, Context, Effect, Latch, Layer } from "effect"

/** How long is looked at at a time, in milliseconds. */
const periodMs = 20

/** From so many requests on that wait to be acknowledged, on average over a period, runs give way to them. */
const pressure = 8

/** While they do, one begins for so many requests that come in. */
const requestsPerRun = 8

/**
 * Whose turn it is where there is more to do than this node can: requests that are yet to be acknowledged go before runs
 * of those that are in the log already. A burst is taken in about as fast as it can be made durable, and worked off after
 * it. While it lasts runs begin for a share of what comes in, one account's after another's, so that none waits for ever.
 */
export class RunTurns extends Context.Service<RunTurns, {
  /** Takes a request in, which counts until it is answered. */
  readonly whileEntering: <A, E, R>(ingest: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Returns when a request of the account's that is in the log may be run. */
  readonly next: (accountId: AccountId) => Effect.Effect<void>
}>()("@headwater/engine/RunTurns") {
  static readonly layer: Layer.Layer<RunTurns> = Layer.effect(
    RunTurns,
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const arrived = yield* Latch.make(false)
      /** Who waits for a turn, the account first that had none for longest. */
      const waiting = new Map<AccountId, Set<() => void>>()
      let isPressed = false
      /** Requests that came in while runs gave way, and no run began for. */
      let uncounted = 0
      let entering = 0
      /** Milliseconds that requests have waited in this period, all together, and until when they are counted. */
      let waited = 0
      let countedAt = 0

      const count = (change: -1 | 0 | 1) => {
        const now = clock.currentTimeMillisUnsafe()
        waited += entering * (now - countedAt)
        countedAt = now
        entering += change
      }

      const leave = (accountId: AccountId, go: () => void) => {
        const others = waiting.get(accountId)
        if (others?.delete(go) === true && others.size === 0) waiting.delete(accountId)
      }

      /** Gives one run its turn; answers whether any waits. */
      const release = (): boolean => {
        for (const [accountId, [go]] of waiting) {
          leave(accountId, go!)
          const others = waiting.get(accountId)
          if (others !== undefined) {
            waiting.delete(accountId)
            waiting.set(accountId, others)
          }
          go!()
          return true
        }
        return false
      }

      const look = Effect.gen(function*() {
        count(0)
        waited = 0
        const from = countedAt
        yield* Effect.sleep(periodMs)
        count(0)
        isPressed = waited >= pressure * (countedAt - from)
        if (isPressed) return
        uncounted = 0
        while (release());
      })

      // Looks for as long as there is anything to look at.
      yield* arrived.await.pipe(
        Effect.andThen(Effect.sync(() => arrived.closeUnsafe())),
        Effect.andThen(Effect.repeat(look, { while: () => entering > 0 || waited > 0 })),
        Effect.forever,
        Effect.forkScoped
      )

      const mayRun = (): boolean => {
        if (!isPressed) return true
        if (uncounted < requestsPerRun) return false
        uncounted -= requestsPerRun
        return true
      }

      return RunTurns.of({
        whileEntering: (ingest) =>
          Effect.suspend(() => {
            count(1)
            arrived.openUnsafe()
            if (isPressed) {
              uncounted = Math.min(uncounted + 1, requestsPerRun)
              if (uncounted === requestsPerRun && release()) uncounted = 0
            }
            return Effect.ensuring(ingest, Effect.sync(() => count(-1)))
          }),
        next: (accountId) =>
          Effect.suspend(() => {
            if (mayRun()) return Effect.void
            return Effect.callback<void>((resume) => {
              const go = () => resume(Effect.void)
              const others = waiting.get(accountId)
              if (others === undefined) waiting.set(accountId, new Set([go]))
              else others.add(go)
              return Effect.sync(() => leave(accountId, go))
            })
          })
      })
    })
  )
}
