import { EventIdText } from "@headwater/domain/EventId"
import { StreamNameInput } from "@headwater/domain/Stream"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { EventData } from "./EventData.ts"
import * as Extension from "./Extension.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"

export const exampleEvent = {
  id: "1760000120000-0",
  indexed_at_ms: 1760000120000,
  event: { raw_event: { shop: "north", order: 1001 } },
  metadata: { emit_id: "yJ5vXc0eVb7nQm2sRk4wTz8a", name: "", emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf" }
}

export const EventSummary = Schema.Struct({
  id: EventIdText.annotate({ description: "<milliseconds>-<sequence>, ordered by time." }),
  indexed_at_ms: Schema.Int.annotate({ description: "Unix time in milliseconds." }),
  event: EventData.annotate({ description: "Data over 1 KB is cut to a preview unless expand=event." }),
  metadata: Schema.Struct({
    emit_id: Schema.String.annotate({ description: "Identifies the event in every delivery." }),
    name: Schema.String.annotate({ description: "The event stream; empty for the default one." }),
    emitter_id: Schema.String.annotate({ description: "The id of the source or workflow." }),
    id: Schema.optionalKey(
      Schema.Union([Schema.String, Schema.Finite]).annotate({ description: "The emit's own id.", ...Extension.mark })
    ),
    summary: Schema.optionalKey(
      Schema.String.annotate({ description: "The emit's own summary.", ...Extension.mark })
    ),
    ts: Schema.optionalKey(
      Schema.Union([Schema.String, Schema.Finite]).annotate({ description: "The emit's own time.", ...Extension.mark })
    ),
    truncated: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "true if event is a cut preview.", ...Extension.mark })
    )
  })
}).annotate({
  identifier: "EventSummary",
  examples: [exampleEvent]
})
export type EventSummary = typeof EventSummary.Type

/** The page of a list of errors that holds just this one. */
const exampleErrors = {
  page_info: { total_count: 1, count: 1, start_cursor: "1760000180000-0", end_cursor: "1760000180000-0" },
  data: [{
    id: "1760000180000-0",
    indexed_at_ms: 1760000180000,
    event: {
      original_event: { method: "POST", path: "/", body: { order: null } },
      original_context: {
        id: "hU2kWq6mZx9cVt3yLp7nRd5b",
        ts: "2025-10-09T08:56:20.000Z",
        workflow_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
        deployment_id: "sc_0Uz7MdaCCd5QvTf7KzHb",
        source_type: "HTTP",
        verified: false,
        owner_id: "u_0Uz1W6zoEr8WsXj4LtGp",
        platform_version: "0.1.0"
      },
      error: {
        code: "TypeError",
        cellId: "dc_0Uz7Me6SAe7TzXw9LrNf",
        ts: "2025-10-09T08:56:20.000Z",
        stack: "TypeError: the order has no number\n    at Object.run (component.mjs:11:13)",
        message: "the order has no number"
      }
    },
    metadata: { emit_id: "sT6dNf1gYh8jBk3lCw5xZq9v", name: "$errors", emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf" }
  }]
}

/** Event summaries reach no further back than so many events (rest-api.md, "Source events"). */
export const maxSummaries = 100

const query = {
  expand: Schema.optionalKey(Schema.Literal("event").annotate({ description: "Answer with the full event data." })),
  ...Pagination.eventQuery,
  ...Projection.fields
}

const anyStream = {
  ...query,
  event_name: Schema.optionalKey(StreamNameInput.annotate({
    description: "The event stream to list. Default: default.",
    ...Extension.mark
  }))
}

const sourceParams = PathId("The source's id or its name slug.")
const workflowParams = PathId("The workflow's id.")

const summaries = "The last 100 events at most, newest first."

export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("sourceSummaries", "/sources/:id/event_summaries", {
      params: sourceParams,
      query: anyStream,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      OpenApi.annotations({ summary: "List a source's events", description: summaries })
    ),
    HttpApiEndpoint.get("sourceErrorSummaries", "/sources/:id/$errors/event_summaries", {
      params: sourceParams,
      query,
      success: Pagination.Page(EventSummary).annotate({ examples: [exampleErrors] }),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List a source's errors",
      description: summaries,
      override: Extension.mark
    })),
    HttpApiEndpoint.get("sourceLogSummaries", "/sources/:id/$logs/event_summaries", {
      params: sourceParams,
      query,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List what a source logged",
      description: summaries,
      override: Extension.mark
    })),
    HttpApiEndpoint.delete("deleteSourceEvents", "/sources/:id/events", {
      params: sourceParams,
      query: {
        start_id: Schema.optionalKey(EventIdText.annotate({
          description: "The first event to delete. Default: the oldest.",
          examples: ["1760000120000-0"]
        })),
        end_id: Schema.optionalKey(EventIdText.annotate({
          description: "The last event to delete. Default: the newest at this moment.",
          examples: ["1760000180000-0"]
        })),
        event_name: Schema.optionalKey(StreamNameInput.annotate({
          description: "The event stream to delete from. Default: default.",
          ...Extension.mark
        })),
        ...Projection.fields
      },
      success: HttpApiSchema.Accepted.annotate({
        description: "The server removes the events soon. There is no body."
      }),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Delete a source's events",
      description:
        "Deletes the events from start_id to end_id, both included. The server removes them soon after the response, and " +
        "no attempt to deliver one of them starts more than 5 seconds after it."
    })),
    HttpApiEndpoint.get("workflowSummaries", "/workflows/:id/event_summaries", {
      params: workflowParams,
      query: anyStream,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      OpenApi.annotations({ summary: "List a workflow's events", description: summaries })
    ),
    HttpApiEndpoint.get("workflowErrorSummaries", "/workflows/:id/$errors/event_summaries", {
      params: workflowParams,
      query,
      success: Pagination.Page(EventSummary).annotate({ examples: [exampleErrors] }),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      OpenApi.annotations({ summary: "List a workflow's errors", description: summaries })
    ),
    HttpApiEndpoint.get("workflowLogSummaries", "/workflows/:id/$logs/event_summaries", {
      params: workflowParams,
      query,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List what a workflow logged",
      description: summaries,
      override: Extension.mark
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "What sources and workflows emitted." }))
{}
