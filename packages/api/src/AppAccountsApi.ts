import { Credentials } from "@headwater/domain/AppAccount"
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
import { Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

export const AppAccountResource = Schema.Struct({
  id: ResourceId("appAccount"),
  app: Schema.String.annotate({ description: "The app's name in component code." }),
  name: Schema.String.annotate({ description: "Empty if none was given." }),
  created_at: UnixSeconds
}).annotate({
  identifier: "AppAccount",
  examples: [{ id: "apn_0Uz7P0aRk3WnXc5TzQmB", app: "shop", name: "North", created_at: 1_760_000_000 }]
})
export type AppAccountResource = typeof AppAccountResource.Type

const params = PathId("The account's id.")

export class AppAccountsApi extends HttpApiGroup.make("appAccounts")
  .add(
    HttpApiEndpoint.post("create", "/accounts", {
      headers: Idempotency.headers,
      payload: Schema.Struct({
        app: Text.check(Schema.isMinLength(1)).annotate({
          description: "The app's name in component code, such as shop in {type: \"app\", app: \"shop\"}."
        }),
        name: Schema.optionalKey(Text.annotate({ description: "A name for the account. Default: empty." })),
        credentials: Credentials.annotate({
          description: "The object that the code gets as $auth. Encrypted at rest and never shown."
        }),
        ...Projection.fields
      }).annotate({ examples: [{ app: "shop", name: "North", credentials: { api_key: "k-7Yb2", shop: "north" } }] }),
      success: Pagination.Single(AppAccountResource)
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
      summary: "Add an account with an app",
      description: "Give its id to an app prop of a source as {authProvisionId: id}.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("list", "/accounts", {
      query: { ...Pagination.query("appAccount"), ...Projection.fields },
      success: Pagination.Page(AppAccountResource)
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List accounts with apps",
      description: "Newest first, without their credentials.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("get", "/accounts/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(AppAccountResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "Get an account with an app",
      description: "Without its credentials.",
      override: Extension.mark
    })),
    HttpApiEndpoint.put("update", "/accounts/:id", {
      params,
      payload: Schema.Struct({
        name: Schema.optionalKey(Text.annotate({ description: "A name for the account." })),
        credentials: Schema.optionalKey(Credentials.annotate({
          description:
            "Replaces all earlier credentials, for example with a renewed token. Encrypted at rest and never shown."
        })),
        ...Projection.fields
      }).annotate({ examples: [{ credentials: { api_key: "k-9Qd4", shop: "north" } }] }),
      success: Pagination.Single(AppAccountResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Update an account with an app",
      description: "Fields that are not given stay unchanged. Runs that begin afterwards use the new credentials.",
      override: Extension.mark
    })),
    HttpApiEndpoint.delete("delete", "/accounts/:id", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Remove an account with an app",
      description: "Sources that use it get an empty $auth from their next run on.",
      override: Extension.mark
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "App accounts",
    description: "Accounts with the apps that components connect to, and their credentials."
  }))
{}
