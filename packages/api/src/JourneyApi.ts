import { EventIdText } from "@headwater/domain/EventId"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import * as Filter from "./Filter.ts"
import { Mismatch, TracedAttempt, WaitingFor } from "./LogApi.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { Text } from "./Text.ts"

const milliseconds = "Unix time in milliseconds."

const nodeId = { id: Schema.String.annotate({ description: "Names the node in this journey." }) }
const name = Schema.NullOr(Schema.String).annotate({ description: "What it is called; null if it has no name." })
const emitter = {
  emitter_id: Schema.String.annotate({ description: "The id of a source, workflow or account." }),
  emitter_name: name
}
const listener = {
  listener_id: Schema.String.annotate({ description: "The id of a source, workflow or webhook." }),
  listener_name: name
}

const EventNode = Schema.Struct({
  ...nodeId,
  type: Schema.Literal("event"),
  ...emitter,
  event_id: EventIdText.annotate({ description: "The event's id in its emitter's log." }),
  indexed_at_ms: Schema.Int.annotate({ description: milliseconds }),
  event_name: Schema.NullOr(Schema.String).annotate({
    description: "The event stream; empty for the default one; null if the event was deleted."
  }),
  emit_id: Schema.NullOr(Schema.String).annotate({ description: "Identifies the event in every delivery." }),
  hops: Schema.NullOr(Schema.Int).annotate({ description: "How many emitters it has passed through." })
}).annotate({ title: "An event", identifier: "JourneyEvent" })

const RequestNode = Schema.Struct({
  ...nodeId,
  type: Schema.Literal("request"),
  ...emitter,
  received_at_ms: Schema.Int.annotate({ description: milliseconds }),
  kind: Schema.NullOr(Schema.Literals(["http", "email", "invocation", "rerun"])).annotate({
    description:
      "By its endpoint or its e-mail address, or through the API; null once the server has deleted the request."
  }),
  emit_id: Schema.NullOr(Schema.String).annotate({ description: "The request's own id; null once it is deleted." })
}).annotate({ title: "A request to a source or workflow", identifier: "JourneyRequest" })

const RunNode = Schema.Struct({
  ...nodeId,
  type: Schema.Literal("run"),
  ...listener,
  state: Schema.Literals(["waiting", "ended", "failed", "dropped", "running", "paused", "cancelled"]).annotate({
    description:
      "waiting: its turn has not come; ended; failed: it left an error; dropped: it was passed without a run; for workflows " +
      "also running, paused (it waits for a time) and cancelled."
  }),
  run_id: Schema.NullOr(Schema.String).annotate({ description: "Of a workflow's run; null if it is not known." }),
  started_at_ms: Schema.NullOr(Schema.Int).annotate({ description: `Of a workflow's run. ${milliseconds}` }),
  ended_at_ms: Schema.NullOr(Schema.Int).annotate({ description: `Of a workflow's run. ${milliseconds}` }),
  error: Schema.NullOr(Schema.Struct({ name: Schema.String, message: Schema.String })).annotate({
    description: "Of a workflow's run that failed."
  }),
  logs: Schema.Int.annotate({ description: "Console lines that it left." })
}).annotate({ title: "A run over an event or a request", identifier: "JourneyRun" })

const DeliveryNode = Schema.Struct({
  ...nodeId,
  type: Schema.Literal("delivery"),
  webhook_id: Schema.NullOr(Schema.String).annotate({
    description: "The id of a webhook; null for a request that a workflow sends by $.send.http."
  }),
  webhook_name: name,
  delivery_id: Schema.NullOr(Schema.String).annotate({ description: "null before the first attempt." }),
  state: Schema.Literals(["waiting", "delivered", "pending", "exhausted", "dropped"]).annotate({
    description: "As in a trace."
  }),
  attempts: Schema.Int.annotate({ description: "How many attempts were made." }),
  last_attempt: Schema.NullOr(TracedAttempt),
  next_attempt_at_ms: Schema.NullOr(Schema.Int).annotate({ description: milliseconds }),
  ...WaitingFor
}).annotate({ title: "A delivery to a webhook", identifier: "JourneyDelivery" })

const ConsumerNode = Schema.Struct({
  ...nodeId,
  type: Schema.Literal("consumer"),
  consumer_id: Schema.String.annotate({ description: "The id of a consumer." }),
  state: Schema.Literals(["waiting", "delivered", "pending", "exhausted", "dropped"]).annotate({
    description: "waiting until the event is committed, and then delivered."
  })
}).annotate({ title: "A client's place in the log", identifier: "JourneyConsumer" })

const ListenerNode = Schema.Struct({
  ...nodeId,
  type: Schema.Literal("listener"),
  ...listener
}).annotate({ title: "A listener that the event does not reach", identifier: "JourneyListener" })

const Edge = Schema.Struct({
  from: Schema.String.annotate({ description: "The id of a node." }),
  to: Schema.String.annotate({ description: "The id of a node." }),
  subscription_id: Schema.NullOr(Schema.String).annotate({
    description: "By which subscription; null from a request to its run, and from a run to what it emitted."
  }),
  matched: Schema.Boolean.annotate({
    description: "Whether the subscription delivers the event; true if there is none."
  }),
  reason: Schema.NullOr(Mismatch).annotate({ description: "Why not; null if it does." }),
  ...Filter.clause
}).annotate({ identifier: "JourneyEdge" })

const exampleEvent = "event:dc_0Uz7Me6SAe7TzXw9LrNf/1760000120000-0"
const exampleDelivery = "delivery:sub_0Uz7MtS4Bn6RwSe2MxDa:dc_0Uz7Me6SAe7TzXw9LrNf/1760000120000-0"

export const Journey = Schema.Struct({
  nodes: Schema.Array(Schema.Union([EventNode, RequestNode, RunNode, DeliveryNode, ConsumerNode, ListenerNode]))
    .annotate({
      description: "The event itself first."
    }),
  edges: Schema.Array(Edge),
  truncated: Schema.Boolean.annotate({
    description: "Whether there is more: a journey is followed for 8 emitters each way, and tells of 200 nodes."
  })
}).annotate({
  identifier: "Journey",
  examples: [{
    nodes: [{
      id: exampleEvent,
      type: "event",
      emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
      emitter_name: "Orders",
      event_id: "1760000120000-0",
      indexed_at_ms: 1760000120000,
      event_name: "",
      emit_id: "yJ5vXc0eVb7nQm2sRk4wTz8a",
      hops: 1
    }, {
      id: exampleDelivery,
      type: "delivery",
      webhook_id: "wh_0Uz7MtBwGh3VyUc8PqJk",
      webhook_name: null,
      delivery_id: "dlv_0Uz7N0aQh4TzXw9LrNfK",
      state: "pending",
      attempts: 1,
      last_attempt: {
        attempt: 1,
        started_at_ms: 1760000120003,
        duration_ms: 41,
        outcome: "failed",
        status: 500,
        address: "203.0.113.7",
        error_class: "status",
        error_message: "The endpoint answered 500."
      },
      next_attempt_at_ms: 1760000125400
    }],
    edges: [{
      from: exampleEvent,
      to: exampleDelivery,
      subscription_id: "sub_0Uz7MtS4Bn6RwSe2MxDa",
      matched: true,
      reason: null
    }],
    truncated: false
  }]
})
export type Journey = typeof Journey.Type

/** The way of events over all emitters. */
export class JourneyApi extends HttpApiGroup.make("journey")
  .add(
    HttpApiEndpoint.get("event", "/events/:id/journey", {
      params: {
        id: EventIdText.annotate({ description: "The event's id in its emitter's log.", examples: ["1760000120000-0"] })
      },
      query: {
        emitter: Schema.optionalKey(Text.annotate({
          description:
            "Whose event it is: the id or name slug of a source or workflow, or the account's id. Needed if several emitters " +
            "have an event with this id."
        })),
        ...Projection.fields
      },
      success: Pagination.Single(Journey),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Follow an event",
      "The way of an event over all emitters, as a graph: the request or event that its emitter ran over, and so on back; every " +
        "subscription that hears its emitter, and if it does not deliver the event why; and the runs, deliveries and events that " +
        "came of it, and so on."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Journeys", description: "What an event came of, and what came of it." }))
{}
