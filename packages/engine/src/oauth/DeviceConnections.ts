import type { AppAccount } from "@headwater/domain/AppAccount"
import * as RealTime from "@headwater/domain/RealTime"
import { type ConnectionKey, type ConnectionSecrets, OAuthConnections } from "@headwater/log/access/OAuthConnections"
import { Effect, Redacted } from "effect"
import type { ConnectedAccounts } from "./ConnectedAccounts.ts"
import {
  type BegunConnection,
  ConnectionPending,
  ConnectionUnknown,
  gone,
  longestMs,
  NotConnectable
} from "./Connection.ts"
import { TokenEndpoint, type TokenRefused, TokenUnavailable } from "./TokenEndpoint.ts"

/** The pause between questions about a device unless the provider says, and what is added where it asks for more. */
const usualIntervalMs = 5_000
const longestIntervalMs = 60_000

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

/** A number of seconds of an answer, in milliseconds. */
const millisOf = (value: unknown, usualMs: number, mostMs: number): number => {
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.round(seconds * 1_000), mostMs) : usualMs
}

/** Connections by a device code (RFC 8628). */
export const make = Effect.fnUntraced(function*({ clientOf, keep }: ConnectedAccounts) {
  const connections = yield* OAuthConnections
  const endpoint = yield* TokenEndpoint

  /** Tells of a device that the provider gives no token, and ends its connection where that is final. */
  const whileWaiting = Effect.fnUntraced(function*(
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

  return {
    begin: Effect.fnUntraced(function*(account: AppAccount, { access }: { readonly access: string }) {
      const { scopes, speaking } = yield* clientOf(account)
      const { deviceUrl } = speaking.endpoints
      if (deviceUrl === null) return yield* new NotConnectable({ message: "it has no device_url" })
      const answer = yield* endpoint.ask(speaking, deviceUrl, scopes === "" ? {} : { scope: scopes })
      const { device_code: deviceCode, user_code: userCode } = answer
      const url = answer["verification_uri_complete"] ?? answer["verification_uri"] ?? answer["verification_url"]
      if (typeof deviceCode !== "string" || typeof userCode !== "string" || typeof url !== "string") {
        return yield* new TokenUnavailable({ message: `${new URL(deviceUrl).host}: the answer has no device code` })
      }
      const now = yield* RealTime.currentTimeMillis
      const intervalMs = millisOf(answer["interval"], usualIntervalMs, longestIntervalMs)
      const expiresAt = now + millisOf(answer["expires_in"], longestMs, 2 * longestMs)
      const confirmation = yield* connections.begin({
        appAccountId: account.id,
        access,
        secrets: { _tag: "Device", deviceCode, intervalMs },
        returnTo: null,
        expiresAt
      }, now)
      if (confirmation === undefined) return yield* gone
      const begun: BegunConnection = {
        url,
        redirectUri: null,
        userCode,
        confirmation: Redacted.value(confirmation),
        intervalMs,
        expiresAt
      }
      return begun
    }),
    /** Asks whether the user has entered the code. */
    complete: Effect.fnUntraced(function*(account: AppAccount, key: ConnectionKey) {
      const now = yield* RealTime.currentTimeMillis
      const device = yield* connections.device(key, now)
      if (device === undefined) return yield* new ConnectionUnknown()
      if (device._tag === "Later") return yield* new ConnectionPending({ retryAfterMs: device.at - now })
      const { speaking } = yield* clientOf(account)
      const granted = yield* endpoint.token(speaking, { grant_type: deviceGrant, device_code: device.deviceCode }).pipe(
        Effect.catchTag("TokenRefused", (refused) => whileWaiting(key, device, refused, now))
      )
      yield* keep(account, granted)
      yield* connections.end(key)
    })
  }
})
