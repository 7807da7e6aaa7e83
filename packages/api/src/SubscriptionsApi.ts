import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import { StreamNameInput } from "@headwater/domain/Stream"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { Single } from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { Text } from "./Text.ts"

export const SubscriptionResource = Schema.Struct({
  id: Schema.String.annotate({ description: "Begins with sub_." }),
  emitter_id: Schema.String.annotate({ description: "The id of a source or workflow, or a glob." }),
  listener_id: Schema.String.annotate({ description: "The id of a source, workflow or webhook." }),
  event_name: Schema.String.annotate({ description: "The event stream; empty where none was given." })
}).annotate({ identifier: "Subscription" })
export type SubscriptionResource = typeof SubscriptionResource.Type

/** Ids are shorter than this, so a longer glob says nothing that a shorter one does not. */
const maxGlobLength = 100

const Emitter = Text.pipe(
  Schema.check(
    Schema.makeFilter((text) => text.length <= maxGlobLength || !EmitterPattern.isGlob(text), {
      expected: `a glob of at most ${maxGlobLength} characters`
    })
  )
)

/** Given in the query or, as an extension, in a JSON body, which wins. */
export const parameters = {
  emitter_id: Schema.optionalKey(Emitter.annotate({
    description: "Required. A source or workflow, or a glob over ids with * and ?."
  })),
  listener_id: Schema.optionalKey(Text.annotate({ description: "Required. A source, workflow or webhook." })),
  event_name: Schema.optionalKey(StreamNameInput.annotate({
    description: "The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one."
  })),
  ...Projection.fields
}

/** An empty body reads as null. */
const Body = [
  Schema.Null,
  Schema.Struct(parameters).annotate({ description: "Extension: the same parameters as a JSON object." })
] as const

export class SubscriptionsApi extends HttpApiGroup.make("subscriptions")
  .add(
    HttpApiEndpoint.post("create", "/subscriptions", {
      query: parameters,
      payload: Body,
      success: Single(SubscriptionResource),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "Subscribe a listener",
      description: "The listener receives what the emitter emits from now on. The same parameters again answer with " +
        "the subscription that is there."
    })),
    HttpApiEndpoint.delete("delete", "/subscriptions", {
      query: parameters,
      payload: Body,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "Unsubscribe a listener",
      description: "Takes the parameters of the creation."
    })),
    HttpApiEndpoint.get("list", "/users/me/subscriptions", {
      query: Projection.fields,
      success: Schema.Struct({ data: Schema.Array(SubscriptionResource) })
    }).annotateMerge(OpenApi.annotations({ summary: "List subscriptions", description: "All of them, newest first." }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Subscriptions", description: "What routes events to listeners." }))
{}
