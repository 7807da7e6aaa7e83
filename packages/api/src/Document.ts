import { version } from "@headwater/domain/Version"
import type { JsonSchema } from "effect"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { consoleHeader, sessionCookie } from "./Authorization.ts"
import * as DocumentBeside from "./DocumentBeside.ts"
import { complete } from "./DocumentOperation.ts"
import { type PathItem, share } from "./DocumentProblems.ts"
import { exampleOf, propertiesOf, schemaName, tidy } from "./DocumentSchema.ts"
import * as DocumentWebhooks from "./DocumentWebhooks.ts"
import * as Extension from "./Extension.ts"
import { HeadwaterApi } from "./HeadwaterApi.ts"

/** An OpenAPI 3.1 document, as JSON. */
export interface OpenApiDocument {
  readonly [member: string]: unknown
}

const introduction = `Run event sources and workflows, and route their events to listeners.

- Every request carries \`Authorization: Bearer <API key>\`, or the cookie of a session of the console. The scope of a key is \`read\`, \`run\` or \`write\`, and each
  includes those before it. An id of another account behaves like an unknown one.
- A trailing slash is optional. \`HEAD\` answers like \`GET\`, without the body; \`OPTIONS\` answers 204 with \`Allow\`.
- Every error is a problem document (RFC 9457): \`code\` is for programs, \`detail\` for people. \`error\` repeats \`detail\`.
- With \`include\` or \`exclude\` the items of \`data\` lack the omitted fields, even those that their schema requires.
- The server ignores parameters and fields that an operation does not define.
- A request that is not valid HTTP does not reach the API. The server refuses it with a problem document of the code
  \`invalid_request\` (400), \`request_timeout\` (408) or \`request_header_fields_too_large\` (431).
- \`${Extension.key}\` marks extensions of the documented contract.`

const headers = {
  "X-Request-Id": {
    description:
      "Identifies the request in the log. The request's own id, if it sent one of at most 128 characters from `A-Z a-z 0-9 _ . : -`.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9_.:-]{1,128}$" }
  },
  "Retry-After": {
    description: "Seconds to wait before trying again.",
    required: true,
    schema: { type: "integer", minimum: 0 }
  },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    required: true,
    schema: { type: "string", enum: ["Bearer"] }
  },
  "Idempotency-Replayed": {
    description: "Extension: present if the response repeats the first response for its `Idempotency-Key`.",
    [Extension.key]: true,
    schema: { type: "string", enum: ["true"] }
  },
  "X-Headwater-Warnings": {
    description: "Extension: `warnings` of the body as JSON in ASCII, also where there is no body.",
    [Extension.key]: true,
    schema: { type: "string" }
  },
  Allow: {
    description: "The methods that the path accepts.",
    required: true,
    schema: { type: "string" }
  }
}

const methodNotAllowed = "MethodNotAllowedProblem"

/** This server always sends the members that the class leaves optional for readers of other servers' problems. */
const problem = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { instance: _, ...properties } = propertiesOf(schema)
  return {
    ...schema,
    properties: { ...properties, status: { ...properties["status"], type: "integer" } },
    required: Object.keys(properties)
  }
}

const definitionsOf = (schemas: JsonSchema.Definitions): JsonSchema.Definitions =>
  Object.fromEntries(
    Object.entries(schemas).map(([given, schema]) => {
      const name = schemaName(given)
      return [name, name.endsWith("Problem") ? problem(tidy(schema)) : tidy(schema)]
    })
  )

const endpointsById = (): ReadonlyMap<string, HttpApiEndpoint.Top> => {
  const endpoints = new Map<string, HttpApiEndpoint.Top>()
  HttpApi.reflect(HeadwaterApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => endpoints.set(`${group.identifier}.${endpoint.identifier}`, endpoint)
  })
  return endpoints
}

/**
 * The OpenAPI document of the whole contract: what the endpoints declare, completed with what is the same for all.
 *
 * @param serverUrl the server's base URL, without `/v1`
 */
export const make = (serverUrl: string): OpenApiDocument => {
  const generated = OpenApi.fromApi(HeadwaterApi, { includeAnnotationKey: (key) => key === Extension.key })
  const endpoints = endpointsById()
  const definitions = definitionsOf(generated.components.schemas)
  const ofApi = Object.entries(generated.paths).map(([path, item]): [string, PathItem] => [
    path,
    Object.fromEntries(
      DocumentBeside.methods.flatMap((method) => {
        const operation = item[method]
        return operation === undefined
          ? []
          : [[method, complete(operation, endpoints.get(operation.operationId)!, definitions)]]
      })
    )
  ])
  const { paths, responses } = share({ ...Object.fromEntries(ofApi), ...DocumentBeside.paths(definitions) })
  return {
    openapi: generated.openapi,
    info: {
      ...generated.info,
      version,
      description: introduction,
      contact: { name: "The operator of this server" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" }
    },
    servers: [{ url: serverUrl, description: "This server." }],
    security: [{ bearer: [] }, { session: [] }],
    tags: [...generated.tags, ...DocumentBeside.tags, DocumentWebhooks.tag],
    paths,
    webhooks: DocumentWebhooks.webhooks(definitions),
    components: {
      securitySchemes: {
        ...generated.components.securitySchemes,
        session: {
          type: "apiKey",
          in: sessionCookie.in,
          name: sessionCookie.key,
          description:
            `The session of the console. A request that is not GET or HEAD also needs the header \`${consoleHeader}: 1\`.`
        }
      },
      headers,
      responses: {
        ...responses,
        MethodNotAllowed: {
          description: "The path does not accept the method.",
          headers: {
            "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
            Allow: { $ref: "#/components/headers/Allow" }
          },
          content: {
            "application/problem+json": {
              schema: { $ref: `#/components/schemas/${methodNotAllowed}` },
              example: exampleOf(definitions[methodNotAllowed]!, definitions)
            }
          }
        }
      },
      schemas: definitions
    }
  }
}
