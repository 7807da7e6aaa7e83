import { CurrentAccess, CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import type { AccountSettings } from "@headwater/api/UsersApi"
import { type Account, type Limits, limitsOf, operatorLimitsOf, ownLimitsOf, Quota } from "@headwater/domain/Account"
import { MailServer } from "@headwater/engine/MailServer"
import { Accounts } from "@headwater/log/access/Accounts"
import { billingPeriodOf, dayOf, Usage } from "@headwater/log/commit/Usage"
import { Clock, Effect, type Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"

/** The quota that is shown where there is no limit. The contract asks for an integer, so it can't be null. */
const unlimited = -1

const deletedMeanwhile = new Problem.Unauthorized(Problem.because("The account of this key was deleted."))

/** None is there where it was deleted since the request was let through. */
const there = (found: Option.Option<Account>) => Effect.mapError(Effect.fromOption(found), () => deletedMeanwhile)

const aboveOperators = (operators: Limits, given: Partial<Limits>): ReadonlyArray<Problem.Issue> =>
  Quota.literals.flatMap((quota) => {
    const [limit, most] = [given[quota] ?? null, operators[quota]]
    return limit === null || most === null || limit <= most
      ? []
      : [{ path: `own_limits.${quota}`, message: `must be at most ${most}, the operator's limit` }]
  })

/** An account that could change it would have the operator's mail server send to anybody. */
const fixedEmail = {
  path: "email",
  message: "this server sends e-mail to it, so that only its operator changes it, with `headwater tenants set`"
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "users",
  Effect.fnUntraced(function*(handlers) {
    const accounts = yield* Accounts
    const usage = yield* Usage
    const sendsMail = (yield* MailServer) !== undefined

    const own = Effect.flatMap(CurrentAccount, (id) => Effect.flatMap(accounts.get(id), there))

    const settingsOf = Effect.fnUntraced(function*(account: Account) {
      const { email, id, username } = account
      const now = yield* Clock.currentTimeMillis
      const day = yield* usage.of(id, dayOf(now))
      const period = yield* usage.of(id, billingPeriodOf(now))
      const data: AccountSettings = {
        id,
        username,
        email,
        own_limits: ownLimitsOf(account),
        operator_limits: operatorLimitsOf(account),
        limits: limitsOf(account),
        used: {
          daily_compute_time: day.computeMs,
          daily_invocations: day.invocations,
          billing_period_invocations: period.invocations
        }
      }
      return { data }
    })

    return handlers.handleAll({
      me: Effect.fnUntraced(function*() {
        const account = yield* own
        const now = yield* Clock.currentTimeMillis
        const { email, id, username } = account
        const identity = { id, username, email }
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
        const limits = limitsOf(account)
        return {
          data: {
            ...identity,
            ...(key === undefined ? {} : { api_key: Redacted.value(key) }),
            daily_compute_time_quota: limits.daily_compute_time ?? unlimited,
            daily_compute_time_used: used.computeMs,
            daily_invocations_quota: limits.daily_invocations ?? unlimited,
            daily_invocations_used: used.invocations
          }
        }
      }, answerFailures),
      settings: Effect.fnUntraced(function*() {
        return yield* settingsOf(yield* own)
      }, answerFailures),
      update: Effect.fnUntraced(function*({ payload: { email, own_limits = {}, username } }) {
        const account = yield* own
        const issues = [
          ...(sendsMail && email !== undefined && email !== account.email ? [fixedEmail] : []),
          ...aboveOperators(operatorLimitsOf(account), own_limits)
        ]
        if (issues.length > 0) return yield* Problem.invalid(issues)
        const change = {
          // Names of before can be taken twice.
          username: username === account.username ? undefined : username,
          email,
          ownDailyComputeTimeLimitMs: own_limits.daily_compute_time,
          ownDailyInvocationsLimit: own_limits.daily_invocations,
          ownBillingPeriodInvocationsLimit: own_limits.billing_period_invocations
        }
        const changed = yield* Effect.catchTag(
          accounts.update(account.id, change),
          "UsernameTaken",
          ({ message }) => Effect.fail(new Problem.NameTaken(Problem.because(`${message}.`)))
        )
        return yield* settingsOf(yield* there(changed))
      }, answerFailures)
    })
  })
)
