import type { AppAccountResource, ChangedOAuth, NewOAuth } from "@headwater/api/AppAccountsApi"
import { CurrentAccess, CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { AppAccount, Credentials } from "@headwater/domain/AppAccount"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import {
  endpointsOf,
  movesRefreshToken,
  movesSecret,
  type OAuthClient,
  type OAuthStanding,
  type OAuthTokens
} from "@headwater/domain/OAuth"
import * as RealTime from "@headwater/domain/RealTime"
import { AccountConnections } from "@headwater/engine/AccountConnections"
import { AccountTokens, timed } from "@headwater/engine/AccountTokens"
import type { TokenRefused, TokenUnavailable } from "@headwater/engine/TokenEndpoint"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { type ChangedClient, OAuthAccounts, type OpenedOAuthAccount } from "@headwater/log/access/OAuthAccounts"
import { Effect, type Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"

const seconds = (millis: number | null): number | null => millis === null ? null : Math.floor(millis / 1_000)

const oauthOf = (standing: OAuthStanding): NonNullable<AppAccountResource["oauth"]> => {
  const { client, error, expiresAt, failingSince, isRenewable, renewAt, renewedAt, state } = standing
  return {
    provider: client.provider,
    client_id: client.clientId,
    scopes: client.scopes,
    authorization_url: client.authorizationUrl,
    token_url: client.tokenUrl,
    device_url: client.deviceUrl,
    client_authentication: client.clientAuthentication,
    parameters: client.parameters,
    state,
    renewable: isRenewable,
    expires_at: seconds(expiresAt),
    renewed_at: state === "unconnected" ? null : seconds(renewedAt),
    renew_at: isRenewable ? seconds(renewAt) : null,
    failing_since: seconds(failingSince),
    error
  }
}

const resourceOf = (
  { app, createdAt, id, name }: AppAccount,
  standing: OAuthStanding | undefined
): AppAccountResource => ({
  id,
  app,
  name,
  created_at: createdAt,
  oauth: standing === undefined ? null : oauthOf(standing)
})

const noClient: OAuthClient = {
  provider: null,
  clientId: "",
  scopes: [],
  authorizationUrl: null,
  tokenUrl: null,
  deviceUrl: null,
  clientAuthentication: null,
  parameters: {}
}

/** A client with what is given of it; a field that is not stays. */
const clientOf = (given: ChangedOAuth, before: OAuthClient): OAuthClient => {
  const or = <A>(value: A | undefined, otherwise: A): A => value === undefined ? otherwise : value
  return {
    provider: or(given.provider, before.provider),
    clientId: or(given.client_id, before.clientId),
    scopes: or(given.scopes, before.scopes),
    authorizationUrl: or(given.authorization_url, before.authorizationUrl),
    tokenUrl: or(given.token_url, before.tokenUrl),
    deviceUrl: or(given.device_url, before.deviceUrl),
    clientAuthentication: or(given.client_authentication, before.clientAuthentication),
    parameters: or(given.parameters, before.parameters)
  }
}

const checkClient = ({ provider, tokenUrl }: OAuthClient) =>
  provider === null && tokenUrl === null
    ? Effect.fail(Problem.invalid([{ path: "oauth.token_url", message: "is required without a provider" }]))
    : Effect.void

/** The client that an account has once it is given fields and credentials. */
const changedClient = Effect.fnUntraced(function*(
  { clientSecret, standing: { client: before } }: OpenedOAuthAccount,
  credentialsBefore: Credentials,
  given: ChangedOAuth,
  credentials: Credentials | undefined
): Effect.fn.Return<ChangedClient, Problem.InvalidRequest> {
  const client = clientOf(given, before)
  yield* checkClient(client)
  const places = endpointsOf(before, credentialsBefore)
  const newPlaces = endpointsOf(client, credentials ?? credentialsBefore)
  // A key that may change an account must not learn its secret, which goes only where its giver sent it.
  if (clientSecret !== null && given.client_secret === undefined && movesSecret(places, newPlaces)) {
    return yield* Problem.invalid([{
      path: "oauth.client_secret",
      message: "is required again, since the client's secret would go to another place than before"
    }])
  }
  return {
    client,
    clientSecret: given.client_secret ?? clientSecret,
    keepsRefreshToken: !movesRefreshToken(places, newPlaces)
  }
})

const tokenOf = (given: ChangedOAuth, before: OAuthTokens, now: number) =>
  timed(
    {
      accessToken: given.access_token ?? before.accessToken,
      refreshToken: given.refresh_token ?? before.refreshToken,
      told: before.told
    },
    now,
    given.expires_at === undefined ? null : given.expires_at * 1_000
  )

const noTokens: OAuthTokens = { accessToken: null, refreshToken: null, told: {} }

/** True if only a renewal tells how long the token lasts. */
const isToBeRenewed = ({ access_token, expires_at, refresh_token }: ChangedOAuth): boolean =>
  refresh_token !== undefined && (access_token === undefined || expires_at === undefined)

const refused = (failure: TokenRefused | TokenUnavailable) =>
  new Problem.ConnectionRefused({
    ...Problem.because(`${failure.message}.`),
    details: { provider_error: failure._tag === "TokenRefused" ? failure.code : "unavailable" }
  })

const notConnectable = ({ message }: { readonly message: string }) => Problem.invalid([{ path: "id", message }])

const pending = ({ retryAfterMs }: { readonly retryAfterMs: number }) => {
  const seconds = Math.ceil(retryAfterMs / 1_000)
  return new Problem.ConnectionPending({
    ...Problem.because(`The user has not entered the code yet: ask again in ${seconds} s.`),
    details: { retry_after_seconds: seconds }
  })
}

/** The key or the session of a request. */
const ownAccess = Effect.map(CurrentAccess, ({ keyId, sessionId }) => sessionId ?? keyId)

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "appAccounts",
  Effect.fnUntraced(function*(handlers) {
    const appAccounts = yield* AppAccounts
    const oauthAccounts = yield* OAuthAccounts
    const tokens = yield* AccountTokens
    const connections = yield* AccountConnections
    const { maxProp } = yield* HttpSettings

    const checkSize = (credentials: Credentials) =>
      ConfiguredProps.oversized({ credentials }, maxProp) === undefined
        ? Effect.void
        : Effect.fail(Problem.tooLarge("credentials", maxProp, "HEADWATER_MAX_PROP"))
    const orNotFound = <A>(id: string, found: Option.Option<A>) =>
      Effect.mapError(Effect.fromOption(found), () => Problem.notFound("account", id))

    const shown = Effect.fnUntraced(function*(account: AppAccount) {
      const standings = yield* oauthAccounts.find(account.accountId, [account.id])
      return { data: resourceOf(account, standings.get(account.id)) }
    })

    const createOAuth = Effect.fnUntraced(function*(
      account: Parameters<AppAccounts["Service"]["create"]>[0],
      given: NewOAuth
    ) {
      const client = clientOf(given, noClient)
      yield* checkClient(client)
      const token = tokenOf(given, noTokens, yield* RealTime.currentTimeMillis)
      const clientSecret = given.client_secret ?? null
      const created = yield* oauthAccounts.create({ account, client, clientSecret, token })
      if (isToBeRenewed(given)) yield* tokens.renew(created.id)
      return created
    })

    const changeOAuth = Effect.fnUntraced(function*(
      { accountId, id, state }: OAuthStanding,
      fields: { readonly name: string | undefined; readonly credentials: Credentials | undefined },
      given: ChangedOAuth
    ) {
      const now = yield* RealTime.currentTimeMillis
      const updated = yield* oauthAccounts.change(
        accountId,
        id,
        fields,
        (before, credentials) => changedClient(before, credentials, given, fields.credentials),
        now
      )
      const hasToken = given.access_token !== undefined || given.refresh_token !== undefined
      if (hasToken) yield* tokens.take(id, (before) => tokenOf(given, before, now))
      if (isToBeRenewed(given) || (!hasToken && state === "failing")) yield* tokens.renew(id)
      return updated
    })

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload: { app, credentials, name, oauth } }) {
        if (credentials === undefined && oauth === undefined) {
          return yield* Problem.invalid([{ path: "credentials", message: "is required unless oauth is given" }])
        }
        if (credentials !== undefined) yield* checkSize(credentials)
        const account = { accountId: yield* CurrentAccount, app, name: name ?? "", credentials: credentials ?? {} }
        return yield* shown(yield* oauth === undefined ? appAccounts.create(account) : createOAuth(account, oauth))
      }, answerFailures),
      list: Effect.fnUntraced(function*({ query }) {
        const accountId = yield* CurrentAccount
        const { items, totalCount } = yield* appAccounts.page(accountId, Pagination.pageRequest(query))
        const standings = yield* oauthAccounts.find(accountId, items.map(({ id }) => id))
        return Pagination.page(items.map((account) => resourceOf(account, standings.get(account.id))), totalCount)
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const found = yield* appAccounts.get(yield* CurrentAccount, params.id)
        return yield* shown(yield* orNotFound(params.id, found))
      }, answerFailures),
      update: Effect.fnUntraced(function*({ params, payload: { credentials, name, oauth } }) {
        const accountId = yield* CurrentAccount
        if (credentials !== undefined) yield* checkSize(credentials)
        const found = yield* orNotFound(params.id, yield* appAccounts.get(accountId, params.id))
        const standing = (yield* oauthAccounts.find(accountId, [found.id])).get(found.id)
        if (oauth !== undefined && standing === undefined) {
          return yield* Problem.invalid([{ path: "oauth", message: "the account is not over OAuth 2" }])
        }
        const fields = { name, credentials }
        const updated = standing === undefined || (oauth === undefined && credentials === undefined)
          ? yield* appAccounts.update(accountId, found.id, fields)
          : yield* changeOAuth(standing, fields, oauth ?? {})
        return yield* shown(yield* orNotFound(params.id, updated))
      }, answerFailures),
      connect: Effect.fnUntraced(function*({ params, payload: { device = false, return_to } }) {
        const account = yield* orNotFound(params.id, yield* appAccounts.get(yield* CurrentAccount, params.id))
        const access = yield* ownAccess
        const begun = yield* (device
          ? connections.beginDevice(account, { access })
          : connections.begin(account, { access, returnTo: return_to ?? null })).pipe(
            Effect.catchTags({
              NotConnectable: (failure) => Effect.fail(notConnectable(failure)),
              TokenRefused: (failure) => Effect.fail(refused(failure)),
              TokenUnavailable: (failure) => Effect.fail(refused(failure))
            })
          )
        return {
          data: {
            url: begun.url,
            redirect_uri: begun.redirectUri,
            user_code: begun.userCode,
            confirmation: begun.confirmation,
            interval_seconds: begun.intervalMs === null ? null : Math.ceil(begun.intervalMs / 1_000),
            expires_at: Math.floor(begun.expiresAt / 1_000)
          }
        }
      }, answerFailures),
      completeConnection: Effect.fnUntraced(function*({ params, payload }) {
        const account = yield* orNotFound(params.id, yield* appAccounts.get(yield* CurrentAccount, params.id))
        const confirmation = Redacted.make(payload.confirmation)
        yield* connections.complete(account, { access: yield* ownAccess, confirmation }).pipe(
          Effect.catchTags({
            ConnectionPending: (failure) => Effect.fail(pending(failure)),
            ConnectionUnknown: () =>
              Effect.fail(Problem.invalid([{
                path: "confirmation",
                message: "no connection waits for it: it is over, or was begun with another key or session"
              }])),
            NotConnectable: (failure) => Effect.fail(notConnectable(failure)),
            TokenRefused: (failure) => Effect.fail(refused(failure)),
            TokenUnavailable: (failure) => Effect.fail(refused(failure))
          })
        )
        return yield* shown(account)
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        const removed = yield* appAccounts.remove(yield* CurrentAccount, params.id)
        if (!removed) return yield* Problem.notFound("account", params.id)
      }, answerFailures)
    })
  })
)
