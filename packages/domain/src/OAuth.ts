/** Accounts with apps over OAuth 2 (RFC 6749): the client that speaks for them, and the state of their tokens. */
import { Result, Schema } from "effect"
import type { Credentials } from "./AppAccount.ts"
import { AccountId, AppAccountId } from "./Id.ts"
import * as OAuthProviders from "./OAuthProviders.ts"

/** The ways in which a client proves to the token endpoint that it is itself. */
export const ClientAuthentication = Schema.Literals(["basic", "post", "none"])
export type ClientAuthentication = typeof ClientAuthentication.Type

/** The client of an account, without its secret. A field that is null or missing is the provider's. */
export const OAuthClient = Schema.Struct({
  /** A name in the table of providers; null for one by its URLs. */
  provider: Schema.NullOr(Schema.String),
  clientId: Schema.String,
  scopes: Schema.Array(Schema.String),
  authorizationUrl: Schema.NullOr(Schema.String),
  tokenUrl: Schema.NullOr(Schema.String),
  deviceUrl: Schema.NullOr(Schema.String),
  clientAuthentication: Schema.NullOr(ClientAuthentication),
  /** Additional parameters of the authorization URL. */
  parameters: Schema.Record(Schema.String, Schema.String)
})
export type OAuthClient = typeof OAuthClient.Type

/** The tokens of an account. */
export const OAuthTokens = Schema.Struct({
  accessToken: Schema.NullOr(Schema.String),
  refreshToken: Schema.NullOr(Schema.String),
  /** Texts that the token endpoint told beside, such as the URL of the user's instance. */
  told: Schema.Record(Schema.String, Schema.String)
})
export type OAuthTokens = typeof OAuthTokens.Type

/**
 * `unconnected`: there was no token yet. `connected`: there is one. `failing`: the last renewal was refused, or the token has
 * ended and can't be renewed.
 */
export const OAuthState = Schema.Literals(["unconnected", "connected", "failing"])
export type OAuthState = typeof OAuthState.Type

/** An account's client and the state of its token. Times are in Unix milliseconds. */
export const OAuthStanding = Schema.Struct({
  id: AppAccountId,
  accountId: AccountId,
  client: OAuthClient,
  state: OAuthState,
  /** Counts the tokens that the account has had; 0 before the first. */
  generation: Schema.Int,
  isRenewable: Schema.Boolean,
  /** Null if nobody knows. */
  expiresAt: Schema.NullOr(Schema.Int),
  renewedAt: Schema.NullOr(Schema.Int),
  /** The time of the next renewal; null if none is to come. */
  renewAt: Schema.NullOr(Schema.Int),
  failingSince: Schema.NullOr(Schema.Int),
  /** The reason why the last renewal failed; null if it did not. */
  error: Schema.NullOr(Schema.String)
})
export type OAuthStanding = typeof OAuthStanding.Type

/** The endpoints of a client, and what is peculiar to them. */
export interface OAuthEndpoints {
  readonly authorizationUrl: string | null
  readonly tokenUrl: string
  readonly deviceUrl: string | null
  readonly scopeSeparator: string
  readonly clientAuthentication: ClientAuthentication
  readonly parameters: Readonly<Record<string, string>>
  readonly peculiar: OAuthProviders.Peculiarities
}

/** A part of a URL that an account's credentials fill in, such as the name of a shop. */
const blanks = /\{([a-z_]+)\}/g

const fill = (url: string, credentials: Credentials, blanksOf: Readonly<Record<string, string>>) => {
  const missing: Array<string> = []
  const filled = url.replaceAll(blanks, (_, name: string) => {
    const given = Object.hasOwn(credentials, name) ? credentials[name] : blanksOf[name]
    if (typeof given === "string" && /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(given)) return given
    missing.push(name)
    return ""
  })
  return missing.length > 0
    ? Result.fail(`the credentials have no ${missing.join(" and no ")}, which is a part of ${url}`)
    : Result.succeed(filled)
}

/** The endpoints of a client: its own, and otherwise its provider's. Fails with what is missing. */
export const endpointsOf = (client: OAuthClient, credentials: Credentials): Result.Result<OAuthEndpoints, string> =>
  Result.gen(function*() {
    const provider = client.provider === null ? undefined : OAuthProviders.get(client.provider)
    if (client.provider !== null && provider === undefined) {
      return yield* Result.fail(`there is no provider ${client.provider}`)
    }
    const tokenUrl = client.tokenUrl ?? provider?.tokenUrl
    if (tokenUrl === undefined) return yield* Result.fail("it has neither a provider nor a token_url")
    const { blanks = {}, clientAuthentication = "post", parameters = {}, scopeSeparator = " " } = provider ?? {}
    const filled = (url: string | undefined | null) =>
      url === undefined || url === null ? Result.succeed(null) : fill(url, credentials, blanks)
    return {
      authorizationUrl: yield* filled(client.authorizationUrl ?? provider?.authorizationUrl),
      tokenUrl: yield* fill(tokenUrl, credentials, blanks),
      deviceUrl: yield* filled(client.deviceUrl ?? provider?.deviceUrl),
      scopeSeparator,
      clientAuthentication: client.clientAuthentication ?? clientAuthentication,
      parameters: { ...parameters, ...client.parameters },
      peculiar: provider ?? {}
    }
  })

type Endpoints = Result.Result<OAuthEndpoints, string>

/** The URL at which tokens are renewed. */
export const renewalUrlOf = ({ peculiar: { refreshUrl }, tokenUrl }: OAuthEndpoints): string => refreshUrl ?? tokenUrl

/** The URLs that the client's secret goes to. */
const secretUrlsOf = (endpoints: OAuthEndpoints): ReadonlyArray<string | null> => [
  endpoints.tokenUrl,
  renewalUrlOf(endpoints),
  endpoints.deviceUrl
]

/** True if a change has the client's secret go to a URL that it did not go to before. */
export const movesSecret = (before: Endpoints, after: Endpoints): boolean => {
  if (Result.isFailure(after)) return false
  const known = Result.isFailure(before) ? [] : secretUrlsOf(before.success)
  return secretUrlsOf(after.success).some((url) => url !== null && !known.includes(url))
}

/** True if a change has the refresh token go to another URL than the one that it is for. */
export const movesRefreshToken = (before: Endpoints, after: Endpoints): boolean =>
  Result.isSuccess(after) &&
  (Result.isFailure(before) || renewalUrlOf(before.success) !== renewalUrlOf(after.success))

/** The longest life of a token, in milliseconds: some say that theirs never end, by a number of any size. */
export const longestLifeMs = 10 * 365 * 24 * 3_600_000

/** A token is renewed when so much of its life is left, and no longer before its end than so many milliseconds. */
const shareLeft = 0.25
const longestLeftMs = 10 * 60_000

/** The time at which a token is to be renewed, in Unix milliseconds. */
export const renewalOf = (issuedAt: number, expiresAt: number): number =>
  Math.round(expiresAt - Math.min((expiresAt - issuedAt) * shareLeft, longestLeftMs))

/** The `$auth` of an account with tokens, but for the access token. */
export const authOf = (client: OAuthClient, { told }: OAuthTokens, credentials: Credentials): Credentials => ({
  ...told,
  ...credentials,
  oauth_client_id: client.clientId
})

/** The name of the access token in `$auth`. */
export const tokenName = "oauth_access_token"
