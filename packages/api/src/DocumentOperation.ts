import { Context, type JsonSchema, Predicate, Schema } from "effect"
import type { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { PathItem, Response } from "./DocumentProblems.ts"
import { exampleOf, marked, open, propertiesOf, tidy } from "./DocumentSchema.ts"
import * as Extension from "./Extension.ts"
import { NeededScope, scopeKey } from "./NeededScope.ts"
import { Warnings } from "./Warnings.ts"

/** The document's named schemas, tidied. */
type Definitions = JsonSchema.Definitions

const without = (schema: JsonSchema.JsonSchema, ...keys: ReadonlyArray<string>): JsonSchema.JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)))

const withExample = (schema: JsonSchema.JsonSchema, definitions: Definitions): object => {
  const example = exampleOf(schema, definitions)
  return example === undefined ? { schema } : { schema: without(schema, "examples"), example }
}

/** The type that a parameter is read as: in a URL all of them are text, and the generator says no more. */
const readAs = (fields: Schema.Top | undefined, name: string): JsonSchema.JsonSchema | undefined => {
  if (fields === undefined) return undefined
  const { schema: read } = Schema.toJsonSchemaDocument(Schema.toType(fields), {
    includeAnnotationKey: (key) => key === Extension.key
  })
  const schema = propertiesOf(read)[name]
  return schema === undefined ? undefined : tidy(schema)
}

/** Effect declares headers in lower case. */
const headerName = (name: string): string =>
  name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace(/-Id$/, "-ID")

const isText = (schema: JsonSchema.JsonSchema): boolean => schema.type === "string"

const parameter = (given: OpenApi.OpenAPISpecParameter, endpoint: HttpApiEndpoint.Top): object => {
  const fields = { path: endpoint.params, query: endpoint.query, header: endpoint.headers, cookie: undefined }[given.in]
  const read = readAs(fields, given.name)
  const text = tidy({ ...given.schema })
  const schema = read === undefined || isText(read) ? text : read
  const [example] = Array.isArray(schema.examples) ? schema.examples : []
  return {
    name: given.in === "header" ? headerName(given.name) : given.name,
    in: given.in,
    description: schema.description,
    required: given.required,
    ...(schema[Extension.key] === true ? Extension.mark : {}),
    schema: without(schema, "description", "examples", Extension.key),
    ...(example === undefined ? {} : { example })
  }
}

const isNull = (schema: JsonSchema.JsonSchema): boolean => schema.type === "null"

/** An endpoint that also takes an empty body says so by `null`; in the document the body is optional then. */
const requestBody = (
  body: OpenApi.OpenAPISpecRequestBody,
  takesAnyFields: boolean,
  definitions: Definitions
): object => {
  const media = Object.entries(body.content).map(([contentType, { schema }]) => {
    const alternatives: ReadonlyArray<JsonSchema.JsonSchema> = Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
    const given = alternatives.filter((alternative) => !isNull(alternative)).map((one) =>
      takesAnyFields ? open(tidy(one)) : tidy(one)
    )
    return {
      contentType,
      required: given.length === alternatives.length,
      schema: given.length === 1 ? given[0]! : { anyOf: given }
    }
  })
  const [first] = media
  return {
    ...(Predicate.isString(first?.schema.description) ? { description: first.schema.description } : {}),
    ...(first?.schema[Extension.key] === true ? Extension.mark : {}),
    required: media.every(({ required }) => required),
    content: Object.fromEntries(
      media.map(({ contentType, schema }) => [
        contentType,
        withExample(without(schema, "description", Extension.key), definitions)
      ])
    )
  }
}

interface Operation extends OpenApi.OpenAPISpecOperation {
  readonly [Extension.key]?: boolean
  readonly warns: boolean
}

const isRepeatable = ({ parameters }: Operation): boolean =>
  parameters.some(({ in: place, name }) => place === "header" && name === "idempotency-key")

/** Headers that the document describes once, by the answers that have them. */
const generalHeaders: ReadonlyArray<readonly [name: string, isOf: (status: string, of: Operation) => boolean]> = [
  ["X-Request-Id", () => true],
  ["WWW-Authenticate", (status) => status === "401"],
  ["Retry-After", (status) => status === "429" || status === "503"],
  ["Idempotency-Replayed", (status, of) => isRepeatable(of) && ["200", "404", "413", "422"].includes(status)],
  ["X-Headwater-Warnings", (status, { warns }) => warns && status.startsWith("2")]
]

const headersOf = (status: string, of: Operation, given: Record<string, unknown>): object => ({
  ...Object.fromEntries(
    Object.entries(given).filter(([name]) => !generalHeaders.some(([general]) => general.toLowerCase() === name))
  ),
  ...Object.fromEntries(
    generalHeaders.flatMap(([name, isOf]) => isOf(status, of) ? [[name, { $ref: `#/components/headers/${name}` }]] : [])
  )
})

const generated = new Set(["Success", "<No Content>"])

const sse = "text/event-stream"

/** A stream of events is text, each of whose frames holds an event as JSON. */
const streamed = (schema: JsonSchema.JsonSchema, definitions: Definitions): object => {
  const data = propertiesOf(schema)["data"] ?? {}
  const example = exampleOf(data, definitions)
  const id = Predicate.hasProperty(example, "id") ? `id: ${String(example.id)}\n` : ""
  const name = Predicate.isString(data.$ref) ? data.$ref.split("/").at(-1) : "the event"
  return {
    schema: { type: "string", description: `Server-sent events. The data of each is ${name} as one line of JSON.` },
    example: `${id}data: ${JSON.stringify(example)}\n\n`
  }
}

const describe = (status: string, given: string, schema: JsonSchema.JsonSchema | undefined): string => {
  if (!generated.has(given)) return given
  if (schema === undefined) return status === "204" ? "Done. There is no body." : "Accepted. There is no body."
  if (schema.format === "binary") return "The bytes, with their type as Content-Type."
  const properties = propertiesOf(schema)
  if ("event" in properties) return "A stream that stays open until either side closes it."
  if ("page_info" in properties) return "A page of the list."
  return properties["data"]?.type === "array" ? "The whole list." : "The current resource."
}

const response = (
  status: string,
  of: Operation,
  given: OpenApi.OpenApiSpecResponse,
  definitions: Definitions
): Response => {
  const contents = Object.entries(given.content ?? {}).map(([contentType, media]) =>
    [contentType, tidy(media.schema)] as const
  )
  return {
    description: describe(status, given.description, contents[0]?.[1]),
    headers: headersOf(status, of, given.headers ?? {}),
    ...(contents.length === 0
      ? {}
      : {
        content: Object.fromEntries(
          contents.map(([contentType, schema]) => [
            contentType,
            contentType === sse ? streamed(schema, definitions) : withExample(schema, definitions)
          ])
        )
      })
  }
}

const isOwn = (status: string, endpoint: HttpApiEndpoint.Top): boolean =>
  [...endpoint.error].some((schema) => String(Schema.resolveAnnotations(schema)?.["httpApiStatus"]) === status)

/** True if an endpoint can answer so at all: the check of requests declares all its problems for every endpoint. */
const isPossible = (
  status: string,
  operation: Operation,
  endpoint: HttpApiEndpoint.Top
): boolean => {
  switch (status) {
    case "413":
      // A body that nobody asked for is read as well, to tell a repetition from another request under its key.
      return operation.requestBody !== undefined || isRepeatable(operation)
    case "415":
      return operation.requestBody !== undefined
    case "404":
      return isOwn(status, endpoint)
    default:
      return true
  }
}

/** Completes a generated operation with what is the same for all: headers, examples, descriptions, extension marks. */
export const complete = (
  generated: Omit<Operation, "warns">,
  endpoint: HttpApiEndpoint.Top,
  definitions: Definitions
): PathItem[string] => {
  const operation = { ...generated, warns: endpoint.middlewares.has(Warnings) }
  const isExtension = operation[Extension.key] === true
  const description = isExtension ? marked(operation.description) : operation.description
  const isOpen = operation.security.length === 0
  const scope = Context.get(endpoint.annotations, NeededScope)
  return {
    operationId: operation.operationId,
    tags: operation.tags,
    summary: operation.summary,
    description: isOpen ? description : `${description} Needs a key with the scope \`${scope}\`.`,
    ...(isExtension ? Extension.mark : {}),
    security: isOpen ? [] : [{ bearer: [] }, { session: [] }],
    ...(isOpen ? {} : { [scopeKey]: scope }),
    parameters: operation.parameters.map((given) => parameter(given, endpoint)),
    ...(operation.requestBody === undefined
      ? {}
      : { requestBody: requestBody(operation.requestBody, !isExtension, definitions) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses)
          .filter(([status]) => isPossible(status, operation, endpoint))
          .map(([status, given]) => [status, response(status, operation, given, definitions)])
      ),
      "405": { $ref: "#/components/responses/MethodNotAllowed" }
    }
  }
}
