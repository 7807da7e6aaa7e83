import { assert, layer } from "@effect/vitest"
import { maxHops } from "@headwater/domain/Event"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Accounting } from "@headwater/log/work/Accounting"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, start, stream } from "../../test/ProgramFixture.ts"
import { accounts } from "../../test/WebhookFixture.ts"
import { defaults, EngineLimits } from "../ground/EngineLimits.ts"
import * as Wake from "../ground/Wake.ts"

const listening = (batch: string) => `export default { batch: ${batch}, async run(event) { this.$emit(event) } }`

const three = "{ maxEvents: 3, maxWaitMs: 60_000 }"

const setup = Effect.fnUntraced(function*(code: string, batch?: SubscriptionBatch) {
  const { account, actor, program } = yield* start(code)
  yield* actor.deploy()
  const log = yield* EngineFixture.emitter(account.id)
  const key = { accountId: account.id, emitterId: log.emitterId, listenerId: program.id, eventName: "" }
  const subscription = yield* (yield* Subscriptions).create(key, { batch, filter: JSON.stringify({ $not: 0 }) })
  return { account, actor, key, log, program, subscription }
})

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })(
  "a source that asks for lists",
  (it) => {
    it.effect("runs once with so many events, and with the rest when the oldest has waited, its cursor moved by all of them", () =>
      Effect.gen(function*() {
        const { actor, log, program, subscription } = yield* setup(listening(three))
        const began = yield* Clock.currentTimeMillis
        yield* EngineFixture.append(log, [1, 0, 2, 3, 0, 4])
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* stream(program), [[1, 2, 3]])
        assert.deepInclude(yield* accounts(subscription.id), { n: 4, delivered: 3, filtered: 1 })
        const [due] = yield* (yield* DueWork).allOf(program.id, "wake")
        assert.deepInclude(due!, { key: "batch", dueAt: began + 60_000 })
        const again = yield* actorOf(program)
        yield* TestClock.setTime(began + 59_999)
        yield* again.wake(Wake.forEverything)
        assert.lengthOf(yield* stream(program), 1)
        yield* TestClock.setTime(began + 60_000)
        yield* again.wake(Wake.forDueWork)
        assert.deepStrictEqual(yield* stream(program), [[1, 2, 3], [4]])
        assert.deepInclude(yield* accounts(subscription.id), { n: 6, delivered: 4, filtered: 2 })
        assert.deepStrictEqual(yield* (yield* Accounting).imbalances, [])
      }).pipe(EngineFixture.onTestClock))

    it.effect("has lists as its subscription asks for them, those of one emitter each, and what goes round too often in none", () =>
      Effect.gen(function*() {
        const asked = { maxEvents: 2, maxWaitMs: 1_000, maxBytes: 1_024 }
        const { account, actor, key, log, program, subscription } = yield* setup(listening("true"), asked)
        const other = yield* EngineFixture.emitter(account.id)
        yield* (yield* Subscriptions).create({ ...key, emitterId: other.emitterId })
        yield* EngineFixture.append(log, [1])
        yield* EngineFixture.append(other, ["a", "b", "c"])
        yield* log.commit([EngineFixture.newEvent(2, "", maxHops), EngineFixture.newEvent(3)], {})
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* stream(program), [[1]])
        yield* TestClock.adjust(1_000)
        yield* actor.wake(Wake.forDueWork)
        assert.sameDeepMembers((yield* stream(program)).slice(1) as Array<unknown>, [[3], ["a", "b", "c"]])
        assert.deepInclude(yield* accounts(subscription.id), { n: 3, delivered: 2, dropped: 1 })
        yield* EngineFixture.append(log, [4, 5, 6])
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual((yield* stream(program)).slice(3), [[4, 5]])
      }).pipe(EngineFixture.onTestClock))

    it.effect("that does not ask for lists has a run for each event, whatever its subscription asks for", () =>
      Effect.gen(function*() {
        const { actor, log, program } = yield* setup(listening("false"), {
          maxEvents: 2,
          maxWaitMs: 1_000,
          maxBytes: 1_024
        })
        yield* EngineFixture.append(log, [1, 2, 3])
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* stream(program), [1, 2, 3])
      }).pipe(EngineFixture.onTestClock))

    it.effect("has what waits of one emitter in its time where what waited of another before it is full", () =>
      Effect.gen(function*() {
        const { account, actor, key, log, program } = yield* setup(listening(three))
        const other = yield* EngineFixture.emitter(account.id)
        yield* (yield* Subscriptions).create({ ...key, emitterId: other.emitterId })
        const began = yield* Clock.currentTimeMillis
        yield* EngineFixture.append(log, [1])
        yield* actor.wake(Wake.forEverything)
        yield* TestClock.setTime(began + 10_000)
        yield* EngineFixture.append(other, ["a"])
        yield* EngineFixture.append(log, [2, 3])
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* stream(program), [[1, 2, 3]])
        yield* TestClock.setTime(began + 60_000)
        yield* actor.wake(Wake.forDueWork)
        const [due] = yield* (yield* DueWork).allOf(program.id, "wake")
        assert.deepInclude(due!, { key: "batch", dueAt: began + 70_000 })
        yield* TestClock.setTime(began + 70_000)
        yield* actor.wake(Wake.forDueWork)
        assert.deepStrictEqual(yield* stream(program), [[1, 2, 3], ["a"]])
      }).pipe(EngineFixture.onTestClock))

    it.effect("has what waits of more emitters than are held in memory, each in its time", () =>
      Effect.gen(function*() {
        const { account, actor, key, program } = yield* setup(listening(three))
        for (const i of [1, 2, 3, 4, 5]) {
          const log = yield* EngineFixture.emitter(account.id)
          yield* (yield* Subscriptions).create({ ...key, emitterId: log.emitterId })
          yield* EngineFixture.append(log, [i])
          yield* TestClock.adjust(10)
        }
        yield* actor.wake(Wake.forEverything)
        for (const i of [1, 2, 3, 4, 5]) {
          yield* TestClock.setTime(60_000 + (i - 1) * 10)
          yield* actor.wake(Wake.forDueWork)
          assert.deepStrictEqual(yield* stream(program), [[1], [2], [3], [4], [5]].slice(0, i))
        }
      }).pipe(Effect.provideService(EngineLimits, { ...defaults, idle: 1 }), EngineFixture.onTestClock))
  }
)
