import { Consumer, type Lease } from "@headwater/domain/Consumer"
import type { EventId } from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import { Clock, Context, Effect, Layer, type Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as Rows from "../internal/Rows.ts"
import * as Page from "../lists/Page.ts"
import { Fences } from "../logs/Fences.ts"
import { placeCursors } from "../work/Cursors.ts"
import { Subscriptions } from "./Subscriptions.ts"

const { lease: _, ...fields } = Consumer.fields

const Row = Schema.Struct({
  ...fields,
  leaseId: Schema.NullOr(Schema.String),
  leaseUntil: Schema.NullOr(Column.Int8),
  createdAt: Column.Int8
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  subscriptionId: "subscription_id",
  emitterId: "emitter_id",
  eventName: "event_name",
  leaseSeconds: "lease_seconds",
  leaseId: "lease_id",
  leaseUntil: "lease_until",
  createdAt: "created_at"
}))

const decodeRow = Schema.decodeUnknownEffect(Row)

const fromRow = ({ leaseId, leaseUntil, ...row }: typeof Row.Type): Consumer => ({
  ...row,
  lease: leaseId === null || leaseUntil === null ? null : { id: leaseId, until: leaseUntil }
})

/** The consumers that are removed with an emitter in one transaction. */
const bite = 100

/** Consumers, each with the subscription that it reads. */
export class Consumers extends Context.Service<Consumers, {
  /**
   * Creates it with its subscription, in the surrounding transaction if there is one.
   *
   * @param from it starts before each emitter's first event from this id on; at the end of the logs where there is none
   */
  readonly insert: (input: {
    readonly accountId: Id.AccountId
    readonly name: string | null
    readonly leaseSeconds: number
    readonly emitterId: string
    readonly eventName: string
    readonly filter: string | null
    readonly from: EventId | undefined
  }) => Effect.Effect<Consumer, SqlError.SqlError>
  readonly get: (accountId: Id.AccountId, id: string) => Effect.Effect<Option.Option<Consumer>, SqlError.SqlError>
  /** Of any account, for the engine. */
  readonly getById: (id: Id.ConsumerId) => Effect.Effect<Option.Option<Consumer>, SqlError.SqlError>
  readonly page: (
    accountId: Id.AccountId,
    request: Page.PageRequest
  ) => Effect.Effect<Page.UncountedPage<Consumer>, SqlError.SqlError>
  readonly idsOfAccount: (accountId: Id.AccountId) => Effect.Effect<ReadonlyArray<Id.ConsumerId>, SqlError.SqlError>
  /** True if an account has so many. */
  readonly areAsManyAs: (accountId: Id.AccountId, count: number) => Effect.Effect<boolean, SqlError.SqlError>
  /** Notes who reads. One statement. */
  readonly setLease: (id: Id.ConsumerId, lease: Lease | null) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Has its cursors start anew, in a transaction that holds its fence: before each emitter's first event from this id on,
   * or at the end of the logs where there is none. The counts of them are forgotten.
   *
   * @param emitterId of this emitter alone
   */
  readonly seek: (
    consumer: Consumer,
    from: EventId | undefined,
    emitterId?: string
  ) => Effect.Effect<void, SqlError.SqlError>
  /** Removes it with its subscription, at once. Answers whether there was such a consumer. */
  readonly delete: (accountId: Id.AccountId, id: string) => Effect.Effect<boolean, SqlError.SqlError>
  /** Removes those that read this emitter alone. */
  readonly removeOfEmitter: (accountId: Id.AccountId, emitterId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/resources/Consumers") {
  static readonly layer: Layer.Layer<
    Consumers,
    never,
    SqlClient.SqlClient | SecureRandom.SecureRandom | Subscriptions
  > = Layer.effect(
    Consumers,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const fences = yield* Fences
      const subscriptions = yield* Subscriptions
      const random = yield* SecureRandom.SecureRandom
      const { all, one } = Rows.make((row) => Effect.map(decodeRow(row), fromRow))

      const consumers = sql`
        SELECT c.*, s.emitter_id, s.event_name, s.filter FROM consumers c JOIN subscriptions s ON s.id = c.subscription_id`

      const remove = (accountId: Id.AccountId, id: string) =>
        sql.withTransaction(Effect.gen(function*() {
          const rows = yield* sql`SELECT FROM consumers WHERE id = ${id} AND account_id = ${accountId}`
          if (rows.length === 0) return false
          // Before the row, which commits of the owner may change too.
          yield* fences.remove(id)
          yield* sql`DELETE FROM consumers WHERE id = ${id}`
          yield* subscriptions.removeParty(accountId, id)
          return true
        }))

      return Consumers.of({
        insert: Effect.fnUntraced(function*({ accountId, emitterId, eventName, filter, from, leaseSeconds, name }) {
          const id = Id.ConsumerId.make(
            yield* Id.make("consumer").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          )
          const createdAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const key = { accountId, emitterId, listenerId: id, eventName }
          yield* fences.create(id, accountId)
          const subscription = yield* subscriptions.create(key, { filter }, from)
          yield* sql`
            INSERT INTO consumers ${
            sql.insert({
              id,
              account_id: accountId,
              subscription_id: subscription.id,
              name,
              lease_seconds: leaseSeconds,
              created_at: createdAt
            })
          }`
          return {
            id,
            accountId,
            subscriptionId: subscription.id,
            name,
            emitterId,
            eventName,
            filter,
            leaseSeconds,
            lease: null,
            createdAt
          }
        }, sql.withTransaction),
        get: (accountId, id) => one(sql`${consumers} WHERE c.id = ${id} AND c.account_id = ${accountId}`),
        getById: (id) => one(sql`${consumers} WHERE c.id = ${id}`),
        page: (accountId, request) =>
          Effect.map(
            all(sql`
              ${consumers} WHERE ${sql.and([sql`c.account_id = ${accountId}`, ...Page.within(sql, "c.id", request)])}
              ORDER BY c.id ${sql.literal(Page.orderOf(request))} LIMIT ${request.limit + 1}`),
            (found) => Page.uncounted(found, request, ({ id }) => id)
          ),
        idsOfAccount: (accountId) =>
          Effect.map(
            sql<{ readonly id: Id.ConsumerId }>`SELECT id FROM consumers WHERE account_id = ${accountId} ORDER BY id`,
            (rows) => rows.map(({ id }) => id)
          ),
        areAsManyAs: (accountId, count) =>
          Effect.map(
            sql`SELECT FROM consumers WHERE account_id = ${accountId} OFFSET ${count - 1} LIMIT 1`,
            (rows) => rows.length > 0
          ),
        setLease: (id, lease) =>
          Effect.asVoid(sql`
            UPDATE consumers SET lease_id = ${lease?.id ?? null}, lease_until = ${lease?.until ?? null}::bigint
            WHERE id = ${id}`),
        seek: (consumer, from, emitterId) => {
          const subscription = { ...consumer, id: consumer.subscriptionId, listenerId: consumer.id }
          return placeCursors(sql, subscription, from, emitterId).pipe(
            Effect.andThen(sql`
              DELETE FROM cursors_journal j USING cursors_folded c
              WHERE c.subscription_id = ${consumer.subscriptionId} AND j.subscription_id = c.subscription_id
                AND j.emitter_id = c.emitter_id AND j.seq <= c.folded_seq`),
            Effect.asVoid
          )
        },
        delete: remove,
        removeOfEmitter: (accountId, emitterId) =>
          sql<{ readonly id: string }>`
            SELECT c.id FROM consumers c JOIN subscriptions s ON s.id = c.subscription_id
            WHERE s.account_id = ${accountId} AND s.emitter_id = ${emitterId} ORDER BY c.id LIMIT ${bite}`.pipe(
            Effect.tap((rows) => Effect.forEach(rows, ({ id }) => remove(accountId, id), { discard: true })),
            Effect.repeat({ while: (rows) => rows.length > 0 }),
            Effect.asVoid
          )
      })
    })
  ).pipe(Layer.provide(Fences.layer))
}
