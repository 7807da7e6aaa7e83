import { assert, describe, it, layer } from "@effect/vitest"
import { componentOf, inspectCode, realSandbox, runCode } from "@headwater/testing/RealSandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { readFileSync } from "node:fs"
import { Sandbox } from "./Sandbox.ts"
import { SandboxPool } from "./SandboxPool.ts"

const trivial = componentOf(`this.$emit(1)`)

const small = { warmProcesses: 1, maxProcesses: 2, maxProcessesPerAccount: 1, maxRunsPerProcess: 2, idleMillis: 700 }

layer(realSandbox({ pool: small }), { excludeTestServices: true, timeout: "60 seconds" })("SandboxPool", (it) => {
  it.effect("more accounts than processes take turns", () =>
    Effect.gen(function*() {
      const pool = yield* SandboxPool
      const results = yield* Effect.forEach(
        Array.from({ length: 6 }, (_, index) => `u_${index}`),
        (accountId) => runCode(trivial, { accountId }),
        { concurrency: "unbounded" }
      )
      assert.isTrue(results.every((_) => _.outcome === "success"))
      assert.isAtMost((yield* pool.processes).length, small.maxProcesses)
    }))

  it.effect("more runs of an account than its processes may have wait in turn", () =>
    Effect.gen(function*() {
      const code = componentOf(`await new Promise((resolve) => setTimeout(resolve, 100)); this.$emit(event)`)
      const results = yield* Effect.forEach(
        [1, 2, 3, 4, 5],
        (event) => runCode(code, { event }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.map((_) => _.emits[0]?.payload), ["1", "2", "3", "4", "5"])
    }))

  it.effect("a process without work is ended after a while, one kept warm is not", () =>
    Effect.gen(function*() {
      const pool = yield* SandboxPool
      yield* runCode(trivial, { accountId: "u_idle" })
      const own = (yield* pool.processes).find((_) => _.accountId === "u_idle")
      assert.isDefined(own)
      yield* Effect.sleep("1500 millis")
      const left = yield* pool.processes
      assert.notInclude(left.map((_) => _.id), own?.id)
      assert.isTrue(left.some((_) => _.accountId === undefined))
    }))

  it.effect("a run goes on in another process when the one it was given to dies", () =>
    Effect.gen(function*() {
      const pool = yield* SandboxPool
      const answers: Array<number> = []
      const running = yield* Effect.forkChild(runCode(
        componentOf(`
          this.http.respond({ status: 200 + event.n })
          this.$emit("begun")
          await new Promise((resolve) => setTimeout(resolve, 500))
          this.$emit("done")`),
        {
          accountId: "u_killed",
          event: { n: 1 },
          onRespond: ({ status }) => Effect.sync(() => void answers.push(status))
        }
      ))
      // A first run, so that the process is not new to the second and its end is not put down to it.
      yield* Effect.sleep("50 millis")
      yield* runCode(trivial, { accountId: "u_killed" })
      const process_ = (yield* pool.processes).find((_) => _.accountId === "u_killed")
      if (process_?.pid !== undefined) process.kill(process_.pid, "SIGKILL")
      const result = yield* Fiber.join(running)
      assert.strictEqual(result.outcome, "success")
      assert.deepStrictEqual(result.emits.map((_) => _.payload), [`"begun"`, `"done"`])
      assert.deepStrictEqual(answers, [201])
    }))

  it.effect.runIf(process.platform === "linux")(
    "a process is in no process group of the server's, so that a Ctrl-C on a terminal does not reach it",
    () =>
      Effect.gen(function*() {
        const pool = yield* SandboxPool
        yield* runCode(trivial)
        const groupOf = (pid: number | "self") =>
          readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ")[2]
        const processes = yield* pool.processes
        assert.isNotEmpty(processes)
        for (const { pid } of processes) assert.notStrictEqual(groupOf(pid ?? "self"), groupOf("self"))
      })
  )

  it.effect.runIf(process.getuid?.() === 0)(
    "a server that is root starts its sandboxes as someone else",
    () =>
      Effect.gen(function*() {
        const pool = yield* SandboxPool
        yield* runCode(trivial)
        for (const { pid } of yield* pool.processes) {
          const status = readFileSync(`/proc/${pid}/status`, "utf8")
          assert.match(status, /^Uid:\s+65534\s+65534\s+65534\s+65534$/m)
          assert.match(status, /^Gid:\s+65534\s+65534\s+65534\s+65534$/m)
          assert.match(status, /^Groups:\s*$/m)
        }
      })
  )
})

describe("SandboxPool", () => {
  it.live("a Deno that does not start makes the sandbox unavailable, and says why", () =>
    Effect.gen(function*() {
      for (const effect of [runCode(trivial), inspectCode(trivial)]) {
        const error = yield* Effect.flip(effect as Effect.Effect<unknown, { _tag: string; message: string }, Sandbox>)
        assert.strictEqual(error._tag, "SandboxUnavailable")
        assert.include(error.message, "Deno did not start")
      }
    }).pipe(Effect.provide(realSandbox({ denoPath: "/nonexistent/deno" }))))

  it.live("what goes on after its run, and only that, is stopped by ending the process", () =>
    Effect.gen(function*() {
      const pool = yield* SandboxPool
      yield* runCode(componentOf(`setTimeout(() => { for (;;) {} }, 10)`), { accountId: "u_after" })
      const busy = (yield* pool.processes).find((_) => _.accountId === "u_after")
      assert.isDefined(busy)
      yield* pool.processes.pipe(
        Effect.repeat({
          until: (left) => left.every((_) => _.id !== busy?.id),
          schedule: Schedule.spaced("50 millis")
        }),
        Effect.timeout("10 seconds")
      )
      assert.strictEqual((yield* runCode(trivial, { accountId: "u_after" })).outcome, "success")
    }).pipe(Effect.provide(realSandbox({ pool: { ...small, idleMillis: 60_000 } }))))

  it.live("work past the bound of the queue is refused at once", () =>
    Effect.gen(function*() {
      const exits = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => index),
        () => Effect.exit(runCode(trivial)),
        { concurrency: "unbounded" }
      )
      const refused = exits.filter((exit) => exit._tag === "Failure")
      assert.isAbove(refused.length, 20)
      assert.isBelow(refused.length, 30)
    }).pipe(Effect.provide(realSandbox({ pool: { warmProcesses: 0, maxWaiting: 3 } }))))

  it.live("told to stop, it ends what is under way and takes nothing more", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const running = yield* Effect.forkChild(Effect.flip(runCode(componentOf(`await new Promise(() => {})`))))
      yield* SandboxPool.pipe(
        Effect.flatMap((pool) => pool.processes),
        Effect.repeat({ until: (all) => all.some((one) => one.running > 0), schedule: Schedule.spaced("20 millis") })
      )
      yield* sandbox.stop
      for (const error of [yield* Fiber.join(running), yield* Effect.flip(runCode(componentOf("")))]) {
        assert.deepInclude({ ...error }, { _tag: "SandboxUnavailable", reason: "stopping" })
      }
    }).pipe(Effect.provide(realSandbox({ pool: { warmProcesses: 1 } }))))

  it.live("runs still going on when the sandbox stops are told, and no process is left", () =>
    Effect.gen(function*() {
      const [fiber, pids] = yield* Effect.gen(function*() {
        const sandbox = yield* Sandbox
        const fiber = yield* Effect.forkDetach(
          Effect.flip(
            runCode(componentOf(`await new Promise(() => {})`)).pipe(Effect.provideService(Sandbox, sandbox))
          )
        )
        yield* Effect.sleep("1 second")
        return [fiber, (yield* (yield* SandboxPool).processes).flatMap((_) => _.pid ?? [])] as const
      }).pipe(Effect.provide(realSandbox()))
      const error = yield* Fiber.join(fiber)
      assert.deepInclude({ ...error }, { _tag: "SandboxUnavailable", reason: "stopping" })
      yield* Effect.sleep("300 millis")
      assert.isAbove(pids.length, 0)
      for (const pid of pids) assert.throws(() => process.kill(pid, 0))
    }))
})
