import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"

const milliseconds = "Unix time in milliseconds."

export const NodeResource = Schema.Struct({
  id: Schema.String.annotate({ description: "Of this run of the process alone." }),
  worker: Schema.NullOr(Schema.Int).annotate({
    description: "Its number among the workers of its machine; null if it is one process."
  }),
  version: Schema.String,
  started_at_ms: Schema.Int.annotate({ description: milliseconds }),
  seen_at_ms: Schema.Int.annotate({ description: `When it last said that it is there. ${milliseconds}` }),
  holds: Schema.Struct({
    sources_and_workflows: Schema.Int,
    webhooks: Schema.Int,
    consumers: Schema.Int,
    accounts: Schema.Int
  }).annotate({ description: "How many of all accounts together it has in memory." })
}).annotate({
  identifier: "Node",
  examples: [{
    id: "7Hq2LmX0aB4c",
    worker: null,
    version: "0.1.0",
    started_at_ms: 1760000000000,
    seen_at_ms: 1760000120000,
    holds: { sources_and_workflows: 12, webhooks: 4, consumers: 0, accounts: 1 }
  }]
})

export type NodeResource = typeof NodeResource.Type

/** The server's own processes. */
export class NodesApi extends HttpApiGroup.make("nodes")
  .add(
    HttpApiEndpoint.get("list", "/nodes", {
      query: Projection.fields,
      success: Schema.Struct({ data: Schema.Array(NodeResource) })
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "List nodes",
      "The processes that share the database, oldest first: those that said within 30 seconds that they are there. Each says so " +
        "every 10 seconds."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Nodes", description: "The server's own processes." }))
{}
