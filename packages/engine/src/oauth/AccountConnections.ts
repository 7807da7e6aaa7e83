import type { AppAccount } from "@headwater/domain/AppAccount"
import { endpointsOf, type OAuthEndpoints } from "@headwater/domain/OAuth"
import * as RandomBytes from "@headwater/domain/RandomBytes"
import * as RealTime from "@headwater/domain/RealTime"
import type { SealBroken } from "@headwater/domain/Seal"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { OAuthAccounts, type OpenedOAuthAccount } from "@headwater/log/access/OAuthAccounts"
import {
  type ConnectionKey,
  type ConnectionSecrets,
  OAuthConnections,
  type Returned
} from "@headwater/log/access/OAuthConnections"
import { Context, Effect, Layer, Redacted, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { EngineConfig } from "../ground/EngineConfig.ts"
import { AccountTokens, tokenOf } from "./AccountTokens.ts"
import {
  type GrantedToken,
  type SpeakingClient,
  TokenEndpoint,
  type TokenRefused,
  TokenUnavailable
} from "./TokenEndpoint.ts"

/** The account can't be connected in this way. */
export class NotConnectable extends Schema.TaggedError<NotConnectable>()("NotConnectable", {
  message: Schema.String
}) {}

/** No connection waits for this. */
export class ConnectionUnknown extends Schema.TaggedError<ConnectionUnknown>()("ConnectionUnknown", {}) {}

/** The user has not entered the device's code yet. */
export class ConnectionPending extends Schema.TaggedError<ConnectionPending>()("ConnectionPending", {
  /** The time until it may be asked again, in milliseconds. */
  retryAfterMs: Schema.Int
}) {}

/** A connection that has begun, as who began it sees it. */
export interface BegunConnection {
  /** The page that the user is to open. */
  readonly url: string
  /** The place to which the provider sends the user; null of a device. */
  readonly redirectUri: string | null
  /** The code that the user is to enter there; null unless a device is connected. */
  readonly userCode: string | null
  /** The secret that ends a device's connection; otherwise the user's browser has it in the end. */
  readonly confirmation: string | null
  readonly intervalMs: number | null
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** The outcome of a user's return. */
export type Arrival =
  | Returned & { readonly _tag: "Allowed"; readonly confirmation: string }
  | Returned & { readonly _tag: "Refused"; readonly error: string }
  | { readonly _tag: "Unknown" }

type Failed = SqlError.SqlError | SealBroken

/** A connection is to be over after so long, in milliseconds. */
const longestMs = 10 * 60_000

/** The pause between questions about a device unless the provider says, and what is added where it asks for more. */
const usualIntervalMs = 5_000

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

/** The path of the server to which providers send users back. */
export const callbackPath = "/oauth/callback"

/**
 * Connects accounts over OAuth 2: by an authorization code with PKCE (RFC 7636), or by a device code (RFC 8628).
 *
 * - C1. A code is taken once, by its state, and used once, by who began the connection and has its confirmation.
 * - C2. The verifier never leaves the server but for the token endpoint.
 */
export class AccountConnections extends Context.Service<AccountConnections, {
  /** Begins a connection by an authorization code. */
  readonly begin: (
    account: AppAccount,
    options: { readonly access: string; readonly returnTo: string | null }
  ) => Effect.Effect<BegunConnection, Failed | NotConnectable>
  readonly beginDevice: (
    account: AppAccount,
    options: { readonly access: string }
  ) => Effect.Effect<BegunConnection, Failed | NotConnectable | TokenRefused | TokenUnavailable>
  /** A user comes back from the provider. */
  readonly arrive: (query: {
    readonly state: string
    readonly code: string | undefined
    readonly error: string | undefined
  }) => Effect.Effect<Arrival, Failed>
  /** Gets the token of a connection, which the account has from then on. */
  readonly complete: (
    account: AppAccount,
    options: { readonly access: string; readonly confirmation: Redacted.Redacted }
  ) => Effect.Effect<
    void,
    ConnectionPending | ConnectionUnknown | Failed | NotConnectable | TokenRefused | TokenUnavailable
  >
}>()("@headwater/engine/oauth/AccountConnections") {
  static readonly layer: Layer.Layer<
    AccountConnections,
    never,
    AccountTokens | AppAccounts | EngineConfig | OAuthAccounts | OAuthConnections | TokenEndpoint
  > = Layer.effect(AccountConnections, Effect.suspend(() => make))
}

const authorizationUrlOf = (
  base: string,
  { parameters, peculiar: { clientIdName = "client_id", refusesPkce }, scopeSeparator }: OAuthEndpoints,
  asked: {
    readonly clientId: string
    readonly scopes: ReadonlyArray<string>
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
    ...(asked.scopes.length === 0 ? {} : { scope: asked.scopes.join(scopeSeparator) }),
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

/** A number of seconds of an answer, in milliseconds. */
const millisOf = (value: unknown, usualMs: number): number => {
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1_000) : usualMs
}

const make = Effect.gen(function*() {
  const appAccounts = yield* AppAccounts
  const accounts = yield* OAuthAccounts
  const connections = yield* OAuthConnections
  const endpoint = yield* TokenEndpoint
  const tokens = yield* AccountTokens
  const { publicUrl } = yield* EngineConfig
  const redirectUri = `${publicUrl}${callbackPath}`

  const clientOf = Effect.fnUntraced(function*({ accountId, id }: AppAccount) {
    const opened = (yield* accounts.open([id])).get(id)
    if (opened === undefined) return yield* new NotConnectable({ message: "the account is not over OAuth 2" })
    const { secrets: { clientSecret }, standing: { client } } = opened
    const credentials = (yield* appAccounts.credentials(accountId, [id])).get(id) ?? {}
    const endpoints = endpointsOf(client, credentials)
    if (Result.isFailure(endpoints)) return yield* new NotConnectable({ message: endpoints.failure })
    const speaking: SpeakingClient = {
      accountId,
      endpoints: endpoints.success,
      clientId: client.clientId,
      clientSecret
    }
    return { opened, speaking }
  })

  const keep = Effect.fnUntraced(function*({ secrets, standing: { id } }: OpenedOAuthAccount, granted: GrantedToken) {
    // A refresh token of before belongs to another grant.
    const before = { ...secrets, refreshToken: null, told: {} }
    yield* tokens.take(id, tokenOf(granted, before, yield* RealTime.currentTimeMillis))
  })

  /** Tells of a device that the provider gives no token, and ends its connection where that is final. */
  const whileDevice = Effect.fnUntraced(function*(
    key: ConnectionKey,
    device: ConnectionSecrets & { readonly _tag: "Device" },
    refused: TokenRefused,
    now: number
  ) {
    if (refused.code === "authorization_pending") {
      return yield* new ConnectionPending({ retryAfterMs: device.intervalMs })
    }
    if (refused.code === "slow_down") {
      const intervalMs = device.intervalMs + usualIntervalMs
      yield* connections.slowDown(key, { ...device, intervalMs }, now + intervalMs)
      return yield* new ConnectionPending({ retryAfterMs: intervalMs })
    }
    yield* connections.end(key)
    return yield* refused
  })

  const askForDevice = Effect.fnUntraced(function*(account: AppAccount, key: ConnectionKey) {
    const now = yield* RealTime.currentTimeMillis
    const device = yield* connections.device(key, now)
    if (device === undefined) return yield* new ConnectionUnknown()
    if (device._tag === "Later") return yield* new ConnectionPending({ retryAfterMs: device.at - now })
    const { opened, speaking } = yield* clientOf(account)
    const granted = yield* endpoint.token(speaking, { grant_type: deviceGrant, device_code: device.deviceCode }).pipe(
      Effect.catchTag("TokenRefused", (refused) => whileDevice(key, device, refused, now))
    )
    yield* keep(opened, granted)
    yield* connections.end(key)
  })

  return AccountConnections.of({
    begin: Effect.fnUntraced(function*(account, { access, returnTo }) {
      const { opened: { standing: { client } }, speaking: { endpoints } } = yield* clientOf(account)
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
      const asked = {
        clientId: client.clientId,
        scopes: client.scopes,
        redirectUri,
        state: Redacted.value(state),
        verifier
      }
      const url = authorizationUrlOf(endpoints.authorizationUrl, endpoints, asked)
      return { url, redirectUri, userCode: null, confirmation: null, intervalMs: null, expiresAt }
    }),
    beginDevice: Effect.fnUntraced(function*(account, { access }) {
      const { opened: { standing: { client } }, speaking } = yield* clientOf(account)
      const { deviceUrl, scopeSeparator } = speaking.endpoints
      if (deviceUrl === null) return yield* new NotConnectable({ message: "it has no device_url" })
      const scope = client.scopes.join(scopeSeparator)
      const answer = yield* endpoint.ask(speaking, deviceUrl, scope === "" ? {} : { scope })
      const { device_code: deviceCode, user_code: userCode } = answer
      const url = answer["verification_uri_complete"] ?? answer["verification_uri"] ?? answer["verification_url"]
      if (typeof deviceCode !== "string" || typeof userCode !== "string" || typeof url !== "string") {
        return yield* new TokenUnavailable({ message: `${new URL(deviceUrl).host}: the answer has no device code` })
      }
      const now = yield* RealTime.currentTimeMillis
      const intervalMs = millisOf(answer["interval"], usualIntervalMs)
      const expiresAt = now + Math.min(millisOf(answer["expires_in"], longestMs), 2 * longestMs)
      const confirmation = yield* connections.begin({
        appAccountId: account.id,
        access,
        secrets: { _tag: "Device", deviceCode, intervalMs },
        returnTo: null,
        expiresAt
      }, now)
      return { url, redirectUri: null, userCode, confirmation: Redacted.value(confirmation), intervalMs, expiresAt }
    }),
    arrive: Effect.fnUntraced(function*({ code, error, state }): Effect.fn.Return<Arrival, Failed> {
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
    complete: Effect.fnUntraced(function*(account, { access, confirmation }) {
      const key = { appAccountId: account.id, access, confirmation }
      const taken = yield* connections.take(key, yield* RealTime.currentTimeMillis)
      if (taken?._tag !== "Allowed") return yield* askForDevice(account, key)
      const { opened, speaking } = yield* clientOf(account)
      const { code, verifier } = taken
      const granted = yield* endpoint.token(speaking, {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        ...(speaking.endpoints.peculiar.refusesPkce ? {} : { code_verifier: verifier })
      })
      yield* keep(opened, granted)
    })
  })
})
