import * as EventId from "@headwater/domain/EventId"
import { EventIdText } from "@headwater/domain/EventId"
import { StreamNameInput } from "@headwater/domain/Stream"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Batch from "./Batch.ts"
import * as EventCursor from "./EventCursor.ts"
import { EventSummary, exampleEvent } from "./EventsApi.ts"
import * as Extension from "./Extension.ts"
import * as Filter from "./Filter.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { SoughtText } from "./SoughtText.ts"
import { Text } from "./Text.ts"
import { UnixMillis } from "./UnixMillis.ts"

const exampleCursor = EventCursor.format({ id: EventId.make(1760000120000, 0), emitterId: "dc_0Uz7Me6SAe7TzXw9LrNf" })

const milliseconds = "Unix time in milliseconds."

export const TracedAttempt = Schema.Struct({
  attempt: Schema.Int.annotate({ description: "From 1." }),
  started_at_ms: Schema.Int.annotate({ description: milliseconds }),
  duration_ms: Schema.Int.annotate({ description: "Milliseconds." }),
  outcome: Schema.Literals(["delivered", "failed"]),
  status: Schema.NullOr(Schema.Int).annotate({ description: "The endpoint's HTTP status; null if it sent none." }),
  address: Schema.NullOr(Schema.String).annotate({ description: "The address that the server connected to." }),
  error_class: Schema.NullOr(Schema.String).annotate({ description: "The kind of failure; null if there was none." }),
  error_message: Schema.NullOr(Schema.String).annotate({ description: "The failure, in words." })
}).annotate({ identifier: "TracedAttempt" })

/** The reasons why a subscription does not deliver an event. */
export const Mismatch = Schema.Literals([
  "other_emitter",
  "other_stream",
  "own_event",
  "too_many_hops",
  "before_start",
  "filtered",
  "filter_too_costly"
])

/** Spread into what waits. */
export const WaitingFor = {
  waiting_for: Schema.optionalKey(
    Schema.Literals(["inactive", "throttled", "circuit", "order", "rate", "batch"]).annotate({
      description:
        "With the state waiting, if it is more than its turn: for its webhook to be active, for the end of a " +
        "pause that the endpoint asked for, for its circuit, for an event before it (strict order), for the rate, or for " +
        "others to go with, until next_attempt_at_ms at the latest (batch)."
    })
  )
}

export const TracedSubscription = Schema.Struct({
  subscription_id: ResourceId("subscription"),
  emitter_id: Schema.String.annotate({ description: "The id of a source or workflow, or a glob." }),
  listener_id: Schema.String.annotate({ description: "The id of a source, workflow or webhook." }),
  event_name: Schema.String.annotate({ description: "The event stream it listens to." }),
  matched: Schema.Boolean.annotate({ description: "Whether it delivers the event." }),
  reason: Schema.NullOr(Mismatch).annotate({ description: "Why not; null if it does." }),
  ...Filter.clause,
  state: Schema.NullOr(Schema.Literals(["waiting", "delivered", "pending", "exhausted", "dropped"])).annotate({
    description:
      "The state of its delivery, in the order of the values: not yet attempted, delivered, to be retried, given up, or skipped " +
      "without an attempt; null if the subscription did not match, unless it dropped the event as filter_too_costly."
  }),
  ...WaitingFor,
  next_attempt_at_ms: Schema.NullOr(Schema.Int).annotate({
    description: `When the next attempt is due. ${milliseconds}`
  }),
  attempts: Schema.Array(TracedAttempt).annotate({ description: "Oldest first." }),
  ...Batch.delivered
}).annotate({ identifier: "TracedSubscription" })

export const EventTrace = Schema.Struct({
  event_id: EventIdText.annotate({ description: "The event's id in its emitter's log." }),
  emit_id: Schema.String.annotate({ description: "Identifies the event in every delivery." }),
  emitter_id: Schema.String.annotate({ description: "The id of the source or workflow." }),
  event_name: Schema.String.annotate({ description: "The event stream; empty for the default one." }),
  hops: Schema.Int.annotate({ description: "How many emitters it has passed through." }),
  subscriptions: Schema.Array(TracedSubscription).annotate({
    description: "All subscriptions of the account, newest first."
  })
}).annotate({
  identifier: "EventTrace",
  examples: [{
    event_id: "1760000120000-0",
    emit_id: "yJ5vXc0eVb7nQm2sRk4wTz8a",
    emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
    event_name: "",
    hops: 1,
    subscriptions: [{
      subscription_id: "sub_0Uz7MtS4Bn6RwSe2MxDa",
      emitter_id: "dc_*",
      listener_id: "wh_0Uz7MtBwGh3VyUc8PqJk",
      event_name: "",
      matched: true,
      reason: null,
      state: "pending",
      next_attempt_at_ms: 1760000125400,
      attempts: [{
        attempt: 1,
        started_at_ms: 1760000120003,
        duration_ms: 41,
        outcome: "failed",
        status: 500,
        address: "203.0.113.7",
        error_class: "status",
        error_message: "The endpoint answered 500."
      }]
    }]
  }]
})

const ofSource = { id: Text.annotate({ description: "The source's id or its name slug." }) }
const ofWorkflow = { id: Text.annotate({ description: "The workflow's id." }) }
const event = {
  event_id: EventIdText.annotate({ description: "The event's id in its emitter's log.", examples: ["1760000120000-0"] })
}

const stream = {
  event_name: Schema.optionalKey(StreamNameInput.annotate({
    description: "The event stream. Default: default."
  }))
}

const listing = {
  expand: Schema.optionalKey(Schema.Literal("event").annotate({ description: "Answer with the full event data." })),
  ...stream,
  ...Pagination.eventQuery,
  ...Pagination.sort,
  ...Projection.fields
}

/** Emitters that one list is of, where it names them. */
const maxEmitters = 100

/** A place in the order in which the database commits (`CommitPosition`). */
const Position = Schema.String.check(Schema.isPattern(/^\d{1,18}$/, { expected: "a position, as an answer has it" }))
  .annotate({ examples: ["48121"] })

const accountFilter = {
  emitter: Schema.optionalKey(
    Schema.Array(Text).check(Schema.isMaxLength(maxEmitters)).annotate({
      description:
        "Only events of this emitter: the id or name slug of a source or workflow, or the account's id. Can be repeated."
    })
  ),
  stream: Schema.optionalKey(StreamNameInput.annotate({
    description: "Only events of this stream; empty or default for the default one. Default: all streams."
  })),
  text: Schema.optionalKey(SoughtText.annotate({
    description: "Only events whose payload, as JSON text, contains this text. Upper and lower case differ."
  }))
}

const accountListing = {
  ...accountFilter,
  id: Schema.optionalKey(EventIdText.annotate({ description: "Only events with this id." })),
  from: Schema.optionalKey(UnixMillis.annotate({ description: `Indexed at this time or later. ${milliseconds}` })),
  to: Schema.optionalKey(UnixMillis.annotate({ description: `Indexed before this time. ${milliseconds}` })),
  expand: listing.expand,
  ...Pagination.eventListQuery,
  ...Pagination.sort,
  ...Projection.fields
}

const EventListPage = Schema.Struct({
  page_info: Schema.Struct({
    ...Pagination.OpenPageInfo.fields,
    is_cut: Schema.Boolean.annotate({
      description:
        "Whether the list ends here before the oldest event, or with sort=oldest begins here behind it, since the account has " +
        "more than 5,000 streams: name emitters to see older events."
    }),
    position: Position.annotate({
      description: "What the list could have on it: GET /events/sse after it has everything that was committed later."
    })
  }),
  data: Schema.Array(EventSummary)
}).annotate({
  examples: [{
    page_info: {
      count: 1,
      start_cursor: exampleCursor,
      end_cursor: exampleCursor,
      has_more: false,
      is_cut: false,
      position: "48121"
    },
    data: [exampleEvent]
  }]
})

/** The parameters of a tail: `filter`, and the place where it begins. */
const following = <Fields extends Schema.Struct.Fields>(
  filter: Fields,
  place: typeof Schema.String,
  { after, behind }: { readonly after: string; readonly behind: string }
) => ({
  query: { ...filter, after: Schema.optionalKey(place.annotate({ description: after })) },
  headers: {
    "last-event-id": Schema.optionalKey(place.annotate({
      description: `Start ${behind}. Browsers send this header when they reconnect. Overrides after.`
    }))
  }
})

const followingOne = following(stream, EventIdText, {
  after: "Start after this event; 0-0 for the beginning of the log. Default: the end of the log.",
  behind: "after this event"
})

const followingAll = following(accountFilter, Position, {
  after: "Start behind this position, which page_info of GET /events and the tail itself tell. Default: now.",
  behind: "behind this position"
})

const Tail = HttpApiSchema.StreamSse({ data: EventSummary })

const list = (whose: string) =>
  OpenApi.annotations({
    summary: `Page over ${whose} whole log`,
    description:
      "Every retained event of a stream, newest or oldest first. A page of large events has fewer items than limit.",
    override: Extension.mark
  })

const get = OpenApi.annotations({
  summary: "Get an event",
  description: "With its full data, from any stream.",
  override: Extension.mark
})

const trace = OpenApi.annotations({
  summary: "Trace an event",
  description:
    "What happened to the event at every subscription of the account: whether it delivers the event and if not why, each " +
    "attempt, and when the next one is due.",
  override: Extension.mark
})

const tail = (whose: string) =>
  OpenApi.annotations({
    summary: `Follow ${whose} log`,
    description:
      "Server-sent events: each new event of a stream, with its full data, as soon as it is durable. The id " +
      "of each is the event's id, so a client that reconnects with Last-Event-ID misses nothing. The server sends a comment " +
      "first, and another after 15 seconds without an event.",
    override: Extension.mark
  })

/** Reading emitters' whole logs: all of this stands beside the documented contract. */
export class LogApi extends HttpApiGroup.make("log")
  .add(
    HttpApiEndpoint.get("accountEvents", "/events", {
      query: accountListing,
      success: EventListPage,
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Page over the events of the account",
      "Every retained event of all emitters, or of those named, newest or oldest first, without a count. All filters given must hold. " +
        "The server looks into a limited number of payloads for each page, so a page can be short or empty before the end of " +
        "the list: go on with end_cursor while has_more is true."
    )),
    HttpApiEndpoint.get("accountTail", "/events/sse", {
      ...followingAll,
      success: Tail,
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Follow the logs of the account",
      "Server-sent events: each new event of all emitters, or of those named, with its full data, as soon as it is durable. " +
        "Those of one emitter come in the order of their ids, those of several as they are committed. The server sends an id " +
        "without an event first, whenever all that was committed has come, and after 15 seconds without an event: the " +
        "position at which a client that reconnects with Last-Event-ID goes on. It misses nothing, and can get again what " +
        "came shortly before. An account can have 20 of these open at a time on each node."
    )),
    HttpApiEndpoint.get("sourceEvents", "/sources/:id/events", {
      params: ofSource,
      query: listing,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(list("a source's")),
    HttpApiEndpoint.get("sourceEvent", "/sources/:id/events/:event_id", {
      params: { ...ofSource, ...event },
      query: Projection.fields,
      success: Pagination.Single(EventSummary),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(get),
    HttpApiEndpoint.get("sourceEventTrace", "/sources/:id/events/:event_id/trace", {
      params: { ...ofSource, ...event },
      query: Projection.fields,
      success: Pagination.Single(EventTrace),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(trace),
    HttpApiEndpoint.get("sourceTail", "/sources/:id/sse", {
      params: ofSource,
      ...followingOne,
      success: Tail,
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(tail("a source's")),
    HttpApiEndpoint.get("workflowEvents", "/workflows/:id/events", {
      params: ofWorkflow,
      query: listing,
      success: Pagination.Page(EventSummary),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(list("a workflow's")),
    HttpApiEndpoint.get("workflowEvent", "/workflows/:id/events/:event_id", {
      params: { ...ofWorkflow, ...event },
      query: Projection.fields,
      success: Pagination.Single(EventSummary),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(get),
    HttpApiEndpoint.get("workflowEventTrace", "/workflows/:id/events/:event_id/trace", {
      params: { ...ofWorkflow, ...event },
      query: Projection.fields,
      success: Pagination.Single(EventTrace),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(trace),
    HttpApiEndpoint.get("workflowTail", "/workflows/:id/sse", {
      params: ofWorkflow,
      ...followingOne,
      success: Tail,
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(tail("a workflow's"))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Log", description: "Emitters' whole logs, live tails, and traces." }))
{}
