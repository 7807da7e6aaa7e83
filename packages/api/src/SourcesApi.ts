import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { ComponentUrl } from "./ComponentsApi.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { CodeText, Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

const exampleSource = {
  id: "dc_0Uz7Me6SAe7TzXw9LrNf",
  component_id: "sc_0Uz7MdaCCd5QvTf7KzHb",
  configured_props: {
    http: { endpoint_url: "https://events.example.com/http/q8ZrT2mVxK5wLc9YbN3dHs7F" },
    timer: { cron: null, interval_seconds: 60 },
    shop: "north"
  },
  active: true,
  created_at: 1760000002,
  updated_at: 1760000002,
  name: "Orders",
  name_slug: "orders"
}

export const SourceResource = Schema.Struct({
  id: ResourceId("source"),
  component_id: ResourceId("component"),
  configured_props: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "Values by prop. A timer is {cron, interval_seconds}, an HTTP interface {endpoint_url}."
  }),
  active: Schema.Boolean,
  created_at: UnixSeconds,
  updated_at: UnixSeconds,
  name: Schema.String,
  name_slug: Schema.String.annotate({ description: "Names the source wherever its id does." })
}).annotate({ identifier: "Source", examples: [exampleSource] })
export type SourceResource = typeof SourceResource.Type

/** A source in the answer to its creation. */
export const CreatedSource = Schema.Struct({ ...SourceResource.fields, user_id: ResourceId("account") }).annotate({
  identifier: "CreatedSource",
  examples: [{ ...exampleSource, user_id: "u_0Uz1W6zoEr8WsXj4LtGp" }]
})

const input = {
  component_id: Schema.optionalKey(Text.annotate({
    description: "A component created before. Used where several of the three component parameters are given."
  })),
  component_code: Schema.optionalKey(CodeText.annotate({ description: "Full component code." })),
  component_url: Schema.optionalKey(ComponentUrl.annotate({
    description:
      "Where the component is hosted, an http or https URL. It is fetched, with the relative imports within " +
      "its origin. As an extension, npm:<package>[@version]/<path> takes it from an npm package. Beside " +
      "component_id or component_code it is only metadata."
  })),
  key: Schema.optionalKey(Text.annotate({
    description:
      "The key of a component of the registry, in place of the three component parameters: its newest version.",
    ...Extension.mark
  })),
  name: Schema.optionalKey(Text.annotate({ description: "Default: the name slug of the component." })),
  configured_props: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description: "Values by the name of the prop. A timer is {intervalSeconds}, or {cron, timezone}."
    })
  ),
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
      headers: Idempotency.headers,
      payload: Schema.Struct({
        ...input,
        emit_on_deploy: Schema.optionalKey(
          Schema.Boolean.annotate({
            description: "Whether what the deploy hook emits counts. Default: true.",
            ...Extension.mark
          })
        )
      }).annotate({
        examples: [{
          component_id: "sc_0Uz7MdaCCd5QvTf7KzHb",
          name: "Orders",
          configured_props: { timer: { intervalSeconds: 60 }, shop: "north" }
        }]
      }),
      success: Pagination.Single(CreatedSource),
      error: [Problem.NotFound, Problem.ComponentInvalid, Problem.HookFailed]
    }).middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
      summary: "Create a source",
      description: "Runs the component's deploy and activate hooks. Where one fails, nothing is left behind."
    })),
    HttpApiEndpoint.get("get", "/sources/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(SourceResource),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "Get a source",
      description: "By its id or its name slug.",
      override: Extension.mark
    })),
    HttpApiEndpoint.put("update", "/sources/:id", {
      params,
      payload: Schema.Struct({
        ...input,
        active: Schema.optionalKey(Schema.Boolean.annotate({
          description: "Default true: false takes the source out of service, true puts it back."
        }))
      }).annotate({ examples: [{ name: "Orders", configured_props: { shop: "south" }, active: true }] }),
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
