import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, consoleHeader } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { KeyResource } from "./KeysApi.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

export const SessionResource = Schema.Struct({
  id: ResourceId("session"),
  account: Schema.Struct({ id: ResourceId("account"), username: Schema.String, email: Schema.String }),
  key: Schema.Struct({
    id: KeyResource.fields.id,
    name: KeyResource.fields.name,
    scope: KeyResource.fields.scope
  }).annotate({ description: "The key that the session began with. The session may do what this key may do." }),
  is_read_only: Schema.Boolean.annotate({
    description:
      "True on a server that runs without work (HEADWATER_WORK=off), which reads alone, whatever the key may do."
  }),
  created_at: UnixSeconds,
  expires_at: UnixSeconds.annotate({ description: "When the session ends at the latest. Unix time in seconds." }),
  idle_expires_at: UnixSeconds.annotate({
    description: "When the session ends if no further request comes. Unix time in seconds."
  })
}).annotate({
  identifier: "Session",
  examples: [{
    id: "ses_0Uz7RcB3Lk6RwSe2MxDa",
    account: { id: "u_0Uz1W6zoEr8WsXj4LtGp", username: "ann", email: "ann@example.com" },
    key: { id: "key_0Uz1W6zoKv4NcFg6SyMe", name: "deploy", scope: "write" as const },
    is_read_only: false,
    created_at: 1_760_000_000,
    expires_at: 1_760_043_200,
    idle_expires_at: 1_760_003_600
  }]
})
export type SessionResource = typeof SessionResource.Type

export class SessionApi extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("get", "/session", {
      query: Projection.fields,
      success: Pagination.Single(SessionResource)
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get the session",
      "The session of this request. A request without one is a 401, even if it has an API key."
    )),
    HttpApiEndpoint.delete("delete", "/session", {
      query: Projection.fields,
      success: HttpApiSchema.NoContent
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation("Sign out", "Ends the session of this request."))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .add(
    // In nobody's name: it has no key yet, and nothing to repeat an answer under.
    HttpApiEndpoint.post("create", "/session", {
      payload: Schema.Struct({
        api_key: Text.annotate({ description: "A live API key of the account." }),
        ...Projection.fields
      }).annotate({
        examples: [{ api_key: "hw_c7LkQ9vNxT2mWd5RzYb8HsJf4GpVnXe3KqAtUw6M" }]
      }),
      success: Pagination.Single(SessionResource).pipe(HttpApiSchema.status(201)),
      error: [
        Problem.UnauthorizedResponse,
        Problem.AccountSuspended,
        Problem.CrossSiteRequest,
        Problem.RateLimitedResponse
      ]
    }).middleware(RequestCheck).middleware(Projection.Projection).annotate(NeededScope, "read").annotateMerge(
      Extension.operation(
        "Sign in",
        "Exchanges an API key for a session, whose cookie the answer sets. In place of a key, every request under /v1 takes " +
          `the cookie; one that is not GET or HEAD also has to have the header \`${consoleHeader}: 1\`.`
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Session", description: "Signing in to the console with an API key." }))
{}
