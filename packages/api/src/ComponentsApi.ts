import { ConfigurableProp } from "@headwater/domain/Component"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { Single } from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { CodeText, Text, textUpTo } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

/** A saved version of component code. */
export const ComponentResource = Schema.Struct({
  id: Schema.String.annotate({ description: "Begins with sc_." }),
  code: Schema.String,
  code_hash: Schema.String.annotate({ description: "SHA-256 of the code, hexadecimal." }),
  name: Schema.String,
  version: Schema.String,
  configurable_props: Schema.Array(ConfigurableProp),
  created_at: UnixSeconds,
  updated_at: UnixSeconds
}).annotate({ identifier: "Component" })
export type ComponentResource = typeof ComponentResource.Type

/** Where component code is hosted, kept as written. */
export const ComponentUrl = textUpTo(2_048)

/** Largest component code, in bytes of UTF-8 (decisions.md, error table). */
export const maxCodeBytes = 1024 * 1024

export class ComponentsApi extends HttpApiGroup.make("components")
  .add(
    HttpApiEndpoint.post("create", "/components", {
      payload: Schema.Struct({
        component_code: Schema.optionalKey(CodeText.annotate({ description: "Full component code." })),
        component_url: Schema.optionalKey(ComponentUrl.annotate({
          description: "Where the code is hosted. Beside component_code it is only kept as metadata."
        })),
        ...Projection.fields
      }),
      success: Single(ComponentResource),
      error: Problem.ComponentInvalid
    }).annotateMerge(OpenApi.annotations({
      summary: "Create a component",
      description: "Saves component code after loading it once to read its props. One of component_code and " +
        "component_url is required."
    })),
    HttpApiEndpoint.get("get", "/components/:key", {
      params: { key: Text.annotate({ description: "The component's id, or the key in its code." }) },
      query: Projection.fields,
      success: Single(ComponentResource),
      error: Problem.NotFound
    }).annotateMerge(OpenApi.annotations({
      summary: "Get a component",
      description: "By id, or the newest version by key."
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Components", description: "The code of event sources." }))
{}
