import * as Problem from "@headwater/api/Problem"
import type { AccountId } from "@headwater/domain/Id"
import { Turns } from "@headwater/domain/Turns"
import { Context, Effect, Layer } from "effect"
import { Machine } from "../../workers/Machine.ts"
import { HttpSettings } from "./HttpSettings.ts"
import { type Excess, type Limits, RateBuckets } from "./RateBuckets.ts"

/** Holds each account to the operator's requests and bytes a second on this machine. */
export class RateLimiting extends Context.Service<RateLimiting, {
  /** Counts a request of the account, or refuses it with when the next one may come. Done at once where none is ever refused. */
  readonly take: (accountId: AccountId) => Effect.Effect<void, Problem.RateLimited>
  /** Counts what a request's body has. A body of any size is taken while there is something left; the next ones wait. */
  readonly noteBytes: (accountId: AccountId, bytes: number) => void
}>()("@headwater/server/RateLimiting") {
  static readonly layer: Layer.Layer<RateLimiting, never, HttpSettings> = Layer.effect(
    RateLimiting,
    Effect.gen(function*() {
      const limits = yield* HttpSettings
      const { noteBytes, takeRequest } = yield* RateBuckets
      const turns = yield* Turns
      const isUnlimited = limits.rateLimit === 0 && limits.byteRateLimit === 0
      return RateLimiting.of({
        take: (accountId) => {
          turns.note(accountId)
          if (isUnlimited) return Effect.void
          return Effect.flatMap(
            takeRequest(accountId),
            (excess) => excess === undefined ? Effect.void : Effect.fail(refusal(limits, excess))
          )
        },
        noteBytes: (accountId, bytes) => {
          if (limits.byteRateLimit > 0) noteBytes(accountId, bytes)
        }
      })
    })
  ).pipe(Layer.provide(Layer.unwrap(Effect.gen(function*() {
    const machine = yield* Machine
    const limits = yield* HttpSettings
    return machine === undefined ? RateBuckets.layer(limits) : Layer.succeed(RateBuckets, machine.rateBuckets)
  }))))
}

const refusal = ({ byteRateLimit, rateLimit }: Limits, { of, retryAfterSeconds }: Excess): Problem.RateLimited =>
  Problem.rateLimited(
    `The account may send ${of === "requests" ? rateLimit : byteRateLimit} ${of} a second.`,
    retryAfterSeconds
  )
