import { ProgramState } from "@headwater/domain/Program"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import * as InProject from "./InProject.ts"
import * as ListFilter from "./ListFilter.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck, TakesAnyParameters, TakesLargeBody } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import * as Shadow from "./Shadow.ts"
import { CodeText, ComponentUrl, Text } from "./Text.ts"
import { UnixMillis } from "./UnixMillis.ts"
import { UnixSeconds } from "./UnixSeconds.ts"
import * as Warnings from "./Warnings.ts"

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
  name_slug: Schema.String.annotate({ description: "Works wherever the source's id does." }),
  ...InProject.shown,
  ...Shadow.shown,
  emit_from_ms: Schema.optionalKey(UnixMillis.annotate({
    description: "From initial_state: events of before this time are not emitted. Missing if none was given.",
    ...Extension.mark
  }))
}).annotate({ identifier: "Source", examples: [exampleSource] })
export type SourceResource = typeof SourceResource.Type

/** A source in the answer to its creation. */
export const CreatedSource = Schema.Struct({ ...SourceResource.fields, user_id: ResourceId("account") }).annotate({
  identifier: "CreatedSource",
  examples: [{ ...exampleSource, user_id: "u_0Uz1W6zoEr8WsXj4LtGp" }]
})

const input = {
  component_id: Schema.optionalKey(Text.annotate({
    description: "The id of an existing component. Takes precedence over component_code and component_url."
  })),
  component_code: Schema.optionalKey(CodeText.annotate({ description: "Full component code." })),
  component_url: Schema.optionalKey(ComponentUrl.annotate({
    description: "An http or https URL of the code. The server fetches it, with its relative imports from " +
      "the same origin. As an extension, npm:<package>[@version]/<path> names a module of an npm package. Given together with " +
      "component_id or component_code, it is only metadata."
  })),
  key: Schema.optionalKey(Text.annotate({
    description:
      "The key of a component in the registry, instead of the three other component parameters. Selects its newest version.",
    ...Extension.mark
  })),
  name: Schema.optionalKey(Text.annotate({ description: "Default: the name slug of the component." })),
  configured_props: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description: "Values by the name of the prop. A timer is {intervalSeconds}, or {cron, timezone}."
    })
  ),
  ...InProject.given,
  ...Shadow.given,
  ...Projection.fields
}

export const mostEmittedIds = 50_000

/** The state of a source that was at work elsewhere before. */
export const InitialState = Schema.Struct({
  db: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description: "Values of $.service.db by their keys."
    })
  ),
  emitted_ids: Schema.optionalKey(
    Schema.Array(Schema.Union([Schema.String, Schema.Finite])).check(Schema.isMaxLength(mostEmittedIds)).annotate({
      description:
        "Ids that $emit gave to events, oldest first. The component's dedupe strategy takes them for emitted. Give ids beyond " +
        "2^53 as text."
    })
  ),
  polled_at_ms: Schema.optionalKey(UnixMillis.annotate({
    description: "When its timer was last due. The first tick is the next one after that: at once, if that has passed."
  })),
  emit_from_ms: Schema.optionalKey(UnixMillis.annotate({
    description:
      "Events whose ts is before this time are noted as seen and not emitted, and so are events without a ts of the hooks " +
      "and of the first run by a timer. A line in $logs counts them."
  }))
}).annotate({
  identifier: "InitialState",
  examples: [{ db: { since: 1_760_000_000 }, emitted_ids: ["a1", "a2"], polled_at_ms: 1_760_000_000_000 }]
})
export type InitialState = typeof InitialState.Type

const params = PathId("The source's id or its name slug.")

export class SourcesApi extends HttpApiGroup.make("sources")
  .add(
    HttpApiEndpoint.get("list", "/users/me/sources", {
      query: {
        ...ListFilter.query("source", "the name or the slug", ProgramState),
        ...InProject.filter,
        component_id: Schema.optionalKey(
          Text.annotate({ description: "Lists only what runs the component with this id.", ...Extension.mark })
        ),
        ...Projection.fields
      },
      success: Warnings.Page(SourceResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").middleware(Warnings.Warnings).annotateMerge(
      OpenApi.annotations({ summary: "List sources", description: "Newest first." })
    ),
    HttpApiEndpoint.post("create", "/sources", {
      headers: Idempotency.headers,
      payload: Schema.Struct({
        ...input,
        emit_on_deploy: Schema.optionalKey(
          Schema.Boolean.annotate({
            description: "Whether to keep the events that the deploy hook emits. Default: true.",
            ...Extension.mark
          })
        ),
        active: Schema.optionalKey(
          Schema.Boolean.annotate({
            description: "Default: true. With false its activate hook does not run, nor does its timer.",
            ...Extension.mark
          })
        ),
        initial_state: Schema.optionalKey(
          InitialState.annotate({
            description: "The state that it begins with, if it was at work elsewhere before.",
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
      success: Warnings.Single(CreatedSource),
      error: [Problem.NotFound, Problem.ComponentInvalid, Problem.HookFailed]
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "code").annotateMerge(Warnings.takesAnyFields)
      .middleware(Warnings.Warnings)
      .middleware(Idempotency.Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Create a source",
          description: "Runs the component's deploy and activate hooks. If one fails, the source is not created."
        })
      ),
    HttpApiEndpoint.get("get", "/sources/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(SourceResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotate(TakesAnyParameters, true).annotateMerge(OpenApi.annotations({
      summary: "Get a source",
      description: "By its id or its name slug.",
      override: Extension.mark
    })),
    HttpApiEndpoint.put("update", "/sources/:id", {
      params,
      payload: Schema.Struct({
        ...input,
        active: Schema.optionalKey(Schema.Boolean.annotate({
          description: "false deactivates the source, true activates it. Default: true."
        }))
      }).annotate({ examples: [{ name: "Orders", configured_props: { shop: "south" }, active: true }] }),
      success: Warnings.Single(SourceResource),
      error: [Problem.NotFound, Problem.ComponentInvalid, Problem.HookFailed]
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "code").annotateMerge(Warnings.takesAnyFields)
      .middleware(Warnings.Warnings).annotateMerge(OpenApi.annotations({
        summary: "Update a source",
        description:
          "Given props replace those of the same name; the others stay. Runs the deactivate hook, applies the change, " +
          "then runs the activate hook."
      })),
    HttpApiEndpoint.delete("delete", "/sources/:id", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(
      OpenApi.annotations({ summary: "Delete a source", description: "Runs its deactivate hook." })
    )
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Sources", description: "Components with configured props, running." }))
{}
