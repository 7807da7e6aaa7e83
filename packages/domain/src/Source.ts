import { Schema } from "effect"
import { type Component, ConfigurableProp } from "./Component.ts"
import { AccountId, ComponentId, ProgramId } from "./Id.ts"
import { Timer } from "./Timer.ts"
import { Workflow } from "./Workflow.ts"

/**
 * Where a source is in its life. Only a `ready` one is shown to clients; one found `creating` or `deleting` at start
 * was cut off by a crash and is taken down.
 */
export const SourcePhase = Schema.Literals(["creating", "ready", "deleting"])
export type SourcePhase = typeof SourcePhase.Type

/** A component with configured props, running. */
export const Source = Schema.Struct({
  id: ProgramId,
  accountId: AccountId,
  componentId: ComponentId,
  name: Schema.String,
  nameSlug: Schema.String,
  /** Values of plain props by name; interface props are not among them. */
  props: Schema.Record(Schema.String, Schema.Json),
  /** Timer props by name. */
  timers: Schema.Record(Schema.String, Timer),
  /** What its component's code has added to the props that it declares, in place of those of the same name. */
  additionalProps: Schema.Array(ConfigurableProp),
  active: Schema.Boolean,
  state: SourcePhase,
  /** Random part of the URL its HTTP interface or apphook answers at; null without one. */
  endpointKey: Schema.NullOr(Schema.String),
  /** Null for a source. */
  workflow: Schema.NullOr(Workflow),
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Source = typeof Source.Type

/** The props that a source has values for. */
export const declaredProps = (
  { configurableProps }: Pick<Component, "configurableProps">,
  { additionalProps }: Pick<Source, "additionalProps">
): ReadonlyArray<ConfigurableProp> =>
  additionalProps.length === 0
    ? configurableProps
    : [
      ...configurableProps.filter(({ name }) => !additionalProps.some((added) => added.name === name)),
      ...additionalProps
    ]

/** With a suffix, a slug is still within what requests may name a source by. */
const longestSlug = 900

/** decisions.md, "Sources": lower case, each run of other characters a hyphen. */
export const slugOf = (name: string): string =>
  name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, longestSlug).replace(/^-+|-+$/g, "") || "source"
