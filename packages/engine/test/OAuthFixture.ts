/** Accounts with apps over OAuth 2, before a real OAuth server. */
import type { OAuthClient } from "@headwater/domain/OAuth"
import { OAuthServer } from "@headwater/fixtures/OAuthServer"
import { OAuthAccounts } from "@headwater/log/access/OAuthAccounts"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { AccountTokens, timed } from "../src/oauth/AccountTokens.ts"
import * as EngineFixture from "./EngineFixture.ts"

const clientOf = ({ authorizationUrl, clientId, deviceUrl, tokenUrl }: OAuthServer): OAuthClient => ({
  provider: null,
  clientId,
  scopes: ["openid"],
  authorizationUrl,
  tokenUrl,
  deviceUrl,
  clientAuthentication: null,
  parameters: {}
})

/** A node of its own that renews tokens. */
export const node: Effect.Effect<
  AccountTokens["Service"],
  never,
  Layer.Services<typeof AccountTokens.layer> | Scope.Scope
> = Effect.gen(function*() {
  return Context.get(yield* Layer.build(Layer.fresh(AccountTokens.layer)), AccountTokens)
})

/** An account that a user has connected an hour before its token ends. */
export const connected = Effect.gen(function*() {
  const server = yield* OAuthServer.make()
  const { access_token, expires_in, refresh_token } = yield* server.grant
  const account = yield* EngineFixture.account
  const accounts = yield* OAuthAccounts
  const now = yield* Clock.currentTimeMillis
  const granted = { accessToken: access_token, refreshToken: refresh_token, told: {} }
  const { id } = yield* accounts.create({
    account: { accountId: account.id, app: "shop", name: "", credentials: { shop: "north" } },
    client: clientOf(server),
    clientSecret: server.clientSecret,
    token: timed(granted, now, now + expires_in * 1_000)
  })
  const tokens = yield* node
  return { account, accounts, first: access_token, id, server, tokens }
})
