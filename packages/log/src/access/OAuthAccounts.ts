import type { AppAccount, Credentials } from "@headwater/domain/AppAccount"
import type * as Id from "@headwater/domain/Id"
import { OAuthClient, OAuthSecrets, OAuthStanding } from "@headwater/domain/OAuth"
import { Seal, type SealBroken } from "@headwater/domain/Seal"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
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

const SecretsText = Schema.fromJsonString(OAuthSecrets)
const encodeClient = Schema.encodeSync(Schema.fromJsonString(OAuthClient))

/** An account with its secrets. */
export interface OpenedOAuthAccount {
  readonly standing: OAuthStanding
  readonly secrets: OAuthSecrets
}

/** A new token of an account. Times are in Unix milliseconds. */
export interface NewToken {
  readonly secrets: OAuthSecrets
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
  /** Gives an account another client. A renewal that was refused is due again. */
  readonly change: (
    id: string,
    client: OAuthClient,
    secrets: OAuthSecrets,
    now: number
  ) => Effect.Effect<void, SqlError.SqlError>
  /** The tokens of those that there are, by id: their generations. */
  readonly generations: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, number>, SqlError.SqlError>
  /** Claims accounts whose renewal is due and that nobody has claimed, until a time in Unix milliseconds. */
  readonly claimDue: (
    now: number,
    until: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  /** Claims an account if its token is still of this generation and nobody has claimed it. */
  readonly claim: (
    id: string,
    generation: number,
    now: number,
    until: number
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
  /** The number of renewals in a row that failed. */
  readonly failures: (id: string) => Effect.Effect<number, SqlError.SqlError>
}>()("@headwater/log/access/OAuthAccounts") {
  static readonly layer: Layer.Layer<OAuthAccounts, never, AppAccounts | DueWork | SqlClient.SqlClient | Seal> = Layer
    .effect(OAuthAccounts, Effect.suspend(() => make))
}

const placeOf = (id: string): string => `oauth_accounts/${id}`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const seal = yield* Seal
  const appAccounts = yield* AppAccounts
  const dueWork = yield* DueWork
  const { all } = Rows.make(Schema.decodeUnknownEffect(Row))

  const shown = sql`
    id, account_id, client, state, generation, is_renewable, expires_at, renewed_at, renew_at, failing_since, error`

  const sealed = Effect.fnUntraced(function*(id: string, secrets: OAuthSecrets) {
    const text = yield* Effect.orDie(Schema.encodeEffect(SecretsText)(secrets))
    return yield* seal.seal(placeOf(id), Redacted.make(text))
  })

  const opened = Effect.fnUntraced(function*(id: string, secrets: Uint8Array) {
    const text = Redacted.value(yield* seal.open(placeOf(id), secrets))
    return yield* Effect.orDie(Schema.decodeEffect(SecretsText)(text))
  })

  const columnsOf = Effect.fnUntraced(function*(id: string, { expiresAt, renewAt, renewedAt, secrets }: NewToken) {
    return {
      secrets: yield* sealed(id, secrets),
      state: secrets.accessToken === null ? "unconnected" : "connected",
      is_renewable: secrets.refreshToken !== null,
      expires_at: expiresAt,
      renewed_at: renewedAt,
      renew_at: renewAt,
      claimed_until: null,
      failures: 0,
      failing_since: null,
      error: null
    }
  })

  const ofRows = <A>(rows: ReadonlyArray<A>, keyOf: (row: A) => string) => new Map(rows.map((row) => [keyOf(row), row]))

  const isStill = (id: string, generation: number) => sql`id = ${id} AND generation = ${generation}`

  return OAuthAccounts.of({
    create: Effect.fnUntraced(function*({ account, client, token }) {
      const created = yield* appAccounts.create(account)
      yield* sql`INSERT INTO oauth_accounts ${
        sql.insert({
          id: created.id,
          account_id: created.accountId,
          client: encodeClient(client),
          generation: token.secrets.accessToken === null ? 0 : 1,
          ...yield* columnsOf(created.id, token)
        })
      }`
      return created
    }, sql.withTransaction),
    find: (accountId, ids) =>
      ids.length === 0 ? Effect.succeed(new Map()) : Effect.map(
        all(sql`SELECT ${shown} FROM oauth_accounts WHERE account_id = ${accountId} AND ${sql.in("id", ids)}`),
        (rows) => ofRows(rows, ({ id }) => id)
      ),
    open: Effect.fnUntraced(function*(ids) {
      if (ids.length === 0) return new Map()
      const rows = yield* sql<{ readonly id: string; readonly secrets: Uint8Array }>`
        SELECT ${shown}, secrets FROM oauth_accounts WHERE ${sql.in("id", ids)}`
      const standings = yield* all(Effect.succeed(rows))
      const accounts = yield* Effect.forEach(
        standings,
        (standing, index) => Effect.map(opened(standing.id, rows[index]!.secrets), (secrets) => ({ standing, secrets }))
      )
      return ofRows(accounts, ({ standing }) => standing.id)
    }),
    change: Effect.fnUntraced(function*(id, client, secrets, now) {
      yield* sql`
        UPDATE oauth_accounts SET
          client = ${encodeClient(client)}, secrets = ${yield* sealed(id, secrets)}, failures = 0,
          renew_at = CASE WHEN state = 'failing' THEN ${now} ELSE renew_at END
        WHERE id = ${id}`
    }),
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
            SELECT id FROM oauth_accounts
            WHERE renew_at <= ${now} AND (claimed_until IS NULL OR claimed_until <= ${now})
            ORDER BY renew_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id`,
        (rows) => rows.map(({ id }) => id)
      ),
    claim: (id, generation, now, until) =>
      Effect.map(
        sql`
          UPDATE oauth_accounts SET claimed_until = ${until}
          WHERE ${isStill(id, generation)} AND (claimed_until IS NULL OR claimed_until <= ${now}) RETURNING id`,
        (rows) => rows.length > 0
      ),
    isClaimed: (id, generation, now) =>
      Effect.map(
        sql`SELECT id FROM oauth_accounts WHERE ${isStill(id, generation)} AND claimed_until > ${now}`,
        (rows) => rows.length > 0
      ),
    renewed: Effect.fnUntraced(function*(id, generation, token, told) {
      const columns = { generation: generation + 1, ...yield* columnsOf(id, token) }
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
    }, sql.withTransaction),
    failures: (id) =>
      Effect.map(
        sql<{ readonly failures: number }>`SELECT failures FROM oauth_accounts WHERE id = ${id}`,
        ([row]) => row?.failures ?? 0
      )
  })
})
