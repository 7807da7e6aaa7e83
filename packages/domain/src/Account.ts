import { Schema } from "effect"
import { AccountId } from "./Id.ts"

export const Plan = Schema.Literals(["free", "paid"])
export type Plan = typeof Plan.Type

/** The amounts that an account uses up: compute time in milliseconds, the others in runs. Daily ones are of the UTC day. */
export const Quota = Schema.Literals(["daily_compute_time", "daily_invocations", "billing_period_invocations"])
export type Quota = typeof Quota.Type

/** A limit of each quota; null is none. */
export type Limits = Readonly<Record<Quota, number | null>>

export const usernameForm = "a username of 1 to 100 characters, without spaces, that does not look like an account id"
export const isUsername = (text: string): boolean => /^[^\s\p{C}]{1,100}$/u.test(text) && !Schema.is(AccountId)(text)

export const emailForm = "an email address"
export const isEmail = (text: string): boolean => /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(text) && text.length <= 254

/** An account: the wall between tenants. Every other resource belongs to one. */
export const Account = Schema.Struct({
  id: AccountId,
  username: Schema.String,
  email: Schema.String,
  plan: Plan,
  /** The operator's limits: per UTC day; null is no limit. */
  dailyComputeTimeQuotaMs: Schema.NullOr(Schema.Int),
  dailyInvocationsQuota: Schema.NullOr(Schema.Int),
  /** Per billing period; null is no limit. */
  billingPeriodInvocationsQuota: Schema.NullOr(Schema.Int),
  /** The limits that the account has set itself; null is none. */
  ownDailyComputeTimeLimitMs: Schema.NullOr(Schema.Int),
  ownDailyInvocationsLimit: Schema.NullOr(Schema.Int),
  ownBillingPeriodInvocationsLimit: Schema.NullOr(Schema.Int),
  /** The days for which its events are kept; null for the server's default. */
  retentionDays: Schema.NullOr(Schema.Int),
  /** The time since which an operator keeps it from doing anything, in Unix seconds; null if it is not suspended. */
  suspendedAt: Schema.NullOr(Schema.Int),
  /** Unix seconds. */
  createdAt: Schema.Int
})
export type Account = typeof Account.Type

export const operatorLimitsOf = (account: Account): Limits => ({
  daily_compute_time: account.dailyComputeTimeQuotaMs,
  daily_invocations: account.dailyInvocationsQuota,
  billing_period_invocations: account.billingPeriodInvocationsQuota
})

export const ownLimitsOf = (account: Account): Limits => ({
  daily_compute_time: account.ownDailyComputeTimeLimitMs,
  daily_invocations: account.ownDailyInvocationsLimit,
  billing_period_invocations: account.ownBillingPeriodInvocationsLimit
})

const smaller = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other)

/** The limits that hold: of the operator's and the account's own, the smaller. */
export const limitsOf = (account: Account): Limits => {
  const operators = operatorLimitsOf(account)
  const own = ownLimitsOf(account)
  return {
    daily_compute_time: smaller(operators.daily_compute_time, own.daily_compute_time),
    daily_invocations: smaller(operators.daily_invocations, own.daily_invocations),
    billing_period_invocations: smaller(operators.billing_period_invocations, own.billing_period_invocations)
  }
}
