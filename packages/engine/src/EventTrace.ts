import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import type { Subscription } from "@headwater/domain/Subscription"
import { readTogether } from "@headwater/log/database/Snapshot"
import { EventLog, type EventPlace } from "@headwater/log/logs/EventLog"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { type AttemptOutline, Attempts } from "@headwater/log/work/Attempts"
import { Cursors, keyText } from "@headwater/log/work/Cursors"
import { Deliveries, type Delivery, eventCount } from "@headwater/log/work/Deliveries"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { toUnavailable, type Unavailable } from "./ground/Unavailable.ts"
import { EventFilter } from "./routing/EventFilter.ts"
import { FeedReader } from "./routing/Feed.ts"
import { type Mismatch, mismatchOf } from "./routing/Mismatch.ts"
import { type Waiting, waitingOf } from "./webhook/Waiting.ts"

/** The progress of an event on its way to a listener. */
export type Progress = "waiting" | "delivered" | "pending" | "exhausted" | "dropped"

/** A range of events, of which so many went together. */
export interface TracedBatch {
  readonly firstEventId: EventId.EventId
  readonly lastEventId: EventId.EventId
  readonly events: number
}

const batchOf = (tried: ReadonlyArray<AttemptOutline>, delivery: Delivery | undefined): TracedBatch | undefined => {
  if (delivery?.batch !== undefined) {
    const { batch: { lastEventId }, eventId } = delivery
    return { firstEventId: eventId, lastEventId, events: eventCount(delivery) }
  }
  const last = tried.at(-1)
  return last?.batch && { firstEventId: last.eventId, ...last.batch }
}

/** The trace of one event by one subscription. */
export interface TracedSubscription {
  readonly subscription: Subscription
  /** None if it delivers the event. */
  readonly mismatch: Mismatch | undefined
  /** The clause that does not hold, as `filter.data.amount.$gt`, of an event that the filter keeps out. */
  readonly clause: string | undefined
  /** None if it does not deliver the event, unless that was dropped as too much work to judge. */
  readonly progress: Progress | undefined
  /** The reason for which an event waits, if that is more than its turn. */
  readonly waiting: Waiting | undefined
  readonly attempts: ReadonlyArray<AttemptOutline>
  /** The batch of an event that went with others. */
  readonly batch: TracedBatch | undefined
  /** The time at which the next attempt is due, in Unix milliseconds. */
  readonly nextAttemptAt: number | undefined
}

/**
 * True if the filter is to be asked about an event. An event that was tried has passed the filter of that time; of a
 * batch that is known of the first event alone.
 */
const asksFilter = (one: TracedSubscription, { id }: Pick<EventPlace, "id">): boolean =>
  one.subscription.filter !== null && one.mismatch === undefined &&
  one.attempts.every(({ eventId }) => eventId !== id) &&
  (one.progress === "waiting" || one.progress === "delivered" || one.progress === "dropped")

/** The trace of one of several events. */
export interface TracedEvent<Event extends EventPlace> {
  readonly event: Event
  readonly subscriptions: ReadonlyArray<TracedSubscription>
}

/** The most that is read of events to ask filters about them, in characters. */
const mostJudged = 4 * 1024 * 1024

/** Finds the reason for which an event waits that a webhook has not come to. */
const makeWaitingFor = Effect.gen(function*() {
  const deliveries = yield* Deliveries
  const webhooks = yield* Webhooks

  return Effect.fnUntraced(function*(
    { batch, listenerId }: Subscription,
    { emitterId, id }: EventPlace
  ) {
    if (Id.kindOf(listenerId) !== "webhook") return undefined
    const webhook = yield* webhooks.getById(Id.WebhookId.make(listenerId))
    if (Option.isNone(webhook)) return undefined
    const isStrict = webhook.value.settings.ordering === "strict"
    const isHeld = isStrict && Option.isSome(yield* deliveries.headOfLine(listenerId, emitterId))
    const now = yield* Clock.currentTimeMillis
    const until = batch === null ? 0 : EventId.milliseconds(id) + batch.maxWaitMs
    return waitingOf(webhook.value, isHeld, now) ?? (until > now ? { reason: "batch" as const, until } : undefined)
  })
})

/** Reads the traces but for the judgements of filters, and the whole event if filters are to be asked. */
const makeRead = Effect.gen(function*() {
  const attempts = yield* Attempts
  const cursors = yield* Cursors
  const deliveries = yield* Deliveries
  const events = yield* EventLog
  const sql = yield* SqlClient.SqlClient
  const waitingFor = yield* makeWaitingFor

  return Effect.fnUntraced(
    function*(
      accountId: Id.AccountId,
      subscriptions: Effect.Effect<ReadonlyArray<Subscription>, SqlError.SqlError>,
      event: EventPlace
    ) {
      const { emitterId, stream } = event
      // A workflow hears the objects that it sends, which says nothing of an event of any other stream.
      const all = (yield* subscriptions).filter(({ eventName }) =>
        eventName !== Stream.objects || stream === Stream.objects
      )
      const standing = yield* cursors.standing(
        all.filter((one) => mismatchOf(one, event) === undefined).map(({ id }) => ({
          subscriptionId: id,
          emitterId
        }))
      )
      const positions = new Map(all.map(({ id }) => [id, standing.get(keyText({ subscriptionId: id, emitterId }))]))
      const made = Map.groupBy(yield* attempts.ofEvent(event.emitterId, event.id), (one) => one.subscriptionId)
      const held = new Map(
        (yield* deliveries.ofEvent(event.emitterId, event.stream, event.id, all.map(({ id }) => id)))
          .filter(({ apart }) => !apart).map((one) => [one.subscriptionId, one])
      )
      // Subscriptions that may have had the event in a batch, behind another event.
      const within = all.filter(({ id, listenerId }) =>
        Id.kindOf(listenerId) === "webhook" && !made.has(id) && event.n <= (positions.get(id)?.n ?? 0) &&
        event.n > (positions.get(id)?.startN ?? 0)
      )
      const batches = yield* attempts.ofBatches(accountId, event.emitterId, event.id, within.map(({ id }) => id))
      for (const [id, those] of Map.groupBy(batches, (one) => one.subscriptionId)) made.set(id, those)
      const traced = all.map((subscription): TracedSubscription => {
        const position = positions.get(subscription.id) ?? { n: 0, startN: 0 }
        const mismatch = mismatchOf(subscription, event) ??
          (event.n <= position.startN ? "before_start" : undefined)
        const tried = made.get(subscription.id) ?? []
        const delivery = held.get(subscription.id)
        const arrived = Id.kindOf(subscription.listenerId) !== "webhook" ||
          tried.some(({ outcome }) => outcome === "delivered")
        const progress = event.n > position.n ? "waiting" : delivery?.state ?? (arrived ? "delivered" : "dropped")
        return {
          subscription,
          mismatch,
          clause: undefined,
          progress: mismatch === undefined ? progress : undefined,
          waiting: undefined,
          attempts: tried,
          batch: mismatch === undefined ? batchOf(tried, delivery) : undefined,
          nextAttemptAt: delivery?.nextAt ?? undefined
        }
      })
      const waiting = yield* Effect.forEach(traced, (one) =>
        one.progress === "waiting"
          ? Effect.map(waitingFor(one.subscription, event), (waiting) => ({ ...one, waiting }))
          : Effect.succeed(one))
      return {
        traced: waiting,
        whole: traced.some((one) => asksFilter(one, event))
          ? yield* events.find(event, event.id)
          : Option.none<LoggedEvent>()
      }
    },
    readTogether(sql)
  )
})

/** Traces events through the subscriptions of their account. */
export class EventTrace extends Context.Service<EventTrace, {
  /** Traces an event through every subscription of the account. */
  readonly of: (
    accountId: Id.AccountId,
    event: EventPlace
  ) => Effect.Effect<ReadonlyArray<TracedSubscription>, Unavailable>
  /**
   * Traces events through subscriptions. Filters are asked until they were shown 4 Mi characters of events; the events
   * that they were not asked about seem to pass.
   */
  readonly ofAll: <Event extends EventPlace>(
    accountId: Id.AccountId,
    subscriptions: ReadonlyArray<Subscription>,
    events: ReadonlyArray<Event>
  ) => Effect.Effect<ReadonlyArray<TracedEvent<Event>>, Unavailable>
}>()("@headwater/engine/EventTrace") {
  static readonly layer = Layer.effect(
    EventTrace,
    Effect.gen(function*() {
      const read = yield* makeRead
      const subscriptions = yield* Subscriptions
      const { documents } = yield* FeedReader

      const judge = Effect.fnUntraced(function*(
        accountId: Id.AccountId,
        event: LoggedEvent,
        traced: ReadonlyArray<TracedSubscription>
      ) {
        const judged: Array<TracedSubscription> = []
        for (const one of traced) {
          const { filter } = one.subscription
          const judgement = filter !== null && asksFilter(one, event)
            ? yield* new EventFilter(filter, accountId, documents).judge(event)
            : undefined
          judged.push(
            judgement === undefined || judgement.outcome === "passes"
              ? one
              : {
                ...one,
                mismatch: judgement.outcome,
                clause: judgement.clause,
                progress: judgement.outcome === "filtered" || one.progress === "waiting" ? undefined : "dropped",
                waiting: undefined,
                attempts: [],
                batch: undefined
              }
          )
        }
        return judged
      })

      return EventTrace.of({
        of: Effect.fnUntraced(function*(accountId, event) {
          const all = Effect.map(subscriptions.forAccount(accountId), (found) => found.toReversed())
          const { traced, whole } = yield* read(accountId, all, event)
          return Option.isNone(whole) ? traced : yield* judge(accountId, whole.value, traced)
        }, Effect.catchTag("SqlError", toUnavailable)),
        ofAll: Effect.fnUntraced(
          function*<Event extends EventPlace>(
            accountId: Id.AccountId,
            all: ReadonlyArray<Subscription>,
            traced: ReadonlyArray<Event>
          ) {
            const judged: Array<TracedEvent<Event>> = []
            let characters = 0
            for (const event of traced) {
              const hearing = all.filter((one) => mismatchOf(one, event) !== "other_emitter")
              if (hearing.length === 0) {
                judged.push({ event, subscriptions: [] })
                continue
              }
              const { traced: subscriptions, whole } = yield* read(accountId, Effect.succeed(hearing), event)
              if (Option.isNone(whole) || characters >= mostJudged) {
                judged.push({ event, subscriptions })
                continue
              }
              characters += whole.value.payload.length
              judged.push({ event, subscriptions: yield* judge(accountId, whole.value, subscriptions) })
            }
            return judged
          },
          Effect.catchTag("SqlError", toUnavailable)
        )
      })
    })
  )
}
