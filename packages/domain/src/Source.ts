import { Schema } from "effect"
import { AccountId, ComponentId, SourceId } from "./Id.ts"
import { Timer } from "./Timer.ts"

/**
 * Where a source is in its life. Only a `ready` one is shown to clients; one found `creating` or `deleting` at start
 * was cut off by a crash and is taken down.
 */
export const SourcePhase = Schema.Literals(["creating", "ready", "deleting"])
export type SourcePhase = typeof SourcePhase.Type

/** A component with configured props, running. */
export const Source = Schema.Struct({
  id: SourceId,
  accountId: AccountId,
  componentId: ComponentId,
  name: Schema.String,
  nameSlug: Schema.String,
  /** Values of plain props by name; interface props are not among them. */
  props: Schema.Record(Schema.String, Schema.Json),
  /** Timer props by name. */
  timers: Schema.Record(Schema.String, Timer),
  active: Schema.Boolean,
  state: SourcePhase,
  /** Random part of the URL its HTTP interface answers at; null without one. */
  endpointKey: Schema.NullOr(Schema.String),
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Source = typeof Source.Type

/** decisions.md, "Sources": lower case, each run of other characters a hyphen. */
export const slugOf = (name: string): string =>
  name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "source"
