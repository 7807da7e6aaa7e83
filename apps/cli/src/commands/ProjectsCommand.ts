import { ProjectsApi } from "@headwater/api/ProjectsApi"
import * as Columns from "../resource/Columns.ts"
import * as Kind from "../resource/Kind.ts"
import type { Resource } from "../resource/Resource.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"

const projects: Resource = {
  kind: Kind.project,
  api: ProjectsApi,
  columns: [Columns.name, Columns.slug, Columns.id, Columns.created],
  first: "headwater projects create NAME",
  creation: ["name"],
  next: ({ name_slug }) => `Deploy to it: headwater deploy orders.ts --project ${String(name_slug)}`,
  deletion: "and its environment variables"
}

export const projectsCommand = ResourceCommand.make("projects", projects, [])
