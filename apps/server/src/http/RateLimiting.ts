import * as Problem from "@headwater/api/Problem"
import type { AccountId } from "@headwater/domain/Id"
import { Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { HttpSettings } from "./HttpSettings.ts"

/**
 * Holds each account to the operator's requests a second on this node: a bucket that refills all the time and holds a
 * second's worth. A bucket is a few numbers, and there are no more of them than accounts.
 */
export class RateLimiting extends Context.Service<RateLimiting, {
  /** Counts a request of the account, or refuses it with when the next one may come. */
  readonly take: (accountId: AccountId) => Effect.Effect<void, Problem.RateLimited>
}>()("@headwater/server/RateLimiting") {
  static readonly layer: Layer.Layer<RateLimiting, never, HttpSettings> = Layer.effect(
    RateLimiting,
    Effect.gen(function*() {
      const { rateLimit: limit } = yield* HttpSettings
      const limiter = yield* RateLimiter.RateLimiter
      return RateLimiting.of({
        take: (key) =>
          limit === 0
            ? Effect.void
            : limiter.consume({ algorithm: "token-bucket", window: "1 second", limit, key }).pipe(
              Effect.catchReason(
                "RateLimiterError",
                "RateLimitExceeded",
                ({ retryAfter }) => Effect.fail(tooMany(limit, retryAfter)),
                Effect.die
              ),
              Effect.asVoid
            )
      })
    })
  ).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory))
}

const tooMany = (limit: number, retryAfter: Duration.Duration): Problem.RateLimited =>
  Problem.rateLimited(
    `The account may send ${limit} requests a second.`,
    Math.max(1, Math.ceil(Duration.toSeconds(retryAfter)))
  )
