import { Schema } from "effect"

/** A prop as the component declares it: JSON, with `remoteOptions` in place of an options function. */
export const PropDefinition = Schema.StructWithRest(
  Schema.Struct({ name: Schema.String, type: Schema.String }),
  [Schema.Record(Schema.String, Schema.Json)]
)
export type PropDefinition = typeof PropDefinition.Type

/** Packages and modules that a step in Python still lacks. */
export const PythonNeeds = Schema.Struct({
  /** Requirements that the code names in comments, with their lines. */
  packages: Schema.Array(Schema.Struct({ package: Schema.String, line: Schema.Int })),
  /** Modules that it imports and Python does not have. */
  imports: Schema.Array(Schema.Struct({ module: Schema.String, line: Schema.Int }))
})
export type PythonNeeds = typeof PythonNeeds.Type

/** A component's description by its own module, once loaded (`components.md`, "Module"). */
export const ComponentDescription = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(Schema.String),
  version: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  dedupe: Schema.optionalKey(Schema.Literals(["unique", "greatest", "last"])),
  /** Its request for lists of events, as its code says it. */
  batch: Schema.optionalKey(Schema.Json),
  /** Without `run`, the interface event itself is emitted. */
  hasRun: Schema.Boolean,
  hooks: Schema.Array(Schema.Literals(["deploy", "activate", "deactivate"])),
  /** Its code adds props to those it declares, depending on their values. */
  hasAdditionalProps: Schema.Boolean,
  props: Schema.Array(PropDefinition),
  /** Names of the functions that its code calls on itself, if it has any. */
  methods: Schema.optionalKey(Schema.Array(Schema.String)),
  /** In their order, of a workflow. */
  steps: Schema.optionalKey(Schema.Array(Schema.Struct({
    name: Schema.String,
    lang: Schema.optionalKey(Schema.Literal("python")),
    needs: Schema.optionalKey(PythonNeeds)
  })))
})
export type ComponentDescription = typeof ComponentDescription.Type

/** The path to something of a definition: keys of objects and places in lists, from its top. */
export const DefinitionPath = Schema.Array(Schema.Union([Schema.String, Schema.Int]))
export type DefinitionPath = typeof DefinitionPath.Type

/** The reason why code is not a usable component, and the position of the fault. */
export const componentFault = {
  reason: Schema.Literals([
    "syntax",
    "import",
    "load",
    "no_default_export",
    "definition",
    "timeout",
    "memory",
    "output",
    "ended"
  ]),
  message: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  file: Schema.optionalKey(Schema.String),
  /** Of a `definition`: the keys of objects and places in lists that lead to the fault. */
  path: Schema.optionalKey(DefinitionPath)
}

/**
 * The code is not a usable component. `syntax` and `import` are found before it runs and have a position; `load` is what
 * its top level threw; `timeout`, `memory` and `output` are limits of the inspection; `ended` is a process it brought
 * down.
 */
export class ComponentInvalid extends Schema.TaggedError<ComponentInvalid>()("ComponentInvalid", componentFault) {}
