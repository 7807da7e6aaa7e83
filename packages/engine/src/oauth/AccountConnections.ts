import type { AppAccount } from "@headwater/domain/AppAccount"
import * as RealTime from "@headwater/domain/RealTime"
import type { AppAccounts } from "@headwater/log/access/AppAccounts"
import type { OAuthAccounts } from "@headwater/log/access/OAuthAccounts"
import { OAuthConnections } from "@headwater/log/access/OAuthConnections"
import { Context, Effect, Layer, type Redacted } from "effect"
import type { EngineConfig } from "../ground/EngineConfig.ts"
import type { AccountTokens } from "./AccountTokens.ts"
import * as CodeConnections from "./CodeConnections.ts"
import * as ConnectedAccounts from "./ConnectedAccounts.ts"
import type { BegunConnection, ConnectionPending, ConnectionUnknown, Failed, NotConnectable } from "./Connection.ts"
import * as DeviceConnections from "./DeviceConnections.ts"
import type { TokenEndpoint, TokenRefused, TokenUnavailable } from "./TokenEndpoint.ts"

export { type Arrival, callbackPath } from "./CodeConnections.ts"

/**
 * Connects accounts over OAuth 2.
 *
 * - C1. A code is taken once, by its state, and used once, by who began the connection and has its confirmation.
 * - C2. The verifier never leaves the server but for the token endpoint.
 * - C3. A token that the provider has given is kept, also where nobody waits for it any more: its code is good only once.
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
  }) => Effect.Effect<CodeConnections.Arrival, Failed>
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
  > = Layer.effect(
    AccountConnections,
    Effect.gen(function*() {
      const accounts = yield* ConnectedAccounts.make
      const code = yield* CodeConnections.make(accounts)
      const device = yield* DeviceConnections.make(accounts)
      const connections = yield* OAuthConnections
      return AccountConnections.of({
        begin: code.begin,
        beginDevice: device.begin,
        arrive: code.arrive,
        complete: Effect.fnUntraced(function*(account, { access, confirmation }) {
          const key = { appAccountId: account.id, access, confirmation }
          const taken = yield* connections.take(key, yield* RealTime.currentTimeMillis)
          yield* taken?._tag === "Allowed" ? code.complete(account, taken) : device.complete(account, key)
        }, Effect.uninterruptible)
      })
    })
  )
}
