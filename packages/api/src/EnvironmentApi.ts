import { mostBytes, mostValueBytes, namePattern } from "@headwater/domain/EnvironmentVariable"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

export const VariableResource = Schema.Struct({
  name: Schema.String,
  value: Schema.NullOr(Schema.String).annotate({ description: "Null for a secret." }),
  secret: Schema.Boolean.annotate({ description: "Its value is never shown." }),
  program_id: Schema.NullOr(Schema.String).annotate({
    description: "The source or workflow that it is for; null if it is for more than one."
  }),
  project_id: Schema.NullOr(Schema.String).annotate({
    description: "The project that it is for; null if it is for one program, or for all of the account."
  }),
  updated_at: UnixSeconds
}).annotate({
  identifier: "EnvironmentVariable",
  examples: [{
    name: "SHOP_URL",
    value: "https://shop.example",
    secret: false,
    program_id: null,
    project_id: null,
    updated_at: 1_760_000_000
  }]
})
export type VariableResource = typeof VariableResource.Type

/** At most one of them. */
const owner = {
  program_id: Schema.optionalKey(Text.annotate({
    description: "Id or slug of the source or workflow that it is for. Default: all of the account."
  })),
  project_id: Schema.optionalKey(Text.annotate({
    description: "Id, name or slug of the project that it is for, in place of program_id."
  }))
}

const params = Schema.Struct({
  name: Text.annotate({ description: "The variable's name: letters, digits and _, no digit first." })
})

/** A path that does not decode leads nowhere (404). Here the answer names the fault, so only the document has the pattern. */
const newName = Text.pipe(Schema.check(
  Schema.makeFilter(() => true, { toJsonSchema: () => ({ pattern: namePattern.source }) })
))

const query = { ...owner, ...Projection.fields }

export class EnvironmentApi extends HttpApiGroup.make("environment")
  .add(
    HttpApiEndpoint.get("list", "/environment_variables", {
      query,
      success: Schema.Struct({ data: Schema.Array(VariableResource) }),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "List environment variables",
      "By their names: those of the account, of one project, or of one source or workflow alone."
    )),
    HttpApiEndpoint.get("get", "/environment_variables/:name", {
      params,
      query,
      success: Pagination.Single(VariableResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("Get an environment variable", "Without the value of a secret.")
    ),
    HttpApiEndpoint.put("set", "/environment_variables/:name", {
      params: Schema.Struct({
        name: newName.annotate({ description: "The variable's name: letters, digits and _, no digit first." })
      }),
      payload: Schema.Struct({
        value: Schema.String.annotate({ description: `Text of at most ${mostValueBytes / 1024} KiB.` }),
        secret: Schema.optionalKey(Schema.Boolean.annotate({
          description: "Whether its value is never shown again. Default: as it was, false for a new one."
        })),
        ...owner,
        ...Projection.fields
      }).annotate({ examples: [{ value: "https://shop.example" }] }),
      success: Pagination.Single(VariableResource),
      error: [Problem.NotFound, Problem.PayloadTooLarge]
    }).annotate(NeededScope, "write").annotateMerge(Extension.operation(
      "Set an environment variable",
      "Code finds it in process.env, in runs that begin 2 seconds later at the latest. The names and values of an account, " +
        `those of a project, and those of a source or workflow, take at most ${
          mostBytes / 1024
        } KiB together. Encrypted at rest.`
    )),
    HttpApiEndpoint.delete("delete", "/environment_variables/:name", {
      params,
      query,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(Extension.operation(
      "Remove an environment variable",
      "Runs that begin 2 seconds later at the latest don't have it."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Environment variables",
    description: "Values that code finds in process.env."
  }))
{}
