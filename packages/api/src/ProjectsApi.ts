import { longestName, mostProjects } from "@headwater/domain/Project"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { textUpTo } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

export const ProjectResource = Schema.Struct({
  id: ResourceId("project"),
  name: Schema.String,
  name_slug: Schema.String.annotate({ description: "Works wherever the project's id does." }),
  created_at: UnixSeconds,
  updated_at: UnixSeconds
}).annotate({
  identifier: "Project",
  examples: [{
    id: "proj_0Uz7P0aRk3WnXc5TzQmB",
    name: "Shop",
    name_slug: "shop",
    created_at: 1_760_000_000,
    updated_at: 1_760_000_000
  }]
})
export type ProjectResource = typeof ProjectResource.Type

const params = PathId("The project's id, name or slug.")

const payload = Schema.Struct({
  name: textUpTo(longestName).check(Schema.isMinLength(1)).annotate({
    description: `Its name, unique in the account, of 1 to ${longestName} characters.`
  }),
  ...Projection.fields
}).annotate({ examples: [{ name: "Shop" }] })

export class ProjectsApi extends HttpApiGroup.make("projects")
  .add(
    HttpApiEndpoint.post("create", "/projects", {
      headers: Idempotency.headers,
      payload,
      success: Pagination.Single(ProjectResource),
      error: [Problem.NameTaken, Problem.ProjectsFull]
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Create a project",
      `Sources and workflows that belong to it share environment variables. An account has at most ${mostProjects}.`
    )),
    HttpApiEndpoint.get("list", "/projects", {
      query: { ...Pagination.query("project"), ...Projection.fields },
      success: Pagination.Page(ProjectResource)
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation("List projects", "Newest first.")),
    HttpApiEndpoint.get("get", "/projects/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(ProjectResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation("Get a project", "By its id, name or slug.")),
    HttpApiEndpoint.put("update", "/projects/:id", {
      params,
      payload,
      success: Pagination.Single(ProjectResource),
      error: [Problem.NotFound, Problem.NameTaken]
    }).annotate(NeededScope, "write").annotateMerge(
      Extension.operation("Rename a project", "Its slug becomes that of the new name. What belongs to it stays in it.")
    ),
    HttpApiEndpoint.delete("delete", "/projects/:id", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: [Problem.NotFound, Problem.ProjectInUse]
    }).annotate(NeededScope, "write").annotateMerge(Extension.operation(
      "Delete a project",
      "With its environment variables. Only if no source or workflow belongs to it."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Projects",
    description: "Sources and workflows that share environment variables."
  }))
{}
