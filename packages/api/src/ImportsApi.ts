import { longestName, mostBytes } from "@headwater/domain/ImportReport"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck, TakesLargeBody } from "./RequestCheck.ts"
import { Text, textUpTo } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

const Place = textUpTo(4_000)

const Count = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

const Message = textUpTo(10_000)

const ImportFinding = Schema.Struct({
  kind: Schema.Literals(["failed", "missing", "different"]).annotate({
    description: "failed: it could not be brought. missing: it is yet to be given. different: it works otherwise here."
  }),
  file: Place.annotate({ description: "The file in the project that was imported." }),
  line: Count.annotate({ description: "From 1." }),
  message: Message
}).annotate({ identifier: "ImportFinding" })

const ImportNeed = Schema.Struct({
  kind: Text.annotate({ description: "Such as account, timer, secret, data_store, value, variable or subscription." }),
  name: Text.annotate({ description: "By which `headwater import finish` is given it." }),
  message: Message,
  is_required: Schema.Boolean.annotate({ description: "Whether the workflow can't be switched on before." })
}).annotate({ identifier: "ImportNeed" })

const ImportEndpoint = Schema.Struct({
  trigger: Text.annotate({ description: "The id of the trigger there." }),
  old_url: Schema.NullOr(Place).annotate({ description: "Its URL there; null if nobody has said it." }),
  url: Schema.NullOr(Place).annotate({ description: "The URL of the workflow here; null if it has none." })
}).annotate({ identifier: "ImportEndpoint" })

const ImportedWorkflow = Schema.Struct({
  moved_from: Text.annotate({ description: "Its id there." }),
  name: Text,
  from: Place.annotate({ description: "Its folder in the project." }),
  ref: Schema.NullOr(Place).annotate({ description: "Its place in the set-up; null if nothing could be made of it." }),
  workflow_id: Schema.NullOr(Text).annotate({ description: "The workflow here; null if it is not deployed." }),
  came: Schema.Struct({ triggers: Count, steps: Count, props: Count, files: Count }).annotate({
    description: "The number of what came over."
  }),
  findings: Schema.Array(ImportFinding),
  needs: Schema.Array(ImportNeed).annotate({ description: "Of `headwater import status`." }),
  endpoints: Schema.Array(ImportEndpoint)
}).annotate({ identifier: "ImportedWorkflow" })
export type ImportedWorkflow = typeof ImportedWorkflow.Type

export const ImportReport = Schema.Struct({
  workflows: Schema.Array(ImportedWorkflow),
  findings: Schema.Array(ImportFinding).annotate({ description: "About what belongs to no workflow." })
}).annotate({ identifier: "ImportReport" })
export type ImportReport = typeof ImportReport.Type

const summary = { name: Schema.String, created_at: UnixSeconds, updated_at: UnixSeconds }

const example = { name: "moved", created_at: 1_760_000_000, updated_at: 1_760_000_000 }

const exampleReport = {
  workflows: [{
    moved_from: "p_A1b2C3",
    name: "Orders",
    from: "orders-p_A1b2C3",
    ref: "workflows/orders",
    workflow_id: "p_0Uz7P0aRk3WnXc5TzQmB",
    came: { triggers: 1, steps: 2, props: 1, files: 2 },
    findings: [{
      kind: "missing" as const,
      file: "orders-p_A1b2C3/workflow.yaml",
      line: 18,
      message: "greet.chat: is the account apn_A1 there: connect one here"
    }],
    needs: [{ kind: "account", name: "greet.chat", message: "an account with slack", is_required: true }],
    endpoints: [{
      trigger: "hi_A1",
      old_url: "https://old.example/orders",
      url: "https://events.example.com/http/9jM6lgPyV3utddjDpCvUDLHT"
    }]
  }],
  findings: []
}

export const ImportSummary = Schema.Struct(summary).annotate({ identifier: "ImportSummary", examples: [example] })
export type ImportSummary = typeof ImportSummary.Type

export const ImportResource = Schema.Struct({ ...summary, report: ImportReport }).annotate({
  identifier: "Import",
  examples: [{ ...example, report: exampleReport }]
})
export type ImportResource = typeof ImportResource.Type

const params = Schema.Struct({ name: Text.annotate({ description: "The import's name." }) })

export class ImportsApi extends HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.get("list", "/imports", {
      query: Projection.fields,
      success: Schema.Struct({ data: Schema.Array(ImportSummary) })
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("List imports", "By their names, without their reports.")
    ),
    HttpApiEndpoint.get("get", "/imports/:name", {
      params,
      query: Projection.fields,
      success: Pagination.Single(ImportResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("Get an import", "With its report, as it was last given.")
    ),
    HttpApiEndpoint.put("set", "/imports/:name", {
      params,
      payload: Schema.Struct({ report: ImportReport, ...Projection.fields }).annotate({
        examples: [{ report: exampleReport }]
      }),
      success: Pagination.Single(ImportResource),
      // A name that is no text, such as one with a NUL, leads nowhere.
      error: [Problem.NotFound, Problem.PayloadTooLarge]
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "values").annotateMerge(Extension.operation(
      "Set the report of an import",
      "As `headwater import` does, for the console to show. A name has at most " +
        `${longestName} characters. The reports of an account take at most ${mostBytes / 1024 / 1024} MiB together.`
    )),
    HttpApiEndpoint.delete("delete", "/imports/:name", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(
      Extension.operation("Remove the report of an import", "The workflows that were imported stay.")
    )
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Imports",
    description: "Reports of what was moved in from elsewhere."
  }))
{}
