import { Schema } from "effect"
import { AccountId, WebhookId, WorkflowId } from "./Id.ts"
import { WebhookRequest } from "./WebhookRequest.ts"
import { WebhookSettings } from "./WebhookSettings.ts"

/** The reason why the engine took a webhook out of service. */
export const DisabledReason = Schema.Literals(["gone", "failing"])
export type DisabledReason = typeof DisabledReason.Type

/**
 * The state of a webhook, in a word. `disabled`: the engine has taken it out of service. `paused`: its owner has. `failing`:
 * most attempts fail. `throttled`: its endpoint asked for a pause.
 */
export const WebhookState = Schema.Literals(["active", "failing", "throttled", "paused", "disabled"])
export type WebhookState = typeof WebhookState.Type

/** @param now Unix milliseconds */
export const stateOf = (
  { active, disabledReason, throttledUntil }: Pick<Webhook, "active" | "disabledReason" | "throttledUntil">,
  isFailing: boolean,
  now: number
): WebhookState => {
  if (!active) return disabledReason === null ? "paused" : "disabled"
  if (isFailing) return "failing"
  return throttledUntil !== null && throttledUntil > now ? "throttled" : "active"
}

/** A URL of the account's that events are delivered to. */
export const Webhook = Schema.Struct({
  id: WebhookId,
  accountId: AccountId,
  name: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  /** With a mask for its password. */
  url: Schema.String,
  /**
   * Set for the internal webhook that sends a workflow's own requests, each to a URL of its own. It is not shown among
   * the account's webhooks and has no URL.
   */
  workflowId: Schema.NullOr(WorkflowId),
  /** Null if nothing was said of it. */
  request: Schema.NullOr(WebhookRequest),
  active: Schema.Boolean,
  disabledReason: Schema.NullOr(DisabledReason),
  /** No send before this time (Unix ms): the endpoint asked for it, or failed in a way that says so. */
  throttledUntil: Schema.NullOr(Schema.Int),
  /** The time since which nothing but failures came back (Unix ms). */
  failingSince: Schema.NullOr(Schema.Int),
  /** The last reported share of the time until it is switched off, in percent; 0 for none. */
  failingTold: Schema.Int,
  /** True once its failing or its switching off was reported: the next delivery that arrives is reported too. */
  owesRecovery: Schema.Boolean,
  /** True once a given-up delivery was reported, until something arrives again. */
  exhaustedTold: Schema.Boolean,
  settings: WebhookSettings,
  /** Failures in a row, counted while there is a circuit to open. */
  circuitFailures: Schema.Int,
  /** The number of times in a row that the circuit has opened; 0 while it is closed. */
  circuitOpens: Schema.Int,
  /** No send before this time (Unix ms), then one; null where the circuit is closed. */
  circuitUntil: Schema.NullOr(Schema.Int),
  /** Attempts up to this place of the rate (Unix ms) may have been made; the next owner goes on behind it. */
  rateReservedUntil: Schema.NullOr(Schema.Int),
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Webhook = typeof Webhook.Type
