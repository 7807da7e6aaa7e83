import { Schema } from "effect"
import { AccountId, ComponentId } from "./Id.ts"

/** Which ids of emitted events a source lets through (components.md, "Running"). */
export const Dedupe = Schema.Literals(["unique", "greatest", "last"])
export type Dedupe = typeof Dedupe.Type

/** A prop as the component's code declares it; keys beyond these pass through untouched. */
export const ConfigurableProp = Schema.StructWithRest(
  Schema.Struct({
    name: Schema.String,
    type: Schema.String,
    label: Schema.optional(Schema.String),
    description: Schema.optional(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Json)]
)
export type ConfigurableProp = typeof ConfigurableProp.Type

/** One saved version of component code. */
export const Component = Schema.Struct({
  id: ComponentId,
  accountId: AccountId,
  /** The code's own `key`, by which its newest version can be addressed. */
  key: Schema.NullOr(Schema.String),
  code: Schema.String,
  /** SHA-256 of the code, lower case hexadecimal. */
  codeHash: Schema.String,
  name: Schema.String,
  version: Schema.String,
  type: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  dedupe: Schema.NullOr(Dedupe),
  hooks: Schema.Array(Schema.String),
  configurableProps: Schema.Array(ConfigurableProp),
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Component = typeof Component.Type

/** The prop types an interface or service of the engine stands behind. */
export const interfaceTypes = {
  http: "$.interface.http",
  timer: "$.interface.timer",
  db: "$.service.db"
} as const
