import { Credentials } from "@headwater/domain/AppAccount"
import * as OAuth from "@headwater/domain/OAuth"
import * as OAuthProviders from "@headwater/domain/OAuthProviders"
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
import { RequestCheck, TakesAnyParameters } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text, textUpTo } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

const Provider = Schema.Literals(OAuthProviders.names).annotate({
  identifier: "OAuthProvider",
  description: "A provider whose endpoints the server knows. For any other provider, give its URLs."
})

/** The client of an account over OAuth 2, and the state of its token. */
export const OAuthResource = Schema.Struct({
  provider: Schema.NullOr(Schema.String).annotate({ description: "Null if the account is told by its URLs alone." }),
  client_id: Schema.String,
  scopes: Schema.Array(Schema.String),
  authorization_url: Schema.NullOr(Schema.String).annotate({ description: "Null for the provider's." }),
  token_url: Schema.NullOr(Schema.String).annotate({ description: "Null for the provider's." }),
  device_url: Schema.NullOr(Schema.String).annotate({ description: "Null for the provider's." }),
  client_authentication: Schema.NullOr(OAuth.ClientAuthentication).annotate({
    description: "Null for the provider's."
  }),
  parameters: Schema.Record(Schema.String, Schema.String),
  state: OAuth.OAuthState.annotate({
    description:
      "unconnected: there was no token yet. connected: there is one. failing: it can't be renewed, or has ended."
  }),
  renewable: Schema.Boolean.annotate({ description: "There is a refresh token." }),
  expires_at: Schema.NullOr(UnixSeconds).annotate({
    description: "When the access token ends. Null if the provider does not tell. Unix time in seconds."
  }),
  renewed_at: Schema.NullOr(UnixSeconds).annotate({
    description: "When the access token was got or given. Unix time in seconds."
  }),
  renew_at: Schema.NullOr(UnixSeconds).annotate({
    description: "When it is renewed next. Null if that is not to come. Unix time in seconds."
  }),
  failing_since: Schema.NullOr(UnixSeconds).annotate({
    description: "Since when it is failing. Unix time in seconds."
  }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why the last renewal failed." })
}).annotate({ identifier: "OAuthAccount" })

const exampleOAuth = {
  provider: "google",
  client_id: "1234.apps.example.com",
  scopes: ["https://www.googleapis.com/auth/calendar"],
  authorization_url: null,
  token_url: null,
  device_url: null,
  client_authentication: null,
  parameters: {},
  state: "connected",
  renewable: true,
  expires_at: 1_760_003_600,
  renewed_at: 1_760_000_000,
  renew_at: 1_760_003_000,
  failing_since: null,
  error: null
} as const

/** Secrets go there: without encryption only within the machine. */
const HttpUrl = Text.pipe(Schema.check(Schema.isPattern(
  /^(https:\/\/[^/\s]+[^\s]*|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?([/?#][^\s]*)?)$/,
  { expected: "an https URL, or an http URL of this machine" }
)))

const Secret = textUpTo(8_000).pipe(Schema.check(Schema.isMinLength(1)))

const Scopes = Schema.Array(
  Text.pipe(Schema.check(Schema.isPattern(/^[^\s]+$/, { expected: "a scope without spaces" })))
).pipe(
  Schema.check(Schema.isMaxLength(200))
)

/** The fields that a client gives of an account over OAuth 2. */
const given = {
  provider: Schema.optionalKey(Schema.NullOr(Provider)),
  client_secret: Schema.optionalKey(Secret.annotate({ description: "Encrypted at rest and never shown." })),
  scopes: Schema.optionalKey(
    Scopes.annotate({ description: "The scopes that the user is asked to grant. Default: none." })
  ),
  authorization_url: Schema.optionalKey(
    Schema.NullOr(HttpUrl.annotate({ description: "Overrides the provider's." }))
  ),
  token_url: Schema.optionalKey(
    Schema.NullOr(HttpUrl.annotate({ description: "Overrides the provider's. Required without a provider." }))
  ),
  device_url: Schema.optionalKey(Schema.NullOr(HttpUrl.annotate({ description: "Overrides the provider's." }))),
  client_authentication: Schema.optionalKey(Schema.NullOr(OAuth.ClientAuthentication.annotate({
    description: "How the client authenticates at the token endpoint. Default: the provider's, or post."
  }))),
  parameters: Schema.optionalKey(
    Schema.Record(Text, Text).annotate({ description: "Additional parameters of the authorization URL." })
  ),
  access_token: Schema.optionalKey(Secret.annotate({ description: "An existing access token." })),
  refresh_token: Schema.optionalKey(Secret.annotate({
    description: "An existing refresh token. Without an access token and its expires_at, it is used at once."
  })),
  expires_at: Schema.optionalKey(UnixSeconds.annotate({
    description: "When the given access token expires. Unix time in seconds."
  }))
}

const ClientId = Text.pipe(Schema.check(Schema.isMinLength(1)))

export const NewOAuth = Schema.Struct({ client_id: ClientId, ...given })
export type NewOAuth = typeof NewOAuth.Type

const ChangedOAuth = Schema.Struct({ client_id: Schema.optionalKey(ClientId), ...given })
export type ChangedOAuth = typeof ChangedOAuth.Type

export const AppAccountResource = Schema.Struct({
  id: ResourceId("appAccount"),
  app: Schema.String.annotate({ description: "The app's name in component code." }),
  name: Schema.String.annotate({ description: "Empty if none was given." }),
  created_at: UnixSeconds,
  oauth: Schema.NullOr(OAuthResource).annotate({ description: "Null if it is not over OAuth 2." })
}).annotate({
  identifier: "AppAccount",
  examples: [{
    id: "apn_0Uz7P0aRk3WnXc5TzQmB",
    app: "google_calendar",
    name: "North",
    created_at: 1_760_000_000,
    oauth: exampleOAuth
  }]
})
export type AppAccountResource = typeof AppAccountResource.Type

/** A page of the server's own console, or one that a program on the user's machine serves meanwhile. */
const ReturnTo = Text.pipe(
  Schema.check(Schema.isPattern(/^(console|http:\/\/127\.0\.0\.1:[0-9]{1,5}\/[A-Za-z0-9/_-]*)$/, {
    expected: "console, or an address of a port of 127.0.0.1"
  }))
)

export const ConnectionResource = Schema.Struct({
  url: Schema.String.annotate({ description: "The page that the user is to open." }),
  redirect_uri: Schema.NullOr(Schema.String).annotate({
    description: "Where the provider sends the user back: register it with your client. Null with device."
  }),
  user_code: Schema.NullOr(Schema.String).annotate({ description: "With device: the code that the user is to enter." }),
  confirmation: Schema.NullOr(Schema.String).annotate({
    description: "With device: what completes the connection. Otherwise the user's browser gets it in the end."
  }),
  interval_seconds: Schema.NullOr(Schema.Int).annotate({
    description: "With device: the least time between two questions."
  }),
  expires_at: UnixSeconds
}).annotate({
  identifier: "AccountConnection",
  examples: [{
    url: "https://accounts.example.com/auth?client_id=…&state=…",
    redirect_uri: "https://headwater.example.com/oauth/callback",
    user_code: null,
    confirmation: null,
    interval_seconds: null,
    expires_at: 1_760_000_600
  }]
})
export type ConnectionResource = typeof ConnectionResource.Type

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
        credentials: Schema.optionalKey(Credentials.annotate({
          description:
            "The object that the code gets as $auth. Encrypted at rest and never shown. Required unless oauth is given; then it holds what $auth has beside oauth_access_token, and parts of the provider's URLs."
        })),
        oauth: Schema.optionalKey(NewOAuth.annotate({
          description:
            "The account uses OAuth 2: the server renews its token, which the code gets as $auth.oauth_access_token."
        })),
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
    }).annotate(NeededScope, "read").annotate(TakesAnyParameters, true).annotateMerge(OpenApi.annotations({
      summary: "List accounts with apps",
      description: "Newest first, without their credentials.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("get", "/accounts/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(AppAccountResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotate(TakesAnyParameters, true).annotateMerge(OpenApi.annotations({
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
        oauth: Schema.optionalKey(ChangedOAuth.annotate({
          description:
            "Changes the OAuth 2 client of the account, or gives it a token. null: the provider's value again."
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
    HttpApiEndpoint.post("connect", "/accounts/:id/connect", {
      headers: Idempotency.headers,
      params,
      payload: Schema.Struct({
        device: Schema.optionalKey(Schema.Boolean.annotate({
          description: "The user enters a code on a page of the provider's. Default: the provider sends the user back."
        })),
        return_to: Schema.optionalKey(ReturnTo.annotate({
          description:
            "Where the user's browser goes in the end, with the confirmation in the query: console, or a URL on 127.0.0.1. " +
            "Default: a page that shows it."
        })),
        ...Projection.fields
      }).annotate({ examples: [{ return_to: "console" }] }),
      success: Pagination.Single(ConnectionResource),
      error: [Problem.NotFound, Problem.ConnectionRefused]
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
      summary: "Begin to connect an account over OAuth 2",
      description: "By an authorization code with PKCE, or a device code. Have the user open the page.",
      override: Extension.mark
    })),
    HttpApiEndpoint.post("completeConnection", "/accounts/:id/complete_connection", {
      headers: Idempotency.headers,
      params,
      payload: Schema.Struct({
        confirmation: Text.annotate({
          description: "What the user's browser got in the end, or the answer for a device."
        }),
        ...Projection.fields
      }).annotate({ examples: [{ confirmation: "u0VbXo2…" }] }),
      success: Pagination.Single(AppAccountResource),
      error: [Problem.NotFound, Problem.ConnectionPending, Problem.ConnectionRefused]
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
      summary: "Complete the connection of an account",
      description: "With the key or session that began it. The account has the token from then on.",
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
