import { Schema } from "effect"
import { AccountId, ComponentId, StepId } from "./Id.ts"
import * as SubscriptionBatch from "./SubscriptionBatch.ts"

/** The strategy that decides, by their ids, which emitted events a program lets through (components.md, "Running"). */
export const Dedupe = Schema.Literals(["unique", "greatest", "last"])
export type Dedupe = typeof Dedupe.Type

/** A prop as the component's code declares it; keys beyond these pass through untouched. */
export const ConfigurableProp = Schema.StructWithRest(
  Schema.Struct({
    name: Schema.String,
    type: Schema.String,
    label: Schema.optionalKey(Schema.String),
    description: Schema.optionalKey(Schema.String),
    default: Schema.optionalKey(Schema.Json.annotate({ description: "A value of the prop's type." }))
  }),
  [Schema.Record(Schema.String, Schema.Json)]
)
export type ConfigurableProp = typeof ConfigurableProp.Type

/** Leaves out a label or a description that is not text. */
export const withoutOddLabels = (
  prop: Readonly<Record<string, Schema.Json>> & { readonly name: string; readonly type: string }
): ConfigurableProp => {
  const { description, label, name, type, ...rest } = prop
  return {
    name,
    type,
    ...(typeof label === "string" ? { label } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...rest
  }
}

/** The name of a component whose code gives it neither a name nor a key. */
export const nameless = "Component"

/** The code with its imports, which runs in place of a component's code if the two differ. */
export const LinkedCode = Schema.Struct({
  code: Schema.String,
  /** As that of the component's code. */
  hash: Schema.String,
  /** A source map from this to the component's code, as JSON. */
  map: Schema.String,
  /**
   * Versions and checksums of the npm packages that became part of it, where it has any, as their installer notes them.
   */
  lock: Schema.optionalKey(Schema.String),
  /** The names of the files of the Python packages that its steps need, where these need any. */
  wheels: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The components that became part of it without the code saying in which version, as `registry:<key>@<version>`. */
  components: Schema.optionalKey(Schema.Array(Schema.String))
})
export type LinkedCode = typeof LinkedCode.Type

/** A step of a workflow; it keeps its id for as long as new code has a step of its name. */
export const Step = Schema.Struct({
  id: StepId,
  name: Schema.String,
  /** The language that it is written in, if that is not JavaScript. */
  lang: Schema.optionalKey(Schema.Literal("python"))
})
export type Step = typeof Step.Type

/** One saved version of component code. */
export const Component = Schema.Struct({
  id: ComponentId,
  /** Null for one in the registry, which every account may use. */
  accountId: Schema.NullOr(AccountId),
  /** The code's own `key`, by which its newest version can be addressed. */
  key: Schema.NullOr(Schema.String),
  code: Schema.String,
  /** SHA-256 of the code, lower case hexadecimal. */
  codeHash: Schema.String,
  linked: Schema.NullOr(LinkedCode),
  name: Schema.String,
  version: Schema.String,
  type: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  dedupe: Schema.NullOr(Dedupe),
  /** The batches in which its code takes events, if a subscription does not say otherwise; null for none. */
  batch: SubscriptionBatch.Stored,
  hooks: Schema.Array(Schema.String),
  /** Its code adds props to these, depending on their values; each program has its own. */
  hasAdditionalProps: Schema.Boolean,
  configurableProps: Schema.Array(ConfigurableProp),
  /** Of a workflow's code, in their order; null for that of sources. */
  steps: Schema.NullOr(Schema.Array(Step)),
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Component = typeof Component.Type

/** A component without its code and its linked code, which can be large. */
export type CodelessComponent = Omit<Component, "code" | "linked">

/** The code of a component as it runs. */
export interface ComponentModule {
  readonly code: string
  /** SHA-256 of that, lower case hexadecimal. */
  readonly hash: string
  /** True if a source map from it to the component's code is stored, which only errors need. */
  readonly hasMap: boolean
}

/** A component as programs hold it in memory, with only the code that runs. */
export interface RunnableComponent extends CodelessComponent {
  readonly module: ComponentModule
}

/** The prop types an interface or service of the engine stands behind. */
export const interfaceTypes = {
  http: "$.interface.http",
  timer: "$.interface.timer",
  db: "$.service.db",
  apphook: "$.interface.apphook",
  email: "$.interface.email"
} as const
