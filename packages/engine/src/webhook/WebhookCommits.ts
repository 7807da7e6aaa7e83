/** The commits of a webhook that no attempt's result asks for: events are passed, queued, ended, or made due again. */
import type { Commit } from "@headwater/log/commit/Commit"
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
  type DeliveryChange,
  type DeliveryState,
  eventCount,
  noAttempt
} from "@headwater/log/work/Deliveries"
import type { DueItem } from "@headwater/log/work/DueWork"
import * as EventBatch from "../routing/EventBatch.ts"
import type { BatchItem, EventItem, Feed, FeedItem } from "../routing/Feed.ts"
import type { AttemptRequest } from "./AttemptRecord.ts"
import * as DeliveryEvents from "./DeliveryEvents.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"

/** A delivery's next attempt, due at a time in Unix milliseconds. */
export const retryItem = (webhookId: string, deliveryId: string, dueAt: number): DueItem => ({
  ownerId: webhookId,
  kind: "retry",
  key: deliveryId,
  dueAt,
  payload: "{}"
})

/** A delivery's next attempt as done, whenever it was due. */
export const retryOver = ({ id, webhookId }: Delivery): DueItem => retryItem(webhookId, id, Number.MAX_SAFE_INTEGER)

/** A delivery that is yet to be attempted. */
export const unattempted = (
  { webhook }: WebhookMemory,
  { batch, deliveryId, event, subscriptionId }: AttemptRequest
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
  batch: EventBatch.kept(batch)
})

/** Moves the events of deliveries from one count of their cursors to others. Deliveries `apart` are in none. */
export const settlementsOf = (
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
export const become = (state: keyof Tally) => (events: number): Partial<Tally> => ({ [state]: events })

/** Has the events counted that arrived. Those that were deleted meanwhile did not arrive with the others of their batch. */
export const arrived = (sent: number) => (events: number): Partial<Tally> => ({
  delivered: sent,
  dropped: events - sent
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

/** The feed passes events that are not delivered. */
export const passed = (feed: Feed, item: FeedItem): Commit => ({ moves: [feed.pass(item)] })

/** The feed passes an event whose first attempt is due at once, among the retries. */
export const queued = (
  memory: WebhookMemory,
  feed: Feed,
  item: EventItem | BatchItem,
  request: AttemptRequest,
  now: number
): Commit => {
  const delivery = unattempted(memory, request)
  return {
    moves: [feed.pass(item, { pending: eventCount(delivery) })],
    deliveries: [delivery],
    duePut: [retryItem(memory.webhook.id, delivery.id, now)]
  }
}

/** The feed passes an event of shadow: its delivery is dropped, and can be opened again. */
export const held = (
  memory: WebhookMemory,
  feed: Feed,
  item: EventItem | BatchItem,
  request: AttemptRequest
): Commit => {
  const delivery = unattempted(memory, request)
  return {
    moves: [feed.pass(item, { dropped: eventCount(delivery) })],
    deliveries: [{ ...delivery, state: "dropped", last: { ...noAttempt, errorClass: "held" } }]
  }
}

/** A move is committed before its event's attempt has a result: the event is a delivery that waits for its first attempt. */
export const steppedAside = (move: CursorMove, delivery: Delivery, dueAt: number): Commit => ({
  moves: [{ ...move, tally: { ...move.tally, pending: eventCount(delivery) } }],
  deliveries: [delivery],
  duePut: [retryItem(delivery.webhookId, delivery.id, dueAt)]
})

/** Pending deliveries without another attempt: their events are gone from the log, or nobody wants them. */
export const ended = (deliveries: ReadonlyArray<Delivery>, state: "dropped" | "exhausted"): Commit => ({
  dueDone: deliveries.map(retryOver),
  deliveryChanges: deliveries.map((delivery) => changeTo(delivery, state)),
  settlements: settlementsOf(deliveries, "pending", become(state))
})

/** A delivery that had ended without an arrival is to be attempted once more, now. */
export const reopened = (delivery: Delivery, now: number): Commit => ({
  duePut: [retryItem(delivery.webhookId, delivery.id, now)],
  deliveryChanges: [changeTo(delivery, "pending")],
  settlements: settlementsOf([delivery], delivery.state, become("pending"))
})

/** A delivery that arrived is to be attempted once more, now. It stays accounted for as delivered. */
export const resent = (last: Attempt, now: number): Commit => ({
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
})

/** Cursors pass all that is in front of them, and nothing of it is sent. */
export const unsent = (unpassed: ReadonlyArray<Unpassed>): Commit => ({
  moves: unpassed.map(({ emitterId, from, head, subscriptionId }) => ({
    subscriptionId,
    emitterId,
    from,
    to: head,
    tally: { ...noTally, dropped: head.n - from }
  }))
})
