/** A webhook that hears one emitter, and what became of what it heard, for tests of its owner. */
import { assert } from "@effect/vitest"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import type { SettingsChange } from "@headwater/domain/WebhookSettings"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Accounting } from "@headwater/log/work/Accounting"
import { DueWork } from "@headwater/log/work/DueWork"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { WebhookActor } from "../src/webhook/WebhookActor.ts"
import * as EngineFixture from "./EngineFixture.ts"

/** A webhook on a sink that answers as told, subscribed to one emitter, with its owner. */
export const make = Effect.fnUntraced(function*(
  answer: (count: number) => WebhookSink.Answer | undefined,
  /** JSON text of the subscription's filter, if any. */
  filter: string | null = null,
  settings: SettingsChange = {},
  batch: SubscriptionBatch | null = null
) {
  const account = yield* EngineFixture.account
  const log = yield* EngineFixture.emitter(account.id)
  const sink = yield* WebhookSink.make(answer)
  const webhook = yield* (yield* Webhooks).insert({
    accountId: account.id,
    name: null,
    description: null,
    url: sink.url,
    settings
  })
  const subscription = yield* (yield* Subscriptions).create({
    accountId: account.id,
    emitterId: log.emitterId,
    listenerId: webhook.id,
    eventName: ""
  }, { filter, batch })
  const actor = yield* WebhookActor.make(webhook.id)
  return { account, actor, log, sink, subscription, webhook }
})

/** No cursor's accounting is out of balance. */
export const balances = Effect.flatMap(
  Accounting,
  ({ imbalances }) => Effect.map(imbalances, (found) => assert.deepStrictEqual(found, []))
)

/** Returns when a sink has received so many requests, in real time. */
export const untilReceived = (sink: WebhookSink.WebhookSink, count: number) =>
  TestClock.withLive(Effect.gen(function*() {
    while (sink.received.length < count) yield* Effect.sleep("1 millis")
  }))

/** What a subscription's cursor says became of its events, and whether it adds up. */
export const accounts = Effect.fnUntraced(function*(subscriptionId: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Record<string, bigint>>`
    SELECT n, start_n, delivered, pending, exhausted, dropped, filtered, too_costly FROM cursors WHERE subscription_id = ${subscriptionId}`
  const read = (name: string) => Number(row![name])
  assert.strictEqual(
    read("n") - read("start_n"),
    read("delivered") + read("pending") + read("exhausted") + read("dropped") +
      read("filtered"),
    "the accounting balances"
  )
  return {
    n: read("n"),
    delivered: read("delivered"),
    pending: read("pending"),
    exhausted: read("exhausted"),
    dropped: read("dropped"),
    tooCostly: read("too_costly"),
    filtered: read("filtered")
  }
})

/** What the sink got, in order. */
export const payloads = (sink: WebhookSink.WebhookSink) => sink.received.map(({ body }) => JSON.parse(body))

/** When the webhook's next retry is due, if it has any. */
export const retryDueAt = Effect.fnUntraced(function*(webhookId: string) {
  const [item] = yield* (yield* DueWork).allOf(webhookId, "retry")
  return item?.dueAt
})
