import { assert, layer } from "@effect/vitest"
import type { Program } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import { realSandbox } from "@headwater/fixtures/RealSandbox"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { Cursors } from "@headwater/log/work/Cursors"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { Effect, Fiber, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, post, stream, untilRequested } from "../../test/ProgramFixture.ts"
import { launch, runsOf, settle, steps } from "../../test/WorkflowFixture.ts"
import { defaults, EngineLimits } from "../ground/EngineLimits.ts"

const engine = EngineFixture.layerNoSandbox.pipe(
  Layer.provideMerge(realSandbox({ allow: "loopback", limits: { cpuMillis: 400 }, pool: { warmProcesses: 2 } }))
)

const acts = ["emit", "emit twice", "nothing", "throw", "too deep", "exit", "rerun", "forget"] as const
type Act = typeof acts[number]

const Together = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))

/** Counts runs in its store, and does what each request says. */
const code = steps({
  only: `
  const { act, n } = steps.trigger.event.body
  const again = $.context.run.runs > 1
  const count = (this.db.get("count") ?? 0) + 1
  this.db.set("count", count)
  if (act === "forget") this.db.set("count", undefined)
  if (act.startsWith("emit")) $.emit({ n, count })
  if (act === "emit twice") $.emit({ n, count, again: true })
  if (act === "throw") throw new Error("thrown by " + n)
  if (act === "exit") $.flow.exit("left by " + n)
  if (act === "rerun") { $.emit({ n, count, again }); if (!again) $.flow.rerun(60_000) }
  if (act === "too deep") return JSON.parse("[".repeat(501) + "]".repeat(501))
  if (act === "spin") while (true) {}
  return n`
})

const isFailing = (act: Act) => act === "throw" || act === "too deep"

/** What is there after one run of each after the other. */
const expected = (requests: ReadonlyArray<Act>) => {
  const emitted: Array<unknown> = []
  const errors: Array<string> = []
  let count = 0
  for (const [n, act] of requests.entries()) {
    if (!isFailing(act)) count += 1
    if (act === "emit" || act === "emit twice") emitted.push({ n, count })
    if (act === "emit twice") emitted.push({ n, count, again: true })
    if (act === "rerun") emitted.push({ n, count, again: false })
    if (act === "throw") errors.push(`thrown by ${n}`)
    if (act === "too deep") errors.push("the result of the step is not JSON of at most 500 levels")
    if (act === "forget") count = 0
  }
  return {
    emitted,
    errors,
    store: count === 0 ? {} : { count: String(count) },
    passed: requests.length,
    runs: requests.map((act, n) => ({
      n,
      status: isFailing(act) ? "error" as const : act === "rerun" ? "waiting" as const : "success" as const,
      exitReason: act === "exit" ? `left by ${n}` : null,
      steps: [isFailing(act) ? "only error" : "only success"]
    }))
  }
}

const bodyOf = ({ event }: { readonly event: string }): { readonly n: number } => JSON.parse(event).body

const found = Effect.fnUntraced(function*(program: Program) {
  const errors = yield* stream(program, Stream.errors)
  return {
    emitted: yield* stream(program),
    errors: errors.map((each) => each.error.message),
    store: yield* (yield* ProgramState).load(program.id),
    passed: (yield* (yield* Cursors).requestsPosition(program.id)).n,
    runs: (yield* runsOf(program))
      .map((run) => ({ n: bodyOf(run).n, status: run.status, exitReason: run.exitReason, steps: run.steps }))
      .toSorted((a, b) => a.n - b.n)
  }
})

/** An owner that runs so many inputs together at most. */
const actorTogether = (program: Program, count: number) =>
  Effect.provideService(actorOf(program), EngineLimits, {
    ...defaults,
    runsTogether: { ...defaults.runsTogether, count }
  })

const workAll = Effect.fnUntraced(function*(program: Program, most: number, requests: number) {
  const owner = yield* actorTogether(program, most)
  while ((yield* found(program)).passed < requests) yield* settle(owner)
  yield* settle(owner)
  return owner
})

/** Works on in test time until something that is under way has ended. */
const passingTime = <A, E>(working: Fiber.Fiber<A, E>) =>
  Effect.suspend(() => TestClock.adjust("1 seconds")).pipe(
    Effect.andThen(TestClock.withLive(Effect.sleep("20 millis"))),
    Effect.forever,
    Effect.raceFirst(Fiber.join(working))
  )

layer(engine, { timeout: "60 seconds", excludeTestServices: true })("inputs of a workflow of one step", (it) => {
  it.effect.prop(
    "come to the same log, store, cursor and runs however they are run together, also where owners are lost between",
    [Schema.Array(Schema.Literals(acts)).check(Schema.isMaxLength(40)), Together, Together, Schema.Boolean],
    ([requests, first, second, moves]) =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(code)
        for (const [n, act] of requests.entries()) yield* post(actor, { n, act })
        if (moves) {
          yield* Effect.scoped(Effect.gen(function*() {
            const leaving = yield* actorTogether(program, first)
            const working = yield* Effect.forkChild(settle(leaving))
            yield* TestClock.withLive(Effect.sleep("3 millis"))
            // It ends in the middle of its work, whatever of that is on its way.
            yield* Fiber.interrupt(working)
          }))
        }
        const owner = yield* workAll(program, moves ? second : first, requests.length)
        assert.deepStrictEqual(yield* found(program), expected(requests))
        const head = Option.getOrThrow(yield* (yield* Heads).get(program.id))
        assert.strictEqual(head.streams[Stream.requests] ?? 0, requests.length)
        yield* TestClock.adjust("60 seconds")
        yield* settle(owner)
        yield* settle(owner)
        const { emitted, runs } = yield* found(program)
        const again = requests.flatMap((act, n) => act === "rerun" ? [n] : [])
        assert.sameMembers(
          (emitted as ReadonlyArray<{ n: number; again?: boolean }>).slice(expected(requests).emitted.length).map((
            { n }
          ) => n),
          again
        )
        assert.deepStrictEqual(
          runs.filter(({ status }) => status !== "error").map(({ status, steps }) => [status, steps.length]),
          requests.flatMap((act) => isFailing(act) ? [] : [["success", act === "rerun" ? 2 : 1]])
        )
      }).pipe(EngineFixture.onTestClock),
    { arbitrary: { runs: 25 } }
  )

  it.effect("end each by itself: what a limit cut off is taken with an error, and those behind it are run", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(code)
      const requests = ["emit", "emit", "emit", "emit", "emit", "spin", "emit", "spin", "emit", "emit"]
      for (const [n, act] of requests.entries()) yield* post(actor, { n, act })
      yield* workAll(program, 64, requests.length)
      const { emitted, errors, runs, store } = yield* found(program)
      assert.deepStrictEqual(
        (emitted as ReadonlyArray<{ n: number }>).map(({ n }) => n),
        requests.flatMap((act, n) => act === "emit" ? [n] : [])
      )
      assert.lengthOf(errors, 2)
      for (const message of errors) assert.match(String(message), /CPU time limit/)
      assert.deepStrictEqual(
        runs.map(({ status }) => status),
        requests.map((act) => act === "emit" ? "success" : "error")
      )
      assert.deepStrictEqual(store, { count: "8" })
    }).pipe(EngineFixture.onTestClock))

  it.effect("are run once also where the database refuses a commit that they share, and only the one at fault errs", () =>
    Effect.gen(function*() {
      const sink = yield* WebhookSink.make()
      const { actor, program } = yield* launch(steps({
        only: `const { n } = steps.trigger.event.body
          await fetch(${JSON.stringify(sink.url)}, { method: "POST", body: String(n) })
          $.emit({ n, id: $.context.id })`
      }))
      const all = Array.from({ length: 20 }, (_, n) => n)
      for (const n of all) yield* post(actor, { n })
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE events ADD CONSTRAINT refusing CHECK (payload NOT LIKE '{"n":13,%')`
      yield* workAll(program, 64, all.length)
      const emitted: ReadonlyArray<{ readonly n: number; readonly id: string }> = yield* stream(program)
      assert.deepStrictEqual(emitted.map(({ n }) => n), all.filter((n) => n !== 13))
      const runs = yield* runsOf(program)
      // The step saw the run as which it is recorded.
      assert.sameMembers(
        emitted.map(({ id }) => id),
        runs.filter((run) => bodyOf(run).n !== 13).map(({ id }) => id as string)
      )
      const [failed, ...others] = runs.filter(({ status }) => status !== "success")
      assert.deepStrictEqual([failed && bodyOf(failed).n, failed?.error?.name, others.length], [
        13,
        "CommitRejected",
        0
      ])
      assert.deepStrictEqual(sink.received.map(({ body }) => Number(body)), all)
      const logged = yield* (yield* EventLog).latest({ emitterId: program.id, stream: "", limit: 100 })
      const recorded = yield* Effect.forEach(runs, ({ id }) => Effect.flatMap(WorkflowRuns, (_) => _.stepsOf(id)))
      assert.sameDeepMembers(
        recorded.flat().flatMap(({ events, status }) => status === "success" ? [events] : []),
        logged.map(({ id }) => ({ first: id, last: id }))
      )
    }).pipe(EngineFixture.onTestClock))

  it.effect("show as under way where one of them takes long", () =>
    Effect.gen(function*() {
      let mayEnd = false
      const sink = yield* WebhookSink.make(() => ({ status: mayEnd ? 200 : 503 }))
      const { actor, program } = yield* launch(steps({
        only: `const { n } = steps.trigger.event.body
          while (n === 9 && (await fetch(${JSON.stringify(sink.url)})).status !== 200) {
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
          $.emit(n)`
      }))
      for (let n = 0; n < 12; n++) yield* post(actor, { n })
      const owner = yield* actorTogether(program, 64)
      const working = yield* Effect.forkChild(settle(owner))
      yield* Effect.repeat(TestClock.withLive(Effect.sleep("20 millis")), { until: () => sink.received.length > 0 })
      yield* TestClock.withLive(Effect.sleep("300 millis"))
      yield* TestClock.adjust("1 seconds")
      const under = yield* passingTime(
        yield* Effect.forkChild(Effect.repeat(runsOf(program), { until: ({ length }) => length > 9 }))
      )
      assert.deepStrictEqual(
        under.map((run) => [bodyOf(run).n, run.status, run.steps]).toSorted(),
        [
          ...Array.from({ length: 9 }, (_, n) => [n, "success", ["only success"]]),
          [9, "running", []]
        ].toSorted()
      )
      mayEnd = true
      yield* passingTime(working)
      while ((yield* found(program)).passed < 12) yield* settle(owner)
      assert.deepStrictEqual(yield* stream(program), Array.from({ length: 12 }, (_, n) => n))
      const runs = yield* runsOf(program)
      assert.deepStrictEqual(
        runs.map(({ status, steps }) => [status, steps]),
        runs.map(() => ["success", ["only success"]])
      )
      assert.lengthOf(runs, 12)
    }).pipe(EngineFixture.onTestClock))

  it.effect("end also where one that showed as under way shares its commit with others", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({ only: `$.emit(steps.trigger.event.body)` }))
      const all = Array.from({ length: 15 }, (_, n) => n)
      for (const n of all) yield* post(actor, n)
      const sandbox = yield* Sandbox
      const late = Effect.andThen(TestClock.withLive(Effect.sleep("5 millis")), TestClock.adjust("1 seconds"))
      const lateHeard = Sandbox.of({
        ...sandbox,
        runBatch: (request) =>
          Effect.map(sandbox.runBatch(request), (batch) => ({ ...batch, next: Effect.andThen(late, batch.next) }))
      })
      const owner = yield* Effect.provideService(actorTogether(program, 64), Sandbox, lateHeard)
      yield* settle(owner)
      assert.deepStrictEqual(yield* stream(program), all)
      const runs = yield* runsOf(program)
      assert.deepStrictEqual(
        runs.map(({ status, steps }) => [status, steps]),
        all.map(() => ["success", ["only success"]])
      )
    }).pipe(EngineFixture.onTestClock))

  it.effect("are run one by one where there are several steps, each of which is durable before the next one begins", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({
        first: `$.emit("first " + steps.trigger.event.body)`,
        second: `$.emit("second " + steps.trigger.event.body)`
      }))
      const all = Array.from({ length: 10 }, (_, n) => n)
      for (const n of all) yield* post(actor, n)
      yield* settle(actor)
      assert.deepStrictEqual(yield* stream(program), all.flatMap((n) => [`first ${n}`, `second ${n}`]))
    }).pipe(EngineFixture.onTestClock))

  it.effect("are run beside each other, each once, where several may be", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        steps({ only: `await new Promise((resolve) => setTimeout(resolve, 2)); $.emit(steps.trigger.event.body)` }),
        { workflow: { concurrency: 3 } }
      )
      const all = Array.from({ length: 30 }, (_, n) => n)
      for (const n of all) yield* post(actor, n)
      yield* settle(actor)
      assert.sameMembers(yield* stream(program), all)
    }).pipe(EngineFixture.onTestClock))

  it.effect("begin no more often than the workflow's rate limit lets them", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(code, { workflow: { rateLimit: { limit: 3, intervalSeconds: 60 } } })
      for (let n = 0; n < 10; n++) yield* post(actor, { n, act: "emit" })
      yield* settle(actor)
      assert.lengthOf(yield* stream(program), 3)
    }).pipe(EngineFixture.onTestClock))

  it.effect("answer each who waits for a response", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(`export default {
        props: { http: { type: "$.interface.http", customResponse: true } },
        async run({ steps, $ }) { await $.respond({ status: 200, body: String(steps.trigger.event.body) }) }
      }`)
      const asking = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 8 }, (_, n) => n), (n) => post(actor, n), { concurrency: "unbounded" })
      )
      yield* untilRequested(program, 8)
      yield* settle(actor)
      const replies = yield* Fiber.join(asking)
      assert.deepStrictEqual(
        replies.map(({ body }) => new TextDecoder().decode(body)),
        Array.from({ length: 8 }, (_, n) => String(n))
      )
    }).pipe(EngineFixture.onTestClock))
})
