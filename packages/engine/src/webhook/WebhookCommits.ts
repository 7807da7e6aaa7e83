import type { Commit } from "@headwater/log/commit/Commit"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import type { Attempt } from "@headwater/log/work/Attempts"
import {
  addTally,
  type CursorMove,
  type CursorSettlement,
  noTally,
  type Tally,
  type Unpassed
} from "@headwater/log/work/Cursors"
import {
  type Delivery,
  type DeliveryBatch,
  type DeliveryChange,
  type DeliveryState,
  eventCount,
  type LastAttempt,
  noAttempt
} from "@headwater/log/work/Deliveries"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Effect, Random } from "effect"
import type { EventBatch } from "../routing/EventBatch.ts"
import type { EventItem, Feed, FeedItem } from "../routing/Feed.ts"
import * as DeliveryEvents from "./DeliveryEvents.ts"
import * as RetrySchedule from "./RetrySchedule.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { Send, Sent } from "./WebhookSend.ts"
import * as WebhookTransitions from "./WebhookTransitions.ts"

const retryItem = (webhookId: string, deliveryId: string, dueAt: number): DueItem => ({
  ownerId: webhookId,
  kind: "retry",
  key: deliveryId,
  dueAt,
  payload: "{}"
})

const tallyOf = (sent: Sent, nextAt: number | undefined): "delivered" | "exhausted" | "pending" =>
  sent.outcome._tag === "Delivered" ? "delivered" : nextAt === undefined ? "exhausted" : "pending"

const lastOf = ({ record: { errorClass, startedAt, status } }: Sent): LastAttempt => ({
  at: startedAt,
  status,
  errorClass
})

const noItems: ReadonlyArray<never> = []

const recordOf = ({ record }: Sent, nextAt: number | undefined): Attempt =>
  nextAt === undefined ? record : { ...record, nextAt }

/** The number of events that an attempt sent. */
const eventsSent = ({ batch }: Sent): number => batch === undefined ? 1 : batch.events.length

/** The part of a batch that the row of a delivery holds. */
const keptOf = (batch: EventBatch | undefined): DeliveryBatch | undefined =>
  batch && { id: batch.id, lastEventId: batch.lastEventId, eventIds: batch.eventIds }

/** The delivery of events that their first attempt did not deliver. */
const deliveryOf = (sent: Sent, state: "exhausted" | "pending"): Delivery => {
  const { record } = sent
  return {
    id: record.deliveryId,
    accountId: record.accountId,
    webhookId: record.webhookId,
    subscriptionId: record.subscriptionId,
    emitterId: record.emitterId,
    stream: record.stream,
    eventId: record.eventId,
    attempts: 1,
    state,
    last: lastOf(sent),
    apart: false,
    batch: keptOf(sent.batch)
  }
}

/** A delivery that is yet to be attempted. */
export const unattempted = (
  { webhook }: WebhookMemory,
  { batch, deliveryId, event, subscriptionId }: Send
): Delivery => ({
  id: deliveryId,
  accountId: webhook.accountId,
  webhookId: webhook.id,
  subscriptionId,
  emitterId: event.emitterId,
  stream: event.stream,
  eventId: event.id,
  attempts: 0,
  state: "pending",
  last: noAttempt,
  apart: false,
  batch: keptOf(batch)
})

/** Moves the events of deliveries from one count of their cursors to others. Deliveries `apart` are in none. */
const settlementsOf = (
  deliveries: ReadonlyArray<Delivery>,
  from: keyof Tally,
  to: (events: number) => Partial<Tally>
): ReadonlyArray<CursorSettlement> =>
  deliveries.filter(({ apart }) => !apart).map((delivery) => {
    const { emitterId, subscriptionId } = delivery
    const events = eventCount(delivery)
    const tally = addTally({ ...noTally, [from]: -events }, { ...noTally, ...to(events) })
    return { subscriptionId, emitterId, tally }
  })

/** Has all events of a delivery counted under a state. */
const become = (state: keyof Tally) => (events: number): Partial<Tally> => ({ [state]: events })

/** Has events counted that arrived. Those that were deleted meanwhile did not arrive with the others of their batch. */
const arrive = (sent: Sent) => (events: number): Partial<Tally> => ({
  delivered: eventsSent(sent),
  dropped: events - eventsSent(sent)
})

/** The row of a delivery that is in another state without an attempt. */
const changeTo = ({ attempts, id, last, state }: Delivery, to: DeliveryState): DeliveryChange => ({
  id,
  from: state,
  fromAttempts: attempts,
  attempts,
  state: to,
  last
})

/** The commits of a webhook's outcomes: the attempt, the cursor or the retry, and the webhook's own state together. */
export class WebhookCommits {
  private readonly webhooks: Webhooks["Service"]
  private readonly transitions: WebhookTransitions.WebhookTransitions
  private readonly random: Random.Random

  constructor(
    webhooks: Webhooks["Service"],
    transitions: WebhookTransitions.WebhookTransitions,
    random: Random.Random
  ) {
    this.webhooks = webhooks
    this.transitions = transitions
    this.random = random
  }

  /** After a first attempt: the feed passes the event, and one that failed waits for its retry. */
  first(memory: WebhookMemory, feed: Feed, item: FeedItem, sent: Sent): Commit {
    const nextAt = this.nextAttemptAt(memory, sent)
    const became = tallyOf(sent, nextAt)
    return {
      ...this.common(memory, sent, nextAt),
      moves: [feed.pass(item, { [became]: eventsSent(sent) })],
      deliveries: became === "delivered" ? noItems : [deliveryOf(sent, became)]
    }
  }

  /**
   * The same if the feed has passed the event already by a move that is yet to be committed, in its order. The effect
   * of the outcome on the webhook itself is committed `now`.
   */
  overlapped(
    memory: WebhookMemory,
    move: CursorMove,
    sent: Sent
  ): { readonly now: Commit | undefined; readonly inOrder: Commit } {
    const nextAt = this.nextAttemptAt(memory, sent)
    const became = tallyOf(sent, nextAt)
    const { duePut, updates } = this.transitions.of(memory, sent, nextAt === undefined)
    return {
      now: duePut.length === 0 && updates.length === 0 ? undefined : { ...ownedBy(memory), duePut, updates },
      inOrder: {
        ...ownedBy(memory),
        attempts: [recordOf(sent, nextAt)],
        moves: [{ ...move, tally: { ...move.tally, [became]: eventsSent(sent) } }],
        duePut: nextAt === undefined ? noItems : [retryItem(memory.webhook.id, sent.record.deliveryId, nextAt)],
        deliveries: became === "delivered" ? noItems : [deliveryOf(sent, became)]
      }
    }
  }

  /** Such a move is committed before there is an outcome: the event is a delivery that waits for its first attempt. */
  steppedAside(memory: WebhookMemory, move: CursorMove, delivery: Delivery, dueAt: number): Commit {
    return {
      ...ownedBy(memory),
      moves: [{ ...move, tally: { ...move.tally, pending: eventCount(delivery) } }],
      deliveries: [delivery],
      duePut: [retryItem(delivery.webhookId, delivery.id, dueAt)]
    }
  }

  /** Places of the webhook's rate are used up to a time, in Unix milliseconds. */
  reserved(memory: WebhookMemory, until: number): Commit {
    return { ...ownedBy(memory), updates: [this.webhooks.reserveRate(memory.webhook.id, until)] }
  }

  /** The feed passes an event whose first attempt is due at once, among the retries. */
  queued(memory: WebhookMemory, feed: Feed, item: EventItem, deliveryId: string, now: number): Commit {
    const { subscriptionId } = feed.key
    return {
      ...ownedBy(memory),
      moves: [feed.pass(item, { pending: 1 })],
      deliveries: [unattempted(memory, { deliveryId, subscriptionId, event: item.event, attempt: 1 })],
      duePut: [retryItem(memory.webhook.id, deliveryId, now)]
    }
  }

  /** The feed passes events that are not delivered. */
  passed(memory: WebhookMemory, feed: Feed, item: FeedItem): Commit {
    return { ...ownedBy(memory), moves: [feed.pass(item)] }
  }

  /** After a retry: it waits for the next one, or is settled. */
  retried(memory: WebhookMemory, delivery: Delivery, sent: Sent): Commit {
    const nextAt = this.nextAttemptAt(memory, sent)
    const became = tallyOf(sent, nextAt)
    const isPending = became === "pending"
    return {
      ...this.common(memory, sent, nextAt),
      dueDone: isPending ? noItems : [retryItem(delivery.webhookId, delivery.id, Number.MAX_SAFE_INTEGER)],
      deliveryChanges: [{
        id: delivery.id,
        from: delivery.state,
        fromAttempts: delivery.attempts,
        attempts: sent.record.attempt,
        state: became === "delivered" ? "settled" : became === "exhausted" ? "exhausted" : "pending",
        last: lastOf(sent)
      }],
      settlements: isPending
        ? noItems
        : settlementsOf([delivery], "pending", became === "delivered" ? arrive(sent) : become(became))
    }
  }

  /** Pending deliveries without another attempt: their events are gone from the log, or nobody wants them. */
  ended(memory: WebhookMemory, deliveries: ReadonlyArray<Delivery>, state: "dropped" | "exhausted"): Commit {
    return {
      ...ownedBy(memory),
      dueDone: deliveries.map(({ id, webhookId }) => retryItem(webhookId, id, Number.MAX_SAFE_INTEGER)),
      deliveryChanges: deliveries.map((delivery) => changeTo(delivery, state)),
      settlements: settlementsOf(deliveries, "pending", become(state))
    }
  }

  /** A delivery that had ended without an arrival is to be attempted once more, now. */
  reopened(memory: WebhookMemory, delivery: Delivery, now: number): Commit {
    return {
      ...ownedBy(memory),
      duePut: [retryItem(delivery.webhookId, delivery.id, now)],
      deliveryChanges: [changeTo(delivery, "pending")],
      settlements: settlementsOf([delivery], delivery.state, become("pending"))
    }
  }

  /** A delivery that arrived is to be attempted once more, now. It stays accounted for as delivered. */
  resent(memory: WebhookMemory, last: Attempt, now: number): Commit {
    return {
      ...ownedBy(memory),
      duePut: [retryItem(last.webhookId, last.deliveryId, now)],
      deliveries: [{
        id: last.deliveryId,
        accountId: last.accountId,
        webhookId: last.webhookId,
        subscriptionId: last.subscriptionId,
        emitterId: last.emitterId,
        stream: last.stream,
        eventId: last.eventId,
        attempts: last.attempt,
        state: "pending",
        last: { at: last.startedAt, status: last.status, errorClass: last.errorClass },
        apart: true,
        batch: DeliveryEvents.batchOf(last)
      }]
    }
  }

  /** After an attempt at a delivery that had ended without an arrival: it has arrived, or is given up again. */
  attemptedAgain(memory: WebhookMemory, delivery: Delivery, sent: Sent): Commit {
    const became = sent.outcome._tag === "Delivered" ? "delivered" : "exhausted"
    return {
      ...this.common(memory, sent, undefined),
      deliveryChanges: [{
        id: delivery.id,
        from: delivery.state,
        fromAttempts: delivery.attempts,
        attempts: sent.record.attempt,
        state: became === "delivered" ? "settled" : "exhausted",
        last: lastOf(sent)
      }],
      settlements: became === delivery.state
        ? noItems
        : settlementsOf([delivery], delivery.state, became === "delivered" ? arrive(sent) : become(became))
    }
  }

  /** After an attempt that no cursor accounts for: if it failed, there is a row that tells so. */
  sentApart(memory: WebhookMemory, sent: Sent): Commit {
    const { record } = sent
    return {
      ...this.common(memory, sent, undefined, false),
      deliveries: sent.outcome._tag === "Delivered" ? noItems : [{
        id: record.deliveryId,
        accountId: record.accountId,
        webhookId: record.webhookId,
        subscriptionId: record.subscriptionId,
        emitterId: record.emitterId,
        stream: record.stream,
        eventId: record.eventId,
        attempts: record.attempt,
        state: "exhausted",
        last: lastOf(sent),
        apart: true,
        batch: keptOf(sent.batch)
      }]
    }
  }

  /** Cursors pass all that is in front of them, and nothing of it is sent. */
  unsent(memory: WebhookMemory, unpassed: ReadonlyArray<Unpassed>): Commit {
    return {
      ...ownedBy(memory),
      moves: unpassed.map(({ emitterId, from, head, subscriptionId }) => ({
        subscriptionId,
        emitterId,
        from,
        to: head,
        tally: { ...noTally, dropped: head.n - from }
      }))
    }
  }

  private common(
    memory: WebhookMemory,
    sent: Sent,
    nextAt: number | undefined,
    isGivenUp: boolean = nextAt === undefined
  ): Commit {
    const { webhook } = memory
    const { duePut, updates } = this.transitions.of(memory, sent, isGivenUp)
    return {
      ...ownedBy(memory),
      attempts: [recordOf(sent, nextAt)],
      duePut: nextAt === undefined ? duePut : [...duePut, retryItem(webhook.id, sent.record.deliveryId, nextAt)],
      updates
    }
  }

  /** The time of the next attempt; none after an arrival, a refusal or a `gone`, or once the schedule is used up. */
  private nextAttemptAt({ webhook }: WebhookMemory, { endedAt, outcome, record }: Sent): number | undefined {
    if (outcome._tag === "Delivered" || outcome._tag === "Gone" || outcome._tag === "Refused") return undefined
    const { retrySchedule } = webhook.settings
    const scheduled = RetrySchedule.nextAttemptAt(
      retrySchedule,
      record.attempt,
      endedAt,
      this.random.nextDoubleUnsafe()
    )
    return scheduled === undefined || outcome._tag !== "Throttled" ? scheduled : Math.max(scheduled, outcome.until)
  }
}

/** The part of a commit that names its owner. */
export const ownedBy = ({ fence }: WebhookMemory): Commit => ({ fence })

export const make: Effect.Effect<WebhookCommits, never, Webhooks> = Effect.gen(function*() {
  return new WebhookCommits(yield* Webhooks, yield* WebhookTransitions.make, yield* Effect.service(Random.Random))
})
