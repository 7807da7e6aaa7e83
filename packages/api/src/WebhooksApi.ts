import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"
import { WebhookUrl } from "./WebhookUrl.ts"

export const WebhookResource = Schema.Struct({
  id: Schema.String.annotate({ description: "Begins with wh_." }),
  user_id: Schema.optionalKey(Schema.String.annotate({
    description: "Begins with u_. Only in the answer to the creation."
  })),
  name: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  url: Schema.String,
  active: Schema.Boolean,
  created_at: UnixSeconds,
  updated_at: UnixSeconds
}).annotate({ identifier: "Webhook" })
export type WebhookResource = typeof WebhookResource.Type

export const WebhookSecret = Schema.Struct({
  secret: Schema.String.annotate({
    description: "whsec_ and base64 of 32 bytes: the signing secret of the Standard Webhooks specification."
  })
}).annotate({ identifier: "WebhookSecret" })

/** Given in the query or, as an extension, in a JSON body, which wins. */
const parameters = {
  url: Schema.optionalKey(WebhookUrl.annotate({ description: "Required. An http or https URL." })),
  name: Schema.optionalKey(Text),
  description: Schema.optionalKey(Text),
  ...Projection.fields
}

const params = PathId("The webhook's id.")

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/webhooks", {
      query: parameters,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct(parameters).annotate({ description: "Extension: the same parameters as a JSON object." })
      ],
      success: Pagination.Single(WebhookResource)
    }).annotateMerge(OpenApi.annotations({
      summary: "Create a webhook",
      description: "A URL that events can be delivered to; a subscription with it as listener routes them there."
    })),
    HttpApiEndpoint.get("list", "/users/me/webhooks", {
      query: { ...Pagination.query("webhook"), ...Projection.fields },
      success: Pagination.Page(WebhookResource)
    }).annotateMerge(OpenApi.annotations({ summary: "List webhooks", description: "Newest first." })),
    HttpApiEndpoint.get("get", "/webhooks/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(WebhookResource),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Get a webhook", description: "Extension." })),
    HttpApiEndpoint.put("update", "/webhooks/:id", {
      params,
      payload: Schema.Struct({
        url: Schema.optionalKey(WebhookUrl),
        name: Schema.optionalKey(Schema.NullOr(Text)),
        description: Schema.optionalKey(Schema.NullOr(Text)),
        active: Schema.optionalKey(Schema.Boolean.annotate({
          description: "Default true. An inactive webhook keeps its place in the log and continues from there."
        })),
        ...Projection.fields
      }),
      success: Pagination.Single(WebhookResource),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Update a webhook", description: "Extension." })),
    HttpApiEndpoint.delete("delete", "/webhooks/:id", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "Delete a webhook",
      description: "Extension. Its subscriptions go with it."
    })),
    HttpApiEndpoint.get("getSecret", "/webhooks/:id/secret", {
      params,
      query: Projection.fields,
      success: Pagination.Single(WebhookSecret),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "Get a webhook's signing secret",
      description: "Extension. The newest one."
    })),
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:id/secret/rotate", {
      params,
      query: Projection.fields,
      success: Pagination.Single(WebhookSecret),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "Rotate a webhook's signing secret",
      description: "Extension. Answers with the new secret; the one before it signs too for 24 hours."
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Webhooks", description: "URLs that events are delivered to." }))
{}
