import { PgClient, type PgConnection } from "@effect/sql-pg"
import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import type { EventId } from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import { Subscription } from "@headwater/domain/Subscription"
import * as SubscriptionBatch from "@headwater/domain/SubscriptionBatch"
import { Clock, Context, Effect, Layer, Option, type Queue, Schema, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlError, Statement } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as Rows from "../internal/Rows.ts"
import { texts } from "../internal/SqlArray.ts"
import { placeCursors, removeCursors } from "../work/Cursors.ts"
import { AutoSubscriptions } from "./AutoSubscriptions.ts"

/** Told, with the account's id, whenever a transaction changed which subscriptions an account has. */
const channel = "headwater_subscriptions"

const Row = Schema.Struct({
  ...Subscription.fields,
  createdAt: Column.Int8
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  emitterId: "emitter_id",
  listenerId: "listener_id",
  eventName: "event_name",
  createdAt: "created_at"
}))

/** The key of a subscription in its account. `""` and `"default"` name the same event stream. */
export interface SubscriptionKey {
  readonly accountId: Id.AccountId
  readonly emitterId: string
  readonly listenerId: string
  readonly eventName: string
}

/** The options of a subscription beside its key. */
export interface SubscriptionOptions {
  /** JSON text of what events have to pass; null for all. */
  readonly filter?: string | null | undefined
  /** The batches in which events go to the listener; null if each goes alone. */
  readonly batch?: SubscriptionBatch.SubscriptionBatch | null | undefined
}

const storedBatch = ({ batch = null }: SubscriptionOptions): string | null =>
  batch === null ? null : SubscriptionBatch.toText(batch)

/** Subscriptions and the cursors they start with. */
export class Subscriptions extends Context.Service<Subscriptions, {
  /**
   * The subscription of that key, made where it is not there yet. It starts at the end of the log of every emitter
   * that exists, or before the first event from the id `from` on that is still there, in one snapshot; an emitter
   * without a cursor is one created later, read from its beginning. One that is there stays as it is.
   */
  readonly create: (
    key: SubscriptionKey,
    options?: SubscriptionOptions,
    from?: EventId
  ) => Effect.Effect<Subscription, SqlError.SqlError>
  /**
   * Changes a subscription; none if there is none of that key.
   *
   * @param change what is not given stays as it is; null removes it
   */
  readonly update: (
    key: SubscriptionKey,
    change: SubscriptionOptions
  ) => Effect.Effect<Option.Option<Subscription>, SqlError.SqlError>
  /**
   * Makes the subscriptions that the account's auto-subscriptions ask for to an emitter that the surrounding
   * transaction creates: by its id, without cursors, so that they hear it from its beginning. Answers whether there are
   * any.
   */
  readonly createAutomatic: (
    accountId: Id.AccountId,
    emitterId: string
  ) => Effect.Effect<boolean, SqlError.SqlError>
  /** Removes it with its cursors, and returns what was removed: none that clients do not see. */
  readonly remove: (key: SubscriptionKey) => Effect.Effect<Option.Option<Subscription>, SqlError.SqlError>
  /**
   * Removes, with their cursors, all subscriptions of which the program or webhook is the listener or the literal
   * emitter, the cursors that globs hold on its log, and the auto-subscriptions of which it is the listener. Returns
   * the subscriptions.
   */
  readonly removeParty: (
    accountId: Id.AccountId,
    id: string
  ) => Effect.Effect<ReadonlyArray<Subscription>, SqlError.SqlError>
  /**
   * The accounts whose subscriptions change, on any node, from when this returns. Holds a connection until the scope
   * closes; fails where it is lost.
   */
  readonly changes: Effect.Effect<
    Queue.Dequeue<PgConnection.Notification, SqlError.SqlError>,
    SqlError.SqlError,
    Scope.Scope
  >
  readonly get: (id: Id.SubscriptionId) => Effect.Effect<Option.Option<Subscription>, SqlError.SqlError>
  /** Those that clients see, newest first: not those by which workflows send their own requests, or consumers read. */
  readonly list: (accountId: Id.AccountId) => Effect.Effect<ReadonlyArray<Subscription>, SqlError.SqlError>
  /** Oldest first. */
  readonly forAccount: (accountId: Id.AccountId) => Effect.Effect<ReadonlyArray<Subscription>, SqlError.SqlError>
  /** Those that hear one of these emitters, globs included, oldest first and at most `limit`. */
  readonly hearing: (
    accountId: Id.AccountId,
    emitterIds: ReadonlyArray<string>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Subscription>, SqlError.SqlError>
  /** Oldest first. */
  readonly forListener: (listenerId: string) => Effect.Effect<ReadonlyArray<Subscription>, SqlError.SqlError>
}>()("@headwater/log/resources/Subscriptions") {
  static readonly layer: Layer.Layer<
    Subscriptions,
    never,
    AutoSubscriptions | PgClient.PgClient | SecureRandom.SecureRandom
  > = Layer.effect(
    Subscriptions,
    Effect.gen(function*() {
      const autoSubscriptions = yield* AutoSubscriptions
      const sql = yield* PgClient.PgClient
      const random = yield* SecureRandom.SecureRandom

      const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))
      const tell = (accountId: Id.AccountId) => sql`SELECT pg_notify(${channel}, ${accountId})`

      const whereKey = (key: SubscriptionKey) =>
        sql.and([
          sql`account_id = ${key.accountId}`,
          sql`emitter_id = ${key.emitterId}`,
          sql`listener_id = ${key.listenerId}`,
          sql`stream = ${Stream.normalize(key.eventName)}`
        ])

      /** That clients see it. */
      const isVisible = sql`
        NOT EXISTS (SELECT FROM webhooks w WHERE w.id = s.listener_id AND w.workflow_id IS NOT NULL)
        AND NOT EXISTS (SELECT FROM consumers c WHERE c.subscription_id = s.id)`

      const newId = Id.make("subscription").pipe(Effect.provideService(SecureRandom.SecureRandom, random))

      const insert = Effect.fnUntraced(
        function*(key: SubscriptionKey, options: SubscriptionOptions, from: EventId | undefined) {
          const id = yield* newId
          const createdAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const inserted = yield* one(sql`
          INSERT INTO subscriptions ${
            sql.insert({
              id,
              account_id: key.accountId,
              emitter_id: key.emitterId,
              emitter_like: EmitterPattern.toLike(key.emitterId),
              listener_id: key.listenerId,
              event_name: key.eventName,
              stream: Stream.normalize(key.eventName),
              filter: options.filter ?? null,
              batch: storedBatch(options),
              created_at: createdAt
            })
          } ON CONFLICT (account_id, emitter_id, listener_id, stream) DO NOTHING RETURNING *`)
          if (Option.isNone(inserted)) return inserted
          yield* placeCursors(sql, inserted.value, from)
          yield* tell(key.accountId)
          return inserted
        }
      )

      const create = (
        key: SubscriptionKey,
        options: SubscriptionOptions = {},
        from?: EventId
      ): Effect.Effect<Subscription, SqlError.SqlError> =>
        sql.withTransaction(insert(key, options, from)).pipe(
          Effect.filterOrElse(Option.isSome, () => one(sql`SELECT * FROM subscriptions WHERE ${whereKey(key)}`)),
          // Neither inserted nor there: it was removed in between, so it can be inserted now.
          Effect.flatMap(Option.match({ onSome: Effect.succeed, onNone: () => create(key, options, from) }))
        )

      const createAutomatic = Effect.fnUntraced(function*(accountId: Id.AccountId, emitterId: string) {
        const wanted = yield* autoSubscriptions.forNewEmitter(accountId)
        if (wanted.length === 0) return false
        const createdAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const ids = yield* Effect.forEach(wanted, () => newId)
        yield* sql`
          INSERT INTO subscriptions
            (id, account_id, emitter_id, emitter_like, listener_id, event_name, stream, filter, batch, created_at)
          SELECT id, ${accountId}, ${emitterId}, ${EmitterPattern.toLike(emitterId)}, listener_id, event_name, stream,
            filter, batch, ${createdAt}::bigint
          FROM unnest(
            ${texts(ids)},
            ${texts(wanted.map(({ listenerId }) => listenerId))},
            ${texts(wanted.map(({ eventName }) => eventName))},
            ${texts(wanted.map(({ eventName }) => Stream.normalize(eventName)))},
            ${texts(wanted.map(({ filter }) => filter))},
            ${texts(wanted.map(storedBatch))}
          ) AS made (id, listener_id, event_name, stream, filter, batch)`
        yield* tell(accountId)
        return true
      })

      const removeWhere = Effect.fnUntraced(function*(accountId: Id.AccountId, where: Statement.Fragment) {
        const removed = yield* all(sql`DELETE FROM subscriptions s WHERE ${where} RETURNING *`)
        if (removed.length === 0) return removed
        yield* removeCursors(sql, sql`subscription_id = ANY (${texts(removed.map(({ id }) => id))})`)
        yield* tell(accountId)
        return removed
      })

      return Subscriptions.of({
        create,
        update: (key, change) =>
          sql.withTransaction(Effect.gen(function*() {
            const changed = yield* one(sql`
              UPDATE subscriptions s SET filter = ${change.filter === undefined ? sql`filter` : change.filter},
                batch = ${change.batch === undefined ? sql`batch` : storedBatch(change)}
              WHERE ${whereKey(key)} AND ${isVisible} RETURNING *`)
            if (Option.isSome(changed)) yield* tell(key.accountId)
            return changed
          })),
        createAutomatic,
        remove: (key) =>
          sql.withTransaction(removeWhere(key.accountId, sql`${whereKey(key)} AND ${isVisible}`)).pipe(
            Effect.map(([removed]) => Option.fromUndefinedOr(removed))
          ),
        removeParty: (accountId, id) =>
          sql.withTransaction(Effect.gen(function*() {
            // First: this waits for programs being created, whose subscriptions are then seen below.
            yield* autoSubscriptions.removeOfListener(accountId, id)
            const removed = yield* removeWhere(
              accountId,
              sql.and([sql`account_id = ${accountId}`, sql.or([sql`listener_id = ${id}`, sql`emitter_id = ${id}`])])
            )
            yield* removeCursors(
              sql,
              sql`emitter_id = ${id} AND subscription_id IN (
                SELECT id FROM subscriptions WHERE account_id = ${accountId} AND is_glob
              )`
            )
            return removed
          })),
        changes: sql.listen(channel),
        get: (id) => one(sql`SELECT * FROM subscriptions WHERE id = ${id}`),
        list: (accountId) =>
          all(sql`
          SELECT * FROM subscriptions s WHERE account_id = ${accountId} AND ${isVisible} ORDER BY id DESC`),
        forAccount: (accountId) => all(sql`SELECT * FROM subscriptions WHERE account_id = ${accountId} ORDER BY id`),
        hearing: (accountId, emitterIds, limit) =>
          all(sql`
            SELECT * FROM subscriptions s
            WHERE account_id = ${accountId} AND (
              emitter_id = ANY (${texts(emitterIds)}) OR is_glob AND EXISTS (
                SELECT FROM unnest(${texts(emitterIds)}) AS e (id) WHERE e.id LIKE s.emitter_like
              )
            )
            ORDER BY id LIMIT ${limit}`),
        forListener: (listenerId) => all(sql`SELECT * FROM subscriptions WHERE listener_id = ${listenerId} ORDER BY id`)
      })
    })
  )
}
