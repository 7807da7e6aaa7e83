import { Effect, Schema } from "effect"
import { type Component, ConfigurableProp } from "./Component.ts"
import { AccountId, ComponentId, kindOf, ProgramId, ProjectId } from "./Id.ts"
import { Timer } from "./Timer.ts"
import { Workflow } from "./Workflow.ts"

/**
 * The phase of a program's life. Only a `ready` one is shown to clients; one found `creating` or `deleting` at start
 * was cut off by a crash and is taken down.
 */
export const ProgramPhase = Schema.Literals(["creating", "ready", "deleting"])
export type ProgramPhase = typeof ProgramPhase.Type

/** The state of a source or workflow, in a word. `failing`: most of its runs fail. */
export const ProgramState = Schema.Literals(["active", "failing", "paused"])
export type ProgramState = typeof ProgramState.Type

/** A program: a source or a workflow. Either is a component with configured props, running. */
export const Program = Schema.Struct({
  id: ProgramId,
  accountId: AccountId,
  componentId: ComponentId,
  name: Schema.String,
  nameSlug: Schema.String,
  /** Values of plain props by name; interface props are not among them. */
  props: Schema.Record(Schema.String, Schema.Json),
  /** Timer props by name. */
  timers: Schema.Record(Schema.String, Timer),
  /** Props that its component's code has added to those it declares, in place of declared ones of the same name. */
  additionalProps: Schema.Array(ConfigurableProp),
  active: Schema.Boolean,
  state: ProgramPhase,
  /** Random part of the URL its HTTP interface or apphook answers at; null without one. */
  endpointKey: Schema.NullOr(Schema.String),
  /** Null for a source. */
  workflow: Schema.NullOr(Workflow),
  /** The project that it belongs to; null if to none. Older nodes name none. */
  projectId: Schema.NullOr(ProjectId).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null))),
  /**
   * The time before which events of a source were emitted elsewhere, in Unix milliseconds; null if none were. Older nodes name
   * none.
   */
  emitFrom: Schema.NullOr(Schema.Int).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null))),
  /** True if what it sends is held, since it runs beside another that sends. Older nodes name none. */
  shadow: Schema.Boolean.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(false))),
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Program = typeof Program.Type

/** The props that a program has values for. */
export const declaredProps = (
  { configurableProps }: Pick<Component, "configurableProps">,
  { additionalProps }: Pick<Program, "additionalProps">
): ReadonlyArray<ConfigurableProp> =>
  additionalProps.length === 0
    ? configurableProps
    : [
      ...configurableProps.filter(({ name }) => !additionalProps.some((added) => added.name === name)),
      ...additionalProps
    ]

/** The attributes of a program in telemetry: its id, as a source's or a workflow's. */
export const labelOf = (id: ProgramId): Record<string, string> => ({ [`${kindOf(id)}_id`]: id })

/** Leaves room for a suffix within the longest slug by which requests may name a source. */
const longestSlug = 900

/**
 * decisions.md, "Sources": lower case, each run of other characters a hyphen.
 *
 * @param otherwise the slug of a name of which nothing is left
 */
export const slugOf = (name: string, otherwise = "source"): string =>
  name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, longestSlug).replace(/^-+|-+$/g, "") || otherwise
