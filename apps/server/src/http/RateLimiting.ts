import * as Problem from "@headwater/api/Problem"
import type { AccountId } from "@headwater/domain/Id"
import { Turns } from "@headwater/domain/Turns"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { HttpSettings } from "./HttpSettings.ts"

/** What an account may still send now, in bytes. Below zero it has sent more, and waits until that has been made up for. */
interface Allowance {
  bytes: number
  /** When that was so, in milliseconds of the monotonic clock. */
  at: number
}

/**
 * Holds each account to the operator's requests and bytes a second on this node: a bucket of each that refills all the time
 * and holds a second's worth. A bucket is a few numbers, and there are no more of them than accounts.
 */
export class RateLimiting extends Context.Service<RateLimiting, {
  /** Counts a request of the account, or refuses it with when the next one may come. */
  readonly take: (accountId: AccountId) => Effect.Effect<void, Problem.RateLimited>
  /** Notes a request of the account where none is ever refused; answers whether that is so. */
  readonly isFree: (accountId: AccountId) => boolean
  /** Counts what a request's body has. A body of any size is taken while there is something left; the next ones wait. */
  readonly noteBytes: (accountId: AccountId, bytes: number) => void
}>()("@headwater/server/RateLimiting") {
  static readonly layer: Layer.Layer<RateLimiting, never, HttpSettings> = Layer.effect(
    RateLimiting,
    Effect.gen(function*() {
      const { byteRateLimit, rateLimit: limit } = yield* HttpSettings
      const limiter = yield* RateLimiter.RateLimiter
      const turns = yield* Turns
      const clock = yield* Clock.Clock
      const allowances = new Map<AccountId, Allowance>()

      const allowanceOf = (accountId: AccountId): Allowance => {
        const at = Number(clock.monotonicTimeNanosUnsafe()) / 1e6
        const known = allowances.get(accountId) ?? { bytes: byteRateLimit, at }
        known.bytes = Math.min(byteRateLimit, known.bytes + (at - known.at) * byteRateLimit / 1_000)
        known.at = at
        allowances.set(accountId, known)
        return known
      }

      const takeRequest = (key: AccountId) =>
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

      return RateLimiting.of({
        isFree: (accountId) => {
          if (limit !== 0 || byteRateLimit !== 0) return false
          turns.note(accountId)
          return true
        },
        take: (accountId) =>
          Effect.suspend(() => {
            turns.note(accountId)
            if (byteRateLimit === 0) return takeRequest(accountId)
            const { bytes } = allowanceOf(accountId)
            return bytes > 0 ? takeRequest(accountId) : Effect.fail(tooMuch(byteRateLimit, -bytes))
          }),
        noteBytes: (accountId, bytes) => {
          if (byteRateLimit > 0) allowanceOf(accountId).bytes -= bytes
        }
      })
    })
  ).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory))
}

const tooMany = (limit: number, retryAfter: Duration.Duration): Problem.RateLimited =>
  Problem.rateLimited(
    `The account may send ${limit} requests a second.`,
    Math.max(1, Math.ceil(Duration.toSeconds(retryAfter)))
  )

const tooMuch = (limit: number, excess: number): Problem.RateLimited =>
  Problem.rateLimited(`The account may send ${limit} bytes a second.`, Math.max(1, Math.ceil(excess / limit)))
