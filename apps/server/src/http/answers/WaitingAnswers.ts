import { type AccessEnded, CurrentAccess, CurrentAccount } from "@headwater/api/Authorization"
import * as Problem from "@headwater/api/Problem"
import type { AccountId } from "@headwater/domain/Id"
import { Sharers } from "@headwater/domain/Sharers"
import { Context, Effect, Layer, type Scope } from "effect"

/** So many an account has on a machine. Each takes memory, and time with each event that it is for. */
const mostOfAccount = 200

const retryAfterSeconds = 10

/** Counts the things of one kind that each account has open, at most so many. */
export class OpenCounts {
  private readonly most: number
  private readonly open = new Map<AccountId, number>()

  constructor(most: number) {
    this.most = most
  }

  /** Counts one more until the scope closes, or refuses it where there are as many. */
  take<E>(accountId: AccountId, refusal: E): Effect.Effect<void, E, Scope.Scope> {
    return Effect.asVoid(Effect.acquireRelease(
      Effect.suspend(() => {
        const open = this.open.get(accountId) ?? 0
        if (open >= this.most) return Effect.fail(refusal)
        this.open.set(accountId, open + 1)
        return Effect.void
      }),
      () =>
        Effect.sync(() => {
          const left = this.open.get(accountId)! - 1
          if (left > 0) this.open.set(accountId, left)
          else this.open.delete(accountId)
        })
    ))
  }
}

/**
 * Answers that wait for what is to come, as tails and long polls do: so many of an account, and each for no longer than the
 * key or the session may speak for the account.
 */
export class WaitingAnswers extends Context.Service<WaitingAnswers, {
  /** Counts one until the scope closes. Gives what fails once its key or session has ended, as its next request would. */
  readonly open: Effect.Effect<
    Effect.Effect<never, AccessEnded>,
    Problem.RateLimited,
    CurrentAccess | CurrentAccount | Scope.Scope
  >
}>()("@headwater/server/WaitingAnswers") {
  static readonly layer: Layer.Layer<WaitingAnswers> = Layer.effect(
    WaitingAnswers,
    Effect.map(Sharers, (sharers) => {
      const most = Math.ceil(mostOfAccount / sharers)
      const counts = new OpenCounts(most)
      const tooMany = Problem.rateLimited(
        `The account has ${most} tails and reads that wait open. Close one, or wait until one ends.`,
        retryAfterSeconds
      )
      return WaitingAnswers.of({
        open: Effect.andThen(
          Effect.flatMap(CurrentAccount, (accountId) => counts.take(accountId, tooMany)),
          Effect.map(CurrentAccess, ({ untilEnd }) => untilEnd)
        )
      })
    })
  )
}
