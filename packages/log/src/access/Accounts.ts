import { Account } from "@headwater/domain/Account"
import * as Id from "@headwater/domain/Id"
import { Clock, Context, Effect, Layer, type Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as Rows from "../internal/Rows.ts"

type Limit = "dailyComputeTimeQuotaMs" | "dailyInvocationsQuota" | "billingPeriodInvocationsQuota" | "retentionDays"

type OwnLimit = "ownDailyComputeTimeLimitMs" | "ownDailyInvocationsLimit" | "ownBillingPeriodInvocationsLimit"

/** The values that an account begins with; a limit that is not given is null. */
export type AccountInput = Pick<Account, "username" | "email" | "plan"> & Partial<Pick<Account, Limit>>

/** The changes that an operator or the account itself may make to it; a field that is undefined stays. */
export type AccountChange = {
  readonly [Field in keyof AccountInput | OwnLimit]?: Account[Field] | undefined
}

/** Another account has the username. */
export class UsernameTaken extends Schema.TaggedError<UsernameTaken>()("UsernameTaken", { username: Schema.String }) {
  override get message() {
    return `The username ${JSON.stringify(this.username)} is taken`
  }
}

const Row = Schema.Struct({
  ...Account.fields,
  dailyComputeTimeQuotaMs: Schema.NullOr(Column.Int8),
  dailyInvocationsQuota: Schema.NullOr(Column.Int8),
  billingPeriodInvocationsQuota: Schema.NullOr(Column.Int8),
  ownDailyComputeTimeLimitMs: Schema.NullOr(Column.Int8),
  ownDailyInvocationsLimit: Schema.NullOr(Column.Int8),
  ownBillingPeriodInvocationsLimit: Schema.NullOr(Column.Int8),
  suspendedAt: Schema.NullOr(Column.Int8),
  createdAt: Column.Int8
}).pipe(Schema.encodeKeys({
  dailyComputeTimeQuotaMs: "daily_compute_time_quota_ms",
  dailyInvocationsQuota: "daily_invocations_quota",
  billingPeriodInvocationsQuota: "billing_period_invocations_quota",
  ownDailyComputeTimeLimitMs: "own_daily_compute_time_limit_ms",
  ownDailyInvocationsLimit: "own_daily_invocations_limit",
  ownBillingPeriodInvocationsLimit: "own_billing_period_invocations_limit",
  retentionDays: "retention_days",
  suspendedAt: "suspended_at",
  createdAt: "created_at"
}))

/** The accounts of this server. */
export class Accounts extends Context.Service<Accounts, {
  readonly create: (input: AccountInput) => Effect.Effect<Account, SqlError.SqlError>
  /** In a transaction: nobody else takes the username until it ends. Fails where an account has it. */
  readonly reserve: (username: string) => Effect.Effect<void, UsernameTaken | SqlError.SqlError>
  readonly get: (id: Id.AccountId) => Effect.Effect<Option.Option<Account>, SqlError.SqlError>
  /** All of them, the oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Account>, SqlError.SqlError>
  /** Several where a name was taken twice: only an id names one account. */
  readonly byUsername: (username: string) => Effect.Effect<ReadonlyArray<Account>, SqlError.SqlError>
  /** None for an unknown account. Fails where the change gives it a username that another account has. */
  readonly update: (
    id: Id.AccountId,
    change: AccountChange
  ) => Effect.Effect<Option.Option<Account>, UsernameTaken | SqlError.SqlError>
  /** Keeps it from doing anything, from now on or from when it was first suspended. None for an unknown account. */
  readonly suspend: (id: Id.AccountId) => Effect.Effect<Option.Option<Account>, SqlError.SqlError>
  /** Lets a suspended account go on. None for an unknown account. */
  readonly resume: (id: Id.AccountId) => Effect.Effect<Option.Option<Account>, SqlError.SqlError>
  /** Those that are suspended, and since when, in Unix seconds. */
  readonly suspended: Effect.Effect<
    ReadonlyArray<{ readonly id: Id.AccountId; readonly suspendedAt: number }>,
    SqlError.SqlError
  >
  /** Removes its row, with its keys and whatever small belongs to it alone. */
  readonly remove: (id: Id.AccountId) => Effect.Effect<void, SqlError.SqlError>
  /**
   * The oldest account. In a transaction no other is created until it ends, so that what is decided on there being none
   * holds.
   */
  readonly first: Effect.Effect<Option.Option<Account>, SqlError.SqlError>
  readonly count: Effect.Effect<number, SqlError.SqlError>
}>()("@headwater/log/access/Accounts") {
  static readonly layer: Layer.Layer<Accounts, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer.effect(
    Accounts,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom

      const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))

      /** @param id of the account that may have it already */
      const reserve = Effect.fnUntraced(function*(username: string, id = "") {
        // Two who take one at once do so one after the other.
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`usernames/${username}`}, 0))`
        const others = yield* sql`SELECT 1 FROM accounts WHERE username = ${username} AND id <> ${id} LIMIT 1`
        if (others.length > 0) return yield* new UsernameTaken({ username })
      })

      return Accounts.of({
        create: Effect.fnUntraced(function*(input) {
          const id = yield* Id.make("account").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          const account: Account = {
            id: Id.AccountId.make(id),
            username: input.username,
            email: input.email,
            plan: input.plan,
            dailyComputeTimeQuotaMs: input.dailyComputeTimeQuotaMs ?? null,
            dailyInvocationsQuota: input.dailyInvocationsQuota ?? null,
            billingPeriodInvocationsQuota: input.billingPeriodInvocationsQuota ?? null,
            ownDailyComputeTimeLimitMs: null,
            ownDailyInvocationsLimit: null,
            ownBillingPeriodInvocationsLimit: null,
            retentionDays: input.retentionDays ?? null,
            suspendedAt: null,
            createdAt: Math.floor((yield* Clock.currentTimeMillis) / 1000)
          }
          yield* sql`INSERT INTO accounts ${sql.insert({ id, ...columns(account), created_at: account.createdAt })}`
          return account
        }),
        reserve: (username) => reserve(username),
        get: (id) => one(sql`SELECT * FROM accounts WHERE id = ${id}`),
        list: all(sql`SELECT * FROM accounts ORDER BY id`),
        byUsername: (username) => all(sql`SELECT * FROM accounts WHERE username = ${username} ORDER BY id`),
        update: Effect.fnUntraced(function*(id, change) {
          const { username } = change
          if (username !== undefined) yield* reserve(username, id)
          const set = Object.fromEntries(Object.entries(columns(change)).filter(([, value]) => value !== undefined))
          return yield* one(
            Object.keys(set).length === 0
              ? sql`SELECT * FROM accounts WHERE id = ${id}`
              : sql`UPDATE accounts SET ${sql.update(set)} WHERE id = ${id} RETURNING *`
          )
        }, sql.withTransaction),
        suspend: Effect.fnUntraced(function*(id) {
          const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          return yield* one(sql`
            UPDATE accounts SET suspended_at = coalesce(suspended_at, ${now}) WHERE id = ${id} RETURNING *`)
        }),
        resume: (id) => one(sql`UPDATE accounts SET suspended_at = NULL WHERE id = ${id} RETURNING *`),
        suspended: Effect.map(
          sql<{ readonly id: Id.AccountId; readonly suspended_at: bigint }>`
            SELECT id, suspended_at FROM accounts WHERE suspended_at IS NOT NULL`,
          (rows) => rows.map((row) => ({ id: row.id, suspendedAt: Number(row.suspended_at) }))
        ),
        remove: (id) => Effect.asVoid(sql`DELETE FROM accounts WHERE id = ${id}`),
        first: sql`LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE`.pipe(
          Effect.andThen(one(sql`SELECT * FROM accounts ORDER BY id LIMIT 1`)),
          sql.withTransaction
        ),
        count: Effect.map(
          sql<{ readonly count: bigint }>`SELECT count(*) AS count FROM accounts`,
          ([row]) => Number(row?.count ?? 0)
        )
      })
    })
  )
}

const columns = (input: AccountChange) => ({
  username: input.username,
  email: input.email,
  plan: input.plan,
  daily_compute_time_quota_ms: input.dailyComputeTimeQuotaMs,
  daily_invocations_quota: input.dailyInvocationsQuota,
  billing_period_invocations_quota: input.billingPeriodInvocationsQuota,
  own_daily_compute_time_limit_ms: input.ownDailyComputeTimeLimitMs,
  own_daily_invocations_limit: input.ownDailyInvocationsLimit,
  own_billing_period_invocations_limit: input.ownBillingPeriodInvocationsLimit,
  retention_days: input.retentionDays
})
