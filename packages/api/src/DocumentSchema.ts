import { Equal, type JsonSchema, Predicate, type Schema } from "effect"
import * as Extension from "./Extension.ts"
import * as Pagination from "./Pagination.ts"

/** Said in front of the description of whatever stands beside the contract. */
export const marked = (description: unknown): string =>
  typeof description === "string" ? `Extension: ${description}` : "Extension."

export const propertiesOf = (schema: JsonSchema.JsonSchema): JsonSchema.Definitions =>
  Predicate.isObject(schema.properties) ? schema.properties as JsonSchema.Definitions : {}

const isSafeBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** True for a key that describes a schema and says nothing of its values, so that it can move out of an `allOf`. */
const isAnnotation = (key: string): boolean => ["description", "examples", "default", Extension.key].includes(key)

const lifted = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  if (!Array.isArray(schema.allOf) || "$ref" in schema) return schema
  const { allOf, ...rest } = schema
  const members: Array<JsonSchema.JsonSchema> = allOf
  const annotations = members.flatMap((member) => Object.entries(member).filter(([key]) => isAnnotation(key)))
  const conditions = members.map((member) => Object.entries(member).filter(([key]) => !isAnnotation(key)))
  const all = [...Object.entries(rest), ...conditions.flat()]
  const fits = all.every(([key, value]) => all.every(([other, its]) => other !== key || Equal.equals(its, value)))
  return {
    ...rest,
    ...Object.fromEntries(fits ? conditions.flat() : []),
    ...Object.fromEntries(annotations),
    ...(fits ? {} : { allOf: conditions.map((entries) => Object.fromEntries(entries)) })
  }
}

/** The name that the generator gives to the encoded form of a class, without its ending. */
export const schemaName = (name: string): string => name.replace(/Encoded$/, "")

const mapValues = (
  schemas: JsonSchema.Definitions,
  f: (schema: JsonSchema.JsonSchema) => JsonSchema.JsonSchema
): JsonSchema.Definitions => Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, f(schema)]))

const withoutTidying = new Set(["default", "enum", "example", "examples", "required"])

/** A generated schema as a person would have written it: no bounds that say nothing, extensions told in words. */
export const tidy = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const tidied = Object.fromEntries(
    Object.entries(lifted(schema))
      .filter(([key, value]) => !isSafeBound(key, value))
      .map(([key, value]) => [key, withoutTidying.has(key) ? value : tidyMember(key, value)])
  )
  return {
    ...tidied,
    // Said of an open object too: a generated client takes one without properties for one that has none.
    ...(tidied["type"] === "object" && !("additionalProperties" in tidied)
      ? { additionalProperties: true }
      : {}),
    ...(tidied[Extension.key] === true ? { description: marked(tidied["description"]) } : {})
  }
}

const tidyMember = (key: string, value: unknown): unknown => {
  if (key === "$ref" && typeof value === "string") return schemaName(value)
  if (Array.isArray(value)) return value.map((member) => tidyMember("", member))
  if (!Predicate.isObject(value)) return value
  return key === "properties" ? mapValues(value as JsonSchema.Definitions, tidy) : tidy(value)
}

/** A schema of a request to an endpoint of the documented contract, which takes fields that it does not know. */
export const open = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { additionalProperties, ...rest } = schema
  return {
    ...rest,
    ...(typeof additionalProperties === "object" || additionalProperties === true ? { additionalProperties } : {}),
    ...(Array.isArray(schema.anyOf) ? { anyOf: schema.anyOf.map(open) } : {}),
    ...("properties" in schema ? { properties: mapValues(propertiesOf(schema), open) } : {}),
    ...(Predicate.isObject(schema.items) ? { items: open(schema.items) } : {})
  }
}

const eventId = /^\d+-\d+$/

/** The page that holds just this item. */
const pageOf = (item: Schema.Json, isCounted: boolean): Schema.Json => {
  const named = ["id", "emitter_id"].find((name) => Predicate.hasProperty(item, name))
  const id = named === undefined ? "" : String((item as Schema.JsonObject)[named])
  if (!isCounted) return { ...Pagination.openPage([{ id }], {}, undefined), data: [item] }
  return { page_info: Pagination.pageInfo([eventId.test(id) ? id : Pagination.cursorOf(id)], 1), data: [item] }
}

/**
 * An example of what a schema describes: its own, or one put together from those of its parts.
 *
 * @param definitions the document's named schemas
 */
export const exampleOf = (
  schema: JsonSchema.JsonSchema,
  definitions: JsonSchema.Definitions
): Schema.Json | undefined => {
  const recur = (part: JsonSchema.JsonSchema) => exampleOf(part, definitions)
  if (typeof schema.$ref === "string") return recur(definitions[schema.$ref.split("/").at(-1) ?? ""] ?? {})
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.format === "binary") return "The bytes of a file."
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(recur).find((example) => example !== undefined)
  if (schema.type === "array") {
    const item = Predicate.isObject(schema.items) ? recur(schema.items) : undefined
    return item === undefined ? undefined : [item]
  }
  if (!("properties" in schema)) return undefined
  const { data, page_info: pageInfo } = propertiesOf(schema)
  if (data !== undefined && pageInfo !== undefined) {
    const items = recur(data)
    return Array.isArray(items) ? pageOf(items[0], "total_count" in propertiesOf(pageInfo)) : undefined
  }
  const fields: Record<string, Schema.Json> = {}
  for (const [name, field] of Object.entries(propertiesOf(schema))) {
    const example = recur(field)
    if (example !== undefined) fields[name] = example
    else if (Array.isArray(schema.required) && schema.required.includes(name)) return undefined
  }
  return fields
}
