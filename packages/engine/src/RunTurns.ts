import type { AccountId } from "@headwater/domain/Id"
import { Clock, Context, Effect, Latch, Layer } from "effect"

/** How long is looked at at a time, in milliseconds. */
const periodMs = 10

/** From so many requests on that wait to be acknowledged, on average over a period, fewer runs begin in the next. */
const pressure = 8

/** For so many requests that come in at least one run begins. */
const requestsPerRun = 8

/** How the runs that may begin in a period grow while there is no pressure, and shrink while there is. */
const growth = 1.5
const shrinking = 0.5

/**
 * Whose turn it is where there is more to do than this node can: requests that are yet to be acknowledged go before runs
 * of those that are in the log already. A burst is taken in about as fast as it can be made durable, and worked off after
 * it. While it lasts, as many runs begin as leave the acknowledgements quick, but no fewer than a share of what comes
 * in; one account's after another's, so that none waits for ever.
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
      /** How many runs may begin in a period, and did in this one. */
      let allowed = Infinity
      let begun = 0
      /** Requests that came in during this period, and those that wait to be acknowledged. */
      let came = 0
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

      const letGo = () => {
        while (begun < allowed) {
          const [first] = waiting
          if (first === undefined) return
          const [accountId, runs] = first
          const [go] = runs
          waiting.delete(accountId)
          if (runs.size > 1) waiting.set(accountId, runs)
          runs.delete(go!)
          begun += 1
          go!()
        }
      }

      const allowedNext = (isPressed: boolean): number =>
        Math.max(
          Math.ceil(came / requestsPerRun),
          isPressed ? Math.floor(Math.min(allowed, begun) * shrinking) : Math.max(1, Math.ceil(allowed * growth))
        )

      /** Answers whether there was anything to look at. */
      const look = Effect.gen(function*() {
        count(0)
        waited = 0
        const from = countedAt
        yield* Effect.sleep(periodMs)
        count(0)
        const isBusy = waited > 0
        allowed = isBusy ? allowedNext(waited >= pressure * (countedAt - from)) : Infinity
        came = 0
        begun = 0
        letGo()
        return isBusy
      })

      yield* arrived.await.pipe(
        Effect.andThen(Effect.sync(() => {
          arrived.closeUnsafe()
          begun = 0
        })),
        Effect.andThen(Effect.repeat(look, { while: (isBusy) => isBusy })),
        Effect.forever,
        Effect.forkScoped
      )

      return RunTurns.of({
        whileEntering: (ingest) =>
          Effect.suspend(() => {
            count(1)
            came += 1
            arrived.openUnsafe()
            return Effect.ensuring(ingest, Effect.sync(() => count(-1)))
          }),
        next: (accountId) =>
          Effect.suspend(() => {
            if (begun < allowed) {
              begun += 1
              return Effect.void
            }
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
