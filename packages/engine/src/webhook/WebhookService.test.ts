import { assert, layer } from "@effect/vitest"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { DueWork } from "@headwater/log/work/DueWork"
import { Effect, Fiber, Latch, Option } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import * as Wake from "../ground/Wake.ts"
import * as AccountActor from "../placement/AccountActor.ts"

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds" })("a webhook in and out of service", (it) => {
  it.effect("goes out of service on a 410, tells the account once, and keeps its place until it is active again", () =>
    Effect.gen(function*() {
      const { account, actor, log, sink, subscription, webhook } = yield* WebhookFixture.make((count) => ({
        status: count === 0 ? 410 : 200
      }))
      yield* EngineFixture.append(log, ["a", "b"])
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a"])
      assert.deepInclude(yield* WebhookFixture.accounts(subscription.id), { n: 1, exhausted: 1 })
      const webhooks = yield* Webhooks
      const gone = Option.getOrThrow(yield* webhooks.getById(webhook.id))
      assert.deepInclude(gone, { active: false, disabledReason: "gone" })

      const owner = yield* AccountActor.make(account.id)
      yield* owner.wake(Wake.forDueWork)
      const told = yield* (yield* EventLog).latest({ emitterId: account.id, stream: "$webhooks", limit: 10 })
      assert.deepStrictEqual(told.map(({ payload }) => JSON.parse(payload).type), ["webhook.disabled"])

      const stays = { name: undefined, description: undefined, url: undefined }
      yield* webhooks.update(account.id, webhook.id, { ...stays, active: true })
      yield* actor.changed
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a", "b"])
    }))

  it.effect("is in service when it was put back while its owner still read that it was out", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const isRead = yield* Latch.make()
      const goesOn = yield* Latch.make(true)
      const { account, actor, log, sink, webhook } = yield* WebhookFixture.make(() => ({ status: 200 })).pipe(
        Effect.provideService(Webhooks, {
          ...webhooks,
          // Read after the webhook itself.
          signingKeys: (id) => isRead.open.pipe(Effect.andThen(goesOn.await), Effect.andThen(webhooks.signingKeys(id)))
        })
      )
      const put = (active: boolean) =>
        Effect.andThen(
          webhooks.update(account.id, webhook.id, { name: undefined, description: undefined, url: undefined, active }),
          actor.changed
        )
      yield* put(false)
      yield* EngineFixture.append(log, ["a"])
      yield* isRead.close
      yield* goesOn.close
      const working = yield* Effect.forkChild(actor.wake(Wake.forEverything))
      yield* isRead.await
      yield* put(true)
      yield* goesOn.open
      yield* Fiber.join(working)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a"])
    }))

  it.effect("puts no retry off that came due as it was put back in service", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const dueWork = yield* DueWork
      const isRead = yield* Latch.make()
      const goesOn = yield* Latch.make(true)
      const { account, actor, log, sink, webhook } = yield* WebhookFixture.make((count) => ({
        status: count === 0 ? 500 : 200
      }))
        .pipe(
          Effect.provideService(DueWork, {
            ...dueWork,
            dueOf: (...asked) => dueWork.dueOf(...asked).pipe(Effect.tap(isRead.open), Effect.tap(goesOn.await))
          })
        )
      const put = (active: boolean) =>
        Effect.andThen(
          webhooks.update(account.id, webhook.id, { name: undefined, description: undefined, url: undefined, active }),
          actor.changed
        )
      yield* EngineFixture.append(log, ["a"])
      yield* actor.wake(Wake.forEverything)
      yield* put(false)
      yield* actor.wake(Wake.forEverything)
      yield* TestClock.adjust("6 seconds")
      yield* isRead.close
      yield* goesOn.close
      const working = yield* Effect.forkChild(actor.wake(Wake.forDueWork))
      yield* isRead.await
      yield* put(true)
      yield* goesOn.open
      yield* Fiber.join(working)
      assert.deepStrictEqual(WebhookFixture.payloads(sink), ["a", "a"])
    }))

  it.effect("goes out of service after five days of nothing but failures", () =>
    Effect.gen(function*() {
      const { actor, log, webhook } = yield* WebhookFixture.make(() => ({ status: 500 }))
      const webhooks = yield* Webhooks
      const isActive = Effect.map(webhooks.getById(webhook.id), (found) => Option.getOrThrow(found).active)
      yield* EngineFixture.append(log, ["a"])
      yield* actor.wake(Wake.forEverything)
      yield* TestClock.adjust("119 hours")
      yield* EngineFixture.append(log, ["b"])
      yield* actor.wake(Wake.forEverything)
      assert.isTrue(yield* isActive)
      yield* TestClock.adjust("1 hour")
      yield* EngineFixture.append(log, ["c"])
      yield* actor.wake(Wake.forEverything)
      assert.isFalse(yield* isActive)
    }))
})
