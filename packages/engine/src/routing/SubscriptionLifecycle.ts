import type { AutoSubscription } from "@headwater/domain/AutoSubscription"
import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import type { EventId } from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import type { Subscription } from "@headwater/domain/Subscription"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import type { SubscriptionFilter } from "@headwater/domain/SubscriptionFilter"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { EventLog, type EventPlace } from "@headwater/log/logs/EventLog"
import { AutoSubscriptions } from "@headwater/log/resources/AutoSubscriptions"
import { Programs } from "@headwater/log/resources/Programs"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ActorCalls } from "../ground/ActorCalls.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"
import { EventFilter } from "./EventFilter.ts"
import { FeedReader } from "./Feed.ts"
import { type Mismatch, mismatchOf } from "./Mismatch.ts"
import { Router } from "./Router.ts"

/** A literal emitter, or the listener, that the account does not have. */
export class UnknownParty extends Schema.TaggedError<UnknownParty>()("UnknownParty", {
  parameter: Schema.Literals(["emitter_id", "listener_id"]),
  id: Schema.String
}) {}

export class SubscriptionNotFound extends Schema.TaggedError<SubscriptionNotFound>()("SubscriptionNotFound", {}) {}

export interface SubscriptionParameters {
  readonly accountId: Id.AccountId
  readonly emitterId: string
  readonly listenerId: string
  readonly eventName: string
}

/** The properties of a new subscription beside its parameters. */
export interface SubscriptionOptions {
  /** Events have to pass it. */
  readonly filter?: SubscriptionFilter | undefined
  /** Its events go together. */
  readonly batch?: SubscriptionBatch | undefined
  /** It begins with the first event from this id on of each emitter there is, not at the end of the log. */
  readonly from?: EventId | undefined
}

export interface SubscriptionPreview {
  /** An id, or the glob that was given. */
  readonly emitterId: string
  readonly listenerId: string
  /** The URL of a listener that is a webhook. */
  readonly url: string | undefined
  readonly events: ReadonlyArray<{
    readonly event: EventPlace
    /** None if the event would be delivered. */
    readonly mismatch: Mismatch | undefined
    /** The clause that does not hold, as `filter.data.amount.$gt`, of an event that the filter keeps out. */
    readonly clause: string | undefined
  }>
}

export interface AutoSubscriptionParameters {
  readonly accountId: Id.AccountId
  readonly listenerId: string
  readonly eventName: string
}

/**
 * Creates and removes subscriptions, and creates auto-subscriptions. A listener's owner takes part, so nothing starts
 * after a removal is answered. Parties are held while something of theirs is created, so nothing outlives them.
 */
export class SubscriptionLifecycle extends Context.Service<SubscriptionLifecycle, {
  /** Idempotent on its parameters: answers the subscription that is there already, which stays where and as it is. */
  readonly create: (
    input: SubscriptionParameters,
    options?: SubscriptionOptions
  ) => Effect.Effect<Subscription, UnknownParty | Unavailable>
  /**
   * Changes a subscription, for the events that its cursors have not come to when this returns.
   *
   * @param change what is not given stays as it is; null removes it
   */
  readonly update: (
    input: SubscriptionParameters,
    change: {
      readonly filter?: SubscriptionFilter | null | undefined
      readonly batch?: SubscriptionBatch | null | undefined
    }
  ) => Effect.Effect<Subscription, SubscriptionNotFound | Unavailable>
  /** Idempotent on its parameters. */
  readonly createAuto: (
    input: AutoSubscriptionParameters,
    options?: Pick<SubscriptionOptions, "filter" | "batch">
  ) => Effect.Effect<AutoSubscription, UnknownParty | Unavailable>
  /** Tells which of the last events such a subscription would deliver, newest first. Changes nothing. */
  readonly preview: (
    input: SubscriptionParameters,
    options: { readonly limit: number; readonly filter?: SubscriptionFilter | undefined }
  ) => Effect.Effect<SubscriptionPreview, UnknownParty | Unavailable>
  readonly remove: (input: SubscriptionParameters) => Effect.Effect<void, SubscriptionNotFound | Unavailable>
}>()("@headwater/engine/routing/SubscriptionLifecycle") {
  static readonly layer = Layer.effect(
    SubscriptionLifecycle,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const autoSubscriptions = yield* AutoSubscriptions
      const deliveries = yield* Deliveries
      const events = yield* EventLog
      const router = yield* Router
      const programs = yield* Programs
      const sql = yield* SqlClient.SqlClient
      const subscriptions = yield* Subscriptions
      const webhooks = yield* Webhooks
      const { documents } = yield* FeedReader

      /** Judges an event by a filter; undefined if the event is gone. */
      const judge = Effect.fnUntraced(function*(filter: EventFilter, event: EventPlace) {
        const whole = yield* events.find(event, event.id)
        return Option.isNone(whole) ? undefined : yield* filter.judge(whole.value)
      })

      /**
       * The id of an emitter or listener of the account, given by its id or, for a program, its slug. It is not removed
       * before the surrounding transaction ends.
       */
      const partyOf = Effect.fnUntraced(function*(
        accountId: Id.AccountId,
        parameter: "emitter_id" | "listener_id",
        id: string
      ) {
        const found = parameter === "listener_id" && Id.kindOf(id) === "webhook"
          ? yield* webhooks.hold(accountId, id)
          : parameter === "emitter_id" && id === accountId
          ? Option.some({ id })
          : yield* programs.hold(accountId, id)
        return Option.isNone(found) ? yield* new UnknownParty({ parameter, id }) : found.value.id as string
      })

      const emitterOf = ({ accountId, emitterId }: SubscriptionParameters) =>
        EmitterPattern.isGlob(emitterId) ? Effect.succeed(emitterId) : partyOf(accountId, "emitter_id", emitterId)

      /** A party that is gone is still named by its subscriptions. */
      const orAsGiven = <E, R>(party: Effect.Effect<string, E | UnknownParty, R>) =>
        party.pipe(Effect.catchIf(Schema.is(UnknownParty), (error) => Effect.succeed(error.id)))

      /** The key of a subscription that is there, whether its parties still are or not. */
      const keyOf = Effect.fnUntraced(function*(input: SubscriptionParameters) {
        const emitterId = yield* orAsGiven(emitterOf(input))
        const listenerId = yield* orAsGiven(partyOf(input.accountId, "listener_id", input.listenerId))
        return { ...input, emitterId, listenerId }
      })

      return SubscriptionLifecycle.of({
        create: Effect.fnUntraced(function*(input, { batch, filter, from } = {}) {
          const subscription = yield* sql.withTransaction(Effect.gen(function*() {
            const emitterId = yield* emitterOf(input)
            const listenerId = yield* partyOf(input.accountId, "listener_id", input.listenerId)
            return yield* subscriptions.create(
              { ...input, emitterId, listenerId },
              { filter: filter?.text, batch },
              from
            )
          }))
          yield* router.invalidate(input.accountId)
          // Events that were appended before the commit were routed, and scanned for, without this subscription.
          actors.wake(subscription.listenerId, Wake.forEverything)
          return subscription
        }, Effect.catchTag("SqlError", toUnavailable)),
        update: Effect.fnUntraced(function*(input, { batch, filter }) {
          const change = { filter: filter === null ? null : filter?.text, batch }
          const changed = yield* subscriptions.update(yield* keyOf(input), change)
          if (Option.isNone(changed)) return yield* new SubscriptionNotFound()
          yield* actors.refilter(changed.value.listenerId, changed.value.id)
          return changed.value
        }, Effect.catchTag("SqlError", toUnavailable)),
        createAuto: Effect.fnUntraced(function*(input, { batch, filter } = {}) {
          return yield* sql.withTransaction(Effect.gen(function*() {
            const listenerId = yield* partyOf(input.accountId, "listener_id", input.listenerId)
            return yield* autoSubscriptions.create({ ...input, listenerId }, { filter: filter?.text, batch })
          }))
        }, Effect.catchTag("SqlError", toUnavailable)),
        preview: Effect.fnUntraced(function*(input, { filter, limit }) {
          const [emitterId, listenerId] = yield* sql.withTransaction(
            Effect.all([emitterOf(input), partyOf(input.accountId, "listener_id", input.listenerId)])
          )
          const latest = yield* events.latestMatching(input.accountId, emitterId, limit)
          const webhook = yield* webhooks.get(input.accountId, listenerId)
          const asked = filter === undefined ? undefined : new EventFilter(filter.text, input.accountId, documents)
          const previewed: Array<SubscriptionPreview["events"][number]> = []
          for (const event of latest) {
            const mismatch = mismatchOf({ ...input, emitterId, listenerId }, event)
            const judged = mismatch === undefined && asked !== undefined ? yield* judge(asked, event) : undefined
            const keptOut = judged === undefined || judged.outcome === "passes" ? undefined : judged.outcome
            previewed.push({ event, mismatch: keptOut ?? mismatch, clause: judged?.clause })
          }
          return {
            emitterId,
            listenerId,
            url: Option.map(webhook, ({ url }) => url).pipe(Option.getOrUndefined),
            events: previewed
          }
        }, Effect.catchTag("SqlError", toUnavailable)),
        remove: Effect.fnUntraced(function*(input) {
          const key = yield* keyOf(input)
          const { listenerId } = key
          const removed = yield* sql.withTransaction(Effect.gen(function*() {
            const removed = yield* subscriptions.remove(key)
            if (Option.isSome(removed)) yield* deliveries.dropPendingOf(listenerId, removed.value.id)
            return removed
          }))
          if (Option.isNone(removed)) return yield* new SubscriptionNotFound()
          CrashPoint.reached("unsubscribe-done")
          yield* router.invalidate(input.accountId)
          yield* actors.forget(listenerId, removed.value.id)
        }, Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
