import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import { defaults } from "@headwater/domain/WebhookSettings"
import type * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { DeliveryList } from "@headwater/log/lists/DeliveryList"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Attempts } from "@headwater/log/work/Attempts"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import * as Wake from "../ground/Wake.ts"
import type { WebhookActor } from "./WebhookActor.ts"

/** Asks, and has the owner work until nothing is left to do. */
const asking = <A, E>(actor: WebhookActor, ask: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const asked = yield* Effect.forkChild(ask, { startImmediately: true })
    yield* actor.wake(Wake.nothing)
    return yield* Fiber.join(asked)
  })

const attemptsOf = (sink: WebhookSink.WebhookSink) =>
  sink.received.map(({ headers }) => [headers["webhook-id"], headers["x-headwater-attempt"]])

/** The states in which an account's deliveries are listed, oldest first. */
const states = (accountId: string) =>
  Effect.map(
    Effect.flatMap(
      DeliveryList,
      (list) => list.page(accountId, {}, { limit: 100, after: undefined, before: undefined })
    ),
    ({ items }) => items.map(({ state }) => state).toReversed()
  )

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds" })("a webhook that a client steps in at", (it) => {
  it.effect("attempts what it gave up once more, as the next attempt of the same delivery", () =>
    Effect.gen(function*() {
      const last = defaults.retrySchedule.length
      const { account, actor, log, sink, subscription, webhook } = yield* WebhookFixture.make((count) => ({
        status: count <= last + 1 ? 500 : 200
      }))
      yield* EngineFixture.append(log, ["a"])
      yield* actor.wake(Wake.forEverything)
      for (let n = 0; n < last; n++) {
        yield* TestClock.setTime((yield* WebhookFixture.retryDueAt(webhook.id))!)
        yield* actor.wake(Wake.forDueWork)
      }
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { exhausted: 1 })
      const { deliveryId } = (yield* (yield* Attempts).ofWebhook(webhook.id))[0]!
      assert.strictEqual(yield* asking(actor, actor.reopen(deliveryId)), "due")
      // It fails again, and that was the last of the schedule.
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { exhausted: 1, pending: 0 })
      yield* asking(actor, actor.reopen(deliveryId))
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { exhausted: 0, delivered: 1 })
      const [first] = attemptsOf(sink)
      assert.deepStrictEqual(attemptsOf(sink), Array.from({ length: last + 3 }, (_, n) => [first![0], String(n + 1)]))
      assert.deepStrictEqual(yield* states(account.id), ["delivered"])
      yield* WebhookFixture.balances
    }))

  it.effect("sends what arrived once more beside its accounting, and lists it once", () =>
    Effect.gen(function*() {
      const { account, actor, log, sink, subscription, webhook } = yield* WebhookFixture.make((count) => ({
        status: count === 1 ? 500 : 200
      }))
      yield* EngineFixture.append(log, ["a"])
      yield* actor.wake(Wake.forEverything)
      const { deliveryId } = (yield* (yield* Attempts).ofWebhook(webhook.id))[0]!
      yield* asking(actor, actor.reopen(deliveryId))
      assert.deepStrictEqual(yield* states(account.id), ["pending"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: 1, pending: 0 })
      yield* WebhookFixture.balances
      // Asked for while a retry waits, it comes at once.
      yield* asking(actor, actor.reopen(deliveryId))
      assert.deepStrictEqual(yield* states(account.id), ["delivered"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: 1, pending: 0 })
      assert.strictEqual(new Set(attemptsOf(sink).map(([id]) => id)).size, 1)
      assert.deepStrictEqual(attemptsOf(sink).map(([, attempt]) => attempt), ["1", "2", "3"])
      yield* WebhookFixture.balances
    }))

  it.effect("attempts nothing more of what was skipped, also where that is under way", () =>
    Effect.gen(function*() {
      const { account, actor, log, sink, subscription, webhook } = yield* WebhookFixture.make((count) =>
        count === 2 ? undefined : { status: count < 2 ? 500 : 200 }
      )
      yield* EngineFixture.append(log, ["a", "b"])
      yield* actor.wake(Wake.forEverything)
      const first = yield* (yield* Attempts).ofWebhook(webhook.id)
      yield* TestClock.adjust("7 seconds")
      const working = yield* Effect.forkChild(actor.wake(Wake.forDueWork))
      yield* WebhookFixture.untilReceived(sink, 4)
      const hanging = first.find(({ emitId }) => emitId === sink.received[2]!.headers["webhook-id"])!
      yield* actor.skip(hanging.deliveryId)
      yield* Fiber.join(working)
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: 1, pending: 0, dropped: 1 })
      assert.isUndefined(yield* WebhookFixture.retryDueAt(webhook.id))
      assert.sameMembers(yield* states(account.id), ["delivered", "dropped"])
      yield* WebhookFixture.balances
      // Its event is still there.
      yield* asking(actor, actor.reopen(hanging.deliveryId))
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { delivered: 2, dropped: 0 })
      yield* WebhookFixture.balances
    }))

  it.effect("by strict order goes on behind what was skipped, and holds what is behind a delivery that is opened again", () =>
    Effect.gen(function*() {
      const { actor, log, sink, subscription, webhook } = yield* WebhookFixture.make(
        (count) => count === 2 ? undefined : { status: count === 0 ? 500 : 200 },
        null,
        { ordering: "strict" }
      )
      yield* EngineFixture.append(log, ["a", "b"])
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a"])
      const { deliveryId } = (yield* (yield* Attempts).ofWebhook(webhook.id))[0]!
      yield* asking(actor, actor.skip(deliveryId))
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a", "b"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { dropped: 1, delivered: 1 })
      const opened = yield* Effect.forkChild(actor.reopen(deliveryId), { startImmediately: true })
      const working = yield* Effect.forkChild(actor.wake(Wake.nothing))
      yield* Fiber.join(opened)
      yield* WebhookFixture.untilReceived(sink, 3)
      yield* EngineFixture.append(log, ["c"])
      yield* actor.wake(Wake.forEverything)
      yield* actor.skip(deliveryId)
      yield* Fiber.join(working)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a", "b", "a", "c"])
      yield* WebhookFixture.balances
    }))

  it.effect("says what is no more to be attempted: its event, its subscription or all of it is gone", () =>
    Effect.gen(function*() {
      const { account, actor, log, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }))
      const [event] = yield* EngineFixture.append(log, ["a"])
      yield* actor.wake(Wake.forEverything)
      const { deliveryId } = (yield* (yield* Attempts).ofWebhook(webhook.id))[0]!
      const range = { from: event!.id, to: event!.id }
      yield* (yield* EventLog).removeSome({ emitterId: log.emitterId, stream: "" }, range, { keepPending: false })
      assert.strictEqual(yield* asking(actor, actor.reopen(deliveryId)), "event_deleted")
      const unknown = Id.of("delivery", 0, new Uint8Array(Id.randomLength))
      assert.strictEqual(yield* asking(actor, actor.reopen(unknown)), "unknown")
      const other = yield* (yield* Webhooks).insert({
        accountId: account.id,
        name: null,
        description: null,
        url: "http://127.0.0.1:1/"
      })
      yield* (yield* Deliveries).insert([{
        id: unknown,
        accountId: account.id,
        webhookId: other.id,
        subscriptionId: "sub_gone",
        emitterId: log.emitterId,
        stream: "",
        eventId: event!.id,
        attempts: 1,
        state: "exhausted",
        last: { at: null, status: null, errorClass: null },
        apart: false
      }])
      assert.strictEqual(yield* asking(actor, actor.reopen(unknown)), "unknown")
    }))

  it.effect("goes on from now: all that waits is dropped, and what comes next is sent", () =>
    Effect.gen(function*() {
      const { account, actor, log, sink, subscription, webhook } = yield* WebhookFixture.make((count) => ({
        status: count < 2 ? 500 : 200
      }))
      const webhooks = yield* Webhooks
      const put = (active: boolean) =>
        Effect.andThen(
          webhooks.update(account.id, webhook.id, { name: undefined, description: undefined, url: undefined, active }),
          actor.changed
        )
      yield* EngineFixture.append(log, ["a", "b"])
      yield* actor.wake(Wake.forEverything)
      yield* put(false)
      yield* EngineFixture.append(log, ["c", "d", "e"])
      yield* actor.wake(Wake.forEverything)
      yield* asking(actor, actor.passAll)
      assert.deepStrictEqual(yield* WebhookFixture.accounts(subscription.id), {
        n: 5,
        delivered: 0,
        pending: 0,
        exhausted: 0,
        dropped: 5,
        tooCostly: 0,
        filtered: 0
      })
      yield* put(true)
      yield* EngineFixture.append(log, ["f"])
      yield* TestClock.adjust("1 hour")
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a", "b", "f"])
      assert.deepStrictEqual(yield* states(account.id), ["dropped", "dropped", "delivered"])
      yield* WebhookFixture.balances
      const found = yield* webhooks.getById(webhook.id)
      assert.isTrue(Option.exists(found, ({ active }) => active))
    }))

  it.effect("is not there for a client any more from when its deletion has begun", () =>
    Effect.gen(function*() {
      const { actor, log, webhook } = yield* WebhookFixture.make(() => ({ status: 500 }))
      yield* EngineFixture.append(log, ["a"])
      yield* actor.wake(Wake.forEverything)
      const { deliveryId } = (yield* (yield* Attempts).ofWebhook(webhook.id))[0]!
      yield* actor.retire
      for (const ask of [actor.reopen(deliveryId), actor.skip(deliveryId), actor.passAll]) {
        assert.strictEqual((yield* Effect.flip(Effect.asVoid(ask)))._tag, "WebhookNotFound")
      }
    }))
})
