import { Schema } from "effect"
import { AccountId, BulkActionId } from "./Id.ts"

/**
 * `retry` attempts deliveries once more; `replay` sends events again, apart from their subscriptions' accounting;
 * `skip` drops deliveries that wait for an attempt; `cancel` gives them up.
 */
export const BulkActionKind = Schema.Literals(["retry", "replay", "skip", "cancel"])
export type BulkActionKind = typeof BulkActionKind.Type

/** The state that a client has put it in. A running one has ended when its parts have. */
export const BulkActionState = Schema.Literals(["running", "paused", "cancelled"])
export type BulkActionState = typeof BulkActionState.Type

const Time = Schema.Int

/** Selects the deliveries or events that match all of its fields. */
export const BulkFilter = Schema.Struct({
  webhookId: Schema.optionalKey(Schema.String),
  subscriptionId: Schema.optionalKey(Schema.String),
  emitterId: Schema.optionalKey(Schema.String),
  stream: Schema.optionalKey(Schema.String),
  /** Event ids are text, `<milliseconds>-<sequence>`. */
  eventId: Schema.optionalKey(Schema.String),
  /** From this event of the emitter on, and up to that one. */
  from: Schema.optionalKey(Schema.String),
  to: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(Schema.Literals(["pending", "delivered", "exhausted", "dropped"])),
  errorClass: Schema.optionalKey(Schema.String),
  /** From the first to the second. */
  status: Schema.optionalKey(Schema.Tuple([Schema.Int, Schema.Int])),
  /** Unix milliseconds. */
  since: Schema.optionalKey(Time),
  until: Schema.optionalKey(Time),
  lastAttemptSince: Schema.optionalKey(Time),
  text: Schema.optionalKey(Schema.String)
})
export type BulkFilter = typeof BulkFilter.Type

/** An action on many deliveries or events, a few at a time. */
export const BulkAction = Schema.Struct({
  id: BulkActionId,
  accountId: AccountId,
  action: BulkActionKind,
  filter: BulkFilter,
  /** It counts what matches, and does nothing. */
  dryRun: Schema.Boolean,
  /** Attempts a second, at each webhook. */
  rateLimit: Schema.Int,
  state: BulkActionState,
  /** Unix milliseconds. The action leaves out whatever began later. */
  createdAt: Schema.Int
})
export type BulkAction = typeof BulkAction.Type

/** True if it reads the log, not the list of deliveries. */
export const readsLog = ({ action, filter }: Pick<BulkAction, "action" | "filter">): boolean =>
  action === "replay" && filter.state === undefined && filter.errorClass === undefined && filter.status === undefined &&
  filter.text === undefined && filter.eventId === undefined && filter.lastAttemptSince === undefined
