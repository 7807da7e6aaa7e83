import * as RealTime from "@headwater/domain/RealTime"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"

/** The limit that an account exceeds, and the time until it may send again. */
export interface Excess {
  readonly of: "requests" | "bytes"
  /** A whole number, at least 1. */
  readonly retryAfterSeconds: number
}

export interface Limits {
  /** Requests a second of one account; 0 for no limit. */
  readonly rateLimit: number
  /** Bytes a second of one account; 0 for no limit. */
  readonly byteRateLimit: number
}

/** The bytes that an account may still send. Below zero it has sent more, and waits until that has been made up for. */
interface Allowance {
  bytes: number
  /** The time at which that was so, in milliseconds of the monotonic clock. */
  at: number
}

/**
 * The allowances of accounts: each has a bucket of requests and one of bytes, which refill all the time and hold a
 * second's worth. A bucket is a few numbers, and there are no more of them than accounts.
 */
export class RateBuckets extends Context.Service<RateBuckets, {
  /** Takes a request out of an account's buckets, or says what it has too much of. */
  readonly takeRequest: (accountId: string) => Effect.Effect<Excess | undefined>
  /** Counts what a request's body has. A body of any size is taken while there is something left; the next ones wait. */
  readonly noteBytes: (accountId: string, bytes: number) => void
}>()("@headwater/server/RateBuckets") {
  static readonly layer = ({ byteRateLimit, rateLimit }: Limits): Layer.Layer<RateBuckets> =>
    Layer.effect(
      RateBuckets,
      Effect.gen(function*() {
        const limiter = yield* RateLimiter.RateLimiter
        const clock = yield* Clock.Clock
        const allowances = new Map<string, Allowance>()

        const allowanceOf = (accountId: string): Allowance => {
          const at = RealTime.elapsedUnsafe(clock)
          const known = allowances.get(accountId) ?? { bytes: byteRateLimit, at }
          known.bytes = Math.min(byteRateLimit, known.bytes + (at - known.at) * byteRateLimit / 1_000)
          known.at = at
          allowances.set(accountId, known)
          return known
        }

        const takeFromRequests = (key: string): Effect.Effect<Excess | undefined> =>
          rateLimit === 0
            ? Effect.undefined
            : RealTime.on(limiter.consume({ algorithm: "token-bucket", window: "1 second", limit: rateLimit, key }))
              .pipe(
                Effect.as(undefined),
                Effect.catchReason(
                  "RateLimiterError",
                  "RateLimitExceeded",
                  ({ retryAfter }) =>
                    Effect.succeed<Excess>({
                      of: "requests",
                      retryAfterSeconds: wholeSeconds(Duration.toSeconds(retryAfter))
                    }),
                  Effect.die
                )
              )

        return RateBuckets.of({
          takeRequest: (accountId) =>
            Effect.suspend(() => {
              if (byteRateLimit === 0) return takeFromRequests(accountId)
              const { bytes } = allowanceOf(accountId)
              return bytes > 0
                ? takeFromRequests(accountId)
                : Effect.succeed<Excess>({ of: "bytes", retryAfterSeconds: wholeSeconds(-bytes / byteRateLimit) })
            }),
          noteBytes: (accountId, bytes) => {
            if (byteRateLimit > 0) allowanceOf(accountId).bytes -= bytes
          }
        })
      })
    ).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory))
}

const wholeSeconds = (seconds: number): number => Math.max(1, Math.ceil(seconds))
