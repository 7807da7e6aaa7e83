import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as SigningKey from "@headwater/domain/SigningKey"
import { defaults } from "@headwater/domain/WebhookSettings"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Fences } from "@headwater/log/logs/Fences"
import { Heads } from "@headwater/log/logs/Heads"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Accounting } from "@headwater/log/work/Accounting"
import { Attempts } from "@headwater/log/work/Attempts"
import { Cursors } from "@headwater/log/work/Cursors"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Fiber, Logger, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import { Draining } from "../ground/Draining.ts"
import { EmitterLog } from "../ground/EmitterLog.ts"
import { defaults as limits, EngineLimits } from "../ground/EngineLimits.ts"
import * as Wake from "../ground/Wake.ts"
import * as StandardWebhook from "./StandardWebhook.ts"
import { WebhookActor } from "./WebhookActor.ts"

/** What sends a workflow's own requests, with its owner. */
const setupSender = Effect.gen(function*() {
  const account = yield* EngineFixture.account
  const workflowId = Id.WorkflowId.make(yield* Id.make("workflow"))
  yield* (yield* Heads).create(workflowId, account.id)
  const log = Option.getOrThrow(yield* EmitterLog.acquire(workflowId))
  const input = { accountId: account.id, name: null, description: null, url: "", workflowId }
  const webhook = yield* (yield* Webhooks).insert(input)
  const subscription = yield* (yield* Subscriptions).create({
    accountId: account.id,
    emitterId: workflowId,
    listenerId: webhook.id,
    eventName: "$sends"
  })
  return { account, actor: yield* WebhookActor.make(webhook.id), log, subscription, webhook }
})

/** Waits in real time, until nothing of it is under way that it was not woken for. */
const untilRested = (actor: WebhookActor) =>
  TestClock.withLive(Effect.gen(function*() {
    while (actor.awaitsTurn()) yield* Effect.sleep("1 millis")
  }))

/** A writer that counts what it is handed. */
const countingWriter = Effect.map(GroupCommit, (writer) => {
  let commits = 0
  return {
    count: () => commits,
    writer: GroupCommit.of({
      ...writer,
      submit: (commit) => {
        commits += 1
        return writer.submit(commit)
      }
    })
  }
})

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds" })("a webhook", (it) => {
  it.effect("sends each of a workflow's own requests where it is to go, and what one place answers holds up no other", () =>
    Effect.gen(function*() {
      const { account, actor, log, subscription, webhook } = yield* setupSender
      const good = yield* WebhookSink.make(() => ({ status: 200 }))
      const gone = yield* WebhookSink.make(() => ({ status: 410 }))
      const busy = yield* WebhookSink.make((count) => ({
        status: count < 1 ? 503 : 200,
        headers: { "retry-after": "60" }
      }))
      const headers = { "content-type": "text/plain", "x-own": "1", "webhook-id": "forged" }
      yield* EngineFixture.appendTo(log, "$sends", [
        { method: "POST", url: gone.url, headers: {}, body: "a" },
        { method: "POST", url: busy.url, headers: {}, body: "b" },
        { method: "PUT", url: `${good.url}/place?q=1`, headers, body: "c" },
        { method: "GET", url: good.url, headers: {} }
      ])
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(good.received.map(({ method, path, body }) => [method, path, body]).toSorted(), [
        ["GET", "/hook", ""],
        ["PUT", "/hook/place?q=1", "c"]
      ])
      const put = good.received.find(({ method }) => method === "PUT")!
      assert.deepStrictEqual(
        [put.headers["content-type"], put.headers["x-own"], put.headers["x-headwater-attempt"]],
        ["text/plain", "1", "1"]
      )
      const secrets = yield* (yield* Webhooks).secrets(webhook.id)
      const [event] = yield* (yield* EventLog).latest({ emitterId: log.emitterId, stream: "$sends", limit: 2 })
      assert.notStrictEqual(put.headers["webhook-id"], "forged")
      assert.strictEqual(event?.emitterId, put.headers["x-headwater-emitter-id"])
      const signed = [put.headers["webhook-id"]!, Number(put.headers["webhook-timestamp"]), put.body] as const
      assert.strictEqual(
        put.headers["webhook-signature"],
        StandardWebhook.signature(secrets.map(SigningKey.signer), ...signed)
      )
      const { delivered, exhausted, pending } = yield* WebhookFixture.accounts(subscription.id)
      assert.deepStrictEqual({ delivered, exhausted, pending }, { delivered: 2, exhausted: 1, pending: 1 })
      yield* TestClock.adjust("60 seconds")
      yield* actor.wake(Wake.forDueWork)
      assert.strictEqual(busy.received.length, 2)
      assert.strictEqual((yield* WebhookFixture.accounts(subscription.id)).delivered, 3)
      const known = yield* Webhooks
      assert.deepStrictEqual(yield* known.get(account.id, webhook.id), Option.none())
      assert.isTrue(Option.exists(yield* known.getById(webhook.id), ({ active }) => active))
    }))

  it.effect("sends a burst of a workflow's own requests without a wait", () =>
    Effect.gen(function*() {
      const { actor, log, subscription } = yield* setupSender
      const sink = yield* WebhookSink.make()
      const requests = Array.from({ length: 300 }, (_, i) => ({
        method: "POST",
        url: sink.url,
        headers: {},
        body: String(i)
      }))
      yield* EngineFixture.appendTo(log, "$sends", requests)
      yield* actor.wake(Wake.forEverything)
      assert.strictEqual(new Set(sink.received.map(({ body }) => body)).size, 300)
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: 300, pending: 0 })
    }))

  it.effect("delivers what is in front of its cursor, in order, and accounts for it", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription } = yield* WebhookFixture.make(() => ({ status: 204 }))
      yield* EngineFixture.append(log, Array.from({ length: 250 }, (_, i) => i))
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), Array.from({ length: 250 }, (_, i) => i))
      assert.deepStrictEqual(yield* WebhookFixture.accounts(subscription.id), {
        n: 250,
        delivered: 250,
        pending: 0,
        exhausted: 0,
        dropped: 0,
        tooCostly: 0,
        filtered: 0
      })
    }))

  it.effect("delivers what more emitters owe it than it looks at together, each event once", () =>
    Effect.gen(function*() {
      const { account, actor, sink, webhook } = yield* WebhookFixture.make(() => ({ status: 204 })).pipe(
        Effect.provideService(EngineLimits, { ...limits, ready: 50, idle: 100 })
      )
      const all = yield* (yield* Subscriptions).create({
        accountId: account.id,
        emitterId: "dc_*",
        listenerId: webhook.id,
        eventName: "aside"
      })
      // More than a page of cursors, too.
      const logs = yield* Effect.forEach(
        yield* EngineFixture.emitterIds(account.id, 1_010),
        (id) => Effect.map(EmitterLog.acquire(id), Option.getOrThrow),
        { concurrency: 20 }
      )
      const again = logs.slice(0, 60)
      for (const [round, heard] of [logs, again].entries()) {
        yield* Effect.forEach(heard, (log) => EngineFixture.appendTo(log, "aside", [`${log.emitterId} ${round}`]), {
          concurrency: 50
        })
        yield* actor.wake(Wake.forEverything)
      }
      assert.sameMembers(
        WebhookFixture.payloads(sink),
        [...logs.map(({ emitterId }) => `${emitterId} 0`), ...again.map(({ emitterId }) => `${emitterId} 1`)]
      )
      const sql = yield* SqlClient.SqlClient
      const [counted] = yield* sql<{ delivered: bigint; behind: bigint }>`
        SELECT sum(delivered) AS delivered, sum(n - start_n - delivered) AS behind FROM cursors
        WHERE subscription_id = ${all.id}`
      assert.deepStrictEqual([Number(counted?.delivered), Number(counted?.behind)], [1_070, 0])
    }))

  it.effect("ends its work where it is taken out of memory just as that starts", () =>
    Effect.gen(function*() {
      const { log, sink, webhook } = yield* WebhookFixture.make(() => ({ status: 204 }))
      let looks = 0
      const actor = yield* WebhookActor.make(webhook.id).pipe(
        Effect.provideService(Draining, { isDraining: () => ++looks > 2, begin: Effect.void }),
        Effect.scoped
      )
      yield* EngineFixture.append(log, ["left"])
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), [])
    }))

  it.effect("retries a failed delivery along the whole schedule under one webhook-id, then gives it up", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription, webhook } = yield* WebhookFixture.make(() => ({ status: 500 }))
      yield* EngineFixture.append(log, ["only"])
      yield* actor.wake(Wake.forEverything)
      for (const [index, delay] of defaults.retrySchedule.entries()) {
        const now = yield* Clock.currentTimeMillis
        const dueAt = yield* WebhookFixture.retryDueAt(webhook.id)
        assert.isDefined(dueAt)
        assert.isTrue(Math.abs(dueAt - now - delay) <= delay * 0.2 + 2_000, `retry ${index + 1} in ${dueAt - now} ms`)
        assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { pending: 1, exhausted: 0 })
        // Not before its time.
        yield* TestClock.setTime(dueAt - 1)
        yield* actor.wake(Wake.forDueWork)
        assert.strictEqual(sink.received.length, index + 1)
        yield* TestClock.setTime(dueAt)
        yield* actor.wake(Wake.forDueWork)
        assert.strictEqual(sink.received.length, index + 2)
      }
      assert.isUndefined(yield* WebhookFixture.retryDueAt(webhook.id))
      assert.deepStrictEqual(yield* WebhookFixture.accounts(subscription.id), {
        n: 1,
        delivered: 0,
        pending: 0,
        exhausted: 1,
        dropped: 0,
        tooCostly: 0,
        filtered: 0
      })
      assert.strictEqual(new Set(sink.received.map(({ headers }) => headers["webhook-id"])).size, 1)
      assert.deepStrictEqual(
        sink.received.map(({ headers }) => headers["x-headwater-attempt"]),
        Array.from({ length: 10 }, (_, i) => String(i + 1))
      )
      const attempts = yield* (yield* Attempts).ofWebhook(webhook.id)
      assert.deepStrictEqual(
        attempts.map(({ attempt, outcome, status }) => ({ attempt, outcome, status })),
        Array.from({ length: 10 }, (_, i) => ({ attempt: i + 1, outcome: "failed" as const, status: 500 }))
      )
    }))

  it.effect("lets those behind a failed event go on, and delivers it when its retry succeeds", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription, webhook } = yield* WebhookFixture.make((count) => ({
        status: count === 0 ? 500 : 200
      }))
      yield* EngineFixture.append(log, ["a", "b", "c"])
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a", "b", "c"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: 2, pending: 1 })
      yield* TestClock.setTime((yield* WebhookFixture.retryDueAt(webhook.id))!)
      yield* actor.wake(Wake.forDueWork)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a", "b", "c", "a"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: 3, pending: 0 })
    }))

  it.effect("sends hundreds of retries that are due together one after another, holding a page of them in memory", () =>
    Effect.gen(function*() {
      const many = 450
      const dueWork = yield* DueWork
      let largestPage = 0
      const { actor, log, sink, subscription } = yield* WebhookFixture.make((count) => ({
        status: count < many ? 500 : 200
      })).pipe(Effect.provideService(DueWork, {
        ...dueWork,
        dueOf: (...asked) =>
          Effect.tap(dueWork.dueOf(...asked), (page) =>
            Effect.sync(() => {
              largestPage = Math.max(largestPage, page.length)
            }))
      }))
      yield* EngineFixture.append(log, Array.from({ length: many }, (_, i) => i))
      yield* actor.wake(Wake.forEverything)
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: 0, pending: many })
      yield* TestClock.adjust("7 seconds")
      yield* actor.wake(Wake.forDueWork)
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: many, pending: 0 })
      const idsOf = (received: typeof sink.received) => received.map(({ headers }) => headers["webhook-id"]).toSorted()
      assert.deepStrictEqual(idsOf(sink.received.slice(many)), idsOf(sink.received.slice(0, many)))
      assert.isAtMost(largestPage, 200)
    }))

  it.effect("puts off all retries that are due when its endpoint asks for a pause, and sends them all after it", () =>
    Effect.gen(function*() {
      const many = 300
      const { actor, log, sink, subscription, webhook } = yield* WebhookFixture.make((count) =>
        count === many
          ? { status: 503, headers: { "retry-after": "60" } }
          : { status: count < many ? 500 : 200 }
      )
      yield* EngineFixture.append(log, Array.from({ length: many }, (_, i) => i))
      yield* actor.wake(Wake.forEverything)
      yield* TestClock.adjust("7 seconds")
      yield* actor.wake(Wake.forDueWork)
      // Those that were under way beside the one that was told to wait.
      const sentBefore = sink.received.length - many
      assert.isAtMost(sentBefore, 4)
      const dueAt = yield* (yield* DueWork).allOf(webhook.id, "retry")
      const now = yield* Clock.currentTimeMillis
      assert.isEmpty(dueAt.filter((item) => item.dueAt <= now))
      // The one that was told to wait is due later, by the schedule.
      yield* TestClock.adjust("7 minutes")
      yield* actor.wake(Wake.forDueWork)
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: many, pending: 0 })
    }))

  it.effect("is retired though its endpoint never answers, and sends nothing any more", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription } = yield* WebhookFixture.make(() => undefined)
      yield* EngineFixture.append(log, ["a", "b"])
      const working = yield* Effect.forkChild(actor.wake(Wake.forEverything))
      yield* TestClock.withLive(Effect.gen(function*() {
        while (sink.received.length === 0) yield* Effect.sleep("1 millis")
      }))
      yield* actor.retire
      yield* actor.wake(Wake.forEverything)
      yield* Fiber.join(working)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { n: 0 })
    }))

  it.effect("sends nothing before a Retry-After has passed, then goes on where it was", () =>
    Effect.gen(function*() {
      const { actor, log, sink } = yield* WebhookFixture.make((count) =>
        count === 0 ? { status: 429, headers: { "retry-after": "3600" } } : { status: 200 }
      )
      yield* EngineFixture.append(log, ["a", "b"])
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a"])
      yield* TestClock.adjust("59 minutes")
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a"])
      yield* TestClock.adjust("1 minute")
      yield* actor.wake(Wake.forDueWork)
      assert.sameMembers(WebhookFixture.payloads(sink), ["a", "b", "a"])
    }))

  it.effect("drops a retry whose event was deleted, and the accounting still balances", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription, webhook } = yield* WebhookFixture.make(() => ({ status: 500 }))
      const [event] = yield* EngineFixture.append(log, ["a"])
      yield* actor.wake(Wake.forEverything)
      yield* (yield* EventLog).prune({ emitterId: log.emitterId, stream: "" }, event!.id)
      yield* TestClock.setTime((yield* WebhookFixture.retryDueAt(webhook.id))!)
      yield* actor.wake(Wake.forDueWork)
      assert.strictEqual(sink.received.length, 1)
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { pending: 0, dropped: 1 })
    }))

  it.effect("starts no attempt for what was deleted while it was held up", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription, webhook } = yield* WebhookFixture.make((count) =>
        count === 0 ? { status: 503, headers: { "retry-after": "60" } } : { status: 200 }
      )
      const events = yield* EngineFixture.append(log, ["a", "b", "c", "d"])
      const hint = { subscriptionId: subscription.id, emitterId: log.emitterId, stream: "", events }
      yield* actor.wake(Wake.forEvents([hint]))
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a"])
      const range = { from: events[0]!.id, to: events[2]!.id }
      yield* (yield* EventLog).removeSome({ emitterId: log.emitterId, stream: "" }, range)
      yield* TestClock.setTime((yield* WebhookFixture.retryDueAt(webhook.id))!)
      yield* actor.wake(Wake.forDueWork)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a", "d"])
      assert.deepStrictEqual(yield* WebhookFixture.accounts(subscription.id), {
        n: 4,
        delivered: 1,
        pending: 0,
        exhausted: 0,
        dropped: 3,
        tooCostly: 0,
        filtered: 0
      })
    }))

  it.effect("passes what has come too far round, and what was deleted unread, as dropped", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription } = yield* WebhookFixture.make(() => ({ status: 200 }))
      const appended = yield* log.commit([
        EngineFixture.newEvent("deleted"),
        EngineFixture.newEvent("tired", "", 16),
        EngineFixture.newEvent("fresh"),
        EngineFixture.newEvent("tired", "", 17)
      ], {})
      yield* (yield* EventLog).prune({ emitterId: log.emitterId, stream: "" }, appended[0]!.id)
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["fresh"])
      assert.deepStrictEqual(yield* WebhookFixture.accounts(subscription.id), {
        n: 4,
        delivered: 1,
        pending: 0,
        exhausted: 0,
        dropped: 3,
        tooCostly: 0,
        filtered: 0
      })
    }))

  it.effect("passes what its filter keeps out, many events with a commit, and goes by another filter from then on", () =>
    Effect.gen(function*() {
      const odd = JSON.stringify({ n: { $in: [1, 3, 5] } })
      const { count, writer } = yield* countingWriter
      const { log, sink, subscription, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }), odd)
      const actor = yield* Effect.provideService(WebhookActor.make(webhook.id), GroupCommit, writer)
      yield* EngineFixture.append(log, Array.from({ length: 50 }, (_, i) => ({ n: i + 6 })))
      yield* actor.wake(Wake.forEverything)
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { n: 50, delivered: 0, filtered: 50 })
      assert.strictEqual(count(), 1)
      const appended = yield* EngineFixture.append(log, Array.from({ length: 200 }, (_, i) => ({ n: 200 - i })))
      for (const event of appended) {
        const fed = { subscriptionId: subscription.id, emitterId: log.emitterId, stream: "", events: [event] }
        assert.isTrue(actor.hint(Wake.forEvents([fed])))
      }
      yield* untilRested(actor)
      assert.isBelow(count(), 10)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), [{ n: 5 }, { n: 3 }, { n: 1 }])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { n: 250, delivered: 3, filtered: 247 })
      yield* (yield* Subscriptions).update(subscription, { filter: JSON.stringify({ n: "new" }) })
      yield* actor.refilter(subscription.id)
      yield* EngineFixture.append(log, [{ n: 1 }, { n: "new" }])
      yield* actor.wake(Wake.forEverything)
      yield* (yield* Subscriptions).update(subscription, { filter: null })
      yield* actor.refilter(subscription.id)
      yield* EngineFixture.append(log, [{ n: 2 }])
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink).slice(3), [{ n: "new" }, { n: 2 }])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { n: 253, delivered: 5, filtered: 248 })
      assert.deepStrictEqual(yield* (yield* Accounting).imbalances, [])
    }))

  it.effect("passes what is too much work to judge for good, so that its next owner does not come to it again", () =>
    Effect.gen(function*() {
      const filter = JSON.stringify({ a: { $not: { $in: { $ref: "b" } } } })
      const { log, sink, subscription, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }), filter)
      const [numbers, others] = [
        Array.from({ length: 4_000 }, (_, n) => n),
        Array.from({ length: 4_000 }, (_, n) => -n)
      ]
      const first = yield* WebhookActor.make(webhook.id)
      yield* EngineFixture.append(log, [{ a: [1], b: [0], n: 1 }, { a: numbers, b: [...others, ...numbers] }])
      yield* first.wake(Wake.forEverything)
      const counted = { n: 2, delivered: 1, dropped: 1, tooCostly: 1, filtered: 0 }
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), counted)
      const seen: Array<unknown> = []
      const second = yield* WebhookActor.make(webhook.id)
      yield* EngineFixture.append(log, [{ a: [3], b: [0], n: 3 }])
      yield* second.wake(Wake.forEverything).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => seen.push(message))]))
      )
      assert.deepStrictEqual(seen.filter((one) => String(one).includes("too much work")), [])
      assert.deepStrictEqual(WebhookFixture.payloads(sink).map(({ n }) => n), [1, 3])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { ...counted, n: 3, delivered: 2 })
      assert.deepStrictEqual(yield* (yield* Accounting).imbalances, [])
    }))

  it.effect("starts nothing for a subscription that is gone, and goes on for the others", () =>
    Effect.gen(function*() {
      const { account, actor, log, sink, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }))
      const other = yield* EngineFixture.emitter(account.id)
      const subscriptions = yield* Subscriptions
      const kept = yield* subscriptions.create({
        accountId: account.id,
        emitterId: other.emitterId,
        listenerId: webhook.id,
        eventName: ""
      })
      const events = yield* EngineFixture.append(log, ["gone"])
      const removed = yield* subscriptions.remove({
        accountId: account.id,
        emitterId: log.emitterId,
        listenerId: webhook.id,
        eventName: "default"
      })
      yield* actor.forget(Option.getOrThrow(removed).id)
      yield* EngineFixture.append(other, ["kept"])
      // A hint that was under way when the subscription went.
      const late = { subscriptionId: Option.getOrThrow(removed).id, emitterId: log.emitterId, stream: "", events }
      yield* actor.wake(Wake.forEvents([late]))
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["kept"])
      assert.strictEqual(
        Option.getOrThrow(
          yield* (yield* Cursors).position({ subscriptionId: kept.id, emitterId: other.emitterId })
        ).position.n,
        1
      )
    }))

  it.effect("sends nothing of an emitter that is on its way out, however late a hint comes", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription } = yield* WebhookFixture.make(() => ({ status: 200 }))
      const events = yield* EngineFixture.append(log, ["first", "second"])
      // Its head goes first, and with it the cursors; its log takes longer.
      yield* (yield* Heads).remove(log.emitterId)
      yield* (yield* Cursors).removeOfEmitter(log.emitterId)
      const late = { subscriptionId: subscription.id, emitterId: log.emitterId, stream: "", events: events.slice(1) }
      yield* actor.wake(Wake.forEvents([late]))
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), [])
    }))

  it.effect("sends what it is hinted at without being woken, and stays until that is committed", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription } = yield* WebhookFixture.make(() => ({ status: 200 }))
      yield* EngineFixture.append(log, ["first"])
      yield* actor.wake(Wake.forEverything)
      const address = { subscriptionId: subscription.id, emitterId: log.emitterId, stream: "" }
      for (let i = 0; i < 100; i++) {
        const events = yield* EngineFixture.append(log, [i])
        assert.isTrue(actor.hint(Wake.forEvents([{ ...address, events }])))
      }
      assert.isTrue(actor.awaitsTurn())
      yield* untilRested(actor)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["first", ...Array.from({ length: 100 }, (_, i) => i)])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { n: 101, delivered: 101 })
      assert.isFalse(
        actor.hint(Wake.forEvents([{ ...address, emitterId: "dc_other", events: [] }])),
        "it does not know that"
      )
      assert.isFalse(actor.hint(Wake.forDueWork))
    }))

  it.effect("asks to be woken when what it did without that can't be committed, and does it again", () =>
    Effect.gen(function*() {
      let kicks = 0
      const { log, sink, subscription, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }))
      const actor = yield* WebhookActor.make(webhook.id, () => kicks++)
      yield* EngineFixture.append(log, ["first"])
      yield* actor.wake(Wake.forEverything)
      // Somebody else became its owner.
      yield* (yield* Fences).acquire(webhook.id)
      const events = yield* EngineFixture.append(log, ["second"])
      actor.hint(Wake.forEvents([{ subscriptionId: subscription.id, emitterId: log.emitterId, stream: "", events }]))
      yield* untilRested(actor)
      assert.isAbove(kicks, 0)
      yield* actor.wake(Wake.nothing)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["first", "second", "second"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { n: 2, delivered: 2 })
    }))

  it.effect("breaks off what it does without being woken when it leaves, and starts nothing any more", () =>
    Effect.gen(function*() {
      const { log, sink, subscription, webhook } = yield* WebhookFixture.make((count) =>
        count === 0 ? { status: 200 } : undefined
      )
      const hint = Effect.fnUntraced(function*(actor: WebhookActor, payload: string) {
        const events = yield* EngineFixture.append(log, [payload])
        actor.hint(Wake.forEvents([{ subscriptionId: subscription.id, emitterId: log.emitterId, stream: "", events }]))
      })
      const actor = yield* Effect.scoped(Effect.gen(function*() {
        const actor = yield* WebhookActor.make(webhook.id)
        yield* EngineFixture.append(log, ["first"])
        yield* actor.wake(Wake.forEverything)
        yield* hint(actor, "second")
        yield* TestClock.withLive(Effect.gen(function*() {
          while (sink.received.length < 2) yield* Effect.sleep("1 millis")
        }))
        return actor
      }))
      yield* hint(actor, "third")
      assert.isFalse(actor.awaitsTurn())
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["first", "second"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { n: 1, delivered: 1 })
    }))

  it.effect("signs with a new secret half a minute after it came at the latest", () =>
    Effect.gen(function*() {
      const { account, actor, log, sink, subscription, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }))
      yield* EngineFixture.append(log, ["first"])
      yield* actor.wake(Wake.forEverything)
      const webhooks = yield* Webhooks
      yield* webhooks.rotate(account.id, webhook.id)
      yield* TestClock.adjust("31 seconds")
      const events = yield* EngineFixture.append(log, ["second"])
      actor.hint(Wake.forEvents([{ subscriptionId: subscription.id, emitterId: log.emitterId, stream: "", events }]))
      yield* untilRested(actor)
      const { body, headers } = sink.received[1]!
      const keys = (yield* webhooks.secrets(webhook.id)).map(SigningKey.signer)
      assert.lengthOf(keys, 2)
      assert.strictEqual(
        headers["webhook-signature"],
        StandardWebhook.signature(keys, headers["webhook-id"]!, Number(headers["webhook-timestamp"]), body)
      )
    }))

  it.effect("gives up a payload over its limit at once and sends nothing of it, and goes on with what is behind", () =>
    Effect.gen(function*() {
      const { account, actor, log, sink, subscription, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }))
      const webhooks = yield* Webhooks
      const stays = { name: undefined, description: undefined, url: undefined, active: true }
      yield* webhooks.update(account.id, webhook.id, { ...stays, request: { maxBytes: 12 } })
      yield* actor.changed
      // As JSON text, 12 and 13 bytes.
      const [fits, exceeds] = ["x".repeat(10), `ü${"x".repeat(9)}`]
      yield* EngineFixture.append(log, [fits, exceeds, fits, exceeds])
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), [fits, fits])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), {
        n: 4,
        delivered: 2,
        exhausted: 2,
        pending: 0
      })
      const attempt = (yield* (yield* Attempts).ofWebhook(webhook.id)).find(({ outcome }) => outcome === "failed")
      assert.deepInclude(attempt, {
        attempt: 1,
        errorClass: "too_large",
        errorMessage: "the payload has 13 bytes, and the webhook takes 12 at most",
        address: null,
        requestHeaders: null,
        status: null
      })
      assert.isUndefined(yield* WebhookFixture.retryDueAt(webhook.id))
      // The account is told, and again because something has arrived between.
      assert.lengthOf(yield* (yield* DueWork).allOf(account.id, "emit"), 2)
      // It says nothing of the endpoint.
      assert.isNull(Option.getOrThrow(yield* webhooks.getById(webhook.id)).failingSince)
    }))

  it.effect("an unknown webhook wakes to nothing", () =>
    Effect.gen(function*() {
      const actor = yield* WebhookActor.make(Id.WebhookId.make(yield* Id.make("webhook")))
      yield* actor.wake(Wake.forEverything)
    }))
})
