import * as EventId from "@headwater/domain/EventId"
import { StreamNameInput } from "@headwater/domain/Stream"
import { Option, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Batch from "./Batch.ts"
import { ChangesNothing } from "./ChangesNothing.ts"
import { EmitterOrGlob } from "./EmitterOrGlob.ts"
import * as Extension from "./Extension.ts"
import * as Filter from "./Filter.ts"
import * as Idempotency from "./Idempotency.ts"
import { Mismatch } from "./LogApi.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text } from "./Text.ts"
import * as Warnings from "./Warnings.ts"

const example = {
  emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
  listener_id: "wh_0Uz7MtBwGh3VyUc8PqJk",
  event_name: "$errors"
}

export const SubscriptionResource = Schema.Struct({
  id: ResourceId("subscription"),
  emitter_id: Schema.String.annotate({ description: "The id of a source or workflow, or a glob." }),
  listener_id: Schema.String.annotate({ description: "The id of a source, workflow or webhook." }),
  event_name: Schema.String.annotate({ description: "The event stream; empty if none was given." }),
  ...Filter.shown,
  ...Filter.tooCostly,
  ...Batch.shown
}).annotate({ identifier: "Subscription", examples: [{ id: "sub_0Uz7MtS4Bn6RwSe2MxDa", ...example }] })
export type SubscriptionResource = typeof SubscriptionResource.Type

/** The value of `from` that is no event id. */
export const beginning = "beginning"

const From = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((text) => text === beginning || Option.isSome(EventId.parse(text)), {
      expected: `"${beginning}" or an event id of the form <milliseconds>-<sequence>`,
      toJsonSchema: () => ({ pattern: `^(${beginning}|\\d{1,13}-\\d{1,7})$` })
    })
  )
)

/** Given in the query or, as an extension, in a JSON body, which wins. */
const parameters = {
  emitter_id: Schema.optionalKey(EmitterOrGlob.annotate({
    description: "Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every " +
      "source.",
    examples: ["dc_0Uz7Me6SAe7TzXw9LrNf"]
  })),
  listener_id: Schema.optionalKey(Text.annotate({
    description: "Required. A source, workflow or webhook.",
    examples: ["wh_0Uz7MtBwGh3VyUc8PqJk"]
  })),
  event_name: Schema.optionalKey(StreamNameInput.annotate({
    description: "The event stream: $errors, $logs, default, or a name the emitter gives. Default: default."
  })),
  ...Projection.fields
}

export const SubscriptionPreview = Schema.Struct({
  listener_id: Schema.String.annotate({ description: "The id of the source, workflow or webhook." }),
  url: Schema.NullOr(Schema.String).annotate({ description: "The webhook's URL; null for other listeners." }),
  events: Schema.Array(Schema.Struct({
    event_id: EventId.EventIdText.annotate({ description: "The event's id in its emitter's log." }),
    emit_id: Schema.String.annotate({ description: "Identifies the event in every delivery." }),
    emitter_id: Schema.String.annotate({ description: "The id of the source or workflow." }),
    event_name: Schema.String.annotate({ description: "The event stream; empty for the default one." }),
    matched: Schema.Boolean.annotate({ description: "Whether the subscription would deliver it." }),
    reason: Schema.NullOr(Mismatch).annotate({ description: "Why not; null if it would." }),
    ...Filter.clause
  })).annotate({ description: "Newest first." })
}).annotate({
  identifier: "SubscriptionPreview",
  examples: [{
    listener_id: "wh_0Uz7MtBwGh3VyUc8PqJk",
    url: "https://example.com/hook",
    events: [{
      event_id: "1760000120000-0",
      emit_id: "yJ5vXc0eVb7nQm2sRk4wTz8a",
      emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
      event_name: "",
      matched: true,
      reason: null
    }]
  }]
})

const previewing = {
  ...parameters,
  limit: Pagination.eventQuery.limit.annotate({
    description: `How many events to check, 1 to ${Pagination.maxLimit}; default ${Pagination.defaultLimit}.`
  })
}

const creation = {
  ...parameters,
  from: Schema.optionalKey(From.annotate({
    description:
      "Where a new subscription starts: beginning, or the id of the first event to deliver. If that event is gone, delivery " +
      "starts at the next one. Default: the end of the log.",
    ...Extension.mark
  }))
}

export class SubscriptionsApi extends HttpApiGroup.make("subscriptions")
  .add(
    HttpApiEndpoint.post("create", "/subscriptions", {
      headers: Idempotency.headers,
      query: creation,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({ ...creation, ...Filter.given, ...Batch.given }).annotate({
          description: "The same parameters as a JSON object, a filter, and whether events go together.",
          examples: [example],
          ...Extension.mark
        })
      ],
      success: Warnings.Single(SubscriptionResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(Warnings.takesAnyFields).middleware(Warnings.Warnings)
      .middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
        summary: "Subscribe a listener",
        description:
          "The listener receives what the emitter emits from now on and the filter lets through. Repeating the " +
          "request returns the existing subscription, with the filter and batch that it has."
      })),
    HttpApiEndpoint.post("preview", "/subscriptions/preview", {
      headers: Idempotency.headers,
      query: previewing,
      payload: [
        Schema.Null,
        Schema.Struct({ ...parameters, ...Filter.given }).annotate({
          description:
            "The same parameters as a JSON object, and a filter, which need not be one that a subscription has.",
          examples: [{ ...example, filter: { error: { code: { $neq: "TypeError" } } } }]
        })
      ],
      success: Pagination.Single(SubscriptionPreview),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotate(ChangesNothing, true).middleware(Idempotency.Idempotency).annotateMerge(
      OpenApi.annotations({
        summary: "Preview a subscription",
        description:
          "Shows which of the latest events of all matching emitters such a subscription would deliver, and to which " +
          "listener. Sends and creates nothing.",
        override: Extension.mark
      })
    )
  )
  .add(
    HttpApiEndpoint.put("update", "/subscriptions", {
      query: parameters,
      payload: [
        Schema.Null,
        Schema.Struct({
          ...parameters,
          filter: Schema.optionalKey(
            Schema.NullOr(Filter.Filter).annotate({
              description: "What events have to pass; null removes it. Default: unchanged."
            })
          ),
          batch: Schema.optionalKey(
            Schema.NullOr(Batch.GivenBatch).annotate({
              description: "How events are put together from now on. null: each event goes alone. Default: unchanged."
            })
          )
        }).annotate({
          description: "The same parameters as a JSON object, and what to change.",
          examples: [{ ...example, filter: { error: { code: { $neq: "TypeError" } } } }]
        })
      ],
      success: Pagination.Single(SubscriptionResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Update a subscription",
      description: "Takes the parameters that created the subscription. The filter and batch hold for every event " +
        "that the subscription has not passed yet.",
      override: Extension.mark
    })),
    HttpApiEndpoint.delete("delete", "/subscriptions", {
      query: parameters,
      payload: [
        Schema.Null,
        Schema.Struct(parameters).annotate({
          description: "The same parameters as a JSON object.",
          examples: [example],
          ...Extension.mark
        })
      ],
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(Warnings.takesAnyFields)
      .middleware(Warnings.Warnings).annotateMerge(OpenApi.annotations({
        summary: "Unsubscribe a listener",
        description:
          "Takes the parameters that created the subscription; event_name is empty if it was created without one."
      })),
    HttpApiEndpoint.get("list", "/users/me/subscriptions", {
      query: Projection.fields,
      success: Schema.Struct({ data: Schema.Array(SubscriptionResource) })
    }).annotate(NeededScope, "read").annotateMerge(
      OpenApi.annotations({ summary: "List subscriptions", description: "All of them, newest first." })
    )
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Subscriptions", description: "Routes from emitters to listeners." }))
{}
