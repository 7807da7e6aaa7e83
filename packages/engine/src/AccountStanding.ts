import { limitsOf, Quota } from "@headwater/domain/Account"
import type { AccountId } from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { Accounts } from "@headwater/log/access/Accounts"
import { Figures } from "@headwater/log/commit/Figures"
import { Usage } from "@headwater/log/commit/Usage"
import { Programs } from "@headwater/log/resources/Programs"
import { type WebhookCounts, Webhooks } from "@headwater/log/resources/Webhooks"
import { Accounting } from "@headwater/log/work/Accounting"
import { type AccountBacklog, Backlog } from "@headwater/log/work/Backlog"
import { Cache, Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { amountOf, spanOf } from "./program/Quotas.ts"

/** An account's use of one of its quotas. */
export interface QuotaStanding {
  readonly quota: Quota
  /** That which holds; null where neither the operator nor the account has set one. */
  readonly limit: number | null
  readonly used: number
  /** The time at which counting starts anew, in Unix milliseconds. */
  readonly until: number
}

/** The state of an account at a moment. */
export interface Standing {
  /** Unix milliseconds. */
  readonly at: number
  readonly backlog: AccountBacklog
  /** Subscriptions and emitters whose accounting does not balance. */
  readonly imbalances: number
  readonly quotas: ReadonlyArray<QuotaStanding>
  readonly sources: { readonly total: number; readonly active: number }
  readonly workflows: { readonly total: number; readonly active: number }
  readonly webhooks: WebhookCounts
}

/** Figures that were read are shown for so long: a client that looks on asks every few seconds. */
const shownFor = Duration.seconds(5)
const accountingShownFor = Duration.minutes(1)
const mostAccounts = 1_000

/** Webhooks of which it is told whether they fail. */
const mostJudged = 1_000

/** The backlog of an account's listeners, its use of quotas, and the state of its parts, as of a few seconds ago. */
export class AccountStanding extends Context.Service<AccountStanding, {
  readonly of: (accountId: AccountId) => Effect.Effect<Standing, SqlError.SqlError>
  readonly backlogOf: (accountId: AccountId) => Effect.Effect<AccountBacklog, SqlError.SqlError>
}>()("@headwater/engine/AccountStanding") {
  static readonly layer: Layer.Layer<
    AccountStanding,
    never,
    Accounting | Accounts | Backlog | Figures | Programs | Usage | Webhooks
  > = Layer.effect(
    AccountStanding,
    Effect.gen(function*() {
      const accounting = yield* Accounting
      const accounts = yield* Accounts
      const backlog = yield* Backlog
      const figures = yield* Figures
      const programs = yield* Programs
      const usage = yield* Usage
      const webhooks = yield* Webhooks
      const clock = yield* Clock.Clock

      const backlogs = yield* Cache.make({ capacity: mostAccounts, timeToLive: shownFor, lookup: backlog.of })
      const imbalances = yield* Cache.make({
        capacity: mostAccounts,
        timeToLive: accountingShownFor,
        lookup: (accountId: AccountId) => Effect.map(accounting.ofAccount(accountId), (found) => found.length)
      })

      const quotasOf = Effect.fnUntraced(function*(accountId: AccountId, now: number) {
        const account = yield* accounts.get(accountId)
        if (Option.isNone(account)) return []
        const limits = limitsOf(account.value)
        return yield* Effect.forEach(Quota.literals, (quota) => {
          const span = spanOf(quota, now)
          return Effect.map(usage.of(accountId, span), (used): QuotaStanding => ({
            quota,
            limit: limits[quota],
            used: amountOf(quota, used),
            until: span.until
          }))
        })
      })

      const read = Effect.fnUntraced(function*(accountId: AccountId) {
        const at = clock.currentTimeMillisUnsafe()
        const failing = yield* figures.failing(accountId, yield* webhooks.activeIds(accountId, mostJudged), at)
        const { source, workflow } = yield* programs.countsOf(accountId)
        return {
          at,
          backlog: yield* Cache.get(backlogs, accountId),
          imbalances: yield* Cache.get(imbalances, accountId),
          quotas: yield* quotasOf(accountId, at),
          sources: source,
          workflows: workflow,
          webhooks: yield* webhooks.countsOf(accountId, failing, at)
        }
      })

      const standings = yield* Cache.make({ capacity: mostAccounts, timeToLive: shownFor, lookup: read })

      return AccountStanding.of({
        of: (accountId) => RealTime.on(Cache.get(standings, accountId)),
        backlogOf: (accountId) => RealTime.on(Cache.get(backlogs, accountId))
      })
    })
  )
}
