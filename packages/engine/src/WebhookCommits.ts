import * as EmitId from "@headwater/domain/EmitId"
import * as Stream from "@headwater/domain/Stream"
import type { DisabledReason } from "@headwater/domain/Webhook"
import type { Commit } from "@headwater/log/Commit"
import { noTally } from "@headwater/log/Cursors"
import type { Delivery } from "@headwater/log/Deliveries"
import type { DueItem } from "@headwater/log/DueWork"
import { Webhooks } from "@headwater/log/Webhooks"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import * as DueEmits from "./DueEmits.ts"
import type { Feed, FeedItem } from "./Feed.ts"
import * as RetrySchedule from "./RetrySchedule.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { Sent } from "./WebhookSend.ts"

/** A webhook with nothing but failures for this long goes out of service, in milliseconds (delivery.md). */
const failingLimitMs = 5 * 24 * 3_600_000

const retryItem = (webhookId: string, deliveryId: string, dueAt: number): DueItem => ({
  ownerId: webhookId,
  kind: "retry",
  key: deliveryId,
  dueAt,
  payload: "{}"
})

/** Tells the account, on its own log, that a webhook was taken out of service. */
const disabledEvent = ({ webhook }: WebhookMemory, reason: DisabledReason, now: number): DueItem =>
  DueEmits.item(webhook.accountId, {
    stream: Stream.webhooks,
    emitId: EmitId.make(),
    hops: 0,
    meta: {},
    payload: JSON.stringify({ type: "webhook.disabled", webhook_id: webhook.id, url: webhook.url, reason, ts: now })
  }, now)

interface Transition {
  readonly duePut: ReadonlyArray<DueItem>
  readonly updates: ReadonlyArray<Effect.Effect<unknown, SqlError.SqlError>>
}

const none: Transition = { duePut: [], updates: [] }

/** What an attempt's outcome does to the webhook itself, in memory at once and in the database with the commit. */
const transition = (webhooks: Webhooks["Service"], memory: WebhookMemory, sent: Sent): Transition => {
  const { endedAt, outcome } = sent
  const { webhook } = memory
  // What one place answers to a workflow says nothing of the others.
  if (webhook.workflowId !== null) return none
  const change = (fields: Partial<typeof webhook>) => {
    memory.webhook = { ...memory.webhook, ...fields }
  }
  const disable = (reason: DisabledReason): Transition => {
    if (!webhook.active) return none
    change({ active: false, disabledReason: reason })
    return {
      duePut: [disabledEvent(memory, reason, endedAt)],
      updates: [webhooks.disable(webhook.id, reason, endedAt)]
    }
  }
  if (outcome._tag === "Delivered") {
    if (webhook.failingSince === null) return none
    change({ failingSince: null })
    return { duePut: [], updates: [webhooks.markHealthy(webhook.id)] }
  }
  if (outcome._tag === "Gone") return disable("gone")
  if (webhook.failingSince !== null && endedAt - webhook.failingSince >= failingLimitMs) return disable("failing")
  const failing = webhook.failingSince === null ? [webhooks.markFailing(webhook.id, endedAt)] : []
  if (webhook.failingSince === null) change({ failingSince: endedAt })
  if (outcome._tag !== "Throttled") return { duePut: [], updates: failing }
  const until = Math.max(outcome.until, webhook.throttledUntil ?? 0)
  change({ throttledUntil: until })
  return {
    duePut: [{ ownerId: webhook.id, kind: "wake", key: "throttle", dueAt: until, payload: "{}" }],
    updates: [...failing, webhooks.throttle(webhook.id, until)]
  }
}

/** When the next attempt is due; none where the endpoint wants no more or the schedule is used up. */
const nextAttemptAt = ({ endedAt, outcome, record }: Sent): Effect.Effect<number | undefined> => {
  if (outcome._tag === "Delivered" || outcome._tag === "Gone") return Effect.undefined
  return Effect.map(
    RetrySchedule.nextAttemptAt(record.attempt, endedAt),
    (scheduled) =>
      scheduled === undefined || outcome._tag !== "Throttled" ? scheduled : Math.max(scheduled, outcome.until)
  )
}

const tallyOf = (sent: Sent, nextAt: number | undefined): "delivered" | "exhausted" | "pending" =>
  sent.outcome._tag === "Delivered" ? "delivered" : nextAt === undefined ? "exhausted" : "pending"

/** The commits of a webhook's outcomes: the attempt, the cursor or the retry, and the webhook's own state together. */
export const make = Effect.gen(function*() {
  const webhooks = yield* Webhooks

  const common = (memory: WebhookMemory, sent: Sent) =>
    Effect.map(nextAttemptAt(sent), (nextAt) => {
      const { duePut, updates } = transition(webhooks, memory, sent)
      return {
        nextAt,
        parts: {
          attempts: [{ ...sent.record, nextAt: nextAt ?? null }],
          duePut: nextAt === undefined
            ? duePut
            : [...duePut, retryItem(memory.webhook.id, sent.record.deliveryId, nextAt)],
          updates
        } satisfies Commit
      }
    })

  /** After a first attempt: the feed passes the event, and what failed waits for its retry. */
  const first = Effect.fnUntraced(function*(memory: WebhookMemory, feed: Feed, item: FeedItem, sent: Sent) {
    const { nextAt, parts } = yield* common(memory, sent)
    const became = tallyOf(sent, nextAt)
    const { record } = sent
    return {
      ...parts,
      moves: [feed.pass(item, { [became]: 1 })],
      deliveries: became === "delivered" ? [] : [{
        id: record.deliveryId,
        webhookId: record.webhookId,
        subscriptionId: record.subscriptionId,
        emitterId: record.emitterId,
        stream: record.stream,
        eventId: record.eventId,
        attempts: 1,
        state: became
      }]
    } satisfies Commit as Commit
  })

  /** The feed passes an event whose first attempt is due at once, among the retries. */
  const queued = Effect.fnUntraced(function*(
    { webhook }: WebhookMemory,
    feed: Feed,
    item: Extract<FeedItem, { readonly _tag: "Event" }>,
    deliveryId: string
  ) {
    const { event } = item
    return {
      moves: [feed.pass(item, { pending: 1 })],
      deliveries: [{
        id: deliveryId,
        webhookId: webhook.id,
        subscriptionId: feed.key.subscriptionId,
        emitterId: event.emitterId,
        stream: event.stream,
        eventId: event.id,
        attempts: 0,
        state: "pending"
      }],
      duePut: [retryItem(webhook.id, deliveryId, yield* Clock.currentTimeMillis)]
    } satisfies Commit as Commit
  })

  /** After a retry: it waits for the next one, or is settled. */
  const retried = Effect.fnUntraced(function*(memory: WebhookMemory, delivery: Delivery, sent: Sent) {
    const { nextAt, parts } = yield* common(memory, sent)
    const became = tallyOf(sent, nextAt)
    const settlement = became === "pending" ? [] : [{
      subscriptionId: delivery.subscriptionId,
      emitterId: delivery.emitterId,
      tally: { ...noTally, pending: -1, [became]: 1 }
    }]
    return {
      ...parts,
      dueDone: became === "pending" ? [] : [retryItem(delivery.webhookId, delivery.id, Number.MAX_SAFE_INTEGER)],
      deliveryChanges: [{
        id: delivery.id,
        fromAttempts: delivery.attempts,
        attempts: sent.record.attempt,
        state: became === "delivered" ? "settled" : became === "exhausted" ? "exhausted" : "pending"
      }],
      settlements: settlement
    } satisfies Commit as Commit
  })

  /** A pending delivery whose event is gone from the log. */
  const dropped = (delivery: Delivery): Commit => ({
    dueDone: [retryItem(delivery.webhookId, delivery.id, Number.MAX_SAFE_INTEGER)],
    deliveryChanges: [{
      id: delivery.id,
      fromAttempts: delivery.attempts,
      attempts: delivery.attempts,
      state: "settled"
    }],
    settlements: [{
      subscriptionId: delivery.subscriptionId,
      emitterId: delivery.emitterId,
      tally: { ...noTally, pending: -1, dropped: 1 }
    }]
  })

  return { first, queued, retried, dropped }
})
