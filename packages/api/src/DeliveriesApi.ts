import { ErrorClass } from "@headwater/domain/ErrorClass"
import { EventIdText } from "@headwater/domain/EventId"
import { StreamNameInput } from "@headwater/domain/Stream"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Batch from "./Batch.ts"
import { AttemptResource, exampleAttempt } from "./DeliveryAttempt.ts"
import { DeliveryState } from "./DeliveryState.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { SoughtText } from "./SoughtText.ts"
import { Text } from "./Text.ts"
import { UnixMillis } from "./UnixMillis.ts"

const milliseconds = Schema.Int.annotate({ description: "Unix time in milliseconds." })

const delivery = {
  id: ResourceId("delivery"),
  state: DeliveryState,
  webhook_id: Schema.NullOr(ResourceId("webhook")).annotate({
    description: "null for a request that a workflow sends by $.send.http."
  }),
  subscription_id: Schema.String,
  emitter_id: Schema.String.annotate({ description: "The id of what emitted the event." }),
  event_name: Schema.String.annotate({ description: "The event stream; empty for the default one." }),
  event_id: EventIdText.annotate({ description: "The event's id in its emitter's log; of a batch the first one's." }),
  ...Batch.delivered,
  attempt_count: Schema.Int.annotate({ description: "Attempts made so far." }),
  status: Schema.NullOr(Schema.Int).annotate({
    description: "The HTTP status that answered the last attempt; null if there was no answer."
  }),
  error_class: Schema.NullOr(Schema.String).annotate({
    description: "The kind of failure of the last attempt; null if it did not fail."
  }),
  started_at_ms: milliseconds.annotate({ description: "When the delivery began. Unix time in milliseconds." }),
  last_attempt_at_ms: Schema.NullOr(milliseconds),
  next_attempt_at_ms: Schema.NullOr(milliseconds)
}

const example = {
  id: "dlv_0Uz7PkT3Bn6RwSe2MxDa",
  state: "pending" as const,
  webhook_id: "wh_0Uz7MtBwGh3VyUc8PqJk",
  subscription_id: "sub_0Uz7MtS4Bn6RwSe2MxDa",
  emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
  event_name: "",
  event_id: "1760000120000-0",
  attempt_count: 1,
  status: 500,
  error_class: "status",
  started_at_ms: 1760000120003,
  last_attempt_at_ms: 1760000120003,
  next_attempt_at_ms: 1760000125400
}

/** The most characters of a summary that a list shows. */
export const shownSummary = 500

const listedDelivery = Schema.Struct({
  ...delivery,
  summary: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description:
        `With expand=summary, the first ${shownSummary} characters of the summary that the event was emitted with, of a ` +
        "batch the first one's; null if it has none, if it has more than 16 KiB beside its payload, or if it is deleted."
    })
  )
}).annotate({ identifier: "ListedDelivery", examples: [example] })
export type ListedDelivery = typeof listedDelivery.Type

export const DeliveryResource = Schema.Struct(delivery).annotate({ identifier: "Delivery", examples: [example] })
export type DeliveryResource = typeof DeliveryResource.Type

/** The reason for the due time of the next attempt. */
export const NextAttemptReason = Schema.Literals([
  "queued",
  "schedule",
  "retry_after",
  "throttled",
  "circuit",
  "rate",
  "inactive",
  "requested"
])
export type NextAttemptReason = typeof NextAttemptReason.Type

export const DeliveryDetails = Schema.Struct({
  ...delivery,
  event: Schema.Struct({
    emit_id: Schema.NullOr(Schema.String).annotate({
      description: "The webhook-id of every attempt; null before the first one."
    }),
    path: Schema.NullOr(Schema.String).annotate({
      description:
        "Where to GET the event, whose payload is the body of every attempt; null for events of the account itself. It is a " +
        "404 once the event is deleted."
    })
  }),
  next_attempt: Schema.NullOr(Schema.Struct({
    at_ms: milliseconds,
    reason: NextAttemptReason.annotate({
      description:
        "queued: the first attempt waits for a slot. schedule: the retry schedule. retry_after: the endpoint asked for this " +
        "pause. throttled: another answer of the endpoint put off all sends. circuit: the webhook's circuit is open. rate: it " +
        "waits for the webhook's rate. inactive: the webhook is not active. requested: somebody asked for it."
    })
  })),
  attempts: Schema.Array(AttemptResource).annotate({
    description: "Oldest first. Of very many or very large ones, the newest: 100 at most, and 1 MiB."
  })
}).annotate({
  identifier: "DeliveryDetails",
  examples: [{
    ...example,
    event: { emit_id: "yJ5vXc0eVb7nQm2sRk4wTz8a", path: "/v1/sources/dc_0Uz7Me6SAe7TzXw9LrNf/events/1760000120000-0" },
    next_attempt: { at_ms: 1760000125400, reason: "schedule" as const },
    attempts: [exampleAttempt]
  }]
})
export type DeliveryDetails = typeof DeliveryDetails.Type

/** The filters of deliveries, beside their webhook. */
export const deliveryFilters = {
  subscription_id: Schema.optionalKey(Text.annotate({ description: "Of this subscription, even if it is deleted." })),
  emitter_id: Schema.optionalKey(Text.annotate({
    description: "Of events of this source, workflow (by id or name slug) or account."
  })),
  event_name: Schema.optionalKey(StreamNameInput.annotate({
    description: "Of events of this stream; empty or default for the default one."
  })),
  event_id: Schema.optionalKey(EventIdText.annotate({ description: "Of the event with this id." })),
  state: Schema.optionalKey(DeliveryState),
  error_class: Schema.optionalKey(ErrorClass.annotate({ description: "Whose last attempt failed in this way." })),
  status: Schema.optionalKey(
    Schema.String.pipe(Schema.check(Schema.isPattern(/^[1-5]([0-9][0-9]|xx)$/u, {
      expected: "a status such as 503, or a class of them such as 5xx"
    }))).annotate({
      description: "Whose last attempt was answered with this status (503) or class of statuses (5xx).",
      examples: ["5xx"]
    })
  ),
  since: Schema.optionalKey(
    UnixMillis.annotate({ description: "Begun at this time or later. Unix time in milliseconds." })
  ),
  until: Schema.optionalKey(UnixMillis.annotate({ description: "Begun before this time. Unix time in milliseconds." })),
  last_attempt_since: Schema.optionalKey(UnixMillis.annotate({
    description: "Whose last attempt was made at this time or later. Unix time in milliseconds."
  })),
  text: Schema.optionalKey(SoughtText.annotate({
    description: "Of events whose payload, as JSON text, contains this text. Upper and lower case differ."
  }))
}

const filters = {
  ...deliveryFilters,
  ...Pagination.query("delivery"),
  ...Pagination.sort,
  expand: Schema.optionalKey(
    Schema.Literal("summary").annotate({ description: "summary adds the summary of the event." })
  ),
  ...Projection.fields
}

export type DeliveryFilters = Schema.Struct.Type<typeof filters>

const listed =
  "Newest first, or oldest first, without a count. All filters given must hold. The server looks at a limited number of deliveries for each " +
  "page, so a page can be short or empty before the end of the list: go on with end_cursor while has_more is true."

const params = PathId("The delivery's id.")

export const DueRetries = Schema.Struct({
  from_ms: Schema.Int.annotate({ description: "When the first step begins: now. Unix time in milliseconds." }),
  step_ms: Schema.Int.annotate({ description: "How long a step is, in milliseconds." }),
  webhooks: Schema.Array(Schema.Struct({
    webhook_id: Schema.NullOr(Schema.String).annotate({
      description: "null for the requests that a workflow sends itself: workflow_id names it."
    }),
    workflow_id: Schema.NullOr(Schema.String),
    due: Schema.Array(Schema.Int).annotate({
      description: "How many retries are due in each step. Those that are overdue are in the first."
    }),
    later: Schema.Int.annotate({ description: "How many are due after the last step." })
  })).annotate({ description: "Those with any." }),
  is_cut: Schema.Boolean.annotate({ description: "Whether there are more: the server counts 50,000." })
}).annotate({
  identifier: "DueRetries",
  examples: [{
    from_ms: 1760000120000,
    step_ms: 60_000,
    webhooks: [{ webhook_id: "wh_0Uz7MtBwGh3VyUc8PqJk", workflow_id: null, due: [3, 0, 1], later: 2 }],
    is_cut: false
  }]
})

export class DeliveriesApi extends HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/deliveries", {
      query: {
        webhook_id: Schema.optionalKey(Text.annotate({ description: "To this webhook." })),
        ...filters
      },
      success: Pagination.OpenPage(listedDelivery)
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("List deliveries", `Those of the account. ${listed}`)
    ),
    HttpApiEndpoint.get("ofWebhook", "/webhooks/:id/deliveries", {
      params: PathId("The webhook's id."),
      query: filters,
      success: Pagination.OpenPage(listedDelivery),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation("List a webhook's deliveries", listed)),
    HttpApiEndpoint.get("due", "/deliveries/due", {
      query: {
        step: Schema.optionalKey(
          Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1_000, maximum: 86_400_000 }))).annotate({
            description: "How long a step is, in milliseconds.",
            default: 60_000
          })
        ),
        steps: Schema.optionalKey(
          Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 500 }))).annotate({
            description: "How many steps.",
            default: 60
          })
        ),
        ...Projection.fields
      },
      success: Pagination.Single(DueRetries)
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Count due retries",
      "How many retries are due in each step of time from now on, by webhook. What a webhook out of service owes counts too."
    )),
    HttpApiEndpoint.get("get", "/deliveries/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(DeliveryDetails),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation(
        "Get a delivery",
        "With every attempt: what was sent, what came back, and how long each phase took."
      )
    ),
    HttpApiEndpoint.post("retry", "/deliveries/:id/retry", {
      params,
      headers: Idempotency.headers,
      query: Projection.fields,
      success: Pagination.Single(DeliveryResource).pipe(HttpApiSchema.status(202)),
      error: [Problem.NotFound, Problem.DeliveryNotRepeatable]
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Retry a delivery",
      "Attempts it once more, as soon as the webhook takes an attempt, with the same webhook-id. One that has ended, also one " +
        "that arrived, is pending until then. If the attempt fails, the retry schedule continues after it."
    )),
    HttpApiEndpoint.post("skip", "/deliveries/:id/skip", {
      params,
      headers: Idempotency.headers,
      query: Projection.fields,
      success: Pagination.Single(DeliveryResource),
      error: [Problem.NotFound, Problem.DeliveryNotPending]
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Skip a delivery",
      "Drops a pending delivery. An attempt that is under way is broken off; the endpoint may have received it."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Deliveries",
    description: "Each event on its way to a webhook: whether it arrived, and if not why."
  }))
{}
