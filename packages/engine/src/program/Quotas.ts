import { limitsOf, Quota } from "@headwater/domain/Account"
import { BoundedMap } from "@headwater/domain/BoundedMap"
import { isDone } from "@headwater/domain/Done"
import type { AccountId } from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { Accounts } from "@headwater/log/access/Accounts"
import { billingPeriodOf, dayOf, type Span, Usage } from "@headwater/log/commit/Usage"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Cache, Clock, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"

/** The account has used up what it may use for now. */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  quota: Quota,
  limit: Schema.Int,
  /** The time at which counting starts anew, in Unix milliseconds. */
  until: Schema.Int
}) {
  override get message() {
    return `the account's quota ${this.quota} of ${this.limit} is used up until ${new Date(this.until).toISOString()}`
  }
}

/** The time for which a reading of an account's use is trusted. */
const trustFor = Duration.seconds(1)
const trustedAccounts = 10_000

/** One of an account's quotas and what of it was used when it was last looked at, or since. */
interface Standing {
  readonly quota: Quota
  readonly limit: number
  readonly span: Span
  used: number
}

export const spanOf = (quota: Quota, now: number): Span =>
  quota === "billing_period_invocations" ? billingPeriodOf(now) : dayOf(now)

export const amountOf = (quota: Quota, used: { readonly invocations: number; readonly computeMs: number }): number =>
  quota === "daily_compute_time" ? used.computeMs : used.invocations

/**
 * The use that is left to accounts with a limit, by the operator or of their own. An account without one costs a look at
 * its row every second it is asked about.
 */
export class Quotas extends Context.Service<Quotas, {
  /** The quota that the account has used up, of several the one that is counted anew last. There at once if it is known. */
  readonly exceeded: (
    accountId: AccountId,
    clock: Clock.Clock
  ) => Effect.Effect<Option.Option<QuotaExceeded>, SqlError.SqlError>
  /** The number of runs that the account may still begin, as far as is known: one if its compute time is limited. */
  readonly runsLeft: (accountId: AccountId, now: number) => number
  /** Counts what this node used at once, before the database is looked at again. */
  readonly note: (
    accountId: AccountId,
    used: { readonly invocations: number; readonly computeMs: number }
  ) => void
}>()("@headwater/engine/program/Quotas") {
  static readonly layer: Layer.Layer<Quotas, never, Accounts | Usage> = Layer.effect(
    Quotas,
    Effect.gen(function*() {
      const accounts = yield* Accounts
      const usage = yield* Usage

      const read = Effect.fnUntraced(function*(accountId: AccountId) {
        const account = yield* accounts.get(accountId)
        if (Option.isNone(account)) return []
        const limits = limitsOf(account.value)
        const now = yield* Clock.currentTimeMillis
        const standings: Array<Standing> = []
        for (const quota of Quota.literals) {
          const limit = limits[quota]
          if (limit === null) continue
          const span = spanOf(quota, now)
          standings.push({ quota, limit, span, used: amountOf(quota, yield* usage.of(accountId, span)) })
        }
        return standings
      })

      /** The last readings, and the times up to which they are trusted as time elapses, so that most answers are there at once. */
      const latest = new BoundedMap<AccountId, { readonly standings: ReadonlyArray<Standing>; readonly until: number }>(
        trustedAccounts
      )

      const reading = yield* Cache.makeWith(
        // Shared by all who ask meanwhile: it does not end with the one who asked first.
        (accountId: AccountId) =>
          Effect.uninterruptible(Effect.clockWith((clock) => {
            const until = RealTime.elapsedUnsafe(clock) + Duration.toMillis(trustFor)
            return Effect.map(read(accountId), (standings) => {
              latest.set(accountId, { standings, until })
              return standings
            })
          })),
        { capacity: trustedAccounts, timeToLive: () => Duration.zero }
      )

      const judge = (standings: ReadonlyArray<Standing>): Option.Option<QuotaExceeded> => {
        const [last] = standings
          .filter(({ limit, used }) => used >= limit)
          .toSorted((a, b) => b.span.until - a.span.until)
        return last === undefined
          ? Option.none()
          : Option.some(new QuotaExceeded({ quota: last.quota, limit: last.limit, until: last.span.until }))
      }

      /** The last reading, if the days and month that it is of go on. */
      const latestOf = (accountId: AccountId, now: number) => {
        const known = latest.get(accountId)
        return known?.standings.every(({ span }) => now < span.until) === true ? known : undefined
      }

      const trustedOf = (accountId: AccountId, clock: Clock.Clock) => {
        const known = latestOf(accountId, clock.currentTimeMillisUnsafe())
        return known !== undefined && RealTime.elapsedUnsafe(clock) < known.until ? known.standings : undefined
      }

      return Quotas.of({
        runsLeft: (accountId, now) => {
          const standings = latestOf(accountId, now)?.standings ?? []
          return Math.min(
            Infinity,
            ...standings.map(({ limit, quota, used }) => quota === "daily_compute_time" ? 1 : limit - used)
          )
        },
        exceeded: (accountId, clock) => {
          const known = trustedOf(accountId, clock)
          return known === undefined ? Effect.map(Cache.get(reading, accountId), judge) : Effect.succeed(judge(known))
        },
        note: (accountId, used) => {
          for (const standing of latest.get(accountId)?.standings ?? []) {
            standing.used += amountOf(standing.quota, used)
          }
        }
      })
    })
  )
}

/** The quota that an account has used up, once the database tells. */
export const exceededOf = (quotas: Quotas["Service"], accountId: AccountId) =>
  Effect.clockWith((clock) => {
    const exceeded = quotas.exceeded(accountId, clock)
    return isDone(exceeded) ? Effect.succeed(exceeded.value) : untilAnswered(exceeded)
  })
