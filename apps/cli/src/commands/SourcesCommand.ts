import { SourcesApi } from "@headwater/api/SourcesApi"
import * as Columns from "../resource/Columns.ts"
import * as Kind from "../resource/Kind.ts"
import type { Resource } from "../resource/Resource.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"

const sources: Resource = {
  kind: Kind.source,
  api: SourcesApi,
  columns: [Columns.name, Columns.slug, Columns.id, Columns.active, Columns.created],
  first: "headwater deploy orders.ts",
  creation: ["name"],
  leftOut: ["initial_state", "emit_on_deploy"],
  deletion: "with its events and subscriptions"
}

export const sourcesCommand = ResourceCommand.make("sources", sources, [])
