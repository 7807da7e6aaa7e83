import { assert, layer } from "@effect/vitest"
import type { BulkAction } from "@headwater/domain/BulkAction"
import * as EventId from "@headwater/domain/EventId"
import type * as Id from "@headwater/domain/Id"
import type * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { type DeliveryFilter, DeliveryList } from "@headwater/log/lists/DeliveryList"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Attempts } from "@headwater/log/work/Attempts"
import { BulkActions } from "@headwater/log/work/BulkActions"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import * as Wake from "../ground/Wake.ts"
import { WebhookActor } from "./WebhookActor.ts"

type Fixture = Effect.Success<ReturnType<typeof WebhookFixture.make>>

const begin = Effect.fnUntraced(function*(
  { account, webhook }: Pick<Fixture, "account" | "webhook">,
  input: Partial<Pick<BulkAction, "action" | "dryRun" | "filter" | "rateLimit">> = {}
) {
  const { id } = yield* (yield* BulkActions).insert({
    accountId: account.id,
    action: "retry",
    dryRun: false,
    filter: {},
    rateLimit: 10_000,
    rerun: null,
    ...input
  }, { at: "webhooks", id: webhook.id, ownOnly: false })
  return id
})

/** How far one has come; it WebhookFixture.balances at any time. */
const progressOf = Effect.fnUntraced(function*({ account }: Pick<Fixture, "account">, id: Id.BulkActionId) {
  const { progress } = Option.getOrThrow(yield* (yield* BulkActions).get(account.id, id))
  const left = progress.matched - progress.done - progress.failed - progress.skipped
  assert.isAtLeast(left, 0)
  return {
    matched: progress.matched,
    done: progress.done,
    failed: progress.failed,
    skipped: progress.skipped,
    left,
    hasEnded: progress.endedAt !== null
  }
})

/** Events that have failed once, a millisecond after the other, and were given up. */
const failing = Effect.fnUntraced(function*(
  count: number,
  answer: (count: number) => WebhookSink.Answer | undefined = () => ({ status: 200 })
) {
  const fixture = yield* WebhookFixture.make((n) => n < count ? { status: 500 } : answer(n - count))
  for (const n of upTo(count)) {
    yield* EngineFixture.append(fixture.log, [n])
    yield* fixture.actor.wake(Wake.forEverything)
    yield* TestClock.adjust("1 millis")
  }
  const cancelled = yield* begin(fixture, { action: "cancel" })
  yield* fixture.actor.wake(Wake.forDueWork)
  assert.deepStrictEqual(yield* progressOf(fixture, cancelled), {
    matched: count,
    done: count,
    failed: 0,
    skipped: 0,
    left: 0,
    hasEnded: true
  })
  assert.deepInclude(yield* WebhookFixture.accounts(fixture.subscription.id), { exhausted: count, pending: 0 })
  return fixture
})

/** The same webhook's next owner. */
const nextOwner = ({ webhook }: Fixture) => WebhookActor.make(webhook.id)

const sentSince = ({ sink }: Fixture, count: number) => WebhookFixture.payloads(sink).slice(count)

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds" })("a bulk action", (it) => {
  it.effect("counts what matches without doing anything, and retries it in log order under the same webhook-ids", () =>
    Effect.gen(function*() {
      const count = 250
      const fixture = yield* failing(count)
      const { account, actor, sink, subscription } = fixture
      const filter = { state: "exhausted" } as const
      const dry = yield* begin(fixture, { dryRun: true, filter })
      yield* actor.wake(Wake.forDueWork)
      const none = { done: 0, failed: 0, skipped: 0 }
      assert.deepStrictEqual(yield* progressOf(fixture, dry), { ...none, matched: count, left: count, hasEnded: true })
      assert.lengthOf(sink.received, count)

      const id = yield* begin(fixture, { filter })
      yield* EngineFixture.whileTimePasses(actor.wake(Wake.forDueWork))
      assert.deepStrictEqual(yield* progressOf(fixture, id), {
        ...none,
        matched: count,
        done: count,
        left: 0,
        hasEnded: true
      })
      assert.deepStrictEqual(sentSince(fixture, count), upTo(count))
      const ids = sink.received.map(({ headers }) => headers["webhook-id"])
      assert.deepStrictEqual(ids.slice(count), ids.slice(0, count))
      assert.strictEqual(sink.received[count]!.headers["x-headwater-attempt"], "2")
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: count, exhausted: 0 })
      yield* WebhookFixture.balances
      const { items } = yield* (yield* DeliveryList).page(account.id, { state: "delivered" }, {
        limit: 300,
        after: undefined,
        before: undefined
      })
      assert.lengthOf(items, count)
      assert.deepStrictEqual(yield* (yield* DueWork).allOf(fixture.webhook.id, "bulk"), [])
    }))

  it.effect("goes on where its owner was lost, and does nothing again that was committed", () =>
    Effect.gen(function*() {
      const count = 130
      const fixture = yield* failing(count, (n) => n === 110 ? undefined : { status: n % 10 === 3 ? 500 : 200 })
      const { subscription } = fixture
      const id = yield* begin(fixture, { filter: { state: "exhausted" } })
      const cutOff = Effect.gen(function*() {
        const owner = yield* nextOwner(fixture)
        const working = yield* Effect.forkChild(owner.wake(Wake.forEverything))
        yield* EngineFixture.whileTimePasses(WebhookFixture.untilReceived(fixture.sink, count + 111))
        // What was answered is committed.
        yield* EngineFixture.whileTimePasses(
          Effect.repeat(progressOf(fixture, id), { until: ({ left }) => left === 20 })
        )
        yield* Fiber.interrupt(working)
      })
      yield* Effect.scoped(cutOff)
      const halfway = yield* progressOf(fixture, id)
      assert.deepStrictEqual(halfway, { matched: count, done: 99, failed: 11, skipped: 0, left: 20, hasEnded: false })
      const next = yield* nextOwner(fixture)
      yield* EngineFixture.whileTimePasses(next.wake(Wake.forDueWork))
      assert.deepStrictEqual(sentSince(fixture, count), [...upTo(111), ...upTo(count).slice(110)])
      const { done, failed, ...rest } = yield* progressOf(fixture, id)
      assert.deepStrictEqual(rest, { matched: count, skipped: 0, left: 0, hasEnded: true })
      assert.strictEqual(done + failed, count)
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: done, exhausted: failed })
      yield* WebhookFixture.balances
    }))

  it.effect("replays a log from an event on, apart from the accounting, as the filter of the subscription lets it", () =>
    Effect.gen(function*() {
      const fixture = yield* WebhookFixture.make(
        (n) => n === 6 ? { status: 500 } : { status: 200 },
        JSON.stringify({ $metadata: { name: "" } })
      )
      const { account, actor, log, sink, subscription } = fixture
      const events = yield* EngineFixture.append(log, upTo(5))
      yield* actor.wake(Wake.forEverything)
      yield* TestClock.adjust("1 second")
      const before = yield* WebhookFixture.accounts(subscription.id)
      const filter = {
        emitterId: log.emitterId,
        from: EventId.format(events[1]!.id),
        to: EventId.format(events[3]!.id)
      }
      const id = yield* begin(fixture, { action: "replay", filter })
      yield* EngineFixture.whileTimePasses(actor.wake(Wake.forDueWork))
      assert.deepStrictEqual(sentSince(fixture, 5), [1, 2, 3])
      assert.deepStrictEqual(yield* progressOf(fixture, id), {
        matched: 3,
        done: 2,
        failed: 1,
        skipped: 0,
        left: 0,
        hasEnded: true
      })
      assert.deepStrictEqual(yield* WebhookFixture.accounts(subscription.id), before)
      assert.strictEqual(sink.received[5]!.headers["webhook-id"], sink.received[1]!.headers["webhook-id"])
      yield* WebhookFixture.balances

      // What failed of it is listed as given up, and can be sent again.
      const exhausted = yield* begin(fixture, { filter: { state: "exhausted" } })
      yield* EngineFixture.whileTimePasses(actor.wake(Wake.forDueWork))
      assert.deepInclude(yield* progressOf(fixture, exhausted), { matched: 1, done: 1 })
      assert.deepStrictEqual(yield* WebhookFixture.accounts(subscription.id), before)

      yield* (yield* Subscriptions).update({
        accountId: account.id,
        emitterId: log.emitterId,
        listenerId: fixture.webhook.id,
        eventName: ""
      }, { filter: JSON.stringify({ $metadata: { name: "other" } }) })
      const filtered = yield* begin(fixture, { action: "replay", filter: { since: 0 } })
      yield* EngineFixture.whileTimePasses(actor.wake(Wake.forDueWork))
      assert.deepInclude(yield* progressOf(fixture, filtered), { matched: 5, skipped: 5 })
      yield* WebhookFixture.balances
    }))

  it.effect("sends lists again as they were, of each event that is found in one, and what the log has as lists of one", () =>
    Effect.gen(function*() {
      const three = { maxEvents: 3, maxWaitMs: 60_000, maxBytes: 1_024 }
      const fixture = yield* WebhookFixture.make((n) => ({ status: n === 0 ? 410 : 200 }), null, {}, three)
      const { account, actor, log, sink, subscription, webhook } = fixture
      const lists = () => sink.received.map(({ body, headers }) => [headers["webhook-id"], body])
      const events = yield* EngineFixture.append(log, ["a", "b", "c", "d", "e", "f"])
      const bulk = Effect.fnUntraced(function*(input: Parameters<typeof begin>[1]) {
        const id = yield* begin(fixture, input)
        yield* EngineFixture.whileTimePasses(actor.wake(Wake.forDueWork))
        return yield* progressOf(fixture, id)
      })
      yield* actor.wake(Wake.forEverything)
      const stays = { name: undefined, description: undefined, url: undefined, active: true }
      yield* (yield* Webhooks).update(account.id, webhook.id, stays)
      yield* actor.changed
      yield* actor.wake(Wake.forEverything)
      const [first, second] = lists()
      assert.deepStrictEqual([first![1], second![1]], ["[\"a\",\"b\",\"c\"]", "[\"d\",\"e\",\"f\"]"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { exhausted: 3, delivered: 3 })
      assert.deepInclude(yield* bulk({ filter: { state: "exhausted" } }), { matched: 1, done: 1, left: 0 })
      assert.deepStrictEqual(lists().slice(2), [first])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { exhausted: 0, delivered: 6 })
      assert.deepInclude(yield* bulk({ action: "replay", filter: { state: "delivered" } }), { matched: 2, done: 2 })
      assert.deepStrictEqual(lists().slice(3), [first, second])
      const ofLog = {
        emitterId: log.emitterId,
        from: EventId.format(events[1]!.id),
        to: EventId.format(events[3]!.id)
      }
      assert.deepInclude(yield* bulk({ action: "replay", filter: ofLog }), { matched: 3, done: 3 })
      assert.deepStrictEqual(lists().slice(5).map(([, body]) => body), ["[\"b\"]", "[\"c\"]", "[\"d\"]"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { exhausted: 0, delivered: 6 })
      yield* WebhookFixture.balances

      const found = Effect.fnUntraced(function*(filter: DeliveryFilter) {
        const { items } = yield* (yield* DeliveryList).page(account.id, filter, {
          limit: 10,
          after: undefined,
          before: undefined
        })
        return items.toReversed().map((
          { batch, eventId }
        ) => [events.findIndex(({ id }) => id === eventId), batch?.events])
      })
      const { emitterId } = log
      assert.deepStrictEqual(yield* found({ emitterId, eventId: events[1]!.id }), [[0, 3], [0, 3], [1, 1]])
      assert.deepStrictEqual(yield* found({ emitterId, eventId: events[5]!.id }), [[3, 3], [3, 3]])
      assert.deepStrictEqual(yield* found({ text: "\"f\"" }), [[3, 3], [3, 3]])
      const tried = yield* (yield* Attempts).ofBatches(account.id, emitterId, events[1]!.id, [subscription.id])
      assert.deepStrictEqual(tried.map(({ eventId }) => eventId), [events[0]!.id, events[0]!.id, events[0]!.id])
    }).pipe(EngineFixture.onTestClock))

  it.effect("replays what the log has, also where the clock was set back since", () =>
    Effect.gen(function*() {
      const fixture = yield* WebhookFixture.make(() => ({ status: 200 }))
      const { actor, log } = fixture
      yield* TestClock.adjust("1 minute")
      yield* EngineFixture.append(log, ["late"])
      yield* actor.wake(Wake.forEverything)
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) - 30_000)
      const id = yield* begin(fixture, { action: "replay", filter: { since: 0 } })
      yield* EngineFixture.whileTimePasses(actor.wake(Wake.forDueWork))
      assert.deepInclude(yield* progressOf(fixture, id), { matched: 1, done: 1, hasEnded: true })
      assert.deepStrictEqual(sentSince(fixture, 1), ["late"])
    }))

  it.effect("cancels what was begun before the clock was set back, also where that was long after its event", () =>
    Effect.gen(function*() {
      const fixture = yield* WebhookFixture.make(() => ({ status: 500 }))
      const { actor, log, subscription } = fixture
      yield* TestClock.adjust("1 minute")
      yield* EngineFixture.append(log, ["early"])
      yield* TestClock.adjust("10 seconds")
      yield* actor.wake(Wake.forEverything)
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { pending: 1 })
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) - 30_000)
      const id = yield* begin(fixture, { action: "cancel" })
      yield* actor.wake(Wake.forDueWork)
      assert.deepInclude(yield* progressOf(fixture, id), { matched: 1, done: 1, hasEnded: true })
    }))

  it.effect(
    "keeps to its rate, which can be changed, waits while it is paused, and ends when it is cancelled",
    () =>
      Effect.gen(function*() {
        const count = 40
        const fixture = yield* failing(count)
        const { actor, sink, webhook } = fixture
        const bulk = yield* BulkActions
        const id = yield* begin(fixture, { filter: { state: "exhausted" }, rateLimit: 2 })
        const working = yield* Effect.forkChild(actor.wake(Wake.forDueWork))
        /** Lets seconds pass, in steps, each of which has what it takes in real time. */
        const step = Effect.andThen(TestClock.withLive(Effect.sleep("10 millis")), TestClock.adjust("100 millis"))
        const seconds = (seconds: number) => Effect.repeat(step, { times: seconds * 10 - 1 })
        /** The same, and more in real time where nothing has come of it, as on a busy machine. */
        const patientStep = Effect.suspend(() => {
          const before = sink.received.length
          const look = TestClock.withLive(Effect.sleep("10 millis"))
          return Effect.andThen(step, Effect.repeat(look, { until: () => sink.received.length > before, times: 5 }))
        })
        /** How long it takes until so many more are sent, in milliseconds: longer than at its rate where the machine is busy. */
        const untilSent = Effect.fnUntraced(function*(more: number, step: Effect.Effect<void>) {
          const began = yield* Clock.currentTimeMillis
          const enough = sink.received.length + more
          while (sink.received.length < enough) yield* step
          return (yield* Clock.currentTimeMillis) - began
        })
        const atTwo = yield* untilSent(10, step)
        assert.isAtLeast(atTwo, 4_500)
        const [sentAtTwo, changedAt] = [sink.received.length, yield* Clock.currentTimeMillis]
        yield* bulk.change(id, { rateLimit: 10 })
        yield* seconds(1)
        const atTen = yield* untilSent(10, patientStep)
        const since = (yield* Clock.currentTimeMillis) - changedAt
        // One of those before may still have been on its way, and the first may go at once.
        assert.isAtMost(sink.received.length - sentAtTwo, since / 100 + 2)
        assert.isBelow(atTen, atTwo)
        yield* bulk.change(id, { state: "paused" })
        yield* seconds(1)
        const paused = sink.received.length
        yield* TestClock.adjust("30 seconds")
        yield* EngineFixture.whileTimePasses(Fiber.join(working))
        assert.strictEqual(sink.received.length, paused)
        assert.isBelow(paused, count * 2)
        // New events go out meanwhile.
        yield* EngineFixture.append(fixture.log, ["new"])
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(sentSince(fixture, paused), ["new"])
        yield* bulk.change(id, { state: "running" })
        const dueWork = yield* DueWork
        yield* dueWork.bringForward(webhook.id, "bulk", 0)
        const again = yield* Effect.forkChild(actor.wake(Wake.forDueWork))
        while (sink.received.length <= paused + 1) yield* step
        yield* bulk.change(id, { state: "cancelled" })
        yield* EngineFixture.whileTimePasses(Fiber.join(again))
        const { hasEnded, left } = yield* progressOf(fixture, id)
        assert.isTrue(hasEnded)
        assert.isAbove(left, 0)
        assert.deepStrictEqual(yield* dueWork.allOf(webhook.id, "bulk"), [])
        yield* WebhookFixture.balances
      })
  )

  it.effect("skips what is left at a webhook that was switched off for a reason, and ends", () =>
    Effect.gen(function*() {
      const fixture = yield* failing(4, (n) => ({ status: n === 1 ? 410 : 200 }))
      const { account, actor, webhook } = fixture
      const id = yield* begin(fixture, { filter: { state: "exhausted" } })
      yield* EngineFixture.whileTimePasses(actor.wake(Wake.forDueWork))
      const after = { matched: 4, done: 1, failed: 1, skipped: 2, left: 0, hasEnded: true }
      assert.deepStrictEqual(yield* progressOf(fixture, id), after)
      const bulk = yield* BulkActions
      const { progress } = Option.getOrThrow(yield* bulk.get(account.id, id))
      assert.deepStrictEqual(progress.stoppedAt, [{ id: webhook.id, reason: "gone" }])
      const later = yield* begin(fixture, { filter: { state: "exhausted" } })
      yield* EngineFixture.whileTimePasses(actor.wake(Wake.forDueWork))
      assert.deepInclude(yield* progressOf(fixture, later), { matched: 3, skipped: 3, hasEnded: true })
      assert.deepStrictEqual(yield* (yield* DueWork).allOf(webhook.id, "bulk"), [])
      yield* WebhookFixture.balances
    }))

  it.effect("skips what waits for a retry, with what is under way, and waits for a webhook that is out of service", () =>
    Effect.gen(function*() {
      const fixture = yield* WebhookFixture.make((n) => n < 3 ? { status: 500 } : n === 3 ? undefined : { status: 200 })
      const { account, actor, log, sink, subscription, webhook } = fixture
      yield* EngineFixture.append(log, upTo(3))
      yield* actor.wake(Wake.forEverything)
      const first = yield* begin(fixture)
      const working = yield* Effect.forkChild(actor.wake(Wake.forDueWork))
      yield* WebhookFixture.untilReceived(sink, 4)
      const id = yield* begin(fixture, { action: "skip" })
      yield* actor.wake(Wake.forDueWork)
      yield* EngineFixture.whileTimePasses(Fiber.join(working))
      assert.deepInclude(yield* progressOf(fixture, id), { matched: 3, done: 3, hasEnded: true })
      const { skipped, ...broken } = yield* progressOf(fixture, first)
      assert.deepInclude(broken, { matched: 3, failed: 0, hasEnded: true })
      assert.isAbove(skipped, 0)
      yield* WebhookFixture.balances

      const webhooks = yield* Webhooks
      const put = (active: boolean) =>
        Effect.andThen(
          webhooks.update(account.id, webhook.id, { name: undefined, description: undefined, url: undefined, active }),
          actor.changed
        )
      yield* put(false)
      const dropped = yield* begin(fixture, { filter: { state: "dropped" } })
      yield* actor.wake(Wake.forEverything)
      assert.deepInclude(yield* progressOf(fixture, dropped), { done: 0, hasEnded: false })
      const bulk = yield* BulkActions
      assert.deepStrictEqual(yield* bulk.countOpen(account.id), { all: 1, atWork: 0 })
      const { progress } = Option.getOrThrow(yield* bulk.get(account.id, dropped))
      assert.deepStrictEqual(progress.waitsAt, [webhook.id])
      yield* put(true)
      yield* EngineFixture.whileTimePasses(actor.wake(Wake.forEverything))
      const { hasEnded } = yield* progressOf(fixture, dropped)
      assert.isTrue(hasEnded)
      const { delivered, dropped: left } = yield* WebhookFixture.accounts(subscription.id)
      assert.deepStrictEqual([delivered, left], [3, 0])
      yield* WebhookFixture.balances
    }))
})
