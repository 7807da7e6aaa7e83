import { Schema } from "effect"
import { AccountId } from "./Id.ts"

export const Plan = Schema.Literals(["free", "paid"])
export type Plan = typeof Plan.Type

/** An account: the wall between tenants. Every other resource belongs to one. */
export const Account = Schema.Struct({
  id: AccountId,
  username: Schema.String,
  email: Schema.String,
  plan: Plan,
  /** Per UTC day; null is no limit. */
  dailyComputeTimeQuotaMs: Schema.NullOr(Schema.Int),
  dailyInvocationsQuota: Schema.NullOr(Schema.Int),
  /** Per billing period; null is no limit. */
  billingPeriodInvocationsQuota: Schema.NullOr(Schema.Int),
  /** The days for which its events are kept; null for the server's default. */
  retentionDays: Schema.NullOr(Schema.Int),
  /** The time since which an operator keeps it from doing anything, in Unix seconds; null if it is not suspended. */
  suspendedAt: Schema.NullOr(Schema.Int),
  /** Unix seconds. */
  createdAt: Schema.Int
})
export type Account = typeof Account.Type
