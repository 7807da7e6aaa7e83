import { assert, layer } from "@effect/vitest"
import { WebhookEvent } from "@headwater/domain/WebhookEvents"
import type { SettingsChange } from "@headwater/domain/WebhookSettings"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Clock, Effect, Exit, Option, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import * as Wake from "../ground/Wake.ts"
import * as AccountActor from "../placement/AccountActor.ts"
import { WebhookActor } from "./WebhookActor.ts"

const hours = 3_600_000

const read = Schema.decodeEffect(Schema.fromJsonString(WebhookEvent))

/** A webhook whose owner is another one for each event, so that only the database can know what was told. */
const setup = Effect.fnUntraced(function*(settings: SettingsChange = {}) {
  let isUp = false
  const { account, log, webhook } = yield* WebhookFixture.make(() => ({ status: isUp ? 200 : 500 }), null, settings)
  const owner = yield* AccountActor.make(account.id)
  return {
    account,
    log,
    webhook,
    setUp: (up: boolean) => {
      isUp = up
    },
    /** Has an event sent by a new owner. */
    send: Effect.gen(function*() {
      yield* EngineFixture.append(log, ["event"])
      const scope = yield* Scope.make()
      const actor = yield* Scope.provide(WebhookActor.make(webhook.id), scope)
      yield* actor.wake(Wake.forEverything)
      yield* Scope.close(scope, Exit.void)
    }),
    /** What was told, oldest first. */
    told: Effect.gen(function*() {
      yield* owner.wake(Wake.forDueWork)
      const events = yield* (yield* EventLog).latest({ emitterId: account.id, stream: "$webhooks", limit: 100 })
      return yield* Effect.forEach(events.toReversed(), ({ payload }) => read(payload))
    })
  }
})

const summaryOf = (event: WebhookEvent) =>
  event.type === "webhook.failing" ? `${event.type} ${event.percent}` : event.type

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })(
  "an account is told",
  (it) => {
    it.effect("of a webhook that fails at half, 70 and 90 % of the way to being switched off, once each, and when it recovers", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { account, send, setUp, told, webhook } = yield* setup()
        const began = yield* Clock.currentTimeMillis
        yield* send
        for (const at of [59, 60, 61, 83, 84, 90, 107, 108, 119]) {
          yield* TestClock.setTime(began + at * hours)
          yield* send
        }
        const shares = ["webhook.failing 50", "webhook.failing 70", "webhook.failing 90"]
        assert.deepStrictEqual((yield* told).map(summaryOf).filter((type) => type !== "delivery.exhausted"), shares)
        const [first] = yield* told
        assert.deepInclude(first, {
          webhook_id: webhook.id,
          failing_since_ms: began,
          disabled_at_ms: began + 120 * hours
        })
        yield* TestClock.setTime(began + 120 * hours)
        yield* send
        yield* send
        const webhooks = yield* Webhooks
        assert.isFalse(Option.getOrThrow(yield* webhooks.getById(webhook.id)).active)
        setUp(true)
        yield* TestClock.adjust("1 second")
        const stays = { name: undefined, description: undefined, url: undefined }
        yield* webhooks.update(account.id, webhook.id, { ...stays, active: true })
        yield* send
        yield* send
        assert.deepStrictEqual(
          (yield* told).map(summaryOf).filter((type) => type !== "delivery.exhausted"),
          [...shares, "webhook.disabled", "webhook.recovered"]
        )
      })))

    it.effect("of the first delivery that is given up, and of another once something has arrived", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { log, send, setUp, told } = yield* setup({ retrySchedule: [] })
        for (const up of [false, false, false, true, false, false]) {
          setUp(up)
          yield* send
        }
        const events = yield* told
        assert.deepStrictEqual(events.map(summaryOf), ["delivery.exhausted", "delivery.exhausted"])
        assert.deepInclude(events[0], {
          emitter_id: log.emitterId,
          attempt_count: 1,
          status: 500,
          error_class: "status"
        })
      })))

    it.effect("when a circuit opens, and when it closes, whatever its probes came to between", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { send, setUp, told, webhook } = yield* setup({ circuit: { failures: 2, cooldownMs: 1_000 } })
        const webhooks = yield* Webhooks
        for (let i = 0; i < 6; i++) {
          yield* send
          const { circuitUntil } = Option.getOrThrow(yield* webhooks.getById(webhook.id))
          if (circuitUntil !== null) yield* TestClock.setTime(circuitUntil)
        }
        assert.deepStrictEqual((yield* told).map(summaryOf), ["circuit.opened"])
        setUp(true)
        yield* send
        assert.deepStrictEqual((yield* told).map(summaryOf), ["circuit.opened", "circuit.closed"])
        assert.deepInclude((yield* told)[0], { failures: 2 })
      })))

    it.effect("nothing by an owner that another has replaced", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { log, send, told, webhook } = yield* setup({ retrySchedule: [] })
        const stale = yield* WebhookActor.make(webhook.id)
        yield* send
        yield* EngineFixture.append(log, ["event"])
        yield* stale.wake(Wake.forEverything)
        assert.deepStrictEqual((yield* told).map(summaryOf), ["delivery.exhausted"])
      })))
  }
)
