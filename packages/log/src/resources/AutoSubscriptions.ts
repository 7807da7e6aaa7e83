import { AutoSubscription } from "@headwater/domain/AutoSubscription"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import * as SubscriptionBatch from "@headwater/domain/SubscriptionBatch"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as Rows from "../internal/Rows.ts"
import * as Page from "../lists/Page.ts"

const Row = Schema.Struct({
  ...AutoSubscription.fields,
  createdAt: Column.Int8
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  listenerId: "listener_id",
  eventName: "event_name",
  createdAt: "created_at"
}))

/** The options of the subscriptions that it makes. */
export interface AutoSubscriptionOptions {
  /** JSON text of what events have to pass; null for all. */
  readonly filter?: string | null | undefined
  /** The batches in which events go to the listener; null if each goes alone. */
  readonly batch?: SubscriptionBatch.SubscriptionBatch | null | undefined
}

/** The key of an auto-subscription in its account. `""` and `"default"` name the same event stream. */
export interface AutoSubscriptionKey {
  readonly accountId: Id.AccountId
  readonly listenerId: string
  readonly eventName: string
}

/**
 * The `auto_subscriptions` table. Every emitter is created wholly before an auto-subscription or wholly after it, and
 * has a subscription of it in the second case only: `create` locks the account's row against `forNewEmitter`, so neither
 * reads while the other is about to commit. Many emitters may be created at once.
 */
export class AutoSubscriptions extends Context.Service<AutoSubscriptions, {
  /** The auto-subscription of that key, made where it is not there yet. One that is there stays as it is. */
  readonly create: (
    key: AutoSubscriptionKey,
    options?: AutoSubscriptionOptions
  ) => Effect.Effect<AutoSubscription, SqlError.SqlError>
  /** Answers whether there was such an auto-subscription. The subscriptions it has made stay. */
  readonly remove: (accountId: Id.AccountId, id: string) => Effect.Effect<boolean, SqlError.SqlError>
  readonly removeOfListener: (accountId: Id.AccountId, listenerId: string) => Effect.Effect<void, SqlError.SqlError>
  readonly page: (
    accountId: Id.AccountId,
    request: Page.PageRequest
  ) => Effect.Effect<Page.Page<AutoSubscription>, SqlError.SqlError>
  /**
   * Those that an emitter created by the surrounding transaction is subject to, oldest first. None is created, and none
   * of these removed, until that transaction ends: a listener that goes meanwhile takes its new subscriptions along.
   */
  readonly forNewEmitter: (
    accountId: Id.AccountId
  ) => Effect.Effect<ReadonlyArray<AutoSubscription>, SqlError.SqlError>
}>()("@headwater/log/resources/AutoSubscriptions") {
  static readonly layer: Layer.Layer<AutoSubscriptions, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer
    .effect(
      AutoSubscriptions,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const random = yield* SecureRandom.SecureRandom
        const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))

        const insert = Effect.fnUntraced(function*(
          { accountId, eventName, listenerId }: AutoSubscriptionKey,
          { batch = null, filter = null }: AutoSubscriptionOptions
        ) {
          // Weaker than FOR UPDATE, which would hold up everything that refers to the account.
          yield* sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`
          return yield* one(sql`
            INSERT INTO auto_subscriptions ${
            sql.insert({
              id: yield* Id.make("autoSubscription").pipe(Effect.provideService(SecureRandom.SecureRandom, random)),
              account_id: accountId,
              listener_id: listenerId,
              event_name: eventName,
              stream: Stream.normalize(eventName),
              filter,
              batch: batch === null ? null : SubscriptionBatch.toText(batch),
              created_at: Math.floor((yield* Clock.currentTimeMillis) / 1000)
            })
          } ON CONFLICT (account_id, listener_id, stream) DO NOTHING RETURNING *`)
        }, sql.withTransaction)

        const create = (
          key: AutoSubscriptionKey,
          options: AutoSubscriptionOptions = {}
        ): Effect.Effect<AutoSubscription, SqlError.SqlError> =>
          insert(key, options).pipe(
            Effect.filterOrElse(Option.isSome, () =>
              one(sql`
                SELECT * FROM auto_subscriptions
                WHERE account_id = ${key.accountId} AND listener_id = ${key.listenerId}
                  AND stream = ${Stream.normalize(key.eventName)}`)),
            // Neither inserted nor there: it was removed in between, so it can be inserted now.
            Effect.flatMap(Option.match({ onSome: Effect.succeed, onNone: () => create(key, options) }))
          )

        return AutoSubscriptions.of({
          create,
          remove: (accountId, id) =>
            Effect.map(
              sql`DELETE FROM auto_subscriptions WHERE id = ${id} AND account_id = ${accountId} RETURNING id`,
              (rows) => rows.length > 0
            ),
          removeOfListener: (accountId, listenerId) =>
            Effect.asVoid(sql`
              DELETE FROM auto_subscriptions WHERE account_id = ${accountId} AND listener_id = ${listenerId}`),
          page: (accountId, request) =>
            Page.read(sql, {
              table: "auto_subscriptions",
              where: sql`account_id = ${accountId}`,
              request,
              all
            }),
          forNewEmitter: (accountId) =>
            sql`SELECT FROM accounts WHERE id = ${accountId} FOR SHARE`.pipe(
              Effect.andThen(
                all(sql`SELECT * FROM auto_subscriptions WHERE account_id = ${accountId} ORDER BY id FOR KEY SHARE`)
              )
            )
        })
      })
    )
}
