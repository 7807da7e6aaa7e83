import { assert, layer } from "@effect/vitest"
import { maxHops, type NewEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import type { SettingsChange } from "@headwater/domain/WebhookSettings"
import type * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Accounting } from "@headwater/log/work/Accounting"
import { Attempts } from "@headwater/log/work/Attempts"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Exit, Fiber, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import type { EmitterLog } from "../ground/EmitterLog.ts"
import { defaults, EngineLimits } from "../ground/EngineLimits.ts"
import * as Wake from "../ground/Wake.ts"
import { WebhookActor } from "./WebhookActor.ts"

const ok = { status: 200 }
const failed = { status: 500 }

/** Batches of three that wait for a minute. */
const three: SubscriptionBatch = { maxEvents: 3, maxWaitMs: 60_000, maxBytes: 1_024 }

const setup = Effect.fnUntraced(function*(options: {
  readonly batch?: SubscriptionBatch
  readonly answer?: (count: number) => WebhookSink.Answer | undefined
  readonly filter?: string
  readonly settings?: SettingsChange
} = {}) {
  const { answer = () => ok, batch = three, filter = null, settings } = options
  const fixture = yield* WebhookFixture.make(answer, filter, settings, batch)
  const { sink, webhook } = fixture
  let kicks = 0
  const start = Effect.gen(function*() {
    const scope = yield* Scope.make()
    const kick = () => void (kicks += 1)
    return { actor: yield* Scope.provide(WebhookActor.make(webhook.id, kick), scope), scope }
  })
  let current = yield* start
  return {
    ...fixture,
    wake: Effect.suspend(() => current.actor.wake(Wake.forEverything)),
    goOn: Effect.suspend(() => current.actor.wake(Wake.forDueWork)),
    actor: () => current.actor,
    restart: Effect.gen(function*() {
      yield* Scope.close(current.scope, Exit.void)
      current = yield* start
      yield* current.actor.wake(Wake.forEverything)
    }),
    kicks: () => kicks,
    payloads: () => WebhookFixture.payloads(sink),
    accounts: WebhookFixture.accounts(fixture.subscription.id)
  }
})

const toRetry = Effect.fnUntraced(function*(webhookId: string, goOn: Effect.Effect<void>) {
  yield* TestClock.setTime((yield* WebhookFixture.retryDueAt(webhookId))!)
  yield* goOn
})

const balances = Effect.gen(function*() {
  assert.deepStrictEqual(yield* (yield* Accounting).imbalances, [])
})

const emits = (log: EmitterLog, events: ReadonlyArray<Partial<NewEvent>>) =>
  log.commit(events.map((event) => ({ ...EngineFixture.newEvent(null), ...event })), {})

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })(
  "a webhook of a subscription with batches",
  (it) => {
    it.effect("is sent so many events as one list, byte for byte and signed, and others when the oldest has waited", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { accounts, goOn, log, payloads, sink, wake, webhook } = yield* setup()
        const start = yield* Clock.currentTimeMillis
        const payload = "{ \"é\": [1,  2] }"
        const appended = yield* emits(log, ["1", payload, "\"b\"", "4"].map((payload) => ({ payload })))
        yield* wake
        assert.deepStrictEqual(sink.received.map(({ body }) => body), [`[1,${payload},"b"]`])
        const { body, headers } = sink.received[0]!
        const [secret] = yield* (yield* Webhooks).secrets(webhook.id)
        const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1_000)
        const signature = new Webhook(Redacted.value(secret!)).sign(headers["webhook-id"]!, sentAt, body)
        assert.strictEqual(headers["webhook-signature"], signature)
        assert.strictEqual(headers["x-headwater-event-id"], EventId.format(appended[0]!.id))
        assert.strictEqual(headers["x-headwater-last-event-id"], EventId.format(appended[2]!.id))
        assert.strictEqual(headers["x-headwater-event-count"], "3")
        assert.deepInclude(yield* accounts, { n: 3, delivered: 3 })
        const [attempt] = yield* (yield* Attempts).ofWebhook(webhook.id)
        const eventIds = appended.slice(0, 3).map(({ id }) => id)
        assert.deepStrictEqual(attempt!.batch, { lastEventId: appended[2]!.id, events: 3, eventIds })
        assert.strictEqual(attempt!.eventId, appended[0]!.id)
        assert.strictEqual(attempt!.emitId, headers["webhook-id"])
        yield* TestClock.setTime(start + 59_999)
        yield* goOn
        assert.lengthOf(payloads(), 1)
        const [due] = yield* (yield* DueWork).allOf(webhook.id, "wake")
        assert.deepInclude(due!, { key: "batch", dueAt: start + 60_000 })
        yield* TestClock.setTime(start + 60_000)
        yield* goOn
        assert.deepStrictEqual(payloads().slice(1), [[4]])
        assert.deepInclude(yield* accounts, { n: 4, delivered: 4 })
        assert.lengthOf(yield* (yield* DueWork).allOf(webhook.id, "wake"), 0)
        yield* balances
      })))

    it.effect("is sent what waited over a restart, from when it was appended, also where it was waited for less than a second", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { goOn, kicks, log, payloads, restart, wake } = yield* setup()
        const start = yield* Clock.currentTimeMillis
        yield* EngineFixture.append(log, ["a"])
        yield* wake
        yield* TestClock.setTime(start + 59_000)
        yield* restart
        assert.deepStrictEqual([payloads(), kicks()], [[], 0])
        yield* TestClock.adjust(1_000)
        assert.strictEqual(kicks(), 1)
        yield* goOn
        assert.deepStrictEqual(payloads(), [["a"]])
        yield* TestClock.adjust(60_000)
        yield* restart
        assert.lengthOf(payloads(), 1)
      })))

    it.effect("has a batch that failed retried as one with the same bytes, and accounts for each of its events", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const one = yield* setup({ answer: (count) => count < 2 ? failed : ok })
        const { accounts, goOn, log, restart, sink, subscription, wake, webhook } = one
        const appended = yield* EngineFixture.append(log, [1, 2, 3, 4, 5, 6])
        yield* wake
        assert.deepInclude(yield* accounts, { n: 6, delivered: 0, pending: 6 })
        const [row] = yield* (yield* Deliveries).ofEvent(log.emitterId, "", appended[1]!.id, [
          subscription.id
        ])
        assert.deepStrictEqual(row!.batch!.eventIds, appended.slice(0, 3).map(({ id }) => id))
        yield* balances
        yield* restart
        yield* EngineFixture.append(log, [7])
        while (sink.received.length < 4) yield* toRetry(webhook.id, goOn)
        const sent = sink.received.map(({ body, headers }) => [headers["webhook-id"], body])
        assert.sameDeepMembers(sent.slice(2), sent.slice(0, 2))
        assert.notStrictEqual(sent[0]![0], sent[1]![0])
        assert.deepInclude(yield* accounts, { n: 6, delivered: 6, pending: 0 })
        yield* balances
      })))

    it.effect("has a batch retried without what was deleted meanwhile, and dropped where nothing is left of it", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { accounts, goOn, log, payloads, sink, wake, webhook } = yield* setup({
          answer: (count) => count < 2 ? failed : ok
        })
        const appended = yield* EngineFixture.append(log, [1, 2, 3, 4, 5, 6])
        yield* wake
        const gone = (from: number, to: number) =>
          Effect.flatMap(
            EventLog,
            (events) =>
              events.removeSome({ emitterId: log.emitterId, stream: "" }, {
                from: appended[from]!.id,
                to: appended[to]!.id
              })
          )
        yield* gone(0, 0)
        yield* gone(3, 5)
        while ((yield* WebhookFixture.retryDueAt(webhook.id)) !== undefined) yield* toRetry(webhook.id, goOn)
        assert.deepStrictEqual(payloads().slice(2), [[2, 3]])
        assert.strictEqual(sink.received[2]!.headers["webhook-id"], sink.received[0]!.headers["webhook-id"])
        assert.deepInclude(yield* accounts, { n: 6, delivered: 2, dropped: 4, pending: 0 })
        yield* balances
      })))

    it.effect("has a batch given up as a whole, whose events retention kept until then", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { accounts, goOn, log, payloads, wake, webhook } = yield* setup({
          answer: () => failed,
          settings: { retrySchedule: [5_000] }
        })
        const appended = yield* EngineFixture.append(log, [1, 2, 3])
        yield* wake
        const events = yield* EventLog
        const range = { from: 0n, to: appended[2]!.id }
        yield* events.removeSome({ emitterId: log.emitterId, stream: "" }, range, { keepPending: true })
        yield* toRetry(webhook.id, goOn)
        assert.deepStrictEqual(payloads(), [[1, 2, 3], [1, 2, 3]])
        assert.deepInclude(yield* accounts, { n: 3, exhausted: 3, pending: 0 })
        yield* balances
      })))

    it.effect("is sent a batch again that was skipped or has arrived, with the same bytes, and accounts for each event", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { accounts, actor, goOn, log, payloads, sink, wake, webhook } = yield* setup({
          answer: (count) => count === 0 ? failed : ok
        })
        yield* EngineFixture.append(log, [1, 2, 3])
        yield* wake
        const { deliveryId } = (yield* (yield* Attempts).ofWebhook(webhook.id))[0]!
        const asking = <A, E>(ask: Effect.Effect<A, E>) =>
          Effect.gen(function*() {
            const asked = yield* Effect.forkChild(ask, { startImmediately: true })
            yield* goOn
            return yield* Fiber.join(asked)
          })
        yield* asking(actor().skip(deliveryId))
        assert.deepInclude(yield* accounts, { n: 3, dropped: 3, pending: 0 })
        yield* balances
        for (const sent of [2, 3]) {
          assert.strictEqual(yield* asking(actor().reopen(deliveryId)), "due")
          yield* goOn
          assert.lengthOf(payloads(), sent)
          assert.deepInclude(yield* accounts, { n: 3, delivered: 3, dropped: 0, pending: 0 })
          yield* balances
        }
        const sent = sink.received.map(({ body, headers }) => [headers["webhook-id"], body])
        assert.deepStrictEqual(sent, [sent[0]!, sent[0]!, sent[0]!])
      })))

    it.effect("is sent no event that its filter keeps out, that is deleted or past the hop limit, and has all accounted for", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { accounts, goOn, log, payloads, wake } = yield* setup({ filter: JSON.stringify({ n: { $gt: 0 } }) })
        const appended = yield* EngineFixture.append(log, [1, 0, 2, 3, 4].map((n) => ({ n })))
        yield* (yield* EventLog).removeSome(
          { emitterId: log.emitterId, stream: "" },
          { from: appended[2]!.id, to: appended[2]!.id }
        )
        yield* emits(log, [{ payload: "{\"n\":5}", hops: maxHops }, { payload: "{\"n\":6}" }])
        yield* wake
        assert.deepStrictEqual(payloads(), [[{ n: 1 }, { n: 3 }, { n: 4 }]])
        yield* TestClock.adjust(60_000)
        yield* goOn
        assert.deepStrictEqual(payloads().slice(1), [[{ n: 6 }]])
        assert.deepInclude(yield* accounts, { n: 7, delivered: 4, dropped: 2, filtered: 1 })
      })))

    it.effect("is sent no list that is too long, but an event that is too long by itself alone", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { goOn, log, sink, wake } = yield* setup({
          batch: { maxEvents: 100, maxWaitMs: 60_000, maxBytes: 1_024 }
        })
        const sizes = [500, 520, 1, 2_000, 1]
        // Two bytes each in UTF-8.
        yield* EngineFixture.append(log, sizes.map((size) => "é".repeat(size / 2)))
        yield* wake
        yield* TestClock.adjust(60_000)
        yield* goOn
        const lengths = sink.received.map(({ body }) => JSON.parse(body).map((text: string) => text.length * 2))
        assert.deepStrictEqual(lengths, [[500], [520, 0], [2_000], [0]])
        // The one that was too long for the next event is as long as it may be.
        assert.isAtMost(Buffer.byteLength(sink.received[0]!.body), 1_024)
      })))

    it.effect("is sent no list that is larger than it takes, whatever was asked for", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { account, accounts, actor, log, payloads, wake, webhook } = yield* setup({
          batch: { maxEvents: 100, maxWaitMs: 0, maxBytes: 1_024 }
        })
        const stays = { name: undefined, description: undefined, url: undefined, active: true }
        yield* (yield* Webhooks).update(account.id, webhook.id, { ...stays, request: { maxBytes: 9 } })
        yield* actor().changed
        yield* EngineFixture.append(log, ["a", "b", "c"])
        yield* wake
        assert.deepStrictEqual(payloads(), [["a", "b"], ["c"]])
        assert.deepInclude(yield* accounts, { n: 3, delivered: 3 })
      })))

    it.effect("is sent batches of what one emitter appended, each emitter's in order, with what was asked for last", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { account, accounts, actor, goOn, log, payloads, subscription, wake, webhook } = yield* setup()
        const other = yield* EngineFixture.emitter(account.id)
        const subscriptions = yield* Subscriptions
        const parties = { accountId: account.id, listenerId: webhook.id, eventName: "" }
        yield* subscriptions.create({ ...parties, emitterId: other.emitterId }, { batch: three })
        for (const n of [1, 2, 3, 4, 5]) {
          yield* EngineFixture.append(log, [`a${n}`])
          yield* EngineFixture.append(other, [`b${n}`])
          yield* wake
        }
        assert.sameDeepMembers(payloads(), [["a1", "a2", "a3"], ["b1", "b2", "b3"]])
        yield* subscriptions.update({ ...parties, emitterId: log.emitterId }, { batch: { ...three, maxEvents: 2 } })
        yield* actor().refilter(subscription.id)
        yield* wake
        assert.deepStrictEqual(payloads()[2], ["a4", "a5"])
        yield* subscriptions.update({ ...parties, emitterId: log.emitterId }, { batch: null })
        yield* actor().refilter(subscription.id)
        yield* EngineFixture.append(log, ["a6"])
        yield* wake
        assert.deepStrictEqual(payloads()[3], "a6")
        yield* TestClock.adjust(60_000)
        yield* goOn
        assert.deepStrictEqual(payloads()[4], ["b4", "b5"])
        assert.deepInclude(yield* accounts, { n: 6, delivered: 6 })
      })))

    for (const ordering of ["strict", "none"] as const) {
      it.effect(`has batches in the order that it wants: ${ordering}`, () =>
        EngineFixture.onTestClock(Effect.gen(function*() {
          const { accounts, goOn, log, payloads, wake, webhook } = yield* setup({
            settings: { ordering },
            answer: (count) => count === 0 ? failed : ok
          })
          yield* EngineFixture.append(log, [1, 2, 3, 4, 5, 6])
          yield* wake
          assert.deepStrictEqual(payloads(), ordering === "strict" ? [[1, 2, 3]] : [[1, 2, 3], [4, 5, 6]])
          yield* toRetry(webhook.id, goOn)
          const order = ordering === "strict"
            ? [[1, 2, 3], [1, 2, 3], [4, 5, 6]]
            : [[1, 2, 3], [4, 5, 6], [1, 2, 3]]
          assert.deepStrictEqual(payloads(), order)
          assert.deepInclude(yield* accounts, { n: 6, delivered: 6, pending: 0 })
          yield* balances
        })))
    }

    it.effect("is sent what waits of more emitters than are held in memory", () =>
      Effect.gen(function*() {
        const { account, goOn, payloads, wake, webhook } = yield* setup()
        const emitters = yield* Effect.replicateEffect(EngineFixture.emitter(account.id), 5)
        const parties = { accountId: account.id, listenerId: webhook.id, eventName: "" }
        for (const [i, emitter] of emitters.entries()) {
          const { emitterId } = emitter
          yield* (yield* Subscriptions).create({ ...parties, emitterId }, { batch: three })
          yield* EngineFixture.append(emitter, [i])
          yield* TestClock.adjust(10)
        }
        yield* wake
        for (const [i] of emitters.entries()) {
          yield* TestClock.setTime(60_000 + i * 10)
          yield* goOn
          assert.deepStrictEqual(payloads(), Array.from({ length: i + 1 }, (_, n) => [n]))
        }
      }).pipe(Effect.provideService(EngineLimits, { ...defaults, idle: 1 }), EngineFixture.onTestClock))
  }
)
