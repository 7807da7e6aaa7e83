import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import { Accounts } from "@headwater/log/Accounts"
import { ApiKeys } from "@headwater/log/ApiKeys"
import { Clock, Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "./FailureProblem.ts"

const dayMs = 24 * 60 * 60 * 1000

/** What an integer field says where the operator set no limit: more than anybody uses, and exact in every client. */
const unlimited = Number.MAX_SAFE_INTEGER

/** The UTC day that holds a time, in Unix milliseconds. */
const dayOf = (ms: number) => {
  const from = Math.floor(ms / dayMs) * dayMs
  return { from, until: from + dayMs }
}

/** The billing period that holds a time: the calendar month in UTC, in Unix milliseconds. */
const billingPeriodOf = (ms: number) => {
  const date = new Date(ms)
  return {
    from: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
    until: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
  }
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "users",
  Effect.fnUntraced(function*(handlers) {
    const accounts = yield* Accounts
    const keys = yield* ApiKeys
    return handlers.handleAll({
      me: Effect.fnUntraced(function*() {
        const id = yield* CurrentAccount
        const now = yield* Clock.currentTimeMillis
        // The key of the request belongs to the account, so both are there.
        const account = yield* Effect.flatMap(accounts.get(id), Effect.fromOption)
        const identity = { id, username: account.username, email: account.email }
        if (account.plan === "paid") {
          const period = billingPeriodOf(now)
          const usage = yield* accounts.usageOf(id, period)
          return {
            data: {
              ...identity,
              billing_period_start_ts: period.from / 1000,
              billing_period_end_ts: period.until / 1000,
              billing_period_invocations: usage.invocations
            }
          }
        }
        const usage = yield* accounts.usageOf(id, dayOf(now))
        return {
          data: {
            ...identity,
            api_key: Redacted.value(yield* Effect.flatMap(keys.reveal(id), Effect.fromOption)),
            daily_compute_time_quota: account.dailyComputeTimeQuotaMs ?? unlimited,
            daily_compute_time_used: usage.computeMs,
            daily_invocations_quota: account.dailyInvocationsQuota ?? unlimited,
            daily_invocations_used: usage.invocations
          }
        }
      }, (effect) => effect.pipe(Effect.catchTag("NoSuchElementError", Effect.die), answerFailures))
    })
  })
)
