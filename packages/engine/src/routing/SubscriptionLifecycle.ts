import type { AutoSubscription } from "@headwater/domain/AutoSubscription"
import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import type { EventId } from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import type { Subscription } from "@headwater/domain/Subscription"
import { AutoSubscriptions } from "@headwater/log/AutoSubscriptions"
import * as CrashPoint from "@headwater/log/CrashPoint"
import { Deliveries } from "@headwater/log/Deliveries"
import { EventLog, type EventPlace } from "@headwater/log/EventLog"
import { Programs } from "@headwater/log/Programs"
import { Subscriptions } from "@headwater/log/Subscriptions"
import { Webhooks } from "@headwater/log/Webhooks"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { toUnavailable } from "../DatabaseRetry.ts"
import { type Mismatch, mismatchOf } from "../EventTrace.ts"
import { Actors } from "../placement/Actors.ts"
import type { Unavailable } from "../placement/Unavailable.ts"
import { Router } from "./Router.ts"
import * as Wake from "./Wake.ts"

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

export interface SubscriptionPreview {
  readonly listenerId: string
  /** Of a listener that is a webhook. */
  readonly url: string | undefined
  readonly events: ReadonlyArray<{
    readonly event: EventPlace
    /** None where the event would be delivered. */
    readonly mismatch: Mismatch | undefined
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
  /**
   * Idempotent on its parameters: the subscription that is there already is the answer, and stays where it is.
   *
   * @param from a new one begins with the first event from this id on of each emitter there is, not at the end of the log
   */
  readonly create: (
    input: SubscriptionParameters,
    from?: EventId
  ) => Effect.Effect<Subscription, UnknownParty | Unavailable>
  /** Idempotent on its parameters. */
  readonly createAuto: (
    input: AutoSubscriptionParameters
  ) => Effect.Effect<AutoSubscription, UnknownParty | Unavailable>
  /** What a subscription with these parameters makes of the last events there are, newest first. Changes nothing. */
  readonly preview: (
    input: SubscriptionParameters,
    limit: number
  ) => Effect.Effect<SubscriptionPreview, UnknownParty | Unavailable>
  readonly remove: (input: SubscriptionParameters) => Effect.Effect<void, SubscriptionNotFound | Unavailable>
}>()("@headwater/engine/routing/SubscriptionLifecycle") {
  static readonly layer = Layer.effect(
    SubscriptionLifecycle,
    Effect.gen(function*() {
      const actors = yield* Actors
      const autoSubscriptions = yield* AutoSubscriptions
      const deliveries = yield* Deliveries
      const events = yield* EventLog
      const router = yield* Router
      const programs = yield* Programs
      const sql = yield* SqlClient.SqlClient
      const subscriptions = yield* Subscriptions
      const webhooks = yield* Webhooks

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

      return SubscriptionLifecycle.of({
        create: Effect.fnUntraced(function*(input, from) {
          const subscription = yield* sql.withTransaction(Effect.gen(function*() {
            const emitterId = yield* emitterOf(input)
            const listenerId = yield* partyOf(input.accountId, "listener_id", input.listenerId)
            return yield* subscriptions.create({ ...input, emitterId, listenerId }, from)
          }))
          yield* router.invalidate(input.accountId)
          // Events that were appended before the commit were routed, and scanned for, without this subscription.
          actors.wake(subscription.listenerId, Wake.forEverything)
          return subscription
        }, Effect.catchTag("SqlError", toUnavailable)),
        createAuto: Effect.fnUntraced(function*(input) {
          return yield* sql.withTransaction(Effect.gen(function*() {
            const listenerId = yield* partyOf(input.accountId, "listener_id", input.listenerId)
            return yield* autoSubscriptions.create({ ...input, listenerId })
          }))
        }, Effect.catchTag("SqlError", toUnavailable)),
        preview: Effect.fnUntraced(function*(input, limit) {
          const [emitterId, listenerId] = yield* sql.withTransaction(
            Effect.all([emitterOf(input), partyOf(input.accountId, "listener_id", input.listenerId)])
          )
          const latest = yield* events.latestMatching(input.accountId, emitterId, limit)
          const webhook = yield* webhooks.get(input.accountId, listenerId)
          return {
            listenerId,
            url: Option.map(webhook, ({ url }) => url).pipe(Option.getOrUndefined),
            events: latest.map((event) => ({ event, mismatch: mismatchOf({ ...input, emitterId, listenerId }, event) }))
          }
        }, Effect.catchTag("SqlError", toUnavailable)),
        remove: Effect.fnUntraced(function*(input) {
          const emitterId = yield* orAsGiven(emitterOf(input))
          const listenerId = yield* orAsGiven(partyOf(input.accountId, "listener_id", input.listenerId))
          const removed = yield* sql.withTransaction(Effect.gen(function*() {
            const removed = yield* subscriptions.remove({ ...input, emitterId, listenerId })
            if (Option.isSome(removed)) yield* deliveries.removePendingOf(listenerId, removed.value.id)
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
