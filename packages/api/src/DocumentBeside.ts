import type { JsonSchema } from "effect"
import type { PathItem, Response } from "./DocumentProblems.ts"
import { exampleOf, marked } from "./DocumentSchema.ts"
import * as Extension from "./Extension.ts"
import * as Problem from "./Problem.ts"

/** Problems that no endpoint of the API answers with. */
export const problems = [
  Problem.InvalidResponse,
  Problem.LoopDetected,
  Problem.MethodNotAllowed,
  Problem.NoResponse,
  Problem.ResponseTimeout
]

export const tags = [
  { name: "Endpoints", description: "The HTTP interfaces of sources and workflows." },
  { name: "Operation", description: "The state of the server, for its operator." }
]

const requestId = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } }
const retryAfter = { "Retry-After": { $ref: "#/components/headers/Retry-After" } }

const methodNotAllowed = { $ref: "#/components/responses/MethodNotAllowed" }

const refused = (
  description: string,
  names: ReadonlyArray<string>,
  definitions: JsonSchema.Definitions,
  headers: object = {}
): Response => {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}Problem` }))
  const schema: JsonSchema.JsonSchema = refs.length === 1 ? refs[0]! : { anyOf: refs }
  const example = exampleOf(schema, definitions)
  return {
    description,
    headers: { ...requestId, ...headers },
    content: { "application/problem+json": { schema, ...(example === undefined ? {} : { example }) } }
  }
}

/** The members that all operations without a key have in common. */
const operation = (id: string, tag: string, summary: string, description: string) => ({
  operationId: id,
  tags: [tag],
  summary,
  description: marked(description),
  ...Extension.mark,
  security: [],
  parameters: []
})

/** The methods that paths answer. */
export const methods = ["get", "post", "put", "patch", "delete"] as const

const endpoint = (definitions: JsonSchema.Definitions): PathItem =>
  Object.fromEntries(methods.map((method) => [method, {
    ...operation(
      `endpoint.${method}`,
      "Endpoints",
      `Send a ${method.toUpperCase()} to a source or workflow`,
      "Send it to the `endpoint_url` of its HTTP interface or any path below. Other methods work the same way. Without " +
        "`customResponse` the server answers once the request is durable; with it the component sets the response. The " +
        "interface's settings can say otherwise, and ask for a token."
    ),
    parameters: [{
      name: "endpoint_key",
      in: "path",
      description: "24 random characters. Anyone who has the URL can send requests.",
      required: true,
      schema: { type: "string" },
      example: "c7LkQ9vNxT2mWd5RzYb8HsJf"
    }],
    ...(method === "get" || method === "delete"
      ? {}
      : { requestBody: { required: false, content: { "*/*": { schema: {}, example: { order: 1001 } } } } }),
    responses: {
      "200": { description: "The request is durable. The run follows.", headers: requestId },
      "400": refused("The run ended without a response, or the body could not be read.", [
        "NoResponse",
        "InvalidRequest"
      ], definitions),
      "401": refused("The endpoint asks for a token that the request does not name.", ["Unauthorized"], definitions),
      "404": refused("There is no active endpoint at this URL.", ["NotFound"], definitions),
      "413": refused("The body is too large.", ["PayloadTooLarge"], definitions),
      "429": refused(
        "The account has used up its quota or its rate, or too many requests wait.",
        ["BacklogFull", "QuotaExceeded", "RateLimited"],
        definitions,
        retryAfter
      ),
      "500": refused("An error in the server.", ["InternalError"], definitions),
      "502": refused("The component responded with a status below 200.", ["InvalidResponse"], definitions),
      "503": refused(
        "The database is unavailable, or the server is shutting down or overloaded.",
        ["Unavailable"],
        definitions,
        retryAfter
      ),
      "504": refused("The run did not respond within 30 s. It continues.", ["ResponseTimeout"], definitions),
      "508": refused("The request has passed through too many emitters.", ["LoopDetected"], definitions),
      default: { description: "Whatever the component responds.", headers: requestId }
    }
  }]))

const status = (more: Readonly<Record<string, JsonSchema.JsonSchema>> = {}): Response => ({
  description: "Yes.",
  headers: requestId,
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: { status: { type: "string", enum: ["ok"] }, ...more },
        required: ["status"],
        additionalProperties: false
      },
      example: { status: "ok" }
    }
  }
})

const work: JsonSchema.JsonSchema = {
  type: "string",
  enum: ["off"],
  description: "Only of a server without work (HEADWATER_WORK=off), which shows what is there."
}

/**
 * The paths that are not under `/v1` and need no key.
 *
 * @param definitions the document's named schemas
 */
export const paths = (definitions: JsonSchema.Definitions): Readonly<Record<string, PathItem>> => ({
  "/http/{endpoint_key}": endpoint(definitions),
  "/healthz": {
    get: {
      ...operation("operation.healthz", "Operation", "Whether the process runs", "Checks nothing else."),
      responses: { "200": status(), "405": methodNotAllowed }
    }
  },
  "/readyz": {
    get: {
      ...operation(
        "operation.readyz",
        "Operation",
        "Whether the server can work",
        "It reaches its database, has its share of the actors, and is not shutting down."
      ),
      responses: {
        "200": status({ work }),
        "405": methodNotAllowed,
        "503": refused(
          "The database is unavailable, or the server is shutting down or overloaded.",
          ["Unavailable"],
          definitions,
          retryAfter
        )
      }
    }
  },
  "/metrics": {
    get: {
      ...operation("operation.metrics", "Operation", "What the server measures", "In the text format of Prometheus."),
      responses: {
        "200": {
          description: "All metrics.",
          headers: requestId,
          content: {
            "text/plain": {
              schema: { type: "string" },
              example: "# TYPE headwater_events_appended_total counter\nheadwater_events_appended_total 1204\n"
            }
          }
        },
        "403": refused("`Host` is not a name of the server.", ["CrossSiteRequest"], definitions),
        "405": methodNotAllowed
      }
    }
  }
})
