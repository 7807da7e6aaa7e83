import { Account, type Plan } from "@headwater/domain/Account"
import * as Id from "@headwater/domain/Id"
import { Clock, Context, Effect, Layer, type Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError, SqlSchema } from "effect/sql"
import * as Column from "./Column.ts"

/** What an account used over a span of UTC days. */
export interface Usage {
  readonly invocations: number
  readonly computeMs: number
}

const Row = Schema.Struct({
  ...Account.fields,
  dailyComputeTimeQuotaMs: Schema.NullOr(Column.Int8),
  dailyInvocationsQuota: Schema.NullOr(Column.Int8),
  createdAt: Column.Int8
}).pipe(Schema.encodeKeys({
  dailyComputeTimeQuotaMs: "daily_compute_time_quota_ms",
  dailyInvocationsQuota: "daily_invocations_quota",
  createdAt: "created_at"
}))

/** The accounts of this server and what they used. */
export class Accounts extends Context.Service<Accounts, {
  readonly create: (input: {
    readonly username: string
    readonly email: string
    readonly plan: Plan
  }) => Effect.Effect<Account, SqlError.SqlError>
  readonly get: (id: Id.AccountId) => Effect.Effect<Option.Option<Account>, SqlError.SqlError>
  /**
   * The oldest account. In a transaction no other is created until it ends, so that what is decided on there being none
   * holds.
   */
  readonly first: Effect.Effect<Option.Option<Account>, SqlError.SqlError>
  readonly count: Effect.Effect<number, SqlError.SqlError>
  /** The sum over the UTC days from `from` up to and without `until`, both Unix milliseconds at a day's start. */
  readonly usageOf: (id: Id.AccountId, span: {
    readonly from: number
    readonly until: number
  }) => Effect.Effect<Usage, SqlError.SqlError>
}>()("@headwater/log/Accounts") {
  static readonly layer: Layer.Layer<Accounts, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer.effect(
    Accounts,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom

      const find = SqlSchema.findOneOption({
        Request: Schema.String,
        Result: Row,
        execute: (id) => sql`SELECT * FROM accounts WHERE id = ${id}`
      })
      const findFirst = SqlSchema.findOneOption({
        Request: Schema.Void,
        Result: Row,
        execute: () => sql`SELECT * FROM accounts ORDER BY id LIMIT 1`
      })

      return Accounts.of({
        create: Effect.fnUntraced(function*(input) {
          const id = Id.AccountId.make(
            yield* Id.make("account").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          )
          const createdAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          yield* sql`
            INSERT INTO accounts ${
            sql.insert({
              id,
              username: input.username,
              email: input.email,
              plan: input.plan,
              created_at: createdAt
            })
          }`
          return { id, ...input, dailyComputeTimeQuotaMs: null, dailyInvocationsQuota: null, createdAt }
        }),
        get: (id) => find(id).pipe(Effect.catchTag("SchemaError", Effect.die)),
        first: sql`LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE`.pipe(
          Effect.andThen(findFirst()),
          Effect.catchTag("SchemaError", Effect.die),
          sql.withTransaction
        ),
        count: Effect.map(
          sql<{ readonly count: bigint }>`SELECT count(*) AS count FROM accounts`,
          ([row]) => Number(row?.count ?? 0)
        ),
        usageOf: (id, span) =>
          Effect.map(
            sql<{ readonly invocations: bigint; readonly compute_ms: bigint }>`
              SELECT coalesce(sum(invocations), 0)::bigint AS invocations,
                coalesce(sum(compute_ms), 0)::bigint AS compute_ms
              FROM usage
              WHERE account_id = ${id} AND day >= ${utcDay(span.from)}::text::date
                AND day < ${utcDay(span.until)}::text::date`,
            ([row]) => ({ invocations: Number(row?.invocations ?? 0), computeMs: Number(row?.compute_ms ?? 0) })
          )
      })
    })
  )
}

const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
