import { Lease } from "@headwater/domain/Consumer"
import { LoggedEvent } from "@headwater/domain/Event"
import { Schema } from "effect"

/** There is no such consumer, or none any more. */
export class ConsumerNotFound extends Schema.TaggedError<ConsumerNotFound>()("ConsumerNotFound", {}) {}

/** Another reader has the consumer's lease. */
export class LeaseHeld extends Schema.TaggedError<LeaseHeld>()("LeaseHeld", {
  /** The time at which it ends if that reader does not come back, in Unix milliseconds. */
  until: Schema.Int
}) {}

/** The lease is no longer the consumer's: it was given back, another reader has one, or somebody has sought elsewhere. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/** A place that can't be committed. */
export class BadPosition extends Schema.TaggedError<BadPosition>()("BadPosition", {
  emitterId: Schema.String,
  /** Why, as the rest of a sentence about the position. */
  message: Schema.String
}) {}

export const ReadRequest = Schema.Struct({
  /** The lease that the reader has. */
  lease: Schema.NullOr(Schema.String),
  /** At most so many events. */
  max: Schema.Int,
  /** No more events once their payloads have come to so many bytes. */
  maxBytes: Schema.Int,
  /** The time to wait for the first one, in milliseconds. */
  waitMs: Schema.Int,
  /** True if payloads may be left out of the page, which nodes of before schema 36 can't read. */
  mayLeaveOut: Schema.optionalKey(Schema.Boolean)
})
export type ReadRequest = typeof ReadRequest.Type

/** An event of a page. The node that answers reads large payloads, once there is room for them. */
export const PageEvent = Schema.Struct({
  ...LoggedEvent.fields,
  /** Null where it is yet to be read. */
  payload: Schema.NullOr(Schema.String),
  /** Of the whole payload. Nodes of before schema 36 don't tell it. */
  bytes: Schema.optionalKey(Schema.Int)
})
export type PageEvent = typeof PageEvent.Type

/** Events that are not committed: of each emitter the first ones in its log's order. */
export const ConsumerPage = Schema.Struct({
  events: Schema.Array(PageEvent),
  /** The reader's. None where it had none and there is nothing to read. */
  lease: Schema.NullOr(Lease)
})
export type ConsumerPage = typeof ConsumerPage.Type

export const CommitRequest = Schema.Struct({
  lease: Schema.String,
  /** Of emitters the last event that is committed, with all before it. */
  positions: Schema.Array(Schema.Struct({ emitterId: Schema.String, id: Schema.BigInt })),
  /** Gives the lease back. */
  release: Schema.Boolean
})
export type CommitRequest = typeof CommitRequest.Type

export const SeekRequest = Schema.Struct({
  /** Before the first event from this id on; null for the end of the log. */
  from: Schema.NullOr(Schema.BigInt),
  /** Of this emitter alone; null for all. */
  emitterId: Schema.NullOr(Schema.String)
})
export type SeekRequest = typeof SeekRequest.Type
