import { type JsonSchema, Predicate } from "effect"

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly schema: JsonSchema.JsonSchema
}

/** An operation of the OpenAPI document, as far as requests are made of it. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** With `{name}` for the parameters in it. */
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  /** Of the JSON body; undefined where there is none. */
  readonly body: JsonSchema.JsonSchema | undefined
  readonly isBodyRequired: boolean
  /** It stands beside the contract, and refuses parameters that it does not know. */
  readonly refusesParameters: boolean
}

const methods = ["get", "put", "post", "delete", "patch"] as const

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((part, name) => Predicate.hasProperty(part, name) ? part[name] : undefined, value)

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Predicate.isObject(value) ? Object.entries(value) : []

const pathOf = (pointer: string): ReadonlyArray<string> =>
  pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

/** A value of the document with every `$ref` replaced by what it names. The schemas of requests are not recursive. */
const inlined = (document: unknown, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((member) => inlined(document, member))
  if (!Predicate.isObject(value)) return value
  const ref = at(value, "$ref")
  if (typeof ref === "string") return inlined(document, at(document, ...pathOf(ref)))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inlined(document, member)]))
}

const schemaOf = (value: unknown): JsonSchema.JsonSchema => Predicate.isObject(value) ? { ...value } : {}

const parameterOf = (value: unknown): ReadonlyArray<Parameter> => {
  const name = at(value, "name")
  const place = at(value, "in")
  if (typeof name !== "string" || (place !== "path" && place !== "query" && place !== "header")) return []
  return [{ name, in: place, required: at(value, "required") === true, schema: schemaOf(at(value, "schema")) }]
}

const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** Those beside the contract to which clients of other services give parameters of their own. */
const ofOthers: ReadonlySet<string> = new Set([
  "GET /v1/accounts",
  "GET /v1/accounts/{id}",
  "GET /v1/sources/{id}",
  "GET /v1/webhooks/{id}",
  "GET /v1/workflows/{id}"
])

/** Those of the API: what needs no key is asked in other ways. */
export const operationsOf = (document: unknown): ReadonlyArray<Operation> =>
  entriesOf(at(document, "paths")).filter(([path]) => path.startsWith("/v1/")).flatMap(([path, item]) =>
    methods.flatMap((method): ReadonlyArray<Operation> => {
      const given = at(item, method)
      if (given === undefined) return []
      const operation = inlined(document, given)
      const content = at(operation, "requestBody", "content", "application/json", "schema")
      const parameters = [...listOf(inlined(document, at(item, "parameters"))), ...listOf(at(operation, "parameters"))]
      return [{
        id: String(at(operation, "operationId") ?? `${method} ${path}`),
        method: method.toUpperCase(),
        path,
        parameters: parameters.flatMap(parameterOf),
        body: content === undefined ? undefined : schemaOf(content),
        isBodyRequired: at(operation, "requestBody", "required") === true,
        refusesParameters: at(operation, "x-headwater-extension") === true &&
          !ofOthers.has(`${method.toUpperCase()} ${path}`)
      }]
    })
  )

const segmentsOf = (target: string): ReadonlyArray<string> =>
  target.split(/[?#]/, 1)[0]!.replaceAll("%24", "$").replace(/\/$/, "").split("/")

/** The operation that a request is one of; undefined where the document has none. `HEAD` is `GET`. */
export const operationAt = (
  operations: ReadonlyArray<Operation>,
  method: string,
  target: string
): Operation | undefined => {
  const segments = segmentsOf(target)
  const literals = ({ path }: Operation) => segmentsOf(path).filter((segment) => !segment.startsWith("{")).length
  return operations
    .filter((operation) => {
      if (operation.method !== (method === "HEAD" ? "GET" : method)) return false
      const template = segmentsOf(operation.path)
      return template.length === segments.length &&
        template.every((segment, at) => segment.startsWith("{") ? segments[at] !== "" : segment === segments[at])
    })
    .toSorted((a, b) => literals(b) - literals(a))[0]
}
