import { Schema } from "effect"
import { AccountId, WebhookId, WorkflowId } from "./Id.ts"
import { WebhookRequest } from "./WebhookRequest.ts"
import { WebhookSettings } from "./WebhookSettings.ts"

/** Why the engine took a webhook out of service. */
export const DisabledReason = Schema.Literals(["gone", "failing"])
export type DisabledReason = typeof DisabledReason.Type

/** A URL of the account's that events are delivered to. */
export const Webhook = Schema.Struct({
  id: WebhookId,
  accountId: AccountId,
  name: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  /** With a mask for its password. */
  url: Schema.String,
  /**
   * Set for what sends a workflow's own requests, each to a URL of its own, and shows nowhere among the account's webhooks;
   * it has no URL.
   */
  workflowId: Schema.NullOr(WorkflowId),
  /** null where nothing was said of it. */
  request: Schema.NullOr(WebhookRequest),
  active: Schema.Boolean,
  disabledReason: Schema.NullOr(DisabledReason),
  /** No send before this time (Unix ms): the endpoint asked for it, or failed in a way that says so. */
  throttledUntil: Schema.NullOr(Schema.Int),
  /** Since when nothing but failures came back (Unix ms). */
  failingSince: Schema.NullOr(Schema.Int),
  /** Which share of the time until it is switched off was told of last, in percent; 0 for none. */
  failingTold: Schema.Int,
  /** That it fails, or is switched off, was told: what arrives next is to be told too. */
  owesRecovery: Schema.Boolean,
  /** That a delivery was given up was told, and nothing has arrived since. */
  exhaustedTold: Schema.Boolean,
  settings: WebhookSettings,
  /** Failures in a row, counted while there is a circuit to open. */
  circuitFailures: Schema.Int,
  /** How often in a row the circuit has opened; 0 where it is closed. */
  circuitOpens: Schema.Int,
  /** No send before this time (Unix ms), then one; null where the circuit is closed. */
  circuitUntil: Schema.NullOr(Schema.Int),
  /** Attempts up to this place of the rate (Unix ms) may have been made: who becomes the owner goes on behind it. */
  rateReservedUntil: Schema.NullOr(Schema.Int),
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Webhook = typeof Webhook.Type
