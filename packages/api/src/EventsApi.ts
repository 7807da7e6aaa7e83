import { EventIdText } from "@headwater/domain/EventId"
import { StreamNameInput } from "@headwater/domain/Stream"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"

export const EventSummary = Schema.Struct({
  id: Schema.String.annotate({ description: "<milliseconds>-<sequence>, ordered by time." }),
  indexed_at_ms: Schema.Int.annotate({ description: "Unix time in milliseconds." }),
  event: Schema.Json.annotate({
    description: "For emitted events {raw_event}; for errors {original_event, original_context, error}. Data over " +
      "1 KB is cut to a preview unless expand=event."
  }),
  metadata: Schema.Struct({
    emit_id: Schema.String,
    name: Schema.String.annotate({ description: "The event stream; empty for the default one." }),
    emitter_id: Schema.String,
    id: Schema.optionalKey(
      Schema.Union([Schema.String, Schema.Finite]).annotate({
        description: "Extension: the emit's own id."
      })
    ),
    summary: Schema.optionalKey(Schema.String.annotate({ description: "Extension: the emit's own summary." })),
    ts: Schema.optionalKey(
      Schema.Union([Schema.String, Schema.Finite]).annotate({
        description: "Extension: the emit's own time."
      })
    ),
    truncated: Schema.optionalKey(Schema.Boolean.annotate({
      description: "Extension: true where event is a cut preview."
    }))
  })
}).annotate({ identifier: "EventSummary" })
export type EventSummary = typeof EventSummary.Type

/** Event summaries reach no further back than so many events (rest-api.md, "Source events"). */
export const maxSummaries = 100

/** Event data above so many bytes is cut without `expand=event`. */
export const maxPreviewBytes = 1024

const query = {
  expand: Schema.optionalKey(Schema.Literal("event").annotate({ description: "Answer with the full event data." })),
  ...Pagination.eventQuery,
  ...Projection.fields
}

const anyStream = {
  ...query,
  event_name: Schema.optionalKey(StreamNameInput.annotate({
    description: "Extension: the event stream to list. Default: the default one."
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
    }).annotateMerge(OpenApi.annotations({ summary: "List a source's events", description: summaries })),
    HttpApiEndpoint.get("sourceErrorSummaries", "/sources/:id/$errors/event_summaries", {
      params: sourceParams,
      query,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "List a source's errors",
      description: `Extension. ${summaries}`
    })),
    HttpApiEndpoint.get("sourceLogSummaries", "/sources/:id/$logs/event_summaries", {
      params: sourceParams,
      query,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "List what a source logged",
      description: `Extension. ${summaries}`
    })),
    HttpApiEndpoint.delete("deleteSourceEvents", "/sources/:id/events", {
      params: sourceParams,
      query: {
        start_id: Schema.optionalKey(EventIdText.annotate({
          description: "The first event to delete. Default: the oldest."
        })),
        end_id: Schema.optionalKey(EventIdText.annotate({
          description: "The last event to delete. Default: the newest there is now."
        })),
        event_name: Schema.optionalKey(StreamNameInput.annotate({
          description: "Extension: the event stream to delete from. Default: the default one."
        })),
        ...Projection.fields
      },
      success: HttpApiSchema.Accepted,
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "Delete a source's events",
      description: "Events from start_id to end_id, both included. They are removed soon after this is answered, and " +
        "no attempt to deliver one of them starts more than 5 seconds after that."
    })),
    HttpApiEndpoint.get("workflowSummaries", "/workflows/:id/event_summaries", {
      params: workflowParams,
      query: anyStream,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({ summary: "List a workflow's events", description: summaries })),
    HttpApiEndpoint.get("workflowErrorSummaries", "/workflows/:id/$errors/event_summaries", {
      params: workflowParams,
      query,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({ summary: "List a workflow's errors", description: summaries })),
    HttpApiEndpoint.get("workflowLogSummaries", "/workflows/:id/$logs/event_summaries", {
      params: workflowParams,
      query,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "List what a workflow logged",
      description: `Extension. ${summaries}`
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "What sources and workflows emitted." }))
{}
