import { all as ofAppAccounts } from "@headwater/domain/AppAccountEvents"
import { ClockReady } from "@headwater/domain/ClockEvents"
import { all } from "@headwater/domain/WebhookEvents"
import type { JsonSchema } from "effect"
import { exampleOf, marked } from "./DocumentSchema.ts"
import * as Extension from "./Extension.ts"

/** The events that the server tells an account on the account's own log. */
export const schemas = [...all, ...ofAppAccounts, ClockReady] as const

export const tag = {
  name: "Account events",
  description:
    "What the server tells an account on the account's own log: of its webhooks, on the stream `$webhooks`; of its accounts with apps, on the " +
    "stream `$accounts`; and of a clock that it has moved, on the stream `$clock`."
}

const headers = [
  ["webhook-id", "The same on every attempt of the event."],
  ["webhook-timestamp", "When the attempt began, in Unix seconds."],
  ["webhook-signature", "By the Standard Webhooks specification."]
] as const

/**
 * The requests to a webhook that subscribes to its account's own events, by type.
 *
 * @param definitions the document's named schemas
 */
export const webhooks = (definitions: JsonSchema.Definitions) =>
  Object.fromEntries(schemas.map(({ ast, fields }) => {
    const name = String(ast.annotations?.["identifier"])
    const type = fields.type.literal
    const schema = { $ref: `#/components/schemas/${name}` }
    return [type, {
      post: {
        operationId: `event.${type}`,
        tags: [tag.name],
        summary: String(ast.annotations?.["title"]),
        description: marked(ast.annotations?.["description"]),
        ...Extension.mark,
        security: [],
        parameters: headers.map(([name, description]) => ({
          name,
          in: "header",
          description,
          required: true,
          schema: { type: "string" }
        })),
        requestBody: {
          required: true,
          content: { "application/json": { schema, example: exampleOf(schema, definitions) } }
        },
        responses: { "2XX": { description: "Delivered. Any other answer is a failed attempt." } }
      }
    }]
  }))
