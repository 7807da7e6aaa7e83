import { AppAccountEvent } from "@headwater/domain/AppAccountEvents"
import * as EmitId from "@headwater/domain/EmitId"
import { endpointsOf, longestLifeMs, type OAuthStanding, type OAuthTokens, renewalOf } from "@headwater/domain/OAuth"
import * as RealTime from "@headwater/domain/RealTime"
import * as Stream from "@headwater/domain/Stream"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { type NewToken, OAuthAccounts, type OpenedOAuthAccount } from "@headwater/log/access/OAuthAccounts"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { DueItem } from "@headwater/log/work/DueWork"
import type { LiveToken } from "@headwater/sandbox/Run"
import { Clock, Effect, Metric, Result, Schema } from "effect"
import * as DueItems from "../ground/DueItems.ts"
import {
  type GrantedToken,
  type SpeakingClient,
  TokenEndpoint,
  TokenRefused,
  type TokenUnavailable
} from "./TokenEndpoint.ts"

/** A renewal that could not be had is tried again after so long, and each time after twice as long, in milliseconds. */
const firstRetryMs = 30_000
const longestRetryMs = 3_600_000

/** Nobody else renews a token for so long, in milliseconds: longer than the provider may take to answer. */
export const claimMs = 60_000

const renewalsTotal = (outcome: string) =>
  Metric.counter("headwater_token_renewals_total", {
    description: "Renewals of OAuth tokens of accounts with apps.",
    incremental: true,
    attributes: { outcome }
  })

const renewals = {
  renewed: renewalsTotal("renewed"),
  refused: renewalsTotal("refused"),
  unavailable: renewalsTotal("unavailable")
}

const encodeEvent = Schema.encodeSync(Schema.fromJsonString(AppAccountEvent))

/** Tells the account of one of its accounts with apps, on its own log. */
const told = (
  { accountId, id }: OAuthStanding,
  app: string,
  said: { readonly type: "account.failing"; readonly error: string } | { readonly type: "account.recovered" },
  ts: number
): DueItem =>
  DueItems.emit(accountId, {
    stream: Stream.accounts,
    emitId: EmitId.make(),
    hops: 0,
    meta: {},
    payload: encodeEvent({ ...said, account_id: id, app, ts })
  }, ts)

/** A token as it is kept that was granted at a time, in Unix milliseconds. */
export const tokenOf = (
  { accessToken, lifetimeSeconds, refreshToken, told: toldBy }: GrantedToken,
  before: OAuthTokens,
  now: number
): NewToken => {
  const tokens = {
    accessToken,
    // A provider that does not rotate refresh tokens gives none again.
    refreshToken: refreshToken ?? before.refreshToken,
    told: { ...before.told, ...toldBy }
  }
  return timed(tokens, now, lifetimeSeconds === null ? null : now + lifetimeSeconds * 1_000)
}

/**
 * A token with the time at which it is to be looked at: to be renewed, or found to have ended.
 *
 * @param endsAt the time at which it is said to end, in Unix milliseconds; null if nobody knows
 */
export const timed = (tokens: OAuthTokens, now: number, endsAt: number | null): NewToken => {
  const expiresAt = endsAt === null ? null : Math.max(0, Math.min(endsAt, now + longestLifeMs))
  const renewAt = expiresAt === null ? null : tokens.refreshToken === null ? expiresAt : renewalOf(now, expiresAt)
  return { tokens, renewedAt: now, expiresAt, renewAt }
}

const refusal = (code: string, message: string): TokenRefused => new TokenRefused({ code, message })

/**
 * The renewal of tokens of accounts that are claimed, and what is kept of it.
 *
 * @param publish told of each new token once it is kept
 */
export const make = Effect.fnUntraced(function*(publish: (token: LiveToken) => void) {
  const appAccounts = yield* AppAccounts
  const accounts = yield* OAuthAccounts
  const endpoint = yield* TokenEndpoint
  const context = yield* Effect.context<never>()

  const speaking = Effect.fnUntraced(function*(
    { clientSecret, standing: { accountId, client, id } }: OpenedOAuthAccount
  ) {
    const credentials = (yield* untilAnswered(appAccounts.credentials(accountId, [id]))).get(id) ?? {}
    return Result.map(endpointsOf(client, credentials), (endpoints): SpeakingClient => ({
      accountId,
      endpoints,
      clientId: client.clientId,
      clientSecret
    }))
  })

  const appOf = Effect.fnUntraced(function*({ accountId, id }: OAuthStanding) {
    return (yield* untilAnswered(appAccounts.find(accountId, [id]))).get(id)?.app ?? ""
  })

  const noteFailure = Effect.fnUntraced(function*(
    { failures, standing }: OpenedOAuthAccount,
    failure: TokenRefused | TokenUnavailable
  ) {
    const now = yield* RealTime.currentTimeMillis
    const { expiresAt, failingSince, generation, id } = standing
    const isRefused = failure._tag === "TokenRefused"
    renewals[isRefused ? "refused" : "unavailable"].updateUnsafe(1, context)
    const renewAt = isRefused ? null : now + Math.min(firstRetryMs * 2 ** failures, longestRetryMs)
    const isEnded = expiresAt !== null && expiresAt <= now
    const fails = isRefused || isEnded || standing.state !== "connected"
    const isNew = fails && failingSince === null
    if (isNew) {
      yield* Effect.annotateLogs(Effect.logWarning("The token of an account with an app can't be renewed"), {
        account_id: standing.accountId,
        app_account_id: id,
        error: failure.message
      })
    }
    const said = { type: "account.failing" as const, error: failure.message }
    const events = isNew ? [told(standing, yield* appOf(standing), said, yield* Clock.currentTimeMillis)] : []
    const failingFrom = fails ? failingSince ?? now : null
    yield* untilAnswered(
      accounts.failed(id, generation, { error: failure.message, renewAt, failingSince: failingFrom }, events)
    )
  })

  /**
   * Keeps a new token, and tells of it. The provider may take the old refresh token no more, so a database that is away is waited
   * for.
   */
  const keepToken = Effect.fnUntraced(function*({ standing }: OpenedOAuthAccount, token: NewToken) {
    const { generation, id } = standing
    const recovered = standing.state !== "failing" ? [] : [
      told(standing, yield* appOf(standing), { type: "account.recovered" }, yield* Clock.currentTimeMillis)
    ]
    if (!(yield* untilAnswered(accounts.renewed(id, generation, token, recovered)))) return false
    const { accessToken } = token.tokens
    if (accessToken !== null) publish({ account: id, generation: generation + 1, token: accessToken })
    return true
  })

  const noteSuccess = Effect.fnUntraced(function*(opened: OpenedOAuthAccount, granted: GrantedToken) {
    renewals.renewed.updateUnsafe(1, context)
    yield* keepToken(opened, tokenOf(granted, opened.tokens, yield* RealTime.currentTimeMillis))
  })

  /** Claims an account for as long as the provider may take. Answers false if the claim that one had is somebody else's by now. */
  const claimAgain = ({ standing: { generation, id } }: OpenedOAuthAccount, own: number) =>
    untilAnswered(Effect.flatMap(
      RealTime.currentTimeMillis,
      (now) => accounts.claim(id, generation, now, now + claimMs, own)
    ))

  /**
   * Renews the token of an account that is claimed.
   *
   * @param claimedUntil the end of the claim
   */
  const renewClaimed = Effect.fnUntraced(function*(id: string, claimedUntil: number) {
    const opened = (yield* untilAnswered(accounts.open([id]))).get(id)
    if (opened === undefined) return
    const { refreshToken } = opened.tokens
    if (refreshToken === null) {
      return yield* noteFailure(
        opened,
        refusal("no_refresh_token", "The token has ended, and there is no refresh token")
      )
    }
    const client = yield* speaking(opened)
    if (Result.isFailure(client)) return yield* noteFailure(opened, refusal("no_endpoint", client.failure))
    // The database may have been away for longer than a claim lasts.
    if (!(yield* claimAgain(opened, claimedUntil))) return
    yield* endpoint.token(client.success, { grant_type: "refresh_token", refresh_token: refreshToken }).pipe(
      Effect.matchEffect({
        onSuccess: (granted) => noteSuccess(opened, granted),
        onFailure: (failure) => noteFailure(opened, failure)
      }),
      // A refresh token that was used and whose successor is not kept is lost.
      Effect.uninterruptible
    )
  })

  return { keepToken, renewClaimed }
})
