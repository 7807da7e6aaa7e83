import { EventIdText } from "@headwater/domain/EventId"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { deliveryFilters } from "./DeliveriesApi.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { RunStatus } from "./RunStatus.ts"
import { SoughtText } from "./SoughtText.ts"
import { Text } from "./Text.ts"

const milliseconds = Schema.Int.annotate({ description: "Unix time in milliseconds." })

const Action = Schema.Literals(["retry", "replay", "skip", "cancel", "rerun", "cancel_runs"]).annotate({
  description:
    "retry: attempts deliveries once more; of all states but delivered, unless the filter names one. replay: sends events " +
    "again, apart from the accounting of their subscriptions. skip: drops pending deliveries. cancel: gives pending " +
    "deliveries up, so that they are exhausted. rerun: runs sources and workflows again, for what failed unless the filter " +
    "names a run_status. cancel_runs: ends runs of workflows that have not ended."
})

const Rerun = Schema.Struct({
  from: Schema.optionalKey(
    Schema.Literals(["start", "failed_step"]).annotate({
      description: "failed_step: runs of workflows begin with the step that failed. Default: start."
    })
  ),
  code: Schema.optionalKey(
    Schema.Literals(["current", "own"]).annotate({
      description: "own: runs of workflows go on the code and the props that each of them had. Default: current."
    })
  )
}).annotate({ description: "How a rerun runs.", examples: [{ from: "failed_step" as const }] })

const eventRange = {
  from: Schema.optionalKey(EventIdText.annotate({
    description: "From this event of emitter_id on, or the next one if it is gone."
  })),
  to: Schema.optionalKey(EventIdText.annotate({ description: "Up to this event of emitter_id." }))
}

const BulkFilter = Schema.Struct({
  webhook_id: Schema.optionalKey(Text.annotate({ description: "To this webhook." })),
  ...deliveryFilters,
  ...eventRange,
  program_id: Schema.optionalKey(
    Text.annotate({ description: "Runs of this source or workflow, by id or name slug." })
  ),
  run_status: Schema.optionalKey(RunStatus),
  error: Schema.optionalKey(SoughtText.annotate({
    description: "Runs whose error has this text in its name or message. Upper and lower case differ."
  }))
}).annotate({
  description:
    "What is meant: all of it must hold. It is asked anew for each page, for what began before the action did. A replay " +
    "without state, error_class, status, event_id, last_attempt_since and text reads the log, and since and until are " +
    "times of events there. rerun and cancel_runs take program_id, run_status, error, since, until and text: of a run's " +
    "beginning, and of its event.",
  examples: [{ webhook_id: "wh_0Uz7MtBwGh3VyUc8PqJk", state: "exhausted" as const, since: 1760000000000 }]
})
export type BulkFilterInput = typeof BulkFilter.Type

export const defaultRateLimit = 100

const RateLimit = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))).annotate({
  description: "Attempts, or runs, a second at each webhook, source or workflow, at most."
})

const example = {
  id: "ba_0Uz7QaB3Lk6RwSe2MxDa",
  action: "retry" as const,
  filter: { webhook_id: "wh_0Uz7MtBwGh3VyUc8PqJk", state: "exhausted" as const },
  dry_run: false,
  rate_limit: 100,
  state: "running" as const,
  matched: 2400,
  done: 2310,
  failed: 12,
  skipped: 3,
  left: 75,
  webhooks: { total: 1, ended: 0 },
  programs: { total: 0, ended: 0 },
  waits_at: [],
  stopped_at: [],
  place_ms: 1760000120003,
  created_at_ms: 1760003600000,
  ended_at_ms: null
}

const Parts = Schema.Struct({ total: Schema.Int, ended: Schema.Int })

export const BulkActionResource = Schema.Struct({
  id: ResourceId("bulkAction"),
  action: Action,
  filter: BulkFilter,
  rerun: Schema.optionalKey(Rerun),
  dry_run: Schema.Boolean,
  rate_limit: RateLimit,
  state: Schema.Literals(["running", "paused", "cancelled", "done"]),
  matched: Schema.Int.annotate({ description: "Found so far: done + failed + skipped + left." }),
  done: Schema.Int.annotate({
    description: "Arrived; or dropped, given up or cancelled, as it was asked for; or run again: the run is asked for."
  }),
  failed: Schema.Int.annotate({ description: "Attempted, and did not arrive." }),
  skipped: Schema.Int.annotate({
    description:
      "Nothing was to be done: the event or the subscription is gone, the filter of the subscription keeps the event out, the " +
      "delivery or the run was no longer as it was found, or its webhook was switched off for a reason."
  }),
  left: Schema.Int.annotate({ description: "Found, and not dealt with: by a dry run all of it." }),
  webhooks: Parts.annotate({ description: "At how many webhooks it is carried out, and at how many it has ended." }),
  programs: Parts.annotate({ description: "The same of sources and workflows." }),
  waits_at: Schema.Array(Schema.String).annotate({
    description: "The webhooks, sources and workflows that it waits for, since they are paused."
  }),
  stopped_at: Schema.Array(Schema.Struct({ id: Schema.String, reason: Schema.String })).annotate({
    description: "The webhooks that the server has switched off, and the reasons. What was left there is skipped."
  }),
  place_ms: Schema.NullOr(milliseconds).annotate({
    description: "Deliveries and runs that began, or events that were emitted, before this time are dealt with."
  }),
  created_at_ms: milliseconds,
  ended_at_ms: Schema.NullOr(milliseconds)
}).annotate({ identifier: "BulkAction", examples: [example] })
export type BulkActionResource = typeof BulkActionResource.Type

const params = PathId("The bulk action's id.")

const refusals = [Problem.NotFound, Problem.BulkActionEnded] as const

const control = <const Name extends "pause" | "resume" | "cancel">(name: Name, summary: string, description: string) =>
  HttpApiEndpoint.post(name, `/bulk_actions/:id/${name}`, {
    params,
    headers: Idempotency.headers,
    query: Projection.fields,
    success: Pagination.Single(BulkActionResource),
    error: refusals
  }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(
    Extension.operation(summary, description)
  )

export class BulkActionsApi extends HttpApiGroup.make("bulkActions")
  .add(
    HttpApiEndpoint.post("create", "/bulk_actions", {
      headers: Idempotency.headers,
      payload: Schema.Struct({
        action: Action,
        filter: BulkFilter,
        rerun: Schema.optionalKey(Rerun),
        dry_run: Schema.optionalKey(Schema.Boolean.annotate({
          description: "Only counts what matches. Default: false."
        })),
        rate_limit: Schema.optionalKey(RateLimit.annotate({
          description:
            `Attempts, or runs, a second at each webhook, source or workflow, at most. Default: ${defaultRateLimit}.`
        })),
        ...Projection.fields
      }).annotate({ examples: [{ action: example.action, filter: example.filter, dry_run: true }] }),
      success: Pagination.Single(BulkActionResource).pipe(HttpApiSchema.status(202)),
      error: [Problem.NotFound, Problem.BulkActionsFull]
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Begin a bulk action",
      "Deals with many deliveries, events or runs, a few at a time and the oldest first, beside what is new."
    )),
    HttpApiEndpoint.post("replay", "/webhooks/:id/replay", {
      params: PathId("The webhook's id."),
      headers: Idempotency.headers,
      payload: Schema.Struct({
        emitter_id: Schema.optionalKey(Text.annotate({
          description: "A source or workflow (by id or name slug) or account: only its events."
        })),
        ...eventRange,
        since: deliveryFilters.since,
        until: deliveryFilters.until,
        rate_limit: Schema.optionalKey(RateLimit),
        ...Projection.fields
      }).annotate({ examples: [{ emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf", from: "1760000120000-0" }] }),
      success: Pagination.Single(BulkActionResource).pipe(HttpApiSchema.status(202)),
      error: [Problem.NotFound, Problem.BulkActionsFull]
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Replay events to a webhook",
      "Begins a bulk action that sends them again: those of an emitter from an event on, or those of a span of time."
    )),
    HttpApiEndpoint.get("list", "/bulk_actions", {
      query: { ...Pagination.query("bulkAction"), ...Projection.fields },
      success: Pagination.OpenPage(BulkActionResource)
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("List bulk actions", "Newest first, without a count.")
    ),
    HttpApiEndpoint.get("get", "/bulk_actions/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(BulkActionResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation("Get a bulk action", "With its progress.")),
    HttpApiEndpoint.put("update", "/bulk_actions/:id", {
      params,
      payload: Schema.Struct({ rate_limit: Schema.optionalKey(RateLimit), ...Projection.fields }).annotate({
        examples: [{ rate_limit: 20 }]
      }),
      success: Pagination.Single(BulkActionResource),
      error: refusals
    }).annotate(NeededScope, "run").annotateMerge(
      Extension.operation("Change the rate of a bulk action", "It holds within a second.")
    ),
    control("pause", "Pause a bulk action", "Within a second it begins nothing more, until it is resumed."),
    control("resume", "Resume a bulk action", "It goes on where it stood."),
    control("cancel", "Cancel a bulk action", "Within a second it begins nothing more. What it has done remains.")
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Bulk actions",
    description: "What is done with many deliveries, events or runs at once."
  }))
{}
