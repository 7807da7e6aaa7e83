import { assert, layer } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import { type AccountChange, Accounts } from "@headwater/log/access/Accounts"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, post } from "../../test/ProgramFixture.ts"
import * as Wake from "../ground/Wake.ts"
import { Quotas } from "./Quotas.ts"

const noon = Date.parse("2026-11-21T12:00:00Z")
const midnight = Date.parse("2026-11-22T00:00:00Z")
const nextMonth = Date.parse("2026-12-01T00:00:00Z")

const limit = (accountId: AccountId, change: AccountChange) =>
  Effect.flatMap(Accounts, (accounts) => accounts.update(accountId, change))

const exceededOf = (id: AccountId) =>
  Effect.gen(function*() {
    return yield* (yield* Quotas).exceeded(id, yield* Clock.Clock)
  })

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })(
  "an account's quotas",
  (it) => {
    it.effect("are none until the operator sets one, and then each is counted over its own days", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(noon)
        const { id } = yield* EngineFixture.account
        const use = (day: string, invocations: number, computeMs: number) =>
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql`
              INSERT INTO usage_folded (emitter_id, account_id, day, invocations, compute_ms)
              VALUES ('dc_a', ${id}, ${day}::text::date, ${invocations}, ${computeMs})`)
        /** What is used up, as anybody knows it who asks a second later. */
        const exceeded = Effect.andThen(
          TestClock.adjust("1 second"),
          Effect.map(
            exceededOf(id),
            Option.map(({ limit, quota, until }) => [quota, limit, until] as const)
          )
        )
        yield* use("2026-10-31", 1_000, 1_000_000)
        yield* use("2026-11-01", 4, 1_000)
        yield* use("2026-11-21", 5, 2_000)
        assert.deepStrictEqual(yield* exceeded, Option.none())
        yield* limit(id, {
          dailyInvocationsQuota: 6,
          dailyComputeTimeQuotaMs: 2_001,
          billingPeriodInvocationsQuota: 10
        })
        assert.deepStrictEqual(yield* exceeded, Option.none())
        yield* limit(id, { dailyInvocationsQuota: 5 })
        assert.deepStrictEqual(yield* exceeded, Option.some(["daily_invocations", 5, midnight]))
        yield* limit(id, { dailyInvocationsQuota: null, dailyComputeTimeQuotaMs: 2_000 })
        assert.deepStrictEqual(yield* exceeded, Option.some(["daily_compute_time", 2_000, midnight]))
        yield* limit(id, { billingPeriodInvocationsQuota: 9 })
        assert.deepStrictEqual(yield* exceeded, Option.some(["billing_period_invocations", 9, nextMonth]))
        yield* TestClock.setTime(nextMonth - 1_001)
        assert.isTrue(Option.isSome(yield* exceeded))
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* exceededOf(id), Option.none())
      }).pipe(EngineFixture.onTestClock))

    it.effect("are the smaller of the operator's limit and the account's own", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(noon)
        const quotas = yield* Quotas
        const { id } = yield* EngineFixture.account
        const limitOf = Effect.gen(function*() {
          yield* TestClock.adjust("1 second")
          yield* exceededOf(id)
          return quotas.runsLeft(id, yield* Clock.currentTimeMillis)
        })
        yield* limit(id, { ownDailyInvocationsLimit: 5 })
        assert.strictEqual(yield* limitOf, 5)
        yield* limit(id, { dailyInvocationsQuota: 3 })
        assert.strictEqual(yield* limitOf, 3)
        yield* limit(id, { ownDailyInvocationsLimit: 0 })
        assert.deepStrictEqual(
          Option.map(yield* Effect.andThen(limitOf, exceededOf(id)), ({ limit, quota }) => [quota, limit]),
          Option.some(["daily_invocations", 0])
        )
        yield* limit(id, { ownDailyInvocationsLimit: null, ownBillingPeriodInvocationsLimit: 2 })
        assert.strictEqual(yield* limitOf, 2)
      }).pipe(EngineFixture.onTestClock))

    it.effect("are known for a second, and count this node's runs at once", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(noon)
        const quotas = yield* Quotas
        const { id } = yield* EngineFixture.account
        yield* limit(id, { dailyInvocationsQuota: 2, dailyComputeTimeQuotaMs: 100 })
        assert.isTrue(Option.isNone(yield* exceededOf(id)))
        quotas.note(id, { invocations: 1, computeMs: 1 })
        assert.isTrue(Option.isNone(yield* exceededOf(id)))
        quotas.note(id, { invocations: 1, computeMs: 1 })
        assert.isTrue(Option.isSome(yield* exceededOf(id)))
        yield* limit(id, { dailyInvocationsQuota: 3 })
        yield* TestClock.adjust("999 millis")
        assert.isTrue(Option.isSome(yield* exceededOf(id)))
        yield* TestClock.adjust("1 millis")
        assert.isTrue(Option.isNone(yield* exceededOf(id)))
        quotas.note(id, { invocations: 0, computeMs: 100 })
        assert.isTrue(Option.isSome(yield* exceededOf(id)))
      }).pipe(EngineFixture.onTestClock))
  }
)

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })(
  "a source whose account is over a quota",
  (it) => {
    const start = Effect.fnUntraced(function*(code: string, options: Parameters<typeof EngineFixture.program>[2] = {}) {
      yield* TestClock.setTime(noon)
      const account = yield* EngineFixture.account
      const program = yield* EngineFixture.program(account.id, code, { state: "creating", ...options })
      const actor = yield* actorOf(program)
      yield* actor.deploy()
      return { account, actor, program }
    })

    const stream = Effect.fnUntraced(function*(program: Program, name = "") {
      const events = yield* (yield* EventLog).latest({ emitterId: program.id, stream: name, limit: 100 })
      return events.toReversed().map(({ payload }) => JSON.parse(payload))
    })

    const dueAt = Effect.fnUntraced(function*(program: Program, kind: "timer" | "wake") {
      const items = yield* (yield* DueWork).allOf(program.id, kind)
      return items.map((item) => item.dueAt)
    })

    it.effect("skips its ticks, each with an error, until the quota is counted anew", () =>
      Effect.gen(function*() {
        const { account, actor, program } = yield* start(
          `export default { props: { timer: "$.interface.timer" }, run(event) { this.$emit(event.timestamp) } }`,
          { timers: { timer: { intervalSeconds: 3_600 } } }
        )
        yield* limit(account.id, { dailyInvocationsQuota: 2 })
        for (const hour of [13, 14, 15, 16]) {
          yield* TestClock.setTime(Date.UTC(2026, 10, 21, hour))
          yield* actor.wake(Wake.forDueWork)
        }
        const seconds = noon / 1_000
        assert.deepStrictEqual(yield* stream(program), [seconds + 3_600, seconds + 2 * 3_600])
        const errors = yield* stream(program, "$errors")
        assert.deepStrictEqual(
          errors.map(({ error, original_context, original_event }) => [
            error.code,
            original_context.source_type,
            original_event.timestamp
          ]),
          [3, 4].map((hour) => ["QuotaExceeded", "TIMER", seconds + hour * 3_600])
        )
        assert.include(errors[0].error.message, "daily_invocations")
        assert.deepStrictEqual(yield* dueAt(program, "timer"), [Date.UTC(2026, 10, 21, 17)])
        yield* TestClock.setTime(midnight)
        yield* actor.wake(Wake.forDueWork)
        assert.lengthOf(yield* stream(program), 3)
        assert.lengthOf(yield* stream(program, "$errors"), 2)
      }).pipe(EngineFixture.onTestClock))

    const listening = Effect.gen(function*() {
      const started = yield* start("export default { run(event) { this.$emit(event) } }")
      const { account, program } = started
      const log = yield* EngineFixture.emitter(account.id)
      yield* (yield* Subscriptions).create({
        accountId: account.id,
        emitterId: log.emitterId,
        listenerId: program.id,
        eventName: ""
      })
      yield* limit(account.id, { dailyInvocationsQuota: 1 })
      yield* EngineFixture.append(log, ["a", "b", "c"])
      return started
    })

    it.effect("leaves the events it listens to where they are, and takes them when the quota is counted anew", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* listening
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* stream(program), ["a"])
        assert.deepStrictEqual(yield* dueAt(program, "wake"), [noon + 60_000])
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* dueAt(program, "wake"), [noon + 60_000])
        yield* TestClock.setTime(midnight - 10_000)
        yield* actor.wake(Wake.forDueWork)
        assert.deepStrictEqual(yield* dueAt(program, "wake"), [midnight])
        // Also after the node was started anew.
        yield* TestClock.setTime(midnight)
        const successor = yield* actorOf(program)
        yield* successor.wake(Wake.forDueWork)
        assert.deepStrictEqual(yield* stream(program), ["a", "b"])
        assert.deepStrictEqual(yield* stream(program, "$errors"), [])
        assert.deepStrictEqual(yield* dueAt(program, "wake"), [midnight + 60_000])
      }).pipe(EngineFixture.onTestClock))

    it.effect("runs of many that wait together no more than the quota leaves", () =>
      Effect.gen(function*() {
        const { account, actor, program } = yield* start("export default { run(event) { this.$emit(event) } }")
        const log = yield* EngineFixture.emitter(account.id)
        yield* (yield* Subscriptions).create({
          accountId: account.id,
          emitterId: log.emitterId,
          listenerId: program.id,
          eventName: ""
        })
        yield* limit(account.id, { dailyInvocationsQuota: 20 })
        // While runs are short, one is followed by two, four, eight and 16 together.
        yield* EngineFixture.append(log, Array.from({ length: 60 }, (_, n) => n))
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* stream(program), Array.from({ length: 20 }, (_, n) => n))
      }).pipe(EngineFixture.onTestClock))

    it.effect("goes on with them within a minute after the operator raised the limit", () =>
      Effect.gen(function*() {
        const { account, actor, program } = yield* listening
        yield* actor.wake(Wake.forEverything)
        yield* limit(account.id, { dailyInvocationsQuota: null })
        yield* TestClock.adjust("1 minute")
        yield* actor.wake(Wake.forDueWork)
        assert.deepStrictEqual(yield* stream(program), ["a", "b", "c"])
        assert.deepStrictEqual(yield* dueAt(program, "wake"), [])
      }).pipe(EngineFixture.onTestClock))

    it.effect("counts a workflow's run once, however many steps it has", () =>
      Effect.gen(function*() {
        const step = "{ run({ steps, $ }) { $.emit(steps.trigger.event) } }"
        const { account, actor, program } = yield* start(
          `export default { steps: { one: ${step}, two: ${step}, three: ${step} } }`,
          { workflow: {} }
        )
        const log = yield* EngineFixture.emitter(account.id)
        yield* (yield* Subscriptions).create({
          accountId: account.id,
          emitterId: log.emitterId,
          listenerId: program.id,
          eventName: ""
        })
        yield* limit(account.id, { dailyInvocationsQuota: 3 })
        yield* EngineFixture.append(log, ["a", "b", "c", "d"])
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* stream(program), ["a", "a", "a", "b", "b", "b", "c", "c", "c"])
      }).pipe(EngineFixture.onTestClock))

    it.effect("runs the requests that it acknowledged before", () =>
      Effect.gen(function*() {
        const { account, actor, program } = yield* start(
          `export default { props: { http: "$.interface.http" }, run(event) { this.$emit(event.body) } }`
        )
        yield* post(actor, 1)
        yield* post(actor, 2)
        yield* limit(account.id, { dailyInvocationsQuota: 0 })
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* stream(program), [1, 2])
      }).pipe(EngineFixture.onTestClock))
  }
)
