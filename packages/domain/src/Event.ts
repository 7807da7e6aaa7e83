import { Schema } from "effect"
import * as EventId from "./EventId.ts"

/** The way by which a request came, if that is not an endpoint. */
export const RequestKind = Schema.Literals(["email", "invocation", "rerun"])
export type RequestKind = typeof RequestKind.Type

/** The metadata that an emit gave its event beside the payload. */
export const EventMeta = Schema.Struct({
  id: Schema.optional(Schema.Union([Schema.String, Schema.Finite])),
  summary: Schema.optional(Schema.String),
  ts: Schema.optional(Schema.Union([Schema.String, Schema.Finite])),
  /** Set for a request that came by e-mail, or through the API: an event, or a run to repeat. */
  kind: Schema.optional(RequestKind),
  /** True of what came about in shadow: none of it leaves the server, unless somebody asks for that. */
  shadow: Schema.optional(Schema.Boolean),
  /** Set for a request of which nothing is to be kept once its run has ended: the paths of the files that came with it. */
  unstored: Schema.optional(Schema.Array(Schema.String)),
  /**
   * Set for an event that takes the place of another: the run that began with that one, or the event on `$errors` about the
   * run of a source.
   */
  rerunOf: Schema.optional(Schema.String),
  /** Set for the input of a source that is run again: the kind that it was. */
  as: Schema.optional(Schema.Literals(["HTTP", "EMAIL", "TIMER", "EVENT"]))
})
export type EventMeta = typeof EventMeta.Type

/** The input over which a program emitted an event. */
export const EventCause = Schema.Struct({
  /** The event's emitter; null for a request to the program, which is in its own log. */
  emitterId: Schema.NullOr(Schema.String),
  id: Schema.BigInt
})
export type EventCause = typeof EventCause.Type

/** One entry of an emitter's log. */
export const LoggedEvent = Schema.Struct({
  emitterId: Schema.String,
  stream: Schema.String,
  /** Dense number of the event within its stream, from 1. */
  n: Schema.Int,
  id: Schema.BigInt,
  /** Minted when the event entered; the `webhook-id` of its deliveries. */
  emitId: Schema.String,
  /** The number of emitters that the event has passed through. */
  hops: Schema.Int,
  meta: EventMeta,
  /** Set only for an event that is about to be appended; events read from a log leave it out. */
  cause: Schema.optional(EventCause),
  /** JSON text, byte for byte as emitted. */
  payload: Schema.String
})
export type LoggedEvent = typeof LoggedEvent.Type

const lengthOf = (value: string | number | undefined): number => typeof value === "string" ? value.length : 0

/** The size of an event in memory, in characters: its payload and its metadata. */
export const charactersOf = ({ meta, payload }: Pick<LoggedEvent, "meta" | "payload">): number =>
  payload.length + lengthOf(meta.id) + lengthOf(meta.summary) + lengthOf(meta.ts)

/** An event on its way into the log: the emitter's owner gives it its id and number. */
export const NewEvent = Schema.Struct({
  stream: Schema.String,
  emitId: Schema.String,
  hops: Schema.Int,
  meta: EventMeta,
  cause: Schema.optional(EventCause),
  /** The time at which it was emitted, if that is not now, in Unix milliseconds. Its id is of no earlier time. */
  at: Schema.optional(Schema.Int),
  payload: Schema.String
})
export type NewEvent = typeof NewEvent.Type

/** Lists show event data of more bytes than this as a shorter preview, unless they are asked for all of it. */
export const maxPreviewBytes = 1024

/** Routing stops here (decisions.md, "Subscriptions"). */
export const maxHops = 16

export const indexedAtMs = (event: LoggedEvent): number => EventId.milliseconds(event.id)
