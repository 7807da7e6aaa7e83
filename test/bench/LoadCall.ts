import { Schema } from "effect"

const Times = Schema.instanceOf(Float64Array)

export const Plan = Schema.Struct({
  /** Where events go, in turn. All of one host. */
  urls: Schema.Array(Schema.String),
  connections: Schema.Int,
  /** Events a second, whatever is answered. Without one, each connection sends its next when the last is answered. */
  rate: Schema.optionalKey(Schema.Finite),
  seconds: Schema.Finite,
  /** Ends it sooner, when so many are acknowledged. */
  events: Schema.optionalKey(Schema.Int),
  /** The number of the first event. */
  from: Schema.Int,
  /** Size of an event's body. */
  bytes: Schema.Int
})
export type Plan = typeof Plan.Type

export const Loaded = Schema.Struct({
  /** Times on the machine's monotonic clock, by event counted from the first; 0 where it was not acknowledged. */
  sentAt: Times,
  ackedAt: Times,
  startedAt: Schema.Finite,
  endedAt: Schema.Finite,
  acked: Schema.Int,
  /** Answers other than 2xx by status; 0 counts connections that were lost. */
  refused: Schema.Record(Schema.String, Schema.Int)
})
export type Loaded = typeof Loaded.Type

/** Puts load on a server. */
export const load = { request: Plan, reply: Loaded }
