import type { Credentials } from "@headwater/domain/AppAccount"
import type * as Id from "@headwater/domain/Id"
import { authOf, type OAuthTokens } from "@headwater/domain/OAuth"
import * as RealTime from "@headwater/domain/RealTime"
import * as Recurring from "@headwater/domain/Recurring"
import type { AppAccounts } from "@headwater/log/access/AppAccounts"
import { type NewToken, OAuthAccounts, type OpenedOAuthAccount } from "@headwater/log/access/OAuthAccounts"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { LiveToken } from "@headwater/sandbox/Run"
import { Clock, Context, Deferred, Effect, Layer, Schedule } from "effect"
import type { TokenEndpoint } from "./TokenEndpoint.ts"
import * as TokenRenewal from "./TokenRenewal.ts"

export { timed, tokenOf } from "./TokenRenewal.ts"

/** The time between two looks for renewals that are due. */
const renewEvery = "5 seconds"

/** The time between two looks for tokens of runs under way that another node has renewed. */
const lookEvery = "1 second"

/** Renewals that a node has under way at once. */
const mostAtOnce = 32

/** A run waits for a token that ends within so many milliseconds to be renewed. */
const endingMs = 60_000

/** The longest that a run waits for a renewal. */
const patience = "15 seconds"

/** The time between two looks whether another node is done, in milliseconds. */
const pollMs = 250

/** A token that an API refuses is renewed unless that was done within so many milliseconds: it may be refused for another reason. */
const renewedAgainMs = 5 * 60_000

/** An account with tokens as code gets it. */
export interface LiveAccount {
  /** The `$auth` but for the access token. */
  readonly auth: Credentials
  /** Undefined of an account that was never connected. */
  readonly token: LiveToken | undefined
}

/**
 * The tokens of accounts over OAuth 2, renewed before they end.
 *
 * - T1. A renewal asks the provider only with the account claimed, and so one node and one fiber does.
 * - T2. A new token is kept before anybody gets it, in place of the one that it was made from and of no other.
 * - T3. A renewal that is under way is shared: all who ask for it get its outcome.
 */
export class AccountTokens extends Context.Service<AccountTokens, {
  /** Those of these accounts that have tokens, by id. A token that is about to end is renewed first. */
  readonly of: (
    accountId: Id.AccountId,
    credentials: ReadonlyMap<string, Credentials>
  ) => Effect.Effect<ReadonlyMap<string, LiveAccount>>
  /** Calls back with each new token of these accounts, on whichever node it was renewed, until it is told to stop. */
  readonly watch: (tokens: ReadonlyArray<LiveToken>, onRenewed: (token: LiveToken) => void) => () => void
  /** Takes note that an API has refused a token of an account: it is renewed, if it is still the account's. */
  readonly refused: (token: Pick<LiveToken, "account" | "generation">) => void
  /** Gives an account a token that somebody else got, in place of its own. It is made from the tokens that the account has then. */
  readonly take: (id: string, token: (before: OAuthTokens) => NewToken) => Effect.Effect<void>
  /** Renews a token now, and returns when that is done or has failed. */
  readonly renew: (id: string) => Effect.Effect<void>
  /** Begins the renewals that are due, and returns once they are over. */
  readonly renewDue: Effect.Effect<void>
  /** Learns of the tokens that another node has renewed, for those who watch them. */
  readonly lookForRenewed: Effect.Effect<void>
}>()("@headwater/engine/oauth/AccountTokens") {
  static readonly layer: Layer.Layer<
    AccountTokens,
    never,
    AppAccounts | OAuthAccounts | TokenEndpoint
  > = Layer.effect(AccountTokens, Effect.suspend(() => make))

  /** Has the renewals made in time, and what other nodes renew be heard of. */
  static readonly layerRecurring: Layer.Layer<never, never, AccountTokens> = Layer.effectDiscard(
    Effect.gen(function*() {
      const { lookForRenewed, renewDue } = yield* AccountTokens
      // A renewal that takes long holds up no other.
      yield* RealTime.on(
        Recurring.every("renew the tokens of accounts with apps", renewEvery, Effect.forkScoped(renewDue))
      )
      yield* RealTime.on(Recurring.every("look for tokens that were renewed elsewhere", lookEvery, lookForRenewed))
    })
  )
}

type OnRenewed = (token: LiveToken) => void

/** The accounts whose new tokens somebody waits for. */
class WatchedTokens {
  private readonly watched = new Map<string, { generation: number; readonly listeners: Set<OnRenewed> }>()

  get accounts(): ReadonlyArray<string> {
    return [...this.watched.keys()]
  }

  /** True if an account is watched by somebody who has an older token. */
  isNewer(account: string, generation: number): boolean {
    return generation > (this.watched.get(account)?.generation ?? Infinity)
  }

  publish(token: LiveToken): void {
    const watched = this.watched.get(token.account)
    if (watched === undefined || watched.generation >= token.generation) return
    watched.generation = token.generation
    for (const listener of watched.listeners) listener(token)
  }

  watch(tokens: ReadonlyArray<LiveToken>, onRenewed: OnRenewed): () => void {
    for (const { account, generation } of tokens) {
      const watched = this.watched.get(account) ?? { generation, listeners: new Set() }
      // One that begins with an older token hears of the newer at the next look.
      watched.generation = Math.min(watched.generation, generation)
      watched.listeners.add(onRenewed)
      this.watched.set(account, watched)
    }
    return () => {
      for (const { account } of tokens) {
        const watched = this.watched.get(account)
        watched?.listeners.delete(onRenewed)
        if (watched?.listeners.size === 0) this.watched.delete(account)
      }
    }
  }
}

const make = Effect.gen(function*() {
  const accounts = yield* OAuthAccounts
  const scope = yield* Effect.scope
  const context = yield* Effect.context<never>()
  /** Renewals under way on this node, by account: it has claimed these. */
  const underWay = new Map<string, Deferred.Deferred<void>>()
  /** Accounts whose renewal is waited for on this node, whoever makes it. */
  const awaited = new Map<string, Deferred.Deferred<void>>()
  const watched = new WatchedTokens()

  const openOf = (ids: ReadonlyArray<string>) => untilAnswered(accounts.open(ids))

  const { keepToken, renewClaimed } = yield* TokenRenewal.make((token) => watched.publish(token))

  /** Does work on an account unless that is going on, and returns when it is done. */
  const once = (
    goingOn: Map<string, Deferred.Deferred<void>>,
    id: string,
    work: Effect.Effect<void>
  ): Effect.Effect<void> =>
    Effect.suspend(() => {
      const before = goingOn.get(id)
      if (before !== undefined) return Deferred.await(before)
      const done = Deferred.makeUnsafe<void>()
      goingOn.set(id, done)
      return work.pipe(
        Effect.catchCause((cause) => Effect.logError(`Could not renew the token of ${id}`, cause)),
        Effect.ensuring(Effect.suspend(() => {
          goingOn.delete(id)
          return Deferred.succeed(done, undefined)
        })),
        Effect.provideContext(context),
        Effect.forkIn(scope),
        Effect.andThen(Deferred.await(done))
      )
    })

  const renewClaimedOnce = (id: string, until: number) => once(underWay, id, renewClaimed(id, until))

  /** Renews a token if nobody else does. Answers whether somebody else is at it. */
  const renewIfFree = Effect.fnUntraced(function*(id: string, generation: number) {
    const now = yield* Clock.currentTimeMillis
    const until = now + TokenRenewal.claimMs
    if (!(yield* untilAnswered(accounts.claim(id, generation, now, until)))) {
      return yield* untilAnswered(accounts.isClaimed(id, generation, now))
    }
    yield* renewClaimedOnce(id, until)
    return false
  })

  const renewIf = (id: string, generation: number) =>
    once(
      awaited,
      id,
      // The node that has claimed it may be gone, and its claim ends then.
      RealTime.on(Effect.asVoid(Effect.repeat(renewIfFree(id, generation), {
        while: (isClaimed) => isClaimed,
        schedule: Schedule.spaced(pollMs)
      })))
    )

  const renewDue = Effect.gen(function*() {
    const now = yield* RealTime.currentTimeMillis
    const free = mostAtOnce - underWay.size
    if (free <= 0) return
    const until = now + TokenRenewal.claimMs
    // Looks that wait for the database would pile up.
    const ids = yield* accounts.claimDue(now, until, free).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("Could not look for renewals that are due; trying again", error), [])
      )
    )
    yield* Effect.forEach(ids, (id) => renewClaimedOnce(id, until), { concurrency: "unbounded", discard: true })
  })

  const lookForRenewed = Effect.gen(function*() {
    const ids = watched.accounts
    if (ids.length === 0) return
    const generations = yield* untilAnswered(accounts.generations(ids))
    const newer = [...generations].filter(([id, generation]) => watched.isNewer(id, generation))
    const opened = yield* openOf(newer.map(([id]) => id))
    for (const account of opened.values()) {
      const token = liveTokenOf(account)
      if (token !== undefined) watched.publish(token)
    }
  })

  return AccountTokens.of({
    lookForRenewed,
    renewDue,
    of: Effect.fnUntraced(function*(accountId, credentials) {
      const own = (all: ReadonlyMap<string, OpenedOAuthAccount>) =>
        [...all.values()].filter(({ standing }) => standing.accountId === accountId)
      let opened = own(yield* openOf([...credentials.keys()]))
      const now = yield* RealTime.currentTimeMillis
      const ending = opened.filter(({ standing: { expiresAt, isRenewable, renewAt } }) =>
        isRenewable && renewAt !== null && renewAt <= now && expiresAt !== null && expiresAt <= now + endingMs
      )
      if (ending.length > 0) {
        yield* Effect.forEach(ending, ({ standing }) => renewIf(standing.id, standing.generation), {
          concurrency: "unbounded",
          discard: true
        }).pipe(Effect.timeoutOption(patience), RealTime.on)
        opened = own(yield* openOf([...credentials.keys()]))
      }
      return new Map(opened.map((account) => {
        const { standing: { client, id }, tokens } = account
        const auth = authOf(client, tokens, credentials.get(id) ?? {})
        return [id, { auth, token: liveTokenOf(account) }]
      }))
    }),
    watch: (tokens, onRenewed) => watched.watch(tokens, onRenewed),
    refused: ({ account, generation }) => {
      const work = Effect.gen(function*() {
        const opened = (yield* openOf([account])).get(account)
        if (opened === undefined) return
        const { standing: { generation: present, isRenewable, renewedAt, state } } = opened
        const now = yield* RealTime.currentTimeMillis
        const isRecent = renewedAt !== null && now - renewedAt < renewedAgainMs
        if (present !== generation || !isRenewable || isRecent || state !== "connected") return
        yield* renewIf(account, generation)
      })
      Effect.runForkWith(context)(Effect.forkIn(work, scope))
    },
    take: (id, token) =>
      Effect.repeat(
        Effect.gen(function*() {
          const opened = (yield* openOf([id])).get(id)
          return opened === undefined || (yield* keepToken(opened, token(opened.tokens)))
        }),
        // If a renewal came between, its token is the older one.
        { until: (isDone) => isDone }
      ).pipe(Effect.asVoid),
    renew: Effect.fnUntraced(function*(id) {
      const opened = (yield* openOf([id])).get(id)
      if (opened !== undefined) yield* renewIf(id, opened.standing.generation)
    })
  })
})

const liveTokenOf = ({ standing: { generation, id }, tokens: { accessToken } }: OpenedOAuthAccount) =>
  accessToken === null ? undefined : { account: id, generation, token: accessToken }
