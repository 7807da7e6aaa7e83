import type { AppAccount } from "@headwater/domain/AppAccount"
import { endpointsOf } from "@headwater/domain/OAuth"
import * as RealTime from "@headwater/domain/RealTime"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { OAuthAccounts } from "@headwater/log/access/OAuthAccounts"
import { Effect, Result } from "effect"
import { AccountTokens, tokenOf } from "./AccountTokens.ts"
import { NotConnectable } from "./Connection.ts"
import type { GrantedToken, SpeakingClient } from "./TokenEndpoint.ts"

/** The accounts that connections are of: the clients that speak for them, and the tokens that they get. */
export const make = Effect.gen(function*() {
  const appAccounts = yield* AppAccounts
  const accounts = yield* OAuthAccounts
  const tokens = yield* AccountTokens

  const clientOf = Effect.fnUntraced(function*({ accountId, id }: AppAccount) {
    const opened = (yield* accounts.open([id])).get(id)
    if (opened === undefined) return yield* new NotConnectable({ message: "the account is not over OAuth 2" })
    const { clientSecret, standing: { client } } = opened
    const credentials = (yield* appAccounts.credentials(accountId, [id])).get(id) ?? {}
    const endpoints = endpointsOf(client, credentials)
    if (Result.isFailure(endpoints)) return yield* new NotConnectable({ message: endpoints.failure })
    const speaking: SpeakingClient = {
      accountId,
      endpoints: endpoints.success,
      clientId: client.clientId,
      clientSecret
    }
    return { scopes: client.scopes.join(endpoints.success.scopeSeparator), speaking }
  })

  const keep = Effect.fnUntraced(function*({ id }: AppAccount, granted: GrantedToken) {
    const now = yield* RealTime.currentTimeMillis
    // A refresh token of before belongs to another grant.
    yield* tokens.take(id, (before) => tokenOf(granted, { ...before, refreshToken: null, told: {} }, now))
  })

  return { clientOf, keep }
})

export type ConnectedAccounts = Effect.Success<typeof make>
