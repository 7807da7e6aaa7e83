import { assert, layer } from "@effect/vitest"
import * as Stream from "@headwater/domain/Stream"
import { componentOf, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import { Heads } from "@headwater/log/logs/Heads"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { Cursors } from "@headwater/log/work/Cursors"
import type { RunRequest } from "@headwater/sandbox/Run"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { Effect, Fiber, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, onRequest, post, start, stream } from "../../test/ProgramFixture.ts"
import { defaults, EngineLimits } from "../ground/EngineLimits.ts"
import * as Wake from "../ground/Wake.ts"

const engine = EngineFixture.layerNoSandbox.pipe(
  Layer.provideMerge(realSandbox({ allow: "loopback", limits: { cpuMillis: 400 }, pool: { warmProcesses: 2 } }))
)

const acts = ["emit", "emit twice", "nothing", "throw", "duplicate", "forget"] as const
type Act = typeof acts[number]

const Together = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))

/** Counts runs in its store, and does what each request says. */
const code = onRequest(
  `
  const { act, n } = event.body
  const count = (this.db.get("count") ?? 0) + 1
  this.db.set("count", count)
  if (act === "forget") this.db.set("count", undefined)
  if (act === "duplicate") this.$emit({ n, count }, { id: "same" })
  if (act.startsWith("emit")) this.$emit({ n, count }, { id: n })
  if (act === "emit twice") this.$emit({ n, count, again: true })
  if (act === "throw") throw new Error("thrown by " + n)
  if (act === "spin") while (true) {}
`,
  `dedupe: "unique",`
)

/** What is in the log and the store after one run of each after the other. */
const expected = (requests: ReadonlyArray<Act>) => {
  const emitted: Array<unknown> = []
  const errors: Array<string> = []
  const seen = new Set<unknown>()
  let count = 0
  for (const [n, act] of requests.entries()) {
    count += 1
    if (act === "duplicate" && !seen.has("same")) emitted.push({ n, count })
    if (act === "duplicate") seen.add("same")
    if (act === "emit" || act === "emit twice") emitted.push({ n, count })
    if (act === "emit twice") emitted.push({ n, count, again: true })
    if (act === "throw") errors.push(`thrown by ${n}`)
    if (act === "forget") count = 0
  }
  return { emitted, errors, store: count === 0 ? {} : { count: String(count) }, passed: requests.length }
}

const found = Effect.fnUntraced(function*(program: Parameters<typeof stream>[0]) {
  const errors = yield* stream(program, Stream.errors)
  return {
    emitted: yield* stream(program),
    errors: errors.map((each) => each.error.message),
    store: yield* (yield* ProgramState).load(program.id),
    passed: (yield* (yield* Cursors).requestsPosition(program.id)).n
  }
})

/** An owner that runs so many inputs together at most. */
const actorTogether = (program: Parameters<typeof actorOf>[0], count: number) =>
  Effect.provideService(actorOf(program), EngineLimits, {
    ...defaults,
    runsTogether: { ...defaults.runsTogether, count }
  })

const workAll = Effect.fnUntraced(function*(program: Parameters<typeof stream>[0], most: number, requests: number) {
  const owner = yield* actorTogether(program, most)
  const passed = Effect.map(found(program), (all) => all.passed)
  while ((yield* passed) < requests) yield* owner.wake(Wake.forEverything)
})

layer(engine, { timeout: "60 seconds", excludeTestServices: true })("inputs that wait", (it) => {
  it.effect.prop(
    "come to the same log, store and cursor however they are run together, also where owners change between",
    [Schema.Array(Schema.Literals(acts)).check(Schema.isMaxLength(40)), Together, Together, Schema.Boolean],
    ([requests, first, second, moves]) =>
      Effect.gen(function*() {
        const { actor, program } = yield* start(code)
        yield* actor.deploy()
        for (const [n, act] of requests.entries()) yield* post(actor, { n, act })
        if (moves) {
          const leaving = yield* actorTogether(program, first)
          const working = yield* Effect.forkChild(leaving.wake(Wake.forEverything))
          yield* TestClock.withLive(Effect.sleep("2 millis"))
          // It ends in the middle of its work, whatever of that is on its way.
          yield* Fiber.interrupt(working)
          yield* workAll(program, second, requests.length)
        } else {
          yield* workAll(program, first, requests.length)
        }
        assert.deepStrictEqual(yield* found(program), expected(requests))
        const head = Option.getOrThrow(yield* (yield* Heads).get(program.id))
        assert.strictEqual(head.streams[Stream.requests] ?? 0, requests.length)
      }).pipe(EngineFixture.onTestClock),
    { arbitrary: { runs: 12 } }
  )

  it.effect("that are run together end each by itself: what a limit cut off is taken with an error, and those behind it are run", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(code)
      yield* actor.deploy()
      const requests = ["emit", "emit", "emit", "emit", "emit", "spin", "emit", "spin", "emit", "emit"]
      for (const [n, act] of requests.entries()) yield* post(actor, { n, act })
      yield* workAll(program, 64, requests.length)
      const { emitted, errors, store } = yield* found(program)
      assert.deepStrictEqual(
        emitted,
        requests.flatMap((act, n) => act === "emit" ? [{ n, count: n + 1 }] : [])
      )
      assert.lengthOf(errors, 2)
      for (const message of errors) assert.match(String(message), /CPU time limit/)
      assert.deepStrictEqual(store, { count: "10" })
    }).pipe(EngineFixture.onTestClock))

  it.effect("that share a commit which the database refuses are committed one by one, and only the one at fault errs", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(code)
      yield* actor.deploy()
      for (let n = 0; n < 20; n++) yield* post(actor, { n, act: "emit" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE events ADD CONSTRAINT refusing CHECK (payload NOT LIKE '{"n":13,%')`
      // An owner pauses when several of its commits have failed.
      yield* EngineFixture.whileTimePasses(workAll(program, 64, 20), "10 seconds")
      const { emitted, errors } = yield* found(program)
      assert.deepStrictEqual(
        emitted,
        // What the one at fault would have counted is not there either.
        Array.from({ length: 20 }, (_, n) => ({ n, count: n > 13 ? n : n + 1 })).filter(({ n }) => n !== 13)
      )
      assert.lengthOf(errors, 1)
      assert.match(String(errors[0]), /can't be stored/)
    }).pipe(EngineFixture.onTestClock))

  it.effect("that are run together each see the source's props as they are, whatever those before them did to theirs", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(
        onRequest("this.$emit({ given: [...this.names] })\nwhile (this.names.length > 0) this.names.pop()").replace(
          "props: {",
          `props: { names: { type: "string[]" },`
        ),
        { props: { names: ["a", "b"] } }
      )
      yield* actor.deploy()
      for (let n = 0; n < 8; n++) yield* post(actor, { n })
      yield* workAll(program, 64, 8)
      const { emitted } = yield* found(program)
      assert.deepStrictEqual(emitted, Array.from({ length: 8 }, () => ({ given: ["a", "b"] })))
    }).pipe(EngineFixture.onTestClock))

  it.effect("that are run together err by their own rejections and not by those that the run before left behind", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest(`
        if (event.body.n % 2 === 0) void Promise.reject(new Error("left behind by " + event.body.n))
        else await new Promise((resolve) => setTimeout(resolve, 2))
        this.$emit({ n: event.body.n })`))
      yield* actor.deploy()
      for (let n = 0; n < 16; n++) yield* post(actor, { n })
      yield* workAll(program, 64, 16)
      const { emitted, errors } = yield* found(program)
      assert.deepStrictEqual({ emitted, errors }, {
        emitted: Array.from({ length: 16 }, (_, n) => ({ n })),
        errors: []
      })
    }).pipe(EngineFixture.onTestClock))

  it.effect.each(["greatest", "last"])(
    "that are run together share a commit also where each writes the mark of `%s` anew",
    (dedupe) =>
      Effect.gen(function*() {
        const { actor, program } = yield* start(
          onRequest("this.$emit(event.body, { id: event.body.n })", `dedupe: "${dedupe}",`)
        )
        yield* actor.deploy()
        for (let n = 0; n < 16; n++) yield* post(actor, { n })
        yield* workAll(program, 64, 16)
        const { emitted, errors } = yield* found(program)
        assert.deepStrictEqual({ emitted, errors }, {
          emitted: Array.from({ length: 16 }, (_, n) => ({ n })),
          errors: []
        })
      }).pipe(EngineFixture.onTestClock)
  )

  it.effect("are run together also where each waits longer for other code in its process than it takes", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const { actor, program } = yield* start(onRequest("this.$emit(event.body)"))
      yield* actor.deploy()
      for (let n = 0; n < 31; n++) yield* post(actor, { n })
      let messages = 0
      const countMessage = (request: RunRequest) => {
        if (request.programId === program.id) messages += 1
        return request
      }
      const busy = yield* runCode(componentOf("for (const end = Date.now() + 40; Date.now() < end;);"), {
        accountId: program.accountId
      }).pipe(Effect.forever, Effect.forkChild)
      yield* Effect.provideService(workAll(program, 64, 31), Sandbox, {
        ...sandbox,
        run: (request) => sandbox.run(countMessage(request)),
        runBatch: (request) => sandbox.runBatch(countMessage(request))
      })
      yield* Fiber.interrupt(busy)
      assert.deepStrictEqual((yield* found(program)).emitted, Array.from({ length: 31 }, (_, n) => ({ n })))
      assert.isAtMost(messages, 15)
    }).pipe(EngineFixture.onTestClock))

  it.effect("that are run together find nothing of the one before in what the code keeps by asynchronous context", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(`
        import { AsyncLocalStorage } from "node:async_hooks"
        const kept = new AsyncLocalStorage()
        ${
        onRequest("this.$emit({ n: event.body.n, found: kept.getStore() ?? null })\nkept.enterWith(event.body.n)")
          .trimStart()
      }`)
      yield* actor.deploy()
      for (let n = 0; n < 8; n++) yield* post(actor, { n })
      yield* workAll(program, 64, 8)
      const { emitted } = yield* found(program)
      assert.deepStrictEqual(emitted, Array.from({ length: 8 }, (_, n) => ({ n, found: null })))
    }).pipe(EngineFixture.onTestClock))
})
