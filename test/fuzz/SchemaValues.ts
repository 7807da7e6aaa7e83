import { type JsonSchema, Predicate, type Schema } from "effect"
import * as FastCheck from "fast-check"
import * as Texts from "./Texts.ts"

/** Where the schemas of requests say no length, values of this one are still of a size that makes sense. */
const ordinaryLength = 1_000

const numberOf = (schema: JsonSchema.JsonSchema, key: string): number | undefined => {
  const value = schema[key]
  return typeof value === "number" ? value : undefined
}

export const maxLengthOf = (schema: JsonSchema.JsonSchema): number | undefined => numberOf(schema, "maxLength")

export const alternativesOf = (schema: JsonSchema.JsonSchema): ReadonlyArray<JsonSchema.JsonSchema> | undefined => {
  const alternatives = schema.anyOf ?? schema.oneOf
  return Array.isArray(alternatives) ? alternatives.filter(Predicate.isObject).map((part) => ({ ...part })) : undefined
}

/** The schema of the object that a body is to be, through alternatives and `allOf`; undefined if it is none. */
export const objectOf = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema | undefined => {
  if (schema.type === "object") return schema
  return alternativesOf(schema)?.map(objectOf).find((part) => part !== undefined)
}

export const propertiesOf = (schema: JsonSchema.JsonSchema): ReadonlyArray<readonly [string, JsonSchema.JsonSchema]> =>
  Predicate.isObject(schema.properties)
    ? Object.entries(schema.properties).flatMap(([name, part]) => Predicate.isObject(part) ? [[name, { ...part }]] : [])
    : []

export const requiredOf = (schema: JsonSchema.JsonSchema): ReadonlyArray<string> =>
  Array.isArray(schema.required) ? schema.required.filter(Predicate.isString) : []

/** The JSON types that a schema takes; empty where it takes any. */
export const typesOf = (schema: JsonSchema.JsonSchema): ReadonlyArray<string> => {
  const alternatives = alternativesOf(schema)
  if (alternatives !== undefined) return alternatives.flatMap(typesOf)
  if (typeof schema.type === "string") return schema.type === "integer" ? ["integer", "number"] : [schema.type]
  if (Array.isArray(schema.type)) return schema.type.filter(Predicate.isString)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => value === null ? "null" : typeof value)
  return []
}

const isJson = (value: unknown): value is Schema.Json => value !== undefined

const object = (
  schema: JsonSchema.JsonSchema,
  fieldOf: (name: string, schema: JsonSchema.JsonSchema) => FastCheck.Arbitrary<Schema.Json>
): FastCheck.Arbitrary<Schema.Json> => {
  const fields = Object.fromEntries(propertiesOf(schema).map(([name, part]) => [name, fieldOf(name, part)]))
  if (Object.keys(fields).length === 0) return FastCheck.dictionary(Texts.plain(20), anyJson, { maxKeys: 4 })
  return FastCheck.record(fields, { requiredKeys: [...requiredOf(schema)], noNullPrototype: true })
}

/** JSON of a few levels. */
export const anyJson: FastCheck.Arbitrary<Schema.Json> = FastCheck.letrec<{ value: Schema.Json }>((tie) => ({
  value: FastCheck.oneof(
    { maxDepth: 3, withCrossShrink: true },
    FastCheck.oneof(
      FastCheck.constantFrom<Schema.Json>(null, true, false, 0, -0, 1e300, Number.MAX_SAFE_INTEGER),
      FastCheck.double({ noNaN: true, noDefaultInfinity: true }),
      Texts.marked(60)
    ),
    FastCheck.array(tie("value"), { maxLength: 4 }),
    FastCheck.dictionary(FastCheck.oneof(Texts.plain(12), Texts.prototypeName), tie("value"), { maxKeys: 4 })
  )
})).value

/** Values that a JSON Schema of the document describes. */
export const valueOf = (schema: JsonSchema.JsonSchema): FastCheck.Arbitrary<Schema.Json> => {
  const alternatives = alternativesOf(schema)
  if (alternatives !== undefined) return FastCheck.oneof(...alternatives.map(valueOf))
  if (Array.isArray(schema.enum)) return FastCheck.constantFrom(...schema.enum.filter(isJson))
  if (isJson(schema.const)) return FastCheck.constant(schema.const)
  switch (schema.type) {
    case "string": {
      if (typeof schema.pattern === "string") return FastCheck.stringMatching(new RegExp(schema.pattern))
      const max = maxLengthOf(schema)
      const text = Texts.marked(max ?? ordinaryLength)
      return max === undefined ? text : FastCheck.oneof(
        { weight: 20, arbitrary: text },
        { weight: 1, arbitrary: FastCheck.constant(Texts.longest(max)) }
      )
    }
    case "integer":
      return FastCheck.integer({
        min: Math.max(numberOf(schema, "minimum") ?? -1_000, -0x7fffffff),
        max: Math.min(numberOf(schema, "maximum") ?? 1_000, 0x7fffffff)
      })
    case "number":
      return FastCheck.double({
        noNaN: true,
        min: numberOf(schema, "minimum") ?? -1e9,
        max: numberOf(schema, "maximum") ?? 1e9
      })
    case "boolean":
      return FastCheck.boolean()
    case "null":
      return FastCheck.constant(null)
    case "array":
      return FastCheck.array(Predicate.isObject(schema.items) ? valueOf({ ...schema.items }) : anyJson, {
        maxLength: 5
      })
    case "object":
      return object(schema, (_, part) => valueOf(part))
    default:
      return anyJson
  }
}
