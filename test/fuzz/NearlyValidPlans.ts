import { type JsonSchema, Predicate, type Schema } from "effect"
import * as FastCheck from "fast-check"
import type { Operation } from "./ApiDocument.ts"
import * as Parts from "./Parts.ts"
import type { Expectation, Message, Plan } from "./Plan.ts"
import * as SchemaValues from "./SchemaValues.ts"
import * as Texts from "./Texts.ts"
import { weighted } from "./ValidPlans.ts"

interface Flawed {
  readonly trait: string
  readonly expects: Expectation
  readonly message: Message
}

/** One thing wrong with a request that is otherwise in order; undefined where it has nothing to be wrong with. */
type Flaw = (parts: Parts.Parts, pick: number) => Flawed | undefined

const oneOf = <A>(choices: ReadonlyArray<A>, pick: number): A | undefined => choices[pick % choices.length]

/** Fields of which the operation asks for one or all. */
const askedFor = new Set([
  "component_code",
  "component_id",
  "component_url",
  "key",
  "emitter_id",
  "listener_id",
  "url",
  "workflow_code",
  "workflow_url"
])

const isFields = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  Predicate.isObject(value) && !Array.isArray(value)

const fieldsOf = (value: Schema.Json | undefined): Schema.JsonObject => isFields(value) ? value : {}

const bodySchemas = ({ body }: Operation): ReadonlyArray<readonly [string, JsonSchema.JsonSchema]> => {
  const schema = body === undefined ? undefined : SchemaValues.objectOf(body)
  return schema === undefined ? [] : SchemaValues.propertiesOf(schema)
}

const querySchemas = ({ parameters }: Operation): ReadonlyArray<readonly [string, JsonSchema.JsonSchema]> =>
  parameters.filter((parameter) => parameter.in === "query").map(({ name, schema }) => [name, schema])

const flawed = (trait: string, expects: Expectation, parts: Parts.Parts, bodyText?: string): Flawed => ({
  trait,
  expects,
  message: Parts.messageOf(parts, bodyText)
})

const withQuery = (parts: Parts.Parts, name: string, value: string): Parts.Parts => ({
  ...parts,
  query: [...parts.query.filter(([known]) => known !== name), [name, value]]
})

const withField = (parts: Parts.Parts, name: string, value: Schema.Json): Parts.Parts => ({
  ...parts,
  body: { ...fieldsOf(parts.body), [name]: value }
})

const withHeader = (message: Message, name: string, value: string | undefined): Message => ({
  ...message,
  headers: [
    ...message.headers.filter(([known]) => known !== name),
    ...(value === undefined ? [] : [[name, value] as const])
  ]
})

const missing: Flaw = (parts) => {
  const { id } = parts.operation
  const isAsked = (name: string) => askedFor.has(name)
  const asks = /\.(create|delete)$/.test(id) && [...querySchemas(parts.operation), ...bodySchemas(parts.operation)]
    .some(([name]) => isAsked(name))
  if (!asks) return undefined
  return flawed("a field is missing", "refused", {
    ...parts,
    query: parts.query.filter(([name]) => !isAsked(name)),
    body: parts.body === undefined
      ? undefined
      : Object.fromEntries(Object.entries(fieldsOf(parts.body)).filter(([name]) => !isAsked(name)))
  })
}

const samples: ReadonlyArray<readonly [string, Schema.Json]> = [
  ["string", "text"],
  ["number", 7],
  ["boolean", true],
  ["null", null],
  ["array", ["a"]],
  ["object", { a: 1 }]
]

const mistyped: Flaw = (parts, pick) => {
  const field = oneOf(
    bodySchemas(parts.operation).filter(([, schema]) => SchemaValues.typesOf(schema).length > 0),
    pick
  )
  if (field === undefined) return undefined
  const [name, schema] = field
  const types = SchemaValues.typesOf(schema)
  const wrong = oneOf(samples.filter(([type]) => !types.includes(type)), pick >> 3)
  if (wrong === undefined) return undefined
  return flawed(`a field is ${wrong[0]}`, "refused", withField(parts, name, wrong[1]))
}

const tooLong: Flaw = (parts, pick) => {
  const fits = ([, schema]: readonly [string, JsonSchema.JsonSchema]) => SchemaValues.maxLengthOf(schema) !== undefined
  const ofBody = bodySchemas(parts.operation).filter(fits)
  const ofQuery = querySchemas(parts.operation).filter(fits)
  const [name, schema] = oneOf([...ofBody, ...ofQuery], pick) ?? []
  const max = schema === undefined ? undefined : SchemaValues.maxLengthOf(schema)
  if (name === undefined || max === undefined) return undefined
  const text = Texts.longest(max + 1)
  const isOfBody = ofBody.length > 0 && pick % (ofBody.length + ofQuery.length) < ofBody.length
  return flawed("one over a bound", "refused", isOfBody ? withField(parts, name, text) : withQuery(parts, name, text))
}

const limits: ReadonlyArray<readonly [string, Expectation]> = [
  ["0", "refused"],
  ["-1", "refused"],
  ["1.5", "refused"],
  ["ten", "refused"],
  ["1e9", "refused"],
  ["NaN", "refused"],
  ["Infinity", "refused"],
  ["", "any"],
  ["010", "any"],
  ["+10", "any"],
  ["1e1", "any"],
  ["0x10", "any"],
  [" 10", "any"],
  ["10.0", "any"],
  ["99999999999999999999", "refused"]
]

const badLimit: Flaw = (parts, pick) => {
  const [, schema] = querySchemas(parts.operation).find(([name]) => name === "limit") ?? []
  if (schema === undefined) return undefined
  const beyond = [String(Number(schema.maximum) + 1), "refused"] as const
  const [value, expects] = oneOf([beyond, ...limits], pick)!
  return flawed(`limit=${value}`, expects, withQuery(parts, "limit", value))
}

const badCursor: Flaw = (parts, pick) => {
  const names = querySchemas(parts.operation).map(([name]) => name)
    .filter((name) => ["after", "before", "start_id", "end_id"].includes(name))
  const name = oneOf(names, pick)
  const value = oneOf(
    ["x", "ZGNf", "0-0-0", "-1-0", "1-99999999", "99999999999999-0", "__proto__", "\u0000", "é"],
    pick >> 2
  )
  return name === undefined || value === undefined
    ? undefined
    : flawed("a bad cursor or event id", "refused", withQuery(parts, name, value))
}

const badEnum: Flaw = (parts, pick) => {
  const field = oneOf(querySchemas(parts.operation).filter(([, schema]) => Array.isArray(schema.enum)), pick)
  if (field === undefined) return undefined
  return flawed("a value in the wrong case", "refused", withQuery(parts, field[0], "EVENT"))
}

const wrongCase: Flaw = (parts) => {
  const upper = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1)
  return flawed("names in the wrong case", "any", {
    ...parts,
    query: parts.query.map(([name, value]) => [upper(name), value]),
    body: parts.body === undefined
      ? undefined
      : Object.fromEntries(Object.entries(fieldsOf(parts.body)).map(([name, value]) => [upper(name), value]))
  })
}

const extra: Flaw = (parts, pick) => {
  const name = oneOf([...Texts.prototypeNames, "nobody_knows_this", "", "0", "data"], pick) ?? ""
  if (parts.body === undefined || pick % 2 === 0) {
    const { refusesParameters } = parts.operation
    return flawed("an unknown parameter", refusesParameters ? "refused" : "taken", withQuery(parts, name, "extra"))
  }
  // Written by hand, because an object would take `__proto__` for its prototype.
  const inner = JSON.stringify(parts.body).slice(1)
  const member = `{${JSON.stringify(name)}:{"polluted":true,"constructor":{"prototype":{"polluted":true}}}`
  const { body } = parts.operation
  const isClosed = body !== undefined && SchemaValues.objectOf(body)?.additionalProperties === false
  const text = inner === "}" ? `${member}}` : `${member},${inner}`
  return flawed("an unknown field", isClosed ? "refused" : "taken", parts, text)
}

const twice: Flaw = (parts, pick) => {
  const single = querySchemas(parts.operation).filter(([, schema]) => !SchemaValues.typesOf(schema).includes("array"))
    .map(([name]) => name)
  const known = oneOf(single, pick)
  const given = oneOf(parts.query.filter(([name]) => single.includes(name)), pick)
  const [name, value] = given ?? [known, "a"]
  if (name === undefined) return undefined
  const query = [...parts.query, [name, value] as const, ...(given === undefined ? [[name, "b"] as const] : [])]
  return flawed("a parameter given twice", "refused", { ...parts, query })
}

const noObject: Flaw = (parts, pick) => {
  if (parts.operation.body === undefined) return undefined
  const types = SchemaValues.typesOf(parts.operation.body)
  const texts = [["array", "[]"], ["string", `"text"`], ["number", "1"], ["boolean", "true"], ["null", "null"]] as const
  const [type, text] = oneOf(texts.filter(([type]) => !types.includes(type)), pick) ?? []
  if (text === undefined) return undefined
  // Where a body may be left out, null says that there is none.
  const expects = type === "null" && !parts.operation.isBodyRequired ? "any" : "refused"
  return flawed(`the body is ${type}`, expects, parts, text)
}

const unauthorized: Flaw = (parts, pick) => {
  const value = oneOf([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Bearer hw_unknown0000000000000000000000000000000",
    "Basic YTpi",
    "Bearer null",
    "Bearer a b",
    `Bearer ${"k".repeat(3_000)}`,
    "Bearer __proto__",
    "Bearer é"
  ], pick)
  return {
    trait: "no live key",
    expects: "refused",
    message: withHeader(Parts.messageOf(parts), "authorization", value)
  }
}

const wrongType: Flaw = (parts, pick) => {
  const message = Parts.messageOf(parts)
  if (message.body.type === "none") return undefined
  const type = oneOf([undefined, "text/plain", "application/x-www-form-urlencoded", "application/xml", ""], pick)
  return { trait: "another content type", expects: "refused", message: withHeader(message, "content-type", type) }
}

const badIdempotencyKey: Flaw = (parts, pick) => {
  if (parts.operation.method !== "POST") return undefined
  const key = oneOf(["", "é", "k".repeat(256), "k".repeat(255), "__proto__", "a,b", "\"quoted\"", "a\tb"], pick)
  return {
    trait: "an odd Idempotency-Key",
    expects: "any",
    message: withHeader(Parts.messageOf(parts), "idempotency-key", key)
  }
}

const flaws: ReadonlyArray<Flaw> = [
  missing,
  mistyped,
  tooLong,
  badLimit,
  badCursor,
  badEnum,
  wrongCase,
  extra,
  twice,
  noObject,
  unauthorized,
  wrongType,
  badIdempotencyKey
]

/** The flaw of this number, or else the next one that the request can have. There is always one: a missing key. */
const withFlaw = (parts: Parts.Parts, flaw: number, pick: number): Flawed => {
  for (let i = 0; i < flaws.length; i++) {
    const found = flaws[(flaw + i) % flaws.length]!(parts, pick)
    if (found !== undefined) return found
  }
  return flawed("in order", "any", parts)
}

/** Requests with one thing wrong. */
export const plans = (operations: ReadonlyArray<Operation>): FastCheck.Arbitrary<Plan> =>
  weighted(operations, (operation) =>
    FastCheck.tuple(
      Parts.of(operation),
      FastCheck.nat({ max: flaws.length - 1 }),
      FastCheck.nat({ max: 9_999 })
    ).map(([parts, flaw, pick]): Plan => {
      const { expects, message, trait } = withFlaw(parts, flaw, pick)
      return {
        mode: "nearly",
        operation: operation.id,
        trait,
        expects,
        content: { type: "messages", messages: [message] }
      }
    }))
