import { EventIdText } from "@headwater/domain/EventId"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { JsonValue } from "./JsonValue.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { workflowParams } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { runRefused, RunStarted } from "./RunStart.ts"
import { RunStatus } from "./RunStatus.ts"
import { StepProps } from "./StepProps.ts"
import { Text } from "./Text.ts"

const milliseconds = Schema.Int.annotate({ description: "Unix time in milliseconds." })

const Fault = Schema.Struct({
  name: Schema.String,
  message: Schema.String,
  stack: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "RunFault", examples: [{ name: "TypeError", message: "fetch failed" }] })

const WaitsFor = Schema.Literals(["suspend", "delay", "rerun", "retry"]).annotate({
  description: "The reason for which a run waits."
})

const run = {
  id: ResourceId("run"),
  workflow_id: ResourceId("workflow"),
  deployment_id: ResourceId("deployment"),
  status: RunStatus,
  trigger: Schema.Struct({
    id: Schema.String.annotate({ description: "The id of the event, the request or the tick." }),
    source_type: Schema.Literals(["HTTP", "EMAIL", "TIMER", "EVENT", "INVOCATION"]),
    ts_ms: milliseconds,
    emitter_id: Schema.String,
    event_name: Schema.String.annotate({ description: "The stream of an event; empty for the default one." }),
    hops: Schema.Int,
    rerun_of: Schema.NullOr(Schema.String).annotate({ description: "The run that this one repeats." }),
    instead_of: Schema.NullOr(Schema.Struct({
      id: Schema.String.annotate({ description: "As in the trigger of that run." }),
      emitter_id: Schema.String,
      event_id: Schema.NullOr(EventIdText).annotate({ description: "In the log of the emitter; null for a tick." })
    })).annotate({ description: "The event of that run, if another one took its place; null if it is the same." })
  }),
  shadow: Schema.optionalKey(Schema.Boolean.annotate({
    description: "true: what it sends to others is held back. Missing if that is sent."
  })),
  started_at_ms: milliseconds,
  ended_at_ms: Schema.NullOr(milliseconds),
  due_at_ms: Schema.NullOr(milliseconds).annotate({
    description: "When a waiting run continues. A suspended one ends then, unless the workflow resumes it."
  }),
  waits_for: Schema.NullOr(WaitsFor).annotate({
    description: "The reason for which a waiting run waits; null if it waits for nothing but its turn."
  }),
  error: Schema.NullOr(Fault),
  exit_reason: Schema.NullOr(Schema.String).annotate({
    description:
      "The reason that a step gave to $.flow.exit, at most 1,000 characters; empty if it gave none, null if no step " +
      "ended the run this way."
  })
}

const exampleRun = {
  id: "run_0Uz7N5cVwQ2KpXs9TzLd",
  workflow_id: "p_0Uz7N2dPz5RtWm8BxKcV",
  deployment_id: "d_0Uz7N2dPz5TqYw3MnLfH",
  status: "success" as const,
  trigger: {
    id: "yJ5vXc0eVb7nQm2sRk4wTz8a",
    source_type: "EVENT" as const,
    ts_ms: 1760000120000,
    emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
    event_name: "",
    hops: 1,
    rerun_of: null,
    instead_of: null
  },
  started_at_ms: 1760000120004,
  ended_at_ms: 1760000120051,
  due_at_ms: null,
  waits_for: null,
  error: null,
  exit_reason: null
}

export const RunResource = Schema.Struct(run).annotate({ identifier: "WorkflowRun", examples: [exampleRun] })
export type RunResource = typeof RunResource.Type

const StepResource = Schema.Struct({
  n: Schema.Int.annotate({ description: "Counts from 1. A step that ran several times appears several times." }),
  name: Schema.String,
  path: Schema.NullOr(Schema.String).annotate({
    description: "The path that it ran on, of branches that run at the same time; null outside of them."
  }),
  status: Schema.Literals(["success", "error"]),
  started_at_ms: milliseconds,
  wall_ms: Schema.Int,
  cpu_ms: Schema.Int,
  configured_props: StepProps,
  result: Schema.NullOr(JsonValue("The value that later steps see.")),
  error: Schema.NullOr(Fault),
  logs: Schema.Array(JsonValue("A line of its console: {ts, level, message}.")),
  events: Schema.Array(Schema.Struct({ id: EventIdText, event_name: Schema.String })).annotate({
    description: "The events that it added to the workflow's log."
  })
}).annotate({ identifier: "WorkflowStep" })

const PathResource = Schema.Struct({
  path: Schema.String.annotate({ description: "The same as in its steps." }),
  block: Schema.String.annotate({ description: "The step of the block that it is a branch of." }),
  branch: Schema.String.annotate({ description: "The branch's name." }),
  status: Schema.Literals(["running", "waiting"]),
  due_at_ms: run.due_at_ms,
  waits_for: run.waits_for
}).annotate({ identifier: "WorkflowRunPath" })

export const RunDetails = Schema.Struct({
  ...run,
  paths: Schema.Array(PathResource).annotate({
    description:
      "The branches in which the run is at the same time. While there are any, the run waits if all of them do: for a " +
      "resumption if any does, until the first of them is due."
  }),
  event: JsonValue("The event that started the run; null once one has ended whose request was not to be stored."),
  steps: Schema.Array(StepResource)
}).annotate({
  identifier: "WorkflowRunDetails",
  examples: [{
    ...exampleRun,
    paths: [],
    event: { order: 1001 },
    steps: [{
      n: 1,
      name: "check",
      path: null,
      status: "success" as const,
      started_at_ms: 1760000120004,
      wall_ms: 3,
      cpu_ms: 2,
      configured_props: { order: 1001 },
      result: { $return_value: true },
      error: null,
      logs: [],
      events: [{ id: "1760000120009-0", event_name: "" }]
    }]
  }]
})
export type RunDetails = typeof RunDetails.Type

const runParams = Schema.Struct({ ...workflowParams.fields, run_id: Text.annotate({ description: "The run's id." }) })

export class WorkflowRunsApi extends HttpApiGroup.make("workflowRuns")
  .add(
    HttpApiEndpoint.get("list", "/workflows/:id/runs", {
      params: workflowParams,
      query: {
        status: Schema.optionalKey(RunStatus),
        waits_for: Schema.optionalKey(WaitsFor),
        ...Pagination.query("run"),
        ...Projection.fields
      },
      success: Pagination.Page(RunResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation(
        "List a workflow's runs",
        "Newest first. The server keeps runs as long as the account's events."
      )
    ),
    HttpApiEndpoint.get("ofAccount", "/runs/:run_id", {
      params: { run_id: runParams.fields.run_id },
      query: Projection.fields,
      success: Pagination.Single(RunResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("Find a run", "Of whichever workflow, once it has begun.")
    ),
    HttpApiEndpoint.get("get", "/workflows/:id/runs/:run_id", {
      params: runParams,
      query: Projection.fields,
      success: Pagination.Single(RunDetails),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("Get a run of a workflow", "With its event, its steps, and their props, results and logs.")
    ),
    HttpApiEndpoint.post("rerun", "/workflows/:id/runs/:run_id/rerun", {
      params: runParams,
      headers: Idempotency.headers,
      query: Projection.fields,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({
          from_step: Schema.optionalKey(Text.annotate({
            description:
              "The first step to run. Earlier steps keep their results from the given run. Default: the workflow's first step."
          })),
          from: Schema.optionalKey(
            Schema.Literals(["start", "failed_step"]).annotate({
              description: "failed_step: the step that failed is the first to run. Not with from_step. Default: start."
            })
          ),
          code: Schema.optionalKey(
            Schema.Literals(["current", "own"]).annotate({
              description: "own: on the code and the props of the given run. Default: current."
            })
          ),
          event: Schema.optionalKey(Schema.Json.annotate({
            description: "Another event to run, in the place of the given run's. With nothing else."
          })),
          ...Projection.fields
        }).annotate({ examples: [{ from_step: "check" }] })
      ],
      success: Pagination.Single(RunStarted).pipe(HttpApiSchema.status(202)),
      error: runRefused
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Run a run's event again",
      "Starts a new run for the same event, or for another one in its place."
    )),
    HttpApiEndpoint.post("resume", "/workflows/:id/runs/:run_id/resume", {
      params: runParams,
      headers: Idempotency.headers,
      query: Projection.fields,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({
          body: Schema.optionalKey(Schema.Json.annotate({
            description:
              "The body of the request that the steps see as $resume_data: any JSON value. Default: there is no body."
          })),
          ...Projection.fields
        }).annotate({ examples: [{ body: { approved: true } }] })
      ],
      success: Pagination.Single(RunResource),
      error: [Problem.NotFound, Problem.RunNotWaiting, Problem.PayloadTooLarge]
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Resume a waiting run",
      "Continues the run before its time, as a request to its resume_url does. The server answers once that is durable. " +
        "The run continues when its turn comes."
    )),
    HttpApiEndpoint.post("cancel", "/workflows/:id/runs/:run_id/cancel", {
      params: runParams,
      headers: Idempotency.headers,
      query: Projection.fields,
      success: Pagination.Single(RunResource),
      error: [Problem.NotFound, Problem.RunNotWaiting]
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Cancel a run",
      "Ends the run at once, also at a step: that is broken off, and commits nothing. What the steps before it have done remains."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Workflow runs", description: "What workflows have done." }))
{}
