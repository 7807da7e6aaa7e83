import { ConfigurableProp } from "@headwater/domain/Component"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { ChangesNothing } from "./ChangesNothing.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { JsonValue } from "./JsonValue.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck, TakesLargeBody } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { CodeText, ComponentUrl, Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"
import * as Warnings from "./Warnings.ts"

const exampleCode = `export default {
  name: "Orders",
  key: "orders",
  version: "0.1.0",
  props: {
    http: "$.interface.http",
    timer: "$.interface.timer",
    shop: { type: "string", label: "Shop", description: "Whose orders to emit.", default: "north" }
  },
  async run(event) {
    this.$emit({ shop: this.shop, order: event.body?.order })
  }
}
`

/** A saved version of component code. */
export const ComponentResource = Schema.Struct({
  id: ResourceId("component"),
  code: Schema.String.annotate({ description: "The full component code." }),
  code_hash: Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/u))).annotate({
    description: "SHA-256 of the code, hexadecimal."
  }),
  key: Schema.NullOr(Schema.String).annotate({
    description: "The `key` in the component's code; null if it has none.",
    ...Extension.mark
  }),
  name: Schema.String,
  version: Schema.String,
  description: Schema.NullOr(Schema.String).annotate({
    description: "The `description` in the component's code; null if it has none.",
    ...Extension.mark
  }),
  configurable_props: Schema.Array(ConfigurableProp).annotate({
    description: "The props in the order of the code. A timer's default is {intervalSeconds}."
  }),
  created_at: UnixSeconds,
  updated_at: UnixSeconds
}).annotate({
  identifier: "Component",
  examples: [{
    id: "sc_0Uz7MdaCCd5QvTf7KzHb",
    code: exampleCode,
    code_hash: "9b6c4d167885f87b334ace61ba1fd2a317a057117233c80daa71422ea7095451",
    key: "orders",
    name: "Orders",
    version: "0.1.0",
    description: null,
    configurable_props: [
      { name: "http", type: "$.interface.http" },
      { name: "timer", type: "$.interface.timer" },
      { name: "shop", type: "string", label: "Shop", description: "Whose orders to emit.", default: "north" }
    ],
    created_at: 1760000000,
    updated_at: 1760000000
  }]
})
export type ComponentResource = typeof ComponentResource.Type

/** A component in a list: without its code and props, each of which can be large. */
export const ListedComponent = Schema.Struct({
  id: ComponentResource.fields.id,
  key: Schema.NullOr(Schema.String).annotate({ description: "The key in its code; null if it has none." }),
  name: ComponentResource.fields.name,
  version: ComponentResource.fields.version,
  description: Schema.NullOr(Schema.String).annotate({
    description: "The first 500 characters of the description in its code; null if it has none."
  }),
  code_hash: ComponentResource.fields.code_hash,
  created_at: UnixSeconds,
  updated_at: UnixSeconds
}).annotate({
  identifier: "ListedComponent",
  examples: [{
    id: "sc_0Uz7MdaCCd5QvTf7KzHb",
    key: "orders",
    name: "Orders",
    version: "0.1.0",
    description: "Emits the orders of a shop.",
    code_hash: "9b6c4d167885f87b334ace61ba1fd2a317a057117233c80daa71422ea7095451",
    created_at: 1760000000,
    updated_at: 1760000000
  }]
})
export type ListedComponent = typeof ListedComponent.Type

/** The answers of a component's code about its props while they are being configured. */
export const ComponentConfigurationResource = Schema.Struct({
  options: Schema.optionalKey(
    Schema.Array(JsonValue("A value, or a label with one: {label, value}."))
  ),
  context: Schema.optionalKey(Schema.Json.annotate({ description: "Send it as prev_context to get the next page." })),
  configurable_props: Schema.optionalKey(Schema.Array(ConfigurableProp))
}).annotate({
  identifier: "ComponentConfiguration",
  examples: [{ options: [{ label: "North", value: 1 }], context: { after: 1 } }]
})
export type ComponentConfigurationResource = typeof ComponentConfigurationResource.Type

export class ComponentsApi extends HttpApiGroup.make("components")
  .add(
    HttpApiEndpoint.post("create", "/components", {
      headers: Idempotency.headers,
      payload: Schema.Struct({
        component_code: Schema.optionalKey(CodeText.annotate({ description: "Full component code." })),
        component_url: Schema.optionalKey(ComponentUrl.annotate({
          description: "An http or https URL of the code. The server fetches it, with its relative imports from " +
            "the same origin. As an extension, npm:<package>[@version]/<path> names a module of an npm package. Given together with " +
            "component_code, it is only metadata."
        })),
        ...Projection.fields
      }).annotate({ examples: [{ component_code: exampleCode }] }),
      success: Warnings.Single(ComponentResource),
      error: Problem.ComponentInvalid
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "code").annotateMerge(Warnings.takesAnyFields)
      .middleware(Warnings.Warnings)
      .middleware(Idempotency.Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Create a component",
          description: "Saves component code after loading it once to read its props. One of component_code and " +
            "component_url is required."
        })
      ),
    HttpApiEndpoint.post("configure", "/components/:key/configure", {
      params: { key: Text.annotate({ description: "The component's id, or the key in its code." }) },
      headers: Idempotency.headers,
      payload: Schema.Struct({
        prop_name: Schema.optionalKey(Text.annotate({ description: "The prop to list the values of." })),
        configured_props: Schema.optionalKey(
          Schema.Record(Schema.String, Schema.Json).annotate({
            description: "The values so far, in the form that a source takes. Some may be missing."
          })
        ),
        page: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })).annotate({
            description: "Which page of the values, counted from 0."
          })
        ),
        prev_context: Schema.optionalKey(Schema.Json.annotate({ description: "The `context` of the previous page." })),
        query: Schema.optionalKey(
          Text.annotate({ description: "What the user has typed, for a prop with `useQuery`." })
        ),
        ...Projection.fields
      }).annotate({ examples: [{ prop_name: "project", configured_props: {}, page: 0 }] }),
      success: Pagination.Single(ComponentConfigurationResource),
      error: [Problem.NotFound, Problem.HookFailed]
    }).annotate(NeededScope, "run").annotate(ChangesNothing, true).annotate(TakesLargeBody, "code").middleware(
      Idempotency.Idempotency
    ).annotateMerge(
      OpenApi.annotations({
        summary: "Configure a component's props",
        description:
          "Asks the component's code: with prop_name for the possible values of that prop, otherwise for all props, " +
          "including those that the code adds for the given values. Saves nothing.",
        override: Extension.mark
      })
    ),
    HttpApiEndpoint.get("list", "/users/me/components", {
      query: { ...Pagination.query("component"), ...Projection.fields },
      success: Pagination.Page(ListedComponent)
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List components",
      description: "Every version that the account has saved, newest first, without code and props.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("listPublished", "/registry/components", {
      query: { ...Pagination.query("component"), ...Projection.fields },
      success: Pagination.Page(ListedComponent)
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List the components of the registry",
      description: "The newest version of each key, newest first, without code and props.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("getPublished", "/components/registry/:key", {
      params: { key: Text.annotate({ description: "The key in the component's code." }) },
      query: Projection.fields,
      success: Pagination.Single(ComponentResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "Get a component of the registry",
      description: "The newest version of a globally published component. Every account can create sources from it."
    })),
    HttpApiEndpoint.get("get", "/components/:key", {
      params: { key: Text.annotate({ description: "The component's id, or the key in its code." }) },
      query: Projection.fields,
      success: Pagination.Single(ComponentResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "Get a component",
      description: "By id, or the newest version by key."
    })),
    HttpApiEndpoint.delete("delete", "/components/:key", {
      params: { key: Text.annotate({ description: "The component's id." }) },
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: [Problem.NotFound, Problem.ComponentInUse]
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Delete a component",
      description: "Deletes one version, by its id. Fails if sources use the component: the problem names them.",
      override: Extension.mark
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Components", description: "The code of event sources." }))
{}
