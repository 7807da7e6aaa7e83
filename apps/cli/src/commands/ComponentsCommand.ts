import { ComponentsApi } from "@headwater/api/ComponentsApi"
import * as Columns from "../resource/Columns.ts"
import * as Kind from "../resource/Kind.ts"
import type { Resource } from "../resource/Resource.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"

const components: Resource = {
  kind: Kind.component,
  api: ComponentsApi,
  columns: [
    Columns.field("KEY", "key"),
    Columns.name,
    Columns.field("VERSION", "version"),
    Columns.id,
    Columns.created
  ],
  first: "headwater components create --component-code @orders.mjs",
  creation: []
}

/** Saved component code, each version by itself. */
export const componentsCommand = ResourceCommand.make("components", components, [])
