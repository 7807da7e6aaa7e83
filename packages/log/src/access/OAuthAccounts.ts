import type { AppAccount, Credentials } from "@headwater/domain/AppAccount"
import type * as Id from "@headwater/domain/Id"
import { OAuthClient, OAuthStanding, OAuthTokens } from "@headwater/domain/OAuth"
import { Seal, type SealBroken } from "@headwater/domain/Seal"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as Rows from "../internal/Rows.ts"
import { type DueItem, DueWork } from "../work/DueWork.ts"
import { AppAccounts } from "./AppAccounts.ts"

const Row = Schema.Struct({
  ...OAuthStanding.fields,
  client: Schema.fromJsonString(OAuthClient),
  expiresAt: Schema.NullOr(Column.Int8),
  renewedAt: Schema.NullOr(Column.Int8),
  renewAt: Schema.NullOr(Column.Int8),
  failingSince: Schema.NullOr(Column.Int8)
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  isRenewable: "is_renewable",
  expiresAt: "expires_at",
  renewedAt: "renewed_at",
  renewAt: "renew_at",
  failingSince: "failing_since"
}))

const TokensText = Schema.fromJsonString(OAuthTokens)
const encodeClient = Schema.encodeSync(Schema.fromJsonString(OAuthClient))

/** An account with its secrets. */
export interface OpenedOAuthAccount {
  readonly standing: OAuthStanding
  readonly clientSecret: string | null
  readonly tokens: OAuthTokens
  /** The number of renewals in a row that failed. */
  readonly failures: number
}

/** The client that an account has from now on. */
export interface ChangedClient {
  readonly client: OAuthClient
  readonly clientSecret: string | null
  /** False if the refresh token is of another place than that to which it would go. */
  readonly keepsRefreshToken: boolean
}

/** A new token of an account. Times are in Unix milliseconds. */
export interface NewToken {
  readonly tokens: OAuthTokens
  readonly expiresAt: number | null
  readonly renewAt: number | null
  readonly renewedAt: number
}

/** A renewal that came to nothing. */
export interface FailedRenewal {
  readonly error: string
  /** The time of the next try, in Unix milliseconds; null if there is none. */
  readonly renewAt: number | null
  /** The time since which the account fails, in Unix milliseconds; null if it does not yet. */
  readonly failingSince: number | null
}

/**
 * The `oauth_accounts` table. One that renews a token claims it first, so that no other does. Its outcome counts only
 * while the token is of the same generation.
 */
export class OAuthAccounts extends Context.Service<OAuthAccounts, {
  /** Adds an account with an app, and its client. */
  readonly create: (input: {
    readonly account: {
      readonly accountId: Id.AccountId
      readonly app: string
      readonly name: string
      readonly credentials: Credentials
    }
    readonly client: OAuthClient
    readonly clientSecret: string | null
    readonly token: NewToken
  }) => Effect.Effect<AppAccount, SqlError.SqlError>
  /** Those that there are, by id. */
  readonly find: (
    accountId: Id.AccountId,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, OAuthStanding>, SqlError.SqlError>
  /** Those that there are, with their secrets, by id. */
  readonly open: (
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, OpenedOAuthAccount>, SqlError.SqlError | SealBroken>
  /**
   * Changes an account and its client, by what it is while nobody else changes it. A renewal that was refused is due again. None
   * for an unknown account.
   */
  readonly change: <E>(
    accountId: Id.AccountId,
    id: string,
    fields: { readonly name: string | undefined; readonly credentials: Credentials | undefined },
    changed: (before: OpenedOAuthAccount, credentials: Credentials) => Effect.Effect<ChangedClient, E>,
    now: number
  ) => Effect.Effect<Option.Option<AppAccount>, E | SqlError.SqlError | SealBroken>
  /** The tokens of those that there are, by id: their generations. */
  readonly generations: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, number>, SqlError.SqlError>
  /**
   * Claims accounts whose renewal is due and that nobody has claimed, until a time in Unix milliseconds. Those of suspended
   * accounts wait.
   */
  readonly claimDue: (
    now: number,
    until: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  /**
   * Claims an account if its token is still of this generation and nobody else has claimed it.
   *
   * @param own the end of the claim by which one has it already
   */
  readonly claim: (
    id: string,
    generation: number,
    now: number,
    until: number,
    own?: number
  ) => Effect.Effect<boolean, SqlError.SqlError>
  /** True if somebody renews the token of this generation. */
  readonly isClaimed: (id: string, generation: number, now: number) => Effect.Effect<boolean, SqlError.SqlError>
  /** Keeps a new token in place of one of a generation, and gives the claim back. Answers false if the token was another. */
  readonly renewed: (
    id: string,
    generation: number,
    token: NewToken,
    told: ReadonlyArray<DueItem>
  ) => Effect.Effect<boolean, SqlError.SqlError>
  /** Notes that a renewal failed, and gives the claim back. Answers false if the token was another. */
  readonly failed: (
    id: string,
    generation: number,
    failure: FailedRenewal,
    told: ReadonlyArray<DueItem>
  ) => Effect.Effect<boolean, SqlError.SqlError>
}>()("@headwater/log/access/OAuthAccounts") {
  static readonly layer: Layer.Layer<OAuthAccounts, never, AppAccounts | DueWork | SqlClient.SqlClient | Seal> = Layer
    .effect(
      OAuthAccounts,
      Effect.suspend(() => Effect.map(parts, (parts) => OAuthAccounts.of({ ...accounts(parts), ...renewals(parts) })))
    )
}

const placeOf = (id: string): string => `oauth_accounts/${id}`
const secretPlaceOf = (id: string): string => `${placeOf(id)}/client_secret`

interface SealedRow {
  readonly id: string
  readonly client_secret: Uint8Array | null
  readonly tokens: Uint8Array
  readonly failures: number
}

const parts = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const standing = sql`
    id, account_id, client, state, generation, is_renewable, expires_at, renewed_at, renew_at, failing_since, error`
  return {
    sql,
    seal: yield* Seal,
    appAccounts: yield* AppAccounts,
    dueWork: yield* DueWork,
    ...Rows.make(Schema.decodeUnknownEffect(Row)),
    /** The columns of an account without its secrets, and all that is opened of one. */
    standing,
    opening: sql`${standing}, client_secret, tokens, failures`
  }
})

type Parts = Effect.Success<typeof parts>

/** The secret parts of an account, as they are stored and as they are used. */
const sealing = ({ all, seal }: Parts) => {
  const sealedTokens = Effect.fnUntraced(function*(id: string, tokens: OAuthTokens) {
    const text = yield* Effect.orDie(Schema.encodeEffect(TokensText)(tokens))
    return yield* seal.seal(placeOf(id), Redacted.make(text))
  })

  const sealedSecret = (id: string, secret: string | null) =>
    secret === null ? Effect.succeed(null) : seal.seal(secretPlaceOf(id), Redacted.make(secret))

  /** Opens rows of all columns in `opening`. */
  const opened = Effect.fnUntraced(function*(rows: ReadonlyArray<SealedRow>) {
    const standings = yield* all(Effect.succeed(rows))
    return yield* Effect.forEach(
      rows,
      ({ client_secret: secret, failures, id, tokens }, index) =>
        Effect.gen(function*() {
          const text = Redacted.value(yield* seal.open(placeOf(id), tokens))
          return {
            standing: standings[index]!,
            clientSecret: secret === null ? null : Redacted.value(yield* seal.open(secretPlaceOf(id), secret)),
            tokens: yield* Effect.orDie(Schema.decodeEffect(TokensText)(text)),
            failures
          } satisfies OpenedOAuthAccount
        })
    )
  })

  /** The columns of a new token. */
  const tokenColumns = Effect.fnUntraced(function*(id: string, { expiresAt, renewAt, renewedAt, tokens }: NewToken) {
    return {
      tokens: yield* sealedTokens(id, tokens),
      state: tokens.accessToken === null ? "unconnected" : "connected",
      is_renewable: tokens.refreshToken !== null,
      expires_at: expiresAt,
      renewed_at: renewedAt,
      renew_at: renewAt,
      claimed_until: null,
      failures: 0,
      failing_since: null,
      error: null
    }
  })

  return { sealedTokens, sealedSecret, opened, tokenColumns }
}

const byId = <A>(rows: ReadonlyArray<A>, idOf: (row: A) => string) => new Map(rows.map((row) => [idOf(row), row]))

/** Accounts and their clients. */
const accounts = (parts: Parts): Pick<OAuthAccounts["Service"], "create" | "find" | "open" | "change"> => {
  const { all, appAccounts, opening, sql, standing } = parts
  const { opened, sealedSecret, sealedTokens, tokenColumns } = sealing(parts)
  return {
    create: Effect.fnUntraced(function*({ account, client, clientSecret, token }) {
      const created = yield* appAccounts.create(account)
      yield* sql`INSERT INTO oauth_accounts ${
        sql.insert({
          id: created.id,
          account_id: created.accountId,
          client: encodeClient(client),
          client_secret: yield* sealedSecret(created.id, clientSecret),
          generation: token.tokens.accessToken === null ? 0 : 1,
          ...yield* tokenColumns(created.id, token)
        })
      }`
      return created
    }, sql.withTransaction),
    find: (accountId, ids) =>
      ids.length === 0 ? Effect.succeed(new Map()) : Effect.map(
        all(sql`SELECT ${standing} FROM oauth_accounts WHERE account_id = ${accountId} AND ${sql.in("id", ids)}`),
        (rows) => byId(rows, ({ id }) => id)
      ),
    open: Effect.fnUntraced(function*(ids) {
      if (ids.length === 0) return new Map()
      const rows = yield* sql<SealedRow>`SELECT ${opening} FROM oauth_accounts WHERE ${sql.in("id", ids)}`
      return byId(yield* opened(rows), ({ standing }) => standing.id)
    }),
    change: Effect.fnUntraced(function*(accountId, id, fields, changed, now) {
      const rows = yield* sql<SealedRow>`
        SELECT ${opening} FROM oauth_accounts WHERE id = ${id} AND account_id = ${accountId} FOR UPDATE`
      const [before] = yield* opened(rows)
      if (before === undefined) return Option.none()
      const credentials = (yield* appAccounts.credentials(accountId, [id])).get(id) ?? {}
      const { client, clientSecret, keepsRefreshToken } = yield* changed(before, credentials)
      const { standing: { expiresAt, generation, renewAt, state }, tokens } = before
      const drops = !keepsRefreshToken && tokens.refreshToken !== null
      const columns = {
        client: encodeClient(client),
        client_secret: yield* sealedSecret(id, clientSecret),
        failures: 0,
        renew_at: drops ? expiresAt : state === "failing" ? now : renewAt,
        // A renewal that is under way with the refresh token comes to nothing.
        ...(drops
          ? {
            tokens: yield* sealedTokens(id, { ...tokens, refreshToken: null }),
            is_renewable: false,
            generation: generation + 1,
            claimed_until: null
          }
          : {})
      }
      yield* sql`UPDATE oauth_accounts SET ${sql.update(columns)} WHERE id = ${id}`
      return yield* appAccounts.update(accountId, id, fields)
    }, sql.withTransaction)
  }
}

/** The renewals of tokens. */
const renewals = (parts: Parts): Omit<OAuthAccounts["Service"], "create" | "find" | "open" | "change"> => {
  const { dueWork, sql } = parts
  const { tokenColumns } = sealing(parts)

  const isStill = (id: string, generation: number) => sql`id = ${id} AND generation = ${generation}`

  return {
    generations: (ids) =>
      Effect.map(
        sql<{ readonly id: string; readonly generation: number }>`
          SELECT id, generation FROM oauth_accounts WHERE ${sql.in("id", ids)}`,
        (rows) => new Map(rows.map(({ generation, id }) => [id, generation]))
      ),
    claimDue: (now, until, limit) =>
      Effect.map(
        sql<{ readonly id: string }>`
          UPDATE oauth_accounts SET claimed_until = ${until}
          WHERE id IN (
            SELECT o.id FROM oauth_accounts o JOIN accounts a ON a.id = o.account_id
            WHERE o.renew_at <= ${now} AND (o.claimed_until IS NULL OR o.claimed_until <= ${now})
              AND a.suspended_at IS NULL
            ORDER BY o.renew_at LIMIT ${limit} FOR UPDATE OF o SKIP LOCKED
          ) RETURNING id`,
        (rows) => rows.map(({ id }) => id)
      ),
    claim: (id, generation, now, until, own) =>
      Effect.map(
        sql`
          UPDATE oauth_accounts SET claimed_until = ${until}
          WHERE ${isStill(id, generation)}
            AND (claimed_until IS NULL OR claimed_until <= ${now} OR claimed_until = ${own ?? null}::bigint)
          RETURNING id`,
        (rows) => rows.length > 0
      ),
    isClaimed: (id, generation, now) =>
      Effect.map(
        sql`SELECT id FROM oauth_accounts WHERE ${isStill(id, generation)} AND claimed_until > ${now}`,
        (rows) => rows.length > 0
      ),
    renewed: Effect.fnUntraced(function*(id, generation, token, told) {
      const columns = { generation: generation + 1, ...yield* tokenColumns(id, token) }
      const rows = yield* sql`UPDATE oauth_accounts SET ${sql.update(columns)} WHERE ${
        isStill(id, generation)
      } RETURNING id`
      if (rows.length === 0) return false
      if (told.length > 0) yield* dueWork.put(told)
      return true
    }, sql.withTransaction),
    failed: Effect.fnUntraced(function*(id, generation, { error, failingSince, renewAt }, told) {
      const rows = yield* sql`
        UPDATE oauth_accounts SET
          state = CASE WHEN ${failingSince}::bigint IS NULL THEN state ELSE 'failing' END,
          failing_since = coalesce(failing_since, ${failingSince}::bigint),
          error = ${error}, renew_at = ${renewAt}, claimed_until = NULL, failures = failures + 1
        WHERE ${isStill(id, generation)} RETURNING id`
      if (rows.length === 0) return false
      if (told.length > 0) yield* dueWork.put(told)
      return true
    }, sql.withTransaction)
  }
}
