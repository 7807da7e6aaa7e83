import { ProgramState } from "@headwater/domain/Program"
import { isFilePath } from "@headwater/domain/StoredFile"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { FilePath } from "./FilePath.ts"
import * as Idempotency from "./Idempotency.ts"
import * as InProject from "./InProject.ts"
import * as ListFilter from "./ListFilter.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { workflowParams } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck, TakesAnyParameters, TakesLargeBody } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { runRefused, RunStarted } from "./RunStart.ts"
import * as Shadow from "./Shadow.ts"
import { CodeText, ComponentUrl, Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"
import * as Warnings from "./Warnings.ts"
import { WebhookSecret } from "./WebhookSecret.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const seconds = between(1, 366 * 24 * 3_600)

const RateLimit = Schema.Struct({ limit: between(1, 100_000), interval_seconds: between(1, 24 * 3_600) }).annotate({
  identifier: "WorkflowRateLimit",
  description: "At most this many runs begin within this many seconds. Further inputs wait in order.",
  examples: [{ limit: 10, interval_seconds: 60 }]
})

/** A name in a directory. */
const AttachmentName = Schema.String.pipe(Schema.check(Schema.makeFilter(
  (name: string) => isFilePath(name) && !name.includes("/") && new TextEncoder().encode(name).length <= 255,
  { expected: "the name of a file, without / and of at most 255 bytes" }
)))

const settings = {
  concurrency: between(1, 100).annotate({
    description: "How many runs may be under way together, not counting waiting runs. With 1, events run in order."
  }),
  rate_limit: Schema.NullOr(RateLimit).annotate({
    description: "The most runs that begin within an interval. null: no limit."
  }),
  retry_delays: Schema.Array(seconds).check(Schema.isMaxLength(50)).annotate({
    description: "Seconds to wait before each retry of a failed step, one number for each retry. Empty: no retries.",
    examples: [[1, 10, 60]]
  }),
  errors: Schema.Literals(["each", "last"]).annotate({
    description: "Which failures of a step go to $errors: each one, or only the last, after which there is no retry."
  }),
  suspension_timeout: Schema.Literals(["cancel", "resume"]).annotate({
    description: "What happens to a suspended run that is not resumed in time."
  }),
  timeout_seconds: Schema.NullOr(between(1, 300)).annotate({
    description: "The time limit of a step, at most the server's. null: the server's limit."
  }),
  memory_mb: Schema.NullOr(between(128, 16_384)).annotate({
    description:
      "The heap of a step, in MiB, at most the server's limit. null, or less than the server's default: that default."
  }),
  attachments: Schema.Record(Schema.String, FilePath).check(
    Schema.isPropertyNames(AttachmentName),
    Schema.isMaxProperties(100)
  ).annotate({
    description: "Paths of files of the account, by the names under which each step finds them in /tmp/attachments.",
    examples: [{ "letter.html": "templates/letter.html" }]
  }),
  shadow_reads: Schema.Array(Schema.String.check(Schema.isPattern(/^[a-z0-9.:-]{1,253}$/, {
    expected: "the name of a host in lower case, or an address"
  }))).check(Schema.isMaxLength(100)).annotate({
    description: "Hosts to which steps in shadow may send any request, because requests there only read.",
    examples: [["api.search.example.com"]]
  })
}

const exampleWorkflow = {
  id: "p_0Uz7N2dPz5RtWm8BxKcV",
  name: "Large orders",
  name_slug: "large-orders",
  code_hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  deployment_id: "d_0Uz7N2dPz5TqYw3MnLfH",
  steps: [{ id: "c_0Uz7N2dPz5UvXk7QrJtB", name: "check" }],
  configured_props: { limit: 100 },
  active: true,
  concurrency: 1,
  rate_limit: null,
  retry_delays: [],
  errors: "last" as const,
  suspension_timeout: "cancel" as const,
  timeout_seconds: null,
  attachments: {},
  shadow_reads: [],
  memory_mb: null,
  created_at: 1760000002,
  updated_at: 1760000002
}

export const WorkflowResource = Schema.Struct({
  id: ResourceId("workflow"),
  name: Schema.String,
  name_slug: Schema.String.annotate({ description: "Works wherever the workflow's id does." }),
  code_hash: Schema.String.annotate({ description: "SHA-256 of the code, hexadecimal." }),
  deployment_id: ResourceId("deployment").annotate({ description: "New with each change of the code or the props." }),
  steps: Schema.Array(Schema.Struct({
    id: ResourceId("step"),
    name: Schema.String,
    lang: Schema.optionalKey(
      Schema.Literal("python").annotate({
        description: "The language that it is written in, if that is not JavaScript."
      })
    )
  })).annotate({
    description: "In order. A step keeps its id as long as the code has a step of its name."
  }),
  configured_props: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "Values by prop, those of a step as <step>.<prop>."
  }),
  missing_props: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "Props that need a value and have none, if there are any. It can't become active before they have one."
    })
  ),
  active: Schema.Boolean,
  ...settings,
  ...InProject.shown,
  ...Shadow.shown,
  created_at: UnixSeconds,
  updated_at: UnixSeconds
}).annotate({ identifier: "Workflow", examples: [exampleWorkflow] })
export type WorkflowResource = typeof WorkflowResource.Type

const input = {
  workflow_code: Schema.optionalKey(CodeText.annotate({
    description: "An ES module whose default export has a function run({ steps, $ }), or an object of named steps."
  })),
  workflow_url: Schema.optionalKey(ComponentUrl.annotate({
    description: "An http or https URL of the code, or npm:<package>[@version]/<path>. Given together with " +
      "workflow_code, it is only metadata."
  })),
  name: Schema.optionalKey(Text.annotate({ description: "Default: the name in the code, else workflow." })),
  configured_props: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description: "Values by the name of the prop, those of a step as <step>.<prop>."
    })
  ),
  active: Schema.optionalKey(Schema.Boolean.annotate({
    description: "Default: true. A paused workflow starts no runs and keeps its place in the logs that it listens to."
  })),
  concurrency: Schema.optionalKey(settings.concurrency),
  rate_limit: Schema.optionalKey(settings.rate_limit),
  retry_delays: Schema.optionalKey(settings.retry_delays),
  errors: Schema.optionalKey(settings.errors),
  suspension_timeout: Schema.optionalKey(settings.suspension_timeout),
  timeout_seconds: Schema.optionalKey(settings.timeout_seconds),
  attachments: Schema.optionalKey(settings.attachments),
  memory_mb: Schema.optionalKey(settings.memory_mb),
  shadow_reads: Schema.optionalKey(settings.shadow_reads),
  ...InProject.given,
  ...Shadow.given,
  ...Projection.fields
}

export class WorkflowsApi extends HttpApiGroup.make("workflows")
  .add(
    HttpApiEndpoint.get("list", "/users/me/workflows", {
      query: {
        ...ListFilter.query("workflow", "the name or the slug", ProgramState),
        ...InProject.filter,
        deployment_id: Schema.optionalKey(
          Text.annotate({
            description:
              "Lists only the workflow with this deployment: its present one, or one that runs can still have."
          })
        ),
        ...Projection.fields
      },
      success: Warnings.Page(WorkflowResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").middleware(Warnings.Warnings).annotateMerge(
      Extension.operation("List workflows", "Newest first.")
    ),
    HttpApiEndpoint.post("create", "/workflows", {
      headers: Idempotency.headers,
      payload: Schema.Struct(input).annotate({
        examples: [{
          workflow_code: "export default { run({ steps, $ }) { return steps.trigger.event } }",
          name: "Large orders"
        }]
      }),
      success: Pagination.Single(WorkflowResource),
      error: [Problem.NotFound, Problem.ComponentInvalid, Problem.HookFailed]
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "code").middleware(Idempotency.Idempotency)
      .annotateMerge(
        Extension.operation(
          "Create a workflow",
          "One of workflow_code and workflow_url is required. The workflow listens to its subscriptions, and to the HTTP " +
            "and timer props in its code."
        )
      ),
    HttpApiEndpoint.get("get", "/workflows/:id", {
      params: workflowParams,
      query: Projection.fields,
      success: Pagination.Single(WorkflowResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotate(TakesAnyParameters, true).annotateMerge(
      Extension.operation("Get a workflow", "By its id or its name slug.")
    ),
    HttpApiEndpoint.put("update", "/workflows/:id", {
      params: workflowParams,
      payload: Schema.Struct(input).annotate({ examples: [{ configured_props: { limit: 200 }, active: true }] }),
      success: Pagination.Single(WorkflowResource),
      error: [Problem.NotFound, Problem.ComponentInvalid, Problem.HookFailed]
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "code").annotateMerge(Extension.operation(
      "Update a workflow",
      "Fields that are not given stay unchanged, but a missing active means true. Runs that have begun continue with the code " +
        "and props that they began with."
    )),
    HttpApiEndpoint.delete("delete", "/workflows/:id", {
      params: workflowParams,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(
      Extension.operation("Delete a workflow", "Also deletes its runs, events and subscriptions.")
    ),
    HttpApiEndpoint.get("getSecret", "/workflows/:id/secret", {
      params: workflowParams,
      query: Projection.fields,
      success: Pagination.Single(WebhookSecret),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(Extension.operation(
      "Get a workflow's signing secret",
      "Signs the requests that the workflow sends with $.send.http, as for deliveries to webhooks."
    )),
    HttpApiEndpoint.post("invoke", "/workflows/:id/invocations", {
      params: workflowParams,
      headers: Idempotency.headers,
      query: Projection.fields,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({
          event: Schema.optionalKey(Schema.Json.annotate({
            description: "What the run gets as steps.trigger.event: any JSON value. Default: null."
          })),
          ...Projection.fields
        }).annotate({ examples: [{ event: { order: 1001 } }] })
      ],
      success: Pagination.Single(RunStarted).pipe(HttpApiSchema.status(202)),
      error: runRefused
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Run a workflow",
      "The server answers once the event is durable. The run begins when its turn comes."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Workflows", description: "Programs of one or more steps that run on events." })
  )
{}
