import { CurrentAccess, CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import { Accounts } from "@headwater/log/access/Accounts"
import { billingPeriodOf, dayOf, Usage } from "@headwater/log/commit/Usage"
import { Clock, Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"

/** The quota that is shown where the operator set no limit. The contract asks for an integer, so it can't be null. */
const unlimited = -1

const deletedMeanwhile = new Problem.Unauthorized(Problem.because("The account of this key was deleted."))

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "users",
  Effect.fnUntraced(function*(handlers) {
    const accounts = yield* Accounts
    const usage = yield* Usage
    return handlers.handleAll({
      me: Effect.fnUntraced(function*() {
        const id = yield* CurrentAccount
        const now = yield* Clock.currentTimeMillis
        // None is there where it was deleted since the request was let through.
        const account = yield* Effect.flatMap(accounts.get(id), Effect.fromOption).pipe(
          Effect.catchTag("NoSuchElementError", () => Effect.fail(deletedMeanwhile))
        )
        const identity = { id, username: account.username, email: account.email }
        if (account.plan === "paid") {
          const period = billingPeriodOf(now)
          const used = yield* usage.of(id, period)
          return {
            data: {
              ...identity,
              billing_period_start_ts: period.from / 1000,
              billing_period_end_ts: period.until / 1000,
              billing_period_invocations: used.invocations
            }
          }
        }
        const used = yield* usage.of(id, dayOf(now))
        const { key } = yield* CurrentAccess
        return {
          data: {
            ...identity,
            ...(key === undefined ? {} : { api_key: Redacted.value(key) }),
            daily_compute_time_quota: account.dailyComputeTimeQuotaMs ?? unlimited,
            daily_compute_time_used: used.computeMs,
            daily_invocations_quota: account.dailyInvocationsQuota ?? unlimited,
            daily_invocations_used: used.invocations
          }
        }
      }, answerFailures)
    })
  })
)
