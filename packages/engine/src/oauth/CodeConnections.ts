import type { AppAccount } from "@headwater/domain/AppAccount"
import type { OAuthEndpoints } from "@headwater/domain/OAuth"
import * as RandomBytes from "@headwater/domain/RandomBytes"
import * as RealTime from "@headwater/domain/RealTime"
import { type ConnectionSecrets, OAuthConnections, type Returned } from "@headwater/log/access/OAuthConnections"
import { Effect, Redacted } from "effect"
import { createHash } from "node:crypto"
import { EngineConfig } from "../ground/EngineConfig.ts"
import type { ConnectedAccounts } from "./ConnectedAccounts.ts"
import { type BegunConnection, type Failed, gone, longestMs, NotConnectable } from "./Connection.ts"
import { TokenEndpoint } from "./TokenEndpoint.ts"

/** The outcome of a user's return. */
export type Arrival =
  | Returned & { readonly _tag: "Allowed"; readonly confirmation: string }
  | Returned & { readonly _tag: "Refused"; readonly error: string }
  | { readonly _tag: "Unknown" }

/** The path of the server to which providers send users back. */
export const callbackPath = "/oauth/callback"

const authorizationUrlOf = (
  base: string,
  { parameters, peculiar: { clientIdName = "client_id", refusesPkce } }: OAuthEndpoints,
  asked: {
    readonly clientId: string
    readonly scopes: string
    readonly redirectUri: string
    readonly state: string
    readonly verifier: string
  }
): string => {
  const url = new URL(base)
  const all: Readonly<Record<string, string>> = {
    response_type: "code",
    [clientIdName]: asked.clientId,
    redirect_uri: asked.redirectUri,
    ...(asked.scopes === "" ? {} : { scope: asked.scopes }),
    ...(refusesPkce ? {} : {
      code_challenge: createHash("sha256").update(asked.verifier).digest("base64url"),
      code_challenge_method: "S256"
    }),
    ...parameters,
    state: asked.state
  }
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
  return url.href
}

/** Connections by an authorization code with PKCE (RFC 7636). */
export const make = Effect.fnUntraced(function*({ clientOf, keep }: ConnectedAccounts) {
  const connections = yield* OAuthConnections
  const endpoint = yield* TokenEndpoint
  const { publicUrl } = yield* EngineConfig
  const redirectUri = `${publicUrl}${callbackPath}`

  return {
    begin: Effect.fnUntraced(function*(
      account: AppAccount,
      { access, returnTo }: { readonly access: string; readonly returnTo: string | null }
    ) {
      const { scopes, speaking: { clientId, endpoints } } = yield* clientOf(account)
      if (endpoints.authorizationUrl === null) {
        return yield* new NotConnectable({ message: "it has no authorization_url" })
      }
      const now = yield* RealTime.currentTimeMillis
      const verifier = Buffer.from(RandomBytes.take(32)).toString("base64url")
      const expiresAt = now + longestMs
      const state = yield* connections.begin({
        appAccountId: account.id,
        access,
        secrets: { _tag: "Asked", verifier },
        returnTo,
        expiresAt
      }, now)
      if (state === undefined) return yield* gone
      const asked = { clientId, scopes, redirectUri, state: Redacted.value(state), verifier }
      const url = authorizationUrlOf(endpoints.authorizationUrl, endpoints, asked)
      const begun: BegunConnection = {
        url,
        redirectUri,
        userCode: null,
        confirmation: null,
        intervalMs: null,
        expiresAt
      }
      return begun
    }),
    /** A user comes back from the provider. */
    arrive: Effect.fnUntraced(function*({ code, error, state }: {
      readonly state: string
      readonly code: string | undefined
      readonly error: string | undefined
    }): Effect.fn.Return<Arrival, Failed> {
      const now = yield* RealTime.currentTimeMillis
      if (code === undefined) {
        const abandoned = yield* connections.abandon(Redacted.make(state), now)
        return abandoned === undefined
          ? { _tag: "Unknown" }
          : { _tag: "Refused", error: error ?? "no code", ...abandoned }
      }
      const arrived = yield* connections.arrive(Redacted.make(state), code, now)
      return arrived === undefined
        ? { _tag: "Unknown" }
        : { ...arrived, _tag: "Allowed", confirmation: Redacted.value(arrived.confirmation) }
    }),
    /** Gets the token for a code, which was taken. */
    complete: Effect.fnUntraced(function*(
      account: AppAccount,
      { code, verifier }: ConnectionSecrets & { readonly _tag: "Allowed" }
    ) {
      const { speaking } = yield* clientOf(account)
      const granted = yield* endpoint.token(speaking, {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        ...(speaking.endpoints.peculiar.refusesPkce ? {} : { code_verifier: verifier })
      })
      yield* keep(account, granted)
    })
  }
})
