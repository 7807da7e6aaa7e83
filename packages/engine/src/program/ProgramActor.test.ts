import { assert, layer } from "@effect/vitest"
import type { Program } from "@headwater/domain/Program"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { Programs } from "@headwater/log/resources/Programs"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Accounting } from "@headwater/log/work/Accounting"
import { DueWork } from "@headwater/log/work/DueWork"
import { Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { inOpenTransaction } from "../../../log/test/OpenTransaction.ts"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, onRequest, type Owner, post, start, stream, untilRunning } from "../../test/ProgramFixture.ts"
import { accounts } from "../../test/WebhookFixture.ts"
import { everyEvent } from "../ground/ActorCalls.ts"
import * as Wake from "../ground/Wake.ts"
import * as Retention from "../Retention.ts"

const onTimer = (body: string) => `
export default {
  props: { timer: "$.interface.timer", db: "$.service.db" },
  async run(event) { ${body} }
}`

const timerDueAt = Effect.fnUntraced(function*(program: Program) {
  const [item] = yield* (yield* DueWork).allOf(program.id, "timer")
  return item?.dueAt
})

const nine = Date.parse("2026-11-21T09:00:00Z")

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("a source", (it) => {
  it.effect("ticks at its interval from its deploy, each tick once", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(nine)
      const code = onTimer("this.$emit({ timestamp: event.timestamp, interval_seconds: event.interval_seconds })")
      const { actor, program } = yield* start(code, { timers: { timer: { intervalSeconds: 60 } } })
      yield* actor.deploy()
      assert.strictEqual(yield* timerDueAt(program), nine + 60_000)
      yield* TestClock.adjust("59 seconds")
      yield* actor.wake(Wake.forDueWork)
      assert.deepStrictEqual(yield* stream(program), [])
      for (const minute of [1, 2, 3]) {
        yield* TestClock.setTime(nine + minute * 60_000 + 20)
        yield* actor.wake(Wake.forDueWork)
        yield* actor.wake(Wake.forDueWork)
      }
      assert.deepStrictEqual(yield* stream(program), [
        { timestamp: nine / 1_000 + 60, interval_seconds: 60 },
        { timestamp: nine / 1_000 + 120, interval_seconds: 60 },
        { timestamp: nine / 1_000 + 180, interval_seconds: 60 }
      ])
    }).pipe(EngineFixture.onTestClock))

  it.effect("is deployed once, however often its creator asks, and by nobody once another may have begun", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(`
        export default {
          props: { timer: "$.interface.timer" },
          hooks: { async deploy() { this.$emit("deployed") } },
          async run() {}
        }`)
      yield* Effect.all([actor.deploy(), actor.deploy()], { concurrency: "unbounded" })
      const successor = yield* actorOf(program)
      const refused = yield* Effect.flip(successor.deploy())
      assert.strictEqual(refused._tag, "Unavailable")
      assert.deepStrictEqual(yield* stream(program), ["deployed"])
    }))

  it.effect("takes ticks it missed while nobody was there once, and keeps its phase", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(nine)
      const { actor, program } = yield* start(onTimer("this.$emit(event.timestamp)"), {
        timers: { timer: { intervalSeconds: 60 } }
      })
      yield* actor.deploy()
      yield* TestClock.adjust("630 seconds")
      const successor = yield* actorOf(program)
      yield* successor.wake(Wake.forEverything)
      assert.strictEqual((yield* stream(program)).length, 1)
      assert.strictEqual(yield* timerDueAt(program), nine + 11 * 60_000)
    }).pipe(EngineFixture.onTestClock))

  it.effect("takes a tick that falls due while a run is busy once after it, never beside it", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(nine)
      const { actor, program } = yield* start(
        onTimer(`
          const running = (this.db.get("running") ?? 0) + 1
          await new Promise((resolve) => setTimeout(resolve, 300))
          this.$emit({ timestamp: event.timestamp, running })`),
        { timers: { timer: { intervalSeconds: 1 } } }
      )
      yield* actor.deploy()
      yield* TestClock.adjust("1 second")
      const working = yield* Effect.forkChild(actor.wake(Wake.forDueWork))
      // The run is under way on real time; meanwhile three more ticks fall due by the clock.
      yield* untilRunning(working)
      yield* TestClock.adjust("3 seconds")
      yield* actor.wake(Wake.forDueWork)
      yield* Fiber.join(working)
      assert.deepStrictEqual((yield* stream(program)).map(({ running }) => running), [1, 1])
      assert.strictEqual(yield* timerDueAt(program), nine + 5_000)
    }).pipe(EngineFixture.onTestClock))

  it.effect("reads what is due once for a tick, and again where the next one has come meanwhile", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(nine)
      const dueWork = yield* DueWork
      let reads = 0
      const counting = DueWork.of({
        ...dueWork,
        dueOf: (...asked) => {
          reads += 1
          return dueWork.dueOf(...asked)
        }
      })
      const { actor, program } = yield* start(
        onTimer(`
          await new Promise((resolve) => setTimeout(resolve, 300))
          this.$emit(event.timestamp - ${nine / 1_000})`),
        { timers: { timer: { intervalSeconds: 60 } } }
      ).pipe(Effect.provideService(DueWork, counting))
      yield* actor.deploy()
      yield* actor.wake(Wake.nothing)
      reads = 0
      yield* TestClock.adjust("1 minute")
      yield* actor.wake(Wake.forDueWork)
      assert.strictEqual(reads, 1)
      yield* TestClock.adjust("1 minute")
      const working = yield* Effect.forkChild(actor.wake(Wake.forDueWork))
      yield* untilRunning(working)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(working)
      assert.strictEqual(reads, 3)
      assert.deepStrictEqual(yield* stream(program), [60, 120, 180])
    }).pipe(EngineFixture.onTestClock))

  it.effect("ticks by the clock on the wall of its cron's time zone, also where that changes", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-03-27T12:00:00Z"))
      const { actor, program } = yield* start(onTimer("this.$emit(new Date(event.timestamp * 1000).toISOString())"), {
        timers: { timer: { cron: "0 9 * * *", timezone: "Europe/Berlin" } }
      })
      yield* actor.deploy()
      for (let i = 0; i < 3; i++) {
        yield* TestClock.setTime((yield* timerDueAt(program))!)
        yield* actor.wake(Wake.forDueWork)
      }
      // Summer time begins on the 29th.
      assert.deepStrictEqual(yield* stream(program), [
        "2026-03-28T08:00:00.000Z",
        "2026-03-29T07:00:00.000Z",
        "2026-03-30T07:00:00.000Z"
      ])
    }).pipe(EngineFixture.onTestClock))

  it.effect("ticks on in real time through the hour that a change of the clock repeats", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-10-25T00:15:00Z"))
      const { actor, program } = yield* start(onTimer("this.$emit(new Date(event.timestamp * 1000).toISOString())"), {
        timers: { timer: { cron: "*/30 * * * *", timezone: "Europe/Berlin" } }
      })
      yield* actor.deploy()
      for (let i = 0; i < 4; i++) {
        yield* TestClock.setTime((yield* timerDueAt(program))!)
        yield* actor.wake(Wake.forDueWork)
      }
      assert.deepStrictEqual(yield* stream(program), [
        "2026-10-25T00:30:00.000Z",
        "2026-10-25T01:00:00.000Z",
        "2026-10-25T01:30:00.000Z",
        "2026-10-25T02:00:00.000Z"
      ])
    }).pipe(EngineFixture.onTestClock))

  it.effect("emits what was delayed when its time has come", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(nine)
      const { actor, program } = yield* start(
        onRequest(`this.$emit("later", { delivery_ts: ${nine} + 60000, name: "slow" }); this.$emit("now")`)
      )
      yield* actor.deploy()
      yield* post(actor, 1)
      yield* actor.wake(Wake.forEvents([]))
      assert.deepStrictEqual(yield* stream(program), ["now"])
      yield* TestClock.adjust("59 seconds")
      yield* actor.wake(Wake.forDueWork)
      assert.deepStrictEqual(yield* stream(program, "slow"), [])
      yield* TestClock.adjust("1 second")
      yield* actor.wake(Wake.forDueWork)
      assert.deepStrictEqual(yield* stream(program, "slow"), ["later"])
      assert.deepStrictEqual(yield* (yield* DueWork).allOf(program.id, "emit"), [])
    }).pipe(EngineFixture.onTestClock))

  it.effect("an owner whose epoch has passed appends nothing more", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest("this.$emit(event.body)"))
      yield* actor.deploy()
      const other = yield* (yield* Heads).acquire(program.id)
      assert.isTrue(Option.isSome(other))
      const refused = yield* Effect.flip(post(actor, "stale"))
      assert.strictEqual(refused._tag, "Unavailable")
      assert.deepStrictEqual(yield* stream(program, "$requests"), [])
    }).pipe(EngineFixture.onTestClock))

  for (const [clock, shift] of [["an hour slow", -3_600_000], ["right", 0], ["an hour fast", 3_600_000]] as const) {
    for (const deletes of [false, true]) {
      const tail = deletes ? ", also where the tail of its log was deleted" : ""
      it.effect(`of two live owners, the stale one appends nothing with its clock ${clock}${tail}`, () =>
        Effect.gen(function*() {
          yield* TestClock.setTime(nine)
          const { actor: stale, program } = yield* start(onRequest("this.$emit(event.body)"))
          yield* stale.deploy()
          yield* post(stale, "before")
          yield* stale.wake(Wake.forEvents([]))
          const owner = yield* actorOf(program)
          yield* post(owner, "after")
          yield* owner.wake(Wake.forEvents([]))
          assert.deepStrictEqual(yield* stream(program), ["before", "after"])
          const head = Effect.map(Effect.flatMap(Heads, (heads) => heads.get(program.id)), Option.getOrThrow)
          const { lastId } = yield* head
          if (deletes) {
            yield* owner.deleteEvents({ stream: "", from: 0n, to: lastId })
            yield* owner.wake(Wake.forEvents([]))
            assert.deepStrictEqual(yield* stream(program), [])
          }
          yield* TestClock.setTime(nine + shift)
          const refused = yield* Effect.flip(post(stale, "stale"))
          assert.strictEqual(refused._tag, "Unavailable")
          yield* TestClock.setTime(nine)
          yield* post(owner, "on")
          yield* owner.wake(Wake.forEvents([]))
          const events = yield* (yield* EventLog).latest({ emitterId: program.id, stream: "", limit: 100 })
          assert.deepStrictEqual(
            events.map(({ payload }) => payload).toReversed(),
            deletes ? [`"on"`] : [`"before"`, `"after"`, `"on"`]
          )
          assert.isTrue(events[0]!.id > lastId)
        }).pipe(EngineFixture.onTestClock))
    }
  }

  it.effect("a run that throws leaves what it did until then, its error, and the next run undisturbed", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest(`
        this.$emit(event.body)
        this.db.set("seen", event.body)
        console.log("saw", event.body)
        if (event.body === "bad") throw new TypeError("no good")`))
      yield* actor.deploy()
      yield* post(actor, "bad")
      yield* post(actor, "fine")
      yield* actor.wake(Wake.forEvents([]))
      assert.deepStrictEqual(yield* stream(program), ["bad", "fine"])
      assert.deepStrictEqual((yield* stream(program, "$logs")).map(({ message }) => message), ["saw bad", "saw fine"])
      const [error] = yield* stream(program, "$errors")
      assert.deepInclude(error.error, { code: "TypeError", message: "no good", cellId: program.id })
      assert.match(error.error.stack, /component\.mjs:9/)
      assert.deepStrictEqual(error.original_event, { body: "bad" })
      assert.deepInclude(error.original_context, {
        id: "r\"bad\"",
        workflow_id: program.id,
        owner_id: program.accountId,
        source_type: "HTTP",
        verified: false
      })
      assert.deepStrictEqual(yield* (yield* ProgramState).load(program.id), { seen: "\"fine\"" })
    }).pipe(EngineFixture.onTestClock))

  it.effect("passes an input whose outcome can't be stored with an error, instead of running it for ever", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest(`
        if (event.body === "bad") this.db.set("refused", 1)
        this.$emit(event.body)`))
      yield* actor.deploy()
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE program_state_journal ADD CONSTRAINT refusing CHECK (key <> 'refused')`
      yield* post(actor, "bad")
      yield* post(actor, "fine")
      yield* actor.wake(Wake.forEvents([]))
      assert.deepStrictEqual(yield* stream(program), ["fine"])
      const [error] = yield* stream(program, "$errors")
      assert.strictEqual(error.error.code, "CommitRejected")
    }).pipe(EngineFixture.onTestClock))

  it.effect("ends a run that sets a key which can't be stored, and keeps what it did before", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest(`
        this.$emit(event.body.length)
        for (const key of event.body) this.db.set(key, 1)
        this.$emit("all")`))
      yield* actor.deploy()
      // Of a key that an index has no room for, and of two that would be stored as one.
      const random = Array.from({ length: 63 }, (_, n) => createHash("sha256").update(String(n)).digest("base64")).join(
        ""
      ).slice(0, 2_501)
      for (const keys of [["nul \u0000"], ["\ud800", "\ud801"], [random], [random.slice(1)]]) yield* post(actor, keys)
      yield* actor.wake(Wake.forEvents([]))
      assert.deepStrictEqual(yield* stream(program), [1, 2, 1, 1, "all"])
      const errors = yield* stream(program, "$errors")
      assert.deepStrictEqual(errors.map(({ error }) => error.code), ["TypeError", "TypeError", "TypeError"])
      assert.match(errors[0].error.message, /^\$\.service\.db: a key has at most 2500 bytes/)
      assert.match(errors[0].error.stack, /component\.mjs:/)
      assert.deepStrictEqual(Object.keys(yield* (yield* ProgramState).load(program.id)), [random.slice(1)])
    }).pipe(EngineFixture.onTestClock))

  it.effect("has streams of any name, also those of Object's own members", () =>
    Effect.gen(function*() {
      const names = ["constructor", "__proto__", "toString", "\u00fcber", "a b"]
      const { actor, program } = yield* start(onRequest("for (const name of event.body) this.$emit(name, { name })"))
      yield* actor.deploy()
      yield* post(actor, names)
      yield* post(actor, [...names, "x".repeat(201), "\ud800", "$requests"])
      yield* actor.wake(Wake.forEvents([]))
      for (const name of names) assert.deepStrictEqual(yield* stream(program, name), [name, name])
      assert.deepStrictEqual((yield* stream(program, "$errors")).map(({ error }) => error.code), ["InvalidStreamName"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("keeps what nests too deep to be read out of the log, and says so", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(
        onRequest(
          `for (const depth of [500, 501, 20_000, 1]) this.$emit(JSON.parse("[".repeat(depth) + "]".repeat(depth)))`
        )
      )
      yield* actor.deploy()
      yield* post(actor, "go")
      yield* actor.wake(Wake.forEvents([]))
      assert.deepStrictEqual((yield* stream(program)).map((payload) => JSON.stringify(payload).length), [1_000, 2])
      const [{ error }] = yield* stream(program, "$errors")
      assert.strictEqual(error.code, "InvalidPayload")
      assert.match(error.message, /^2 events .*500 levels/)
    }).pipe(EngineFixture.onTestClock))

  it.effect("emits an id once under dedupe unique, also across owners and runs under way together", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(
        onRequest("for (const id of event.body) this.$emit(id, { id })", "dedupe: \"unique\",")
      )
      yield* actor.deploy()
      yield* post(actor, [1, 2])
      yield* post(actor, [2, 3, 3])
      yield* actor.wake(Wake.forEvents([]))
      const successor = yield* actorOf(program)
      yield* post(successor, [3, 1, 4])
      yield* successor.wake(Wake.forEverything)
      assert.deepStrictEqual(yield* stream(program), [1, 2, 3, 4])
    }).pipe(EngineFixture.onTestClock))

  it.effect("listens to another source: each event changes its state once, in the log's order", () =>
    Effect.gen(function*() {
      const { account, actor, program } = yield* start(`
export default {
  props: { db: "$.service.db" },
  async run(event) {
    const seen = [...(this.db.get("seen") ?? []), event]
    this.db.set("seen", seen)
    this.$emit(seen.length)
  }
}`)
      yield* actor.deploy()
      const log = yield* EngineFixture.emitter(account.id)
      yield* (yield* Subscriptions).create({
        accountId: account.id,
        emitterId: log.emitterId,
        listenerId: program.id,
        eventName: ""
      })
      yield* EngineFixture.append(log, ["a", "b"])
      yield* actor.wake(Wake.forEverything)
      yield* EngineFixture.append(log, ["c"])
      const successor = yield* actorOf(program)
      yield* successor.wake(Wake.forEverything)
      assert.deepStrictEqual(yield* (yield* ProgramState).load(program.id), { seen: JSON.stringify(["a", "b", "c"]) })
      assert.deepStrictEqual(yield* stream(program), [1, 2, 3])
    }).pipe(EngineFixture.onTestClock))

  it.effect("hears what the filter of its subscription lets through, and passes everything else", () =>
    Effect.gen(function*() {
      const { account, actor, program } = yield* start("export default { async run(event) { this.$emit(event.n) } }")
      yield* actor.deploy()
      const log = yield* EngineFixture.emitter(account.id)
      const subscriptions = yield* Subscriptions
      const key = { accountId: account.id, emitterId: log.emitterId, listenerId: program.id, eventName: "" }
      const subscription = yield* subscriptions.create(key, { filter: JSON.stringify({ n: { $gt: 2 } }) })
      yield* EngineFixture.append(log, [1, 5, 2, 3, 0].map((n) => ({ n })))
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(yield* stream(program), [5, 3])
      assert.deepInclude(yield* accounts(subscription.id), { n: 5, delivered: 2, filtered: 3 })
      yield* subscriptions.update(key, { filter: JSON.stringify({ n: { $lt: 2 } }) })
      yield* actor.refilter(subscription.id)
      for (const n of [4, 1, 6, 7]) {
        const events = yield* EngineFixture.append(log, [{ n }])
        const fed = { subscriptionId: subscription.id, emitterId: log.emitterId, stream: "", events }
        yield* actor.wake(Wake.forEvents([fed]))
      }
      assert.deepStrictEqual(yield* stream(program), [5, 3, 1])
      assert.deepInclude(yield* accounts(subscription.id), { n: 9, delivered: 3, filtered: 6 })
      assert.deepStrictEqual(yield* (yield* Accounting).imbalances, [])
    }).pipe(EngineFixture.onTestClock))

  it.effect("a loop of sources ends at the hop limit with an error", () =>
    Effect.gen(function*() {
      const { account, actor, program } = yield* start("export default { async run(event) { this.$emit(event + 1) } }")
      yield* actor.deploy()
      yield* (yield* Subscriptions).create({
        accountId: account.id,
        emitterId: program.id,
        listenerId: program.id,
        eventName: ""
      })
      const log = yield* EngineFixture.emitter(account.id)
      yield* (yield* Subscriptions).create({
        accountId: account.id,
        emitterId: log.emitterId,
        listenerId: program.id,
        eventName: ""
      })
      yield* EngineFixture.append(log, [1])
      for (let i = 0; i < 20; i++) yield* actor.wake(Wake.forEverything)
      assert.strictEqual((yield* stream(program)).length, 15)
      assert.deepStrictEqual((yield* stream(program, "$errors")).map(({ error }) => error.code), ["HopLimit"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("is created with what its hooks did, and a hook that throws leaves nothing in its log", () =>
    Effect.gen(function*() {
      const hooked = (activate: string) => `
export default {
  props: { http: "$.interface.http", db: "$.service.db" },
  hooks: {
    async deploy() { this.$emit("deployed"); this.db.set("deployed", true) },
    async activate() { this.$emit("activated"); ${activate} }
  },
  async run() {}
}`
      const fine = yield* start(hooked(""))
      yield* fine.actor.deploy()
      assert.deepStrictEqual(yield* stream(fine.program), ["deployed", "activated"])
      const ready = yield* (yield* Programs).getById(fine.program.id)
      assert.strictEqual(Option.getOrThrow(ready).state, "ready")

      const failing = yield* start(hooked("throw new Error(\"not today\")"))
      const failure = yield* Effect.flip(failing.actor.deploy())
      assert.deepInclude(failure, { _tag: "HookFailed", hook: "activate", message: "not today", line: 6 })
    }).pipe(EngineFixture.onTestClock))

  it.effect("keeps its place while it is inactive, and goes on when it is active again", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(nine)
      const { actor, program } = yield* start(onTimer("this.$emit(event.timestamp)"), {
        timers: { timer: { intervalSeconds: 60 } }
      })
      yield* actor.deploy()
      const ready = { ...program, state: "ready" as const }
      yield* actor.update({ ...ready, active: false })
      assert.isUndefined(yield* timerDueAt(program))
      yield* TestClock.adjust("5 minutes")
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(yield* stream(program), [])
      yield* actor.update(ready)
      assert.strictEqual(yield* timerDueAt(program), nine + 360_000)
    }).pipe(EngineFixture.onTestClock))

  it.effect("deletes what was in its log when it was asked, in order with its appends and after a crash too", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(nine)
      const { actor, program } = yield* start(
        onRequest("for (let i = 0; i < event.body; i++) this.$emit(i); this.$emit('kept', { name: 'other' })"),
        { state: "ready" }
      )
      const emit = Effect.fnUntraced(function*(by: Owner, count: number) {
        yield* post(by, count)
        yield* by.wake(Wake.forEverything)
      })
      yield* emit(actor, 2_500)
      yield* actor.deleteEvents({ stream: "", ...everyEvent })
      // Asked for and not yet done: the next owner does it, and what it appends before is later than what was asked for.
      const successor = yield* actorOf(program)
      yield* emit(successor, 3)
      assert.deepStrictEqual(yield* stream(program), [0, 1, 2])
      assert.deepStrictEqual(yield* stream(program, "other"), ["kept", "kept"])
      assert.deepStrictEqual(yield* (yield* DueWork).allOf(program.id, "delete"), [])
      const [first, second] = yield* (yield* EventLog).after({ emitterId: program.id, stream: "" }, 0n, 2, 1_000)
      yield* successor.deleteEvents({ stream: "", from: second!.id, to: second!.id })
      yield* successor.wake(Wake.forDueWork)
      assert.deepStrictEqual(yield* stream(program), [0, 2])
      yield* successor.deleteEvents({ stream: "", from: 0n, to: first!.id })
      yield* successor.wake(Wake.forDueWork)
      assert.deepStrictEqual(yield* stream(program), [2])
    }).pipe(EngineFixture.onTestClock))

  it.effect("emits what has no readable time or id, and puts on $errors what of a run can't be read", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(nine)
      const { actor, program } = yield* start(
        onRequest(
          `
          this.$emit("untimed", { ts: new Date(event.body.time) })
          this.$emit("unidentified", { id: NaN })
          this.$emit(event.body, { id: event.body })
          const { String } = globalThis
          globalThis.String = () => ({ no: "text" })
          this.$emit("unreadable", { summary: "s" })
          globalThis.String = String`,
          "dedupe: 'unique',"
        ),
        { state: "ready" }
      )
      for (const n of [1, 2, 2]) yield* post(actor, { n }, `${n}`)
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(yield* stream(program), [
        "untimed",
        "unidentified",
        { n: 1 },
        "untimed",
        "unidentified",
        { n: 2 }
      ])
      const errors = (yield* stream(program, "$errors")).map(({ error }) => [error.code, error.message])
      assert.lengthOf(errors, 2)
      for (const [code, message] of errors) {
        assert.strictEqual(code, "UnreadableMessage")
        assert.match(message, /^1 messages of the run can't be read and are lost; the first was Emitted: /)
      }
    }).pipe(EngineFixture.onTestClock))

  it.effect("remembers an id for as long as it keeps coming, and thirty days beyond", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(nine)
      const { actor, program } = yield* start(
        onRequest("this.$emit(event.body, { id: event.body })", "dedupe: 'unique',"),
        { state: "ready" }
      )
      const emit = Effect.fnUntraced(function*(id: string, request: string) {
        yield* post(actor, id, request)
        yield* actor.wake(Wake.forEverything)
      })
      yield* emit("now and then", "first")
      for (let day = 1; day <= 40; day += 3) {
        yield* TestClock.adjust("3 days")
        yield* emit("again and again", `day ${day}`)
        yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      }
      assert.deepStrictEqual(yield* stream(program), ["now and then", "again and again"])
      yield* emit("now and then", "last")
      assert.deepStrictEqual(yield* stream(program), ["now and then", "again and again", "now and then"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("is changed, hooks and all, also where the commits of that stand behind one that is refused", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { actor, program } = yield* start(
        onRequest(`this.db.set(event.body, 1)`, `hooks: { deactivate() { this.$emit("down") } },`)
      )
      yield* actor.deploy()
      yield* sql`ALTER TABLE program_state_journal ADD CONSTRAINT no_such_key CHECK (key <> 'refused')`
      /** Has a change come while the commit of a run that is refused is under way. */
      const behindRefused = Effect.fnUntraced(function*<E>(emitId: string, change: Effect.Effect<void, E>) {
        yield* post(actor, "refused", emitId)
        // Each batch notes itself here first.
        const lock = yield* inOpenTransaction(sql`LOCK TABLE batches`)
        const working = yield* Effect.forkChild(actor.wake(Wake.forEverything))
        yield* sql<{ waiting: boolean }>`
          SELECT count(*) > 0 AS waiting FROM pg_locks JOIN pg_database ON pg_database.oid = database
          WHERE datname = current_database() AND relation = 'batches'::regclass AND NOT granted`.pipe(
          Effect.repeat({ until: ([row]) => row!.waiting })
        )
        const changing = yield* Effect.forkChild(change)
        yield* Effect.repeat(Effect.yieldNow, { times: 100 })
        yield* lock.commit
        yield* Fiber.join(changing)
        yield* Fiber.join(working)
      })
      const ready = Option.getOrThrow(yield* (yield* Programs).getById(program.id))
      yield* behindRefused("first", actor.update({ ...ready, name: "renamed" }))
      yield* actor.wake(Wake.forEverything)
      assert.strictEqual(Option.getOrThrow(yield* (yield* Programs).getById(program.id)).name, "renamed")
      assert.deepStrictEqual(yield* stream(program), ["down"])
      assert.deepStrictEqual((yield* stream(program, "$errors")).map(({ error }) => error.code), ["CommitRejected"])
      yield* behindRefused("second", actor.deleteEvents({ stream: "", ...everyEvent }))
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(yield* stream(program), [])
    }).pipe(EngineFixture.onTestClock))
})
