import { WorkflowsApi } from "@headwater/api/WorkflowsApi"
import * as Columns from "../resource/Columns.ts"
import * as Kind from "../resource/Kind.ts"
import type { Resource } from "../resource/Resource.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"

const workflows: Resource = {
  kind: Kind.workflow,
  api: WorkflowsApi,
  columns: [
    Columns.name,
    Columns.slug,
    Columns.id,
    Columns.active,
    { head: "STEPS", of: ({ steps }) => (steps as ReadonlyArray<{ name: string }>).map(({ name }) => name).join(", ") },
    Columns.created
  ],
  first: "headwater deploy workflow.ts --workflow",
  creation: ["name"],
  deletion: "with its runs, events and subscriptions"
}

export const workflowsCommand = ResourceCommand.make("workflows", workflows, [])
