import { assert, layer } from "@effect/vitest"
import * as SigningKey from "@headwater/domain/SigningKey"
import type { SettingsChange } from "@headwater/domain/WebhookSettings"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import type * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Accounting } from "@headwater/log/work/Accounting"
import { Attempts } from "@headwater/log/work/Attempts"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Exit, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import type { EmitterLog } from "../ground/EmitterLog.ts"
import * as Wake from "../ground/Wake.ts"
import * as StandardWebhook from "./StandardWebhook.ts"
import { WebhookActor } from "./WebhookActor.ts"

const ok = { status: 200 }
const failed = { status: 500 }

/** A webhook with settings, whose owner can be replaced as by a restart. */
const setup = Effect.fnUntraced(function*(
  settings: SettingsChange,
  answer: (count: number) => WebhookSink.Answer | undefined = () => ok
) {
  const fixture = yield* WebhookFixture.make(answer, null, settings)
  const { sink, webhook } = fixture
  const start = Effect.gen(function*() {
    const scope = yield* Scope.make()
    return { actor: yield* Scope.provide(WebhookActor.make(webhook.id), scope), scope }
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
    payloads: () => WebhookFixture.payloads(sink),
    accounts: WebhookFixture.accounts(fixture.subscription.id),
    row: Effect.map(Effect.flatMap(Webhooks, ({ getById }) => getById(webhook.id)), Option.getOrThrow)
  }
})

/** Goes to when the next retry is due, and has it made. */
const toRetry = Effect.fnUntraced(function*(webhookId: string, goOn: Effect.Effect<void>) {
  yield* TestClock.setTime((yield* WebhookFixture.retryDueAt(webhookId))!)
  yield* goOn
})

const untilLive = (isSo: () => boolean) =>
  TestClock.withLive(
    Effect.gen(function*() {
      while (!isSo()) yield* Effect.sleep("1 millis")
    }).pipe(Effect.timeout("60 seconds"), Effect.orDie)
  )

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => i + from)

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })(
  "by its settings a webhook",
  (it) => {
    it.effect("with strict order holds what is behind a failure, of that emitter alone and over a restart, until it has arrived", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const one = yield* setup({ ordering: "strict" }, (count) => [0, 3, 4].includes(count) ? failed : ok)
        const { account, goOn, log, payloads, restart, wake, webhook } = one
        const other = yield* EngineFixture.emitter(account.id)
        yield* (yield* Subscriptions).create({
          accountId: account.id,
          emitterId: other.emitterId,
          listenerId: webhook.id,
          eventName: ""
        })
        yield* EngineFixture.append(log, ["a", "b"])
        yield* wake
        assert.deepStrictEqual(payloads(), ["a"])
        yield* EngineFixture.append(other, ["x", "y"])
        yield* wake
        assert.deepStrictEqual(payloads(), ["a", "x", "y"])
        yield* restart
        yield* EngineFixture.append(log, ["c"])
        yield* wake
        assert.lengthOf(payloads(), 3)
        for (const length of [4, 5]) {
          // "y" failed too, and holds nothing of the other emitter.
          yield* toRetry(webhook.id, goOn)
          assert.isAtLeast(payloads().length, length)
          assert.notInclude(payloads(), "b")
          yield* restart
        }
        while (!payloads().includes("c")) yield* toRetry(webhook.id, goOn)
        const ofLog = payloads().filter((payload) => ["a", "b", "c"].includes(payload))
        assert.deepStrictEqual(ofLog.slice(ofLog.lastIndexOf("a")), ["a", "b", "c"])
        assert.strictEqual((yield* one.accounts).delivered, 3)
      })))

    it.effect("with strict order goes on behind what is given up, and behind what lost its subscription", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const one = yield* setup({ ordering: "strict", retrySchedule: [5_000] }, (count) => count === 4 ? ok : failed)
        const { account, actor, goOn, log, payloads, subscription, wake, webhook } = one
        yield* EngineFixture.append(log, ["a", "b"])
        yield* wake
        yield* toRetry(webhook.id, goOn)
        assert.deepStrictEqual(payloads(), ["a", "a", "b"])
        assert.deepInclude(yield* one.accounts, { n: 2, exhausted: 1, pending: 1 })
        const subscriptions = yield* Subscriptions
        const parties = { accountId: account.id, emitterId: log.emitterId, listenerId: webhook.id }
        yield* subscriptions.create({ ...parties, eventName: "aside" })
        yield* EngineFixture.appendTo(log, "aside", ["c"])
        yield* wake
        assert.lengthOf(payloads(), 3)
        yield* subscriptions.remove({ ...parties, eventName: "" })
        yield* (yield* Deliveries).dropPendingOf(webhook.id, subscription.id)
        yield* actor().forget(subscription.id)
        yield* wake
        assert.deepStrictEqual(payloads().slice(3), ["c"])
      })))

    it.effect("without order begins attempts in the log's order while others are under way, and slow ones hold up no cursor", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const http = yield* EgressHttp
        const begun: Array<string> = []
        const recording = EgressHttp.of({
          ...http,
          start: (request, onEnd) => {
            begun.push(String(request.body))
            return http.start(request, onEnd)
          }
        })
        let hanging = 3
        const settings = { ordering: "none", concurrency: 8, timeoutMs: 2_000, retrySchedule: [5_000] } as const
        const one = yield* setup(settings, () => hanging-- > 0 ? undefined : ok).pipe(
          Effect.provideService(EgressHttp, recording)
        )
        const { accounts, goOn, log, payloads, wake, webhook } = one
        yield* EngineFixture.append(log, numbers(100))
        const working = yield* Effect.forkChild(wake)
        yield* untilLive(() => payloads().length === 100)
        assert.deepStrictEqual(begun, numbers(100).map(String))
        const before = yield* Effect.repeat(accounts, { until: ({ n }) => n >= 100 - 16 })
        assert.deepInclude(before, { delivered: before.n - 3, pending: 3 })
        const hasFailed = (attempt: { readonly outcome: string }) => attempt.outcome === "failed"
        yield* Effect.repeat(Effect.flatMap(Attempts, (_) => _.ofWebhook(webhook.id)), {
          until: (attempts) => attempts.filter(hasFailed).length === 3
        })
        assert.deepInclude(yield* accounts, { n: 100, delivered: 97, pending: 3 })
        const attempts = yield* (yield* Attempts).ofWebhook(webhook.id)
        assert.sameMembers(attempts.filter(({ outcome }) => outcome === "failed").map(({ errorClass }) => errorClass), [
          "timeout",
          "timeout",
          "timeout"
        ])
        yield* TestClock.adjust("7 seconds")
        yield* goOn
        assert.deepInclude(yield* accounts, { n: 100, delivered: 100, pending: 0 })
        void working
        assert.lengthOf(payloads(), 103)
      })))

    it.effect("without order loses nothing where it is cut off, and sends again only what was under way or waited for that", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        let isHanging = true
        const one = yield* setup(
          { ordering: "none", concurrency: 4 },
          (count) => isHanging && (count === 0 || count > 30) ? undefined : ok
        )
        const { log, payloads, restart, wake } = one
        yield* EngineFixture.append(log, numbers(60))
        yield* Effect.forkChild(wake)
        yield* untilLive(() => payloads().length >= 34)
        // What was answered is committed.
        yield* Effect.repeat(one.accounts, { until: ({ delivered }) => delivered >= 30 })
        isHanging = false
        yield* restart
        // What had stepped aside is due when its attempt must have ended.
        yield* TestClock.adjust("31 seconds")
        yield* one.goOn
        assert.sameMembers([...new Set(payloads())], numbers(60))
        assert.isAtMost(payloads().length, 60 + 4 + 16)
        assert.deepInclude(yield* one.accounts, { n: 60, delivered: 60, pending: 0 })
        assert.deepStrictEqual(yield* (yield* Accounting).imbalances, [])
      })))

    it.effect("with a rate spreads its attempts over time, retries among them, and goes on at it after a restart", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const settings = { rateLimit: { limit: 10, intervalMs: 1_000, burst: 1 } }
        const one = yield* setup(settings, (count) => count === 0 ? failed : ok)
        const { goOn, log, payloads, restart, wake, webhook } = one
        yield* EngineFixture.append(log, numbers(200))
        yield* wake
        assert.lengthOf(payloads(), 1)
        for (const _ of numbers(50)) {
          yield* TestClock.adjust("100 millis")
          yield* goOn
        }
        assert.lengthOf(payloads(), 51)
        const last = yield* Clock.currentTimeMillis
        yield* restart
        let waited = 0
        while (payloads().length === 51) {
          waited += 100
          yield* TestClock.adjust("100 millis")
          yield* goOn
        }
        assert.isAtLeast((yield* Clock.currentTimeMillis) - last, 80)
        assert.isAtMost(waited, 1_200)
        // The retry is due by now, and takes turns with what is new.
        for (const _ of numbers(20)) {
          yield* TestClock.adjust("100 millis")
          yield* goOn
        }
        assert.strictEqual(payloads().filter((n) => n === 0).length, 2)
        assert.strictEqual(yield* WebhookFixture.retryDueAt(webhook.id), undefined)
        assert.isAtMost(Math.abs(payloads().length - 72), 1)
      })))

    it.effect("with a slow rate waits as due work, by no attempt of its events", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const one = yield* setup({ rateLimit: { limit: 1, intervalMs: 3_600_000, burst: 2 } })
        const { goOn, log, payloads, restart, wake, webhook } = one
        yield* EngineFixture.append(log, ["a", "b", "c", "d"])
        yield* wake
        assert.deepStrictEqual(payloads(), ["a", "b"])
        const [item] = yield* (yield* DueWork).allOf(webhook.id, "wake")
        assert.deepInclude(item, { key: "rate", dueAt: (yield* Clock.currentTimeMillis) + 3_600_000 })
        yield* TestClock.adjust("59 minutes")
        yield* restart
        assert.lengthOf(payloads(), 2)
        yield* TestClock.adjust("1 minute")
        yield* goOn
        assert.deepStrictEqual(payloads(), ["a", "b", "c"])
        yield* TestClock.adjust("1 hour")
        yield* goOn
        assert.deepStrictEqual(payloads(), ["a", "b", "c", "d"])
        const attempts = yield* (yield* Attempts).ofWebhook(webhook.id)
        assert.deepStrictEqual(attempts.map(({ attempt }) => attempt), [1, 1, 1, 1])
      })))

    it.effect("with a circuit sends nothing after failures in a row but one probe, later each time, and then all", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        let isUp = false
        const one = yield* setup({ circuit: { failures: 3, cooldownMs: 30_000 } }, () => isUp ? ok : failed)
        const { goOn, log, payloads, restart, row, wake, webhook } = one
        const append = (from: number) => EngineFixture.append(log, numbers(10, from))
        yield* append(0)
        yield* wake
        assert.deepStrictEqual(payloads(), [0, 1, 2])
        const openedAt = yield* Clock.currentTimeMillis
        assert.deepInclude(yield* row, { circuitUntil: openedAt + 30_000, circuitOpens: 1, circuitFailures: 0 })
        // The retries come due meanwhile, and wait without an attempt.
        yield* TestClock.adjust("29 seconds")
        yield* goOn
        yield* restart
        assert.lengthOf(payloads(), 3)
        const retries = yield* (yield* DueWork).allOf(webhook.id, "retry")
        assert.deepStrictEqual(retries.map(({ dueAt }) => dueAt), retries.map(() => openedAt + 30_000))
        for (const [probes, cooldown] of [[1, 60_000], [2, 120_000], [3, 240_000]] as const) {
          yield* TestClock.setTime((yield* row).circuitUntil!)
          yield* goOn
          assert.lengthOf(payloads(), 3 + probes)
          assert.deepInclude(yield* row, { circuitUntil: (yield* Clock.currentTimeMillis) + cooldown })
          yield* restart
          assert.lengthOf(payloads(), 3 + probes)
        }
        isUp = true
        yield* TestClock.setTime((yield* row).circuitUntil!)
        yield* goOn
        assert.deepInclude(yield* row, { circuitUntil: null, circuitOpens: 0, failingSince: null })
        for (const _ of numbers(3)) {
          yield* TestClock.adjust("10 minutes")
          yield* goOn
        }
        assert.sameMembers([...new Set(payloads())], numbers(10))
        assert.deepInclude(yield* one.accounts, { n: 10, delivered: 10, pending: 0, exhausted: 0 })
        isUp = false
        yield* append(10)
        yield* wake
        assert.deepInclude(yield* row, { circuitOpens: 1 })
      })))

    it.effect("with a circuit counts failures over its owners, and from the beginning after a success", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const one = yield* setup(
          { circuit: { failures: 3, cooldownMs: 1_000 }, retrySchedule: [] },
          (count) => count === 2 ? ok : failed
        )
        const { log, payloads, restart, row } = one
        for (const n of numbers(5)) {
          yield* EngineFixture.append(log, [n])
          yield* restart
          assert.isNull((yield* row).circuitUntil)
        }
        yield* EngineFixture.append(log, [5, 6])
        yield* restart
        assert.isNotNull((yield* row).circuitUntil)
        assert.deepStrictEqual(payloads(), numbers(6))
      })))

    it.effect("with one request at a time has retries and first attempts take turns, and never two under way", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const http = yield* EgressHttp
        let underWay = 0
        let most = 0
        const counting = EgressHttp.of({
          ...http,
          start: (request, onEnd) => {
            underWay += 1
            most = Math.max(most, underWay)
            return http.start(request, (answer) => {
              underWay -= 1
              onEnd(answer)
            })
          }
        })
        const one = yield* setup({ concurrency: 1 }, (count) => count < 20 ? failed : ok).pipe(
          Effect.provideService(EgressHttp, counting)
        )
        const { account, goOn, log, payloads, wake, webhook } = one
        const others = yield* Effect.forEach(numbers(3), () => EngineFixture.emitter(account.id))
        const subscriptions = yield* Subscriptions
        for (const { emitterId } of others) {
          yield* subscriptions.create({ accountId: account.id, emitterId, listenerId: webhook.id, eventName: "" })
        }
        const append = (emitter: EmitterLog, from: number) => EngineFixture.append(emitter, numbers(20, from))
        yield* append(log, 0)
        yield* wake
        assert.lengthOf(payloads(), 20)
        yield* TestClock.adjust("7 seconds")
        for (const [index, other] of others.entries()) yield* append(other, 100 * (index + 1))
        yield* wake
        assert.strictEqual(most, 1)
        const later = payloads().slice(20)
        assert.lengthOf(later, 80)
        // None of both waits until the others are done.
        assert.isAtLeast(later.slice(0, 40).filter((n) => n < 20).length, 10)
        assert.isAtLeast(later.slice(0, 40).filter((n) => n >= 20).length, 10)
        yield* goOn
        assert.deepInclude(yield* one.accounts, { delivered: 20, pending: 0 })
      })))

    it.effect("that never answers goes out of service after five days of failures, and is told so once", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const one = yield* setup({ circuit: { failures: 2, cooldownMs: 60_000 } }, () => failed)
        const { log, row, wake, webhook } = one
        yield* EngineFixture.append(log, numbers(3))
        yield* wake
        const began = yield* Clock.currentTimeMillis
        while ((yield* row).active) {
          const dueAt = yield* WebhookFixture.retryDueAt(webhook.id)
          if (dueAt === undefined) yield* EngineFixture.append(log, ["another"])
          yield* TestClock.setTime(Math.max((yield* row).circuitUntil ?? 0, dueAt ?? 0))
          yield* wake
        }
        const hours = ((yield* Clock.currentTimeMillis) - began) / 3_600_000
        // The attempt that tells comes after the last delay of the schedule, a day, which its spread makes a fifth longer.
        assert.isTrue(hours >= 120 && hours <= 120 + 24 * 1.2, String(hours))
        assert.strictEqual((yield* row).disabledReason, "failing")
        const attempts = yield* (yield* Attempts).ofWebhook(webhook.id)
        assert.isAtMost(Math.max(...attempts.map(({ attempt }) => attempt)), 10)
      })))

    it.effect("signs with both secrets for a day after a rotation, and with the new one then", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const { account, log, sink, wake, webhook } = yield* setup({})
        const webhooks = yield* Webhooks
        const keysOf = Effect.map(webhooks.secrets(webhook.id), (secrets) => secrets.map(SigningKey.signer))
        const [old] = yield* keysOf
        yield* webhooks.rotate(account.id, webhook.id)
        const [fresh] = yield* keysOf
        for (
          const [after, keys] of [["1 minute", [fresh!, old!]], ["23 hours", [fresh!, old!]], ["1 hour", [
            fresh!
          ]]] as const
        ) {
          yield* TestClock.adjust(after)
          yield* EngineFixture.append(log, [after])
          yield* wake
          const { body, headers } = sink.received.at(-1)!
          assert.strictEqual(
            headers["webhook-signature"],
            StandardWebhook.signature(keys, headers["webhook-id"]!, Number(headers["webhook-timestamp"]), body)
          )
        }
      })))
  }
)
