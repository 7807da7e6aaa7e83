import { assert, it, layer } from "@effect/vitest"
import { componentOf, hashOf, inspectCode, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import { Effect, Fiber, Schedule } from "effect"
import type { RunEmit, RunResponse } from "./Run.ts"
import { Sandbox } from "./Sandbox.ts"
import { SandboxPool, type SandboxProcessSummary } from "./SandboxPool.ts"

const limits = {
  // Far more than the processor time takes on a machine with much else to do.
  wallMillis: 150_000,
  cpuMillis: 1_500,
  inspectCpuMillis: 700,
  inspectWallMillis: 60_000,
  heapMebibytes: 64,
  outputBytes: 1024 * 1024,
  connections: 1_000,
  responseBytes: 200_000
}

/** The pool's processes, once they are as is waited for. */
const processesOnce = Effect.fnUntraced(function*(holds: (processes: ReadonlyArray<SandboxProcessSummary>) => boolean) {
  const pool = yield* SandboxPool
  return yield* pool.processes.pipe(
    Effect.repeat({ until: holds, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("60 seconds")
  )
})

/** Of a run that is to end by it. */
const cpuMillis = 500

const sandbox = realSandbox({ limits, pool: { warmProcesses: 1 } })

layer(sandbox, { excludeTestServices: true, timeout: "180 seconds" })("Limits of a run", (it) => {
  it.effect("an endless top-level loop is refused within the limit of an inspection", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(inspectCode(`for (;;) {}`))
      assert.deepInclude({ ...error }, { _tag: "ComponentInvalid", reason: "timeout" })
      assert.match(error.message, /within 700 ms of processor time$/)
    }))

  it.effect("a component that describes itself in JSON too deep to be read is refused, and harms nothing", () =>
    Effect.gen(function*() {
      for (const depth of [1_500, 3_000, 6_000, 20_000]) {
        const deep = `JSON.parse("[".repeat(${depth}) + "]".repeat(${depth}))`
        const error = yield* Effect.flip(
          inspectCode(`export default { props: { deep: { type: "any", default: ${deep} } }, run() {} }`)
        )
        assert.strictEqual(error._tag, "ComponentInvalid", String(depth))
      }
      assert.deepStrictEqual((yield* runCode(componentOf(`this.$emit(1)`))).emits, [{ payload: "1" }])
    }))

  it.effect("a run that opens more connections than it may gets no more, and others get theirs", () =>
    Effect.gen(function*() {
      const resolve = `const dns = await import("node:dns/promises").then((module) => module.default)
        const attempt = () => dns.lookup("localhost").then(() => "resolved", (error) => error.code)`
      const many = yield* runCode(componentOf(`${resolve}
        const codes = await Promise.all(Array.from({ length: 1_010 }, attempt))
        this.$emit(codes.filter((code) => code !== "EMFILE").length)`))
      assert.deepStrictEqual(many.emits.map(({ payload }) => payload), ["1000"])
      const other = yield* runCode(componentOf(`${resolve}; this.$emit(await attempt())`))
      assert.notInclude(other.emits[0]?.payload, "EMFILE")
    }))

  it.effect("a top level that waits for longer than it may compute is not refused for it", () =>
    Effect.gen(function*() {
      const described = yield* inspectCode(
        `await new Promise((resolve) => setTimeout(resolve, 1_000)); export default { name: "Late", run() {} }`
      )
      assert.strictEqual(described.name, "Late")
    }))

  it.effect(
    "an endless loop ends by the processor limit, with what it did, and its neighbours run on elsewhere",
    () =>
      Effect.gen(function*() {
        const waiting = yield* Effect.forkChild(runCode(
          componentOf(`await new Promise((resolve) => setTimeout(resolve, 1000)); this.$emit("waited")`),
          { accountId: "u_loop", limits: { cpuMillis } }
        ))
        yield* Effect.sleep("500 millis")
        const looping = yield* Effect.forkChild(
          runCode(componentOf(`this.$emit("before"); for (;;) {}`), { accountId: "u_loop" })
        )
        yield* Effect.sleep("2 seconds")
        // Sooner than the loop's neighbours are taken out of its process.
        const other = yield* runCode(componentOf(`this.$emit("elsewhere")`), {
          accountId: "u_loop",
          limits: { wallMillis: 2_500 }
        })
        assert.deepStrictEqual(other.emits, [{ payload: `"elsewhere"` }])
        const neighbour = yield* Fiber.join(waiting)
        assert.strictEqual(neighbour.outcome, "success")
        assert.deepStrictEqual(neighbour.emits, [{ payload: `"waited"` }])
        const culprit = yield* Fiber.join(looping)
        assert.strictEqual(culprit.outcome, "limit")
        assert.strictEqual(culprit.limit, "cpu")
        assert.deepStrictEqual(culprit.emits, [{ payload: `"before"` }])
        assert.isAtLeast(culprit.cpuMs, cpuMillis)
      })
  )

  it.effect("a loop that yields to others ends by the processor limit as well", () =>
    Effect.gen(function*() {
      const result = yield* runCode(componentOf(`for (;;) await new Promise((resolve) => setImmediate(resolve))`), {
        limits: { cpuMillis }
      })
      assert.strictEqual(result.limit, "cpu")
    }))

  it.effect("a run that never settles ends by the wall limit, and the run beside it is left alone", () =>
    Effect.gen(function*() {
      const [{ payload: ofProcess }] = (yield* runCode(componentOf(`this.$emit(performance.timeOrigin)`), {
        accountId: "u_wall"
      })).emits as [RunEmit]
      const beside = yield* Effect.forkChild(runCode(
        componentOf(
          `this.db.set("a", 1); await new Promise((resolve) => setTimeout(resolve, 1500)); this.db.set("b", 2)
          this.$emit(performance.timeOrigin)`
        ),
        { accountId: "u_wall" }
      ))
      const result = yield* runCode(componentOf(`this.$emit("before"); await new Promise(() => {})`), {
        accountId: "u_wall",
        limits: { wallMillis: 1_000 }
      })
      assert.strictEqual(result.limit, "wall")
      assert.deepStrictEqual(result.emits, [{ payload: `"before"` }])
      const other = yield* Fiber.join(beside)
      assert.strictEqual(other.outcome, "success")
      assert.deepStrictEqual(other.emits, [{ payload: ofProcess }])
      assert.deepStrictEqual(other.db, { a: "1", b: "2" })
    }))

  for (
    const [what, body] of [
      ["the heap", `const all = []; for (;;) all.push(new Array(100_000).fill(Math.random()))`],
      [
        "buffers",
        `const all = []; for (;;) { all.push(Buffer.alloc(8e6, 1)); await new Promise((r) => setTimeout(r, 1)) }`
      ]
    ] as const
  ) {
    it.effect(
      `a run that fills ${what} ends by the memory limit, and its neighbour is run again`,
      () =>
        Effect.gen(function*() {
          const accountId = `u_memory_${what}`
          const waiting = yield* Effect.forkChild(runCode(
            componentOf(`await new Promise((resolve) => setTimeout(resolve, 1000)); this.$emit("waited")`),
            { accountId }
          ))
          yield* Effect.sleep("200 millis")
          const result = yield* runCode(componentOf(`this.db.set("k", 1); ${body}`), {
            accountId,
            limits: { cpuMillis: 20_000 }
          })
          assert.deepStrictEqual([result.outcome, result.limit], ["limit", "memory"])
          assert.deepStrictEqual(result.db, { k: "1" })
          const neighbour = yield* Fiber.join(waiting)
          assert.strictEqual(neighbour.outcome, "success")
          assert.deepStrictEqual(neighbour.emits, [{ payload: `"waited"` }])
        })
    )
  }

  for (
    const [what, body] of [
      ["emits", `for (;;) this.$emit("x".repeat(10_000))`],
      ["emits of nothing", `for (;;) this.$emit(0)`],
      ["logs", `for (;;) console.log("x")`],
      ["keys of the db", `this.$emit(0); for (let n = 0;; n++) this.db.set("k" + n, 0)`],
      ["writes of one key", `this.$emit(0); for (let n = 0;; n++) this.db.set("k", n + "x".repeat(100_000))`],
      ["responses", `this.$emit(0); for (;;) this.http.respond({ body: "x".repeat(100_000) })`],
      ["standard output", `this.$emit(0); for (;;) (await import("node:fs")).writeSync(1, "x".repeat(60_000))`],
      ["standard error", `this.$emit(0); for (;;) (await import("node:fs")).writeSync(2, "x".repeat(60_000))`],
      [
        "questions, to whose answers it does not listen",
        `this.$emit(0); const dns = (await import("node:dns")).default; const host = "%".repeat(5000); for (;;) dns.lookup(host, () => {})`
      ]
    ] as const
  ) {
    it.effect(`a flood of ${what} ends by the output limit`, () =>
      Effect.gen(function*() {
        const result = yield* runCode(componentOf(body))
        assert.deepStrictEqual([result.outcome, result.limit], ["limit", "output"])
        const rows = [...result.emits.map((_) => _.payload), ...result.logs.map((_) => _.message)]
        assert.isAtMost(rows.join("").length + 128 * (rows.length + Object.keys(result.db).length), limits.outputBytes)
        assert.isNotEmpty(rows)
      }))
  }

  it.effect("a response that is too large is refused where it is made, and the run may make another", () =>
    Effect.gen(function*() {
      const answered: Array<RunResponse> = []
      const result = yield* runCode(
        componentOf(`
          const attempts = [
            { body: "x".repeat(event.responseBytes + 1) },
            { body: new Uint8Array(event.responseBytes + 1) },
            { headers: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => ["x-" + n, n])) },
            { headers: { "x-a": "a" }, body: "x".repeat(event.responseBytes) }
          ]
          for (const attempt of attempts) await this.http.respond(attempt).catch(({ name }) => this.$emit(name))`),
        { event: limits, onRespond: (response) => Effect.sync(() => void answered.push(response)) }
      )
      assert.deepStrictEqual(result.emits.map((_) => _.payload), Array.from({ length: 3 }, () => `"RangeError"`))
      assert.deepStrictEqual(answered.map(({ body, headers }) => [headers["x-a"], body.length]), [
        ["a", limits.responseBytes]
      ])
    }))

  it.effect("an interrupted run's process takes no more work, and ends", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(
        runCode(componentOf(`await new Promise(() => {})`), { accountId: "u_interrupted" })
      )
      const isIts = (_: SandboxProcessSummary) => _.accountId === "u_interrupted" && _.running === 1
      const process = (yield* processesOnce((_) => _.some(isIts))).find(isIts)
      yield* Fiber.interrupt(fiber)
      yield* processesOnce((left) => left.every((_) => _.id !== process?.id))
    }))

  it.effect("a process whose runs nobody waits for any more takes no more work, and ends", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const code = componentOf(`if (event.n === 1) await new Promise(() => {})`)
      const batch = yield* sandbox.runBatch({
        accountId: "u_gone",
        programId: "dc_test",
        module: { code, hash: hashOf(code) },
        call: { _tag: "Run", eventsJson: [`{"n":0}`, `{"n":1}`, `{"n":2}`] },
        props: {},
        interfaces: {},
        credentials: {},
        db: {}
      })
      assert.lengthOf(yield* batch.next, 1)
      const isIts = (_: SandboxProcessSummary) => _.accountId === "u_gone" && _.running === 1
      const process = (yield* processesOnce((_) => _.some(isIts))).find(isIts)
      yield* batch.giveUp
      yield* processesOnce((left) => left.every((_) => _.id !== process?.id))
    }))

  it.effect("of several runs one after the other, each is charged what it used itself", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const code = componentOf(`const end = Date.now() + event.busyMs
        while (Date.now() < end) {}
        await new Promise((resolve) => setTimeout(resolve, event.restMs))`)
      const used = (eventsJson: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          const batch = yield* sandbox.runBatch({
            accountId: "u_charged",
            programId: "dc_test",
            module: { code, hash: hashOf(code) },
            call: { _tag: "Run", eventsJson },
            props: {},
            interfaces: {},
            credentials: {},
            db: {}
          })
          const cpuMs: Array<number> = []
          for (let results = yield* batch.next; results.length > 0; results = yield* batch.next) {
            cpuMs.push(...results.map((result) => result.cpuMs))
          }
          return cpuMs
        })
      // What its start costs is the process's first run's, once it is measured.
      yield* used([`{"busyMs":0,"restMs":600}`])
      // What the first used is measured while the second rests. On a busy machine the second may be given back.
      const both = yield* Effect.repeat(
        used([`{"busyMs":80,"restMs":0}`, `{"busyMs":0,"restMs":600}`]),
        { until: ({ length }) => length === 2 }
      )
      assert.isBelow(both[1]!, 30)
    }))

  it.effect("each of several runs may open as many connections as one by itself", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const code = componentOf(`const { lookup } = (await import("node:dns/promises")).default
        const codes = await Promise.all(
          Array.from({ length: event.n }, () => lookup("localhost").then(() => "resolved", (error) => error.code)))
        this.$emit(codes.filter((code) => code === "EMFILE").length)`)
      const runBoth = Effect.gen(function*() {
        const batch = yield* sandbox.runBatch({
          accountId: "u_each",
          programId: "dc_test",
          module: { code, hash: hashOf(code) },
          call: { _tag: "Run", eventsJson: [`{"n":20}`, `{"n":1000}`] },
          props: {},
          interfaces: {},
          credentials: {},
          db: {}
        })
        const emits: Array<RunEmit> = []
        for (let results = yield* batch.next; results.length > 0; results = yield* batch.next) {
          emits.push(...results.flatMap((result) => result.emits))
        }
        return emits
      })
      // On a busy machine the first may take so long that the second is given back.
      const emits = yield* Effect.repeat(runBoth, { until: ({ length }) => length === 2 })
      assert.deepStrictEqual(emits.map(({ payload }) => payload), ["0", "0"])
    }))

  it.effect("two accounts never share a process", () =>
    Effect.gen(function*() {
      const code = `let count = 0; export default { async run() {
        this.$emit([++count, globalThis.left ??= this.who]); await new Promise((resolve) => setTimeout(resolve, 300)) }, props: {} }`
      const runs = yield* Effect.forkChild(Effect.forEach(
        ["u_one", "u_two", "u_one", "u_two"],
        (accountId) => runCode(code, { accountId, props: { who: accountId } }),
        { concurrency: "unbounded" }
      ))
      const isOwned = (owner: string) => (_: SandboxProcessSummary) => _.accountId === owner
      yield* processesOnce((_) => _.some(isOwned("u_one")) && _.some(isOwned("u_two")))
      const results = yield* Fiber.join(runs)
      assert.deepStrictEqual(results.map((_) => _.emits[0]?.payload), [
        `[1,"u_one"]`,
        `[1,"u_two"]`,
        `[2,"u_one"]`,
        `[2,"u_two"]`
      ])
    }))
})

it.live("a top level that never settles is refused", () =>
  Effect.gen(function*() {
    const error = yield* Effect.flip(inspectCode(`await new Promise(() => {}); export default { run() {} }`))
    assert.deepInclude({ ...error }, { _tag: "ComponentInvalid", reason: "timeout" })
    assert.match(error.message, /within 1000 ms$/)
  }).pipe(Effect.provide(realSandbox({ limits: { inspectWallMillis: 1_000 }, pool: { warmProcesses: 1 } }))))
