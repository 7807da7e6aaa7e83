import { Schema } from "effect"
import { AccountId, BulkActionId } from "./Id.ts"

/**
 * `retry` attempts deliveries once more; `replay` sends events again, apart from their subscriptions' accounting;
 * `skip` drops deliveries that wait for an attempt; `cancel` gives them up. `rerun` runs sources and workflows again;
 * `cancel_runs` ends runs of workflows.
 */
export const BulkActionKind = Schema.Literals(["retry", "replay", "skip", "cancel", "rerun", "cancel_runs"])
export type BulkActionKind = typeof BulkActionKind.Type

/** The state that a client has put it in. A running one has ended when its parts have. */
export const BulkActionState = Schema.Literals(["running", "paused", "cancelled"])
export type BulkActionState = typeof BulkActionState.Type

const Time = Schema.Int

/** Selects the deliveries, events or runs that match all of its fields. */
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
  text: Schema.optionalKey(Schema.String),
  /** Of runs: their source or workflow, their state, and a part of their error. */
  programId: Schema.optionalKey(Schema.String),
  runStatus: Schema.optionalKey(Schema.Literals(["running", "waiting", "success", "error", "cancelled"])),
  error: Schema.optionalKey(Schema.String)
})
export type BulkFilter = typeof BulkFilter.Type

/** The place from which runs are run again, and the code on which: that of today, or that which each of them had. */
export const BulkRerun = Schema.Struct({
  from: Schema.Literals(["start", "failed_step"]),
  code: Schema.Literals(["current", "own"])
})
export type BulkRerun = typeof BulkRerun.Type

/** An action on many deliveries, events or runs, a few at a time. */
export const BulkAction = Schema.Struct({
  id: BulkActionId,
  accountId: AccountId,
  action: BulkActionKind,
  filter: BulkFilter,
  /** It counts what matches, and does nothing. */
  dryRun: Schema.Boolean,
  /** Null but for runs that are run again. */
  rerun: Schema.NullOr(BulkRerun),
  /** Attempts or runs a second, at each webhook, source or workflow. */
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

/** True if it is about runs, not deliveries. */
export const isOfRuns = (action: BulkActionKind): boolean => action === "rerun" || action === "cancel_runs"
