import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { ComponentUrl } from "./ComponentsApi.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { CodeText, Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

export const SourceResource = Schema.Struct({
  id: Schema.String.annotate({ description: "Begins with dc_." }),
  user_id: Schema.optionalKey(Schema.String.annotate({
    description: "Begins with u_. Only in the answer to the creation."
  })),
  component_id: Schema.String,
  configured_props: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "Values by prop. A timer is {cron, interval_seconds}, an HTTP interface {endpoint_url}."
  }),
  active: Schema.Boolean,
  created_at: UnixSeconds,
  updated_at: UnixSeconds,
  name: Schema.String,
  name_slug: Schema.String
}).annotate({ identifier: "Source" })
export type SourceResource = typeof SourceResource.Type

const input = {
  component_id: Schema.optionalKey(Text.annotate({
    description: "A component created before. Used where several of the three component parameters are given."
  })),
  component_code: Schema.optionalKey(CodeText.annotate({ description: "Full component code." })),
  component_url: Schema.optionalKey(ComponentUrl.annotate({ description: "Where the component is hosted." })),
  name: Schema.optionalKey(Text.annotate({ description: "Default: the name slug of the component." })),
  configured_props: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  ...Projection.fields
}

const params = PathId("The source's id or its name slug.")

export class SourcesApi extends HttpApiGroup.make("sources")
  .add(
    HttpApiEndpoint.get("list", "/users/me/sources", {
      query: { ...Pagination.query("source"), ...Projection.fields },
      success: Pagination.Page(SourceResource)
    }).annotateMerge(OpenApi.annotations({ summary: "List sources", description: "Newest first." })),
    HttpApiEndpoint.post("create", "/sources", {
      payload: Schema.Struct(input),
      success: Pagination.Single(SourceResource),
      error: [Problem.NotFound, Problem.ComponentInvalid, Problem.HookFailed]
    }).annotateMerge(OpenApi.annotations({
      summary: "Create a source",
      description: "Runs the component's deploy and activate hooks. Where one fails, nothing is left behind."
    })),
    HttpApiEndpoint.get("get", "/sources/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(SourceResource),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Get a source", description: "Extension." })),
    HttpApiEndpoint.put("update", "/sources/:id", {
      params,
      payload: Schema.Struct({
        ...input,
        active: Schema.optionalKey(Schema.Boolean.annotate({
          description: "Default true: false takes the source out of service, true puts it back."
        }))
      }),
      success: Pagination.Single(SourceResource),
      error: [Problem.NotFound, Problem.ComponentInvalid, Problem.HookFailed]
    }).annotateMerge(OpenApi.annotations({
      summary: "Update a source",
      description:
        "Props given replace by name and the others stay. Runs deactivate, applies the change, then activate."
    })),
    HttpApiEndpoint.delete("delete", "/sources/:id", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Delete a source", description: "Runs its deactivate hook." }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Sources", description: "Components with configured props, running." }))
{}
