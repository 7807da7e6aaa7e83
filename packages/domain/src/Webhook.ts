import { Schema } from "effect"
import { AccountId, WebhookId } from "./Id.ts"

/** Why the engine took a webhook out of service. */
export const DisabledReason = Schema.Literals(["gone", "failing"])
export type DisabledReason = typeof DisabledReason.Type

/** A URL of the account's that events are delivered to. */
export const Webhook = Schema.Struct({
  id: WebhookId,
  accountId: AccountId,
  name: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  url: Schema.String,
  active: Schema.Boolean,
  disabledReason: Schema.NullOr(DisabledReason),
  /** No send before this time (Unix ms): the endpoint asked for it, or failed in a way that says so. */
  throttledUntil: Schema.NullOr(Schema.Int),
  /** Since when nothing but failures came back (Unix ms). */
  failingSince: Schema.NullOr(Schema.Int),
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Webhook = typeof Webhook.Type
