import { StreamNameInput } from "@headwater/domain/Stream"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Batch from "./Batch.ts"
import * as Extension from "./Extension.ts"
import * as Filter from "./Filter.ts"
import * as Idempotency from "./Idempotency.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"
import * as Warnings from "./Warnings.ts"

const example = { listener_id: "wh_0Uz7MtBwGh3VyUc8PqJk", event_name: "$errors" }

export const AutoSubscriptionResource = Schema.Struct({
  id: ResourceId("autoSubscription"),
  listener_id: Schema.String.annotate({ description: "The id of a source, workflow or webhook." }),
  event_name: Schema.String.annotate({ description: "The event stream; empty if none was given." }),
  created_at: UnixSeconds,
  ...Filter.shown,
  ...Batch.shown
}).annotate({
  identifier: "AutoSubscription",
  examples: [{ id: "as_0Uz7N2ISJt2QmZb7RxLd", ...example, created_at: 1_760_000_000 }]
})
export type AutoSubscriptionResource = typeof AutoSubscriptionResource.Type

/** Given in the query or, as an extension, in a JSON body, which wins. */
const parameters = {
  listener_id: Schema.optionalKey(Text.annotate({ description: "Required. A source, workflow or webhook." })),
  event_name: Schema.optionalKey(StreamNameInput.annotate({
    description: "The event stream: $errors, $logs, default, or a name the emitters give. Default: default."
  })),
  ...Projection.fields
}

export class AutoSubscriptionsApi extends HttpApiGroup.make("autoSubscriptions")
  .add(
    HttpApiEndpoint.post("create", "/auto_subscriptions", {
      headers: Idempotency.headers,
      query: parameters,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({ ...parameters, ...Filter.given, ...Batch.given }).annotate({
          description:
            "The same parameters as a JSON object, and the filter and batch of the subscriptions that it makes.",
          examples: [example],
          ...Extension.mark
        })
      ],
      success: Warnings.Single(AutoSubscriptionResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(Warnings.takesAnyFields).middleware(Warnings.Warnings)
      .middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
        summary: "Subscribe a listener to what is created later",
        description:
          "Subscribes the listener to every source and workflow created from now on, from its first event. " +
          "Existing ones are not affected. Repeating the request returns the existing " +
          "auto-subscription."
      })),
    HttpApiEndpoint.get("list", "/users/me/auto_subscriptions", {
      query: { ...Pagination.query("autoSubscription"), ...Projection.fields },
      success: Pagination.Page(AutoSubscriptionResource)
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List auto-subscriptions",
      description: "Newest first.",
      override: Extension.mark
    })),
    HttpApiEndpoint.delete("delete", "/auto_subscriptions/:id", {
      params: PathId("The auto-subscription's id."),
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Delete an auto-subscription",
      description: "The subscriptions that it created remain.",
      override: Extension.mark
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Auto-subscriptions",
    description: "Rules that subscribe listeners to sources and workflows created later."
  }))
{}
