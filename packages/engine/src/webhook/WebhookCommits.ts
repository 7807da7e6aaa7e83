import * as EmitId from "@headwater/domain/EmitId"
import * as Stream from "@headwater/domain/Stream"
import type { DisabledReason } from "@headwater/domain/Webhook"
import type { Commit } from "@headwater/log/Commit"
import { noTally } from "@headwater/log/Cursors"
import { type Delivery, type LastAttempt, noAttempt } from "@headwater/log/Deliveries"
import type { DueItem } from "@headwater/log/DueWork"
import { Webhooks } from "@headwater/log/Webhooks"
import { Effect, Random } from "effect"
import type { SqlError } from "effect/sql"
import * as DueEmits from "../program/DueEmits.ts"
import type { EventItem, Feed, FeedItem } from "../routing/Feed.ts"
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

const tallyOf = (sent: Sent, nextAt: number | undefined): "delivered" | "exhausted" | "pending" =>
  sent.outcome._tag === "Delivered" ? "delivered" : nextAt === undefined ? "exhausted" : "pending"

const lastOf = ({ record: { errorClass, startedAt, status } }: Sent): LastAttempt => ({
  at: startedAt,
  status,
  errorClass
})

const noItems: ReadonlyArray<never> = []

/** The commits of a webhook's outcomes: the attempt, the cursor or the retry, and the webhook's own state together. */
export class WebhookCommits {
  private readonly webhooks: Webhooks["Service"]
  private readonly random: Random.Random

  constructor(webhooks: Webhooks["Service"], random: Random.Random) {
    this.webhooks = webhooks
    this.random = random
  }

  /** After a first attempt: the feed passes the event, and what failed waits for its retry. */
  first(memory: WebhookMemory, feed: Feed, item: FeedItem, sent: Sent): Commit {
    const nextAt = this.nextAttemptAt(sent)
    const became = tallyOf(sent, nextAt)
    const { record } = sent
    return {
      ...this.common(memory, sent, nextAt),
      moves: [feed.pass(item, { [became]: 1 })],
      deliveries: became === "delivered" ? noItems : [{
        id: record.deliveryId,
        accountId: record.accountId,
        webhookId: record.webhookId,
        subscriptionId: record.subscriptionId,
        emitterId: record.emitterId,
        stream: record.stream,
        eventId: record.eventId,
        attempts: 1,
        state: became,
        last: lastOf(sent)
      }]
    }
  }

  /** The feed passes an event whose first attempt is due at once, among the retries. */
  queued(memory: WebhookMemory, feed: Feed, item: EventItem, deliveryId: string, now: number): Commit {
    const { event } = item
    const { accountId, id } = memory.webhook
    return {
      ...ownedBy(memory),
      moves: [feed.pass(item, { pending: 1 })],
      deliveries: [{
        id: deliveryId,
        accountId,
        webhookId: id,
        subscriptionId: feed.key.subscriptionId,
        emitterId: event.emitterId,
        stream: event.stream,
        eventId: event.id,
        attempts: 0,
        state: "pending",
        last: noAttempt
      }],
      duePut: [retryItem(id, deliveryId, now)]
    }
  }

  /** The feed passes events that are not delivered. */
  passed(memory: WebhookMemory, feed: Feed, item: FeedItem): Commit {
    return { ...ownedBy(memory), moves: [feed.pass(item)] }
  }

  /** After a retry: it waits for the next one, or is settled. */
  retried(memory: WebhookMemory, delivery: Delivery, sent: Sent): Commit {
    const nextAt = this.nextAttemptAt(sent)
    const became = tallyOf(sent, nextAt)
    const isPending = became === "pending"
    return {
      ...this.common(memory, sent, nextAt),
      dueDone: isPending ? noItems : [retryItem(delivery.webhookId, delivery.id, Number.MAX_SAFE_INTEGER)],
      deliveryChanges: [{
        id: delivery.id,
        fromAttempts: delivery.attempts,
        attempts: sent.record.attempt,
        state: became === "delivered" ? "settled" : became === "exhausted" ? "exhausted" : "pending",
        last: lastOf(sent)
      }],
      settlements: isPending ? noItems : [{
        subscriptionId: delivery.subscriptionId,
        emitterId: delivery.emitterId,
        tally: { ...noTally, pending: -1, [became]: 1 }
      }]
    }
  }

  /** A pending delivery whose event is gone from the log. */
  dropped(memory: WebhookMemory, delivery: Delivery): Commit {
    return {
      ...ownedBy(memory),
      dueDone: [retryItem(delivery.webhookId, delivery.id, Number.MAX_SAFE_INTEGER)],
      deliveryChanges: [{
        id: delivery.id,
        fromAttempts: delivery.attempts,
        attempts: delivery.attempts,
        state: "dropped",
        last: delivery.last
      }],
      settlements: [{
        subscriptionId: delivery.subscriptionId,
        emitterId: delivery.emitterId,
        tally: { ...noTally, pending: -1, dropped: 1 }
      }]
    }
  }

  private common(memory: WebhookMemory, sent: Sent, nextAt: number | undefined): Commit {
    const { webhook } = memory
    const { duePut, updates } = transition(this.webhooks, memory, sent)
    return {
      ...ownedBy(memory),
      attempts: [nextAt === undefined ? sent.record : { ...sent.record, nextAt }],
      duePut: nextAt === undefined ? duePut : [...duePut, retryItem(webhook.id, sent.record.deliveryId, nextAt)],
      updates
    }
  }

  /** When the next attempt is due; none where the endpoint wants no more or the schedule is used up. */
  private nextAttemptAt({ endedAt, outcome, record }: Sent): number | undefined {
    if (outcome._tag === "Delivered" || outcome._tag === "Gone") return undefined
    const scheduled = RetrySchedule.nextAttemptAt(record.attempt, endedAt, this.random.nextDoubleUnsafe())
    return scheduled === undefined || outcome._tag !== "Throttled" ? scheduled : Math.max(scheduled, outcome.until)
  }
}

/** Whose commit it is. */
export const ownedBy = ({ fence }: WebhookMemory): Commit => ({ fence })

export const make: Effect.Effect<WebhookCommits, never, Webhooks> = Effect.gen(function*() {
  return new WebhookCommits(yield* Webhooks, yield* Effect.service(Random.Random))
})
