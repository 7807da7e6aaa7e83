import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"

/** One thing that was looked at, how it stands, and what to do about it. */
export const Finding = Schema.Struct({
  name: Schema.Literals(["database", "clock", "egress", "disk", "sandbox"]),
  state: Schema.Literals(["ok", "warning", "failed"]).annotate({
    description: "failed: the server cannot do its work. warning: something may fail soon, or for some."
  }),
  message: Schema.String.annotate({ description: "What was found, as a sentence." }),
  todo: Schema.NullOr(Schema.String).annotate({ description: "What to do about it; null if it is ok." })
}).annotate({ identifier: "Finding" })
export type Finding = typeof Finding.Type

const Diagnosis = Schema.Struct({
  now_ms: Schema.Int.annotate({ description: "When the checks ended. Unix time in milliseconds." }),
  versions: Schema.Struct({
    server: Schema.String,
    node: Schema.String,
    deno: Schema.NullOr(Schema.String).annotate({ description: "null if it is not the packaged one." }),
    postgres: Schema.NullOr(Schema.String).annotate({ description: "null if the database does not answer." })
  }),
  findings: Schema.Array(Finding)
}).annotate({
  identifier: "Diagnosis",
  examples: [{
    now_ms: 1760000120000,
    versions: { server: "0.1.0", node: "24.21.0", deno: "2.9.3", postgres: "18.1" },
    findings: [{
      name: "disk" as const,
      state: "warning" as const,
      message: "1.2 GiB (4%) are free where the data directory is.",
      todo: "Free some space, or lower HEADWATER_RETENTION_DAYS."
    }]
  }]
})

/** Says whether the server and everything that it depends on are well. */
export class DiagnosisApi extends HttpApiGroup.make("diagnosis")
  .add(
    HttpApiEndpoint.get("get", "/diagnosis", {
      query: Projection.fields,
      success: Pagination.Single(Diagnosis)
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Examine the server",
      "Whether the process that answers reaches its database and the internet, has space, runs code, and agrees with the " +
        "database about the time; and what to do if not. It looks at most every 10 seconds."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Diagnosis", description: "Whether the server is well." }))
{}
