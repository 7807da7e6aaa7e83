import { assert, describe, it, layer } from "@effect/vitest"
import * as Loopback from "@headwater/fixtures/Loopback"
import { componentOf, inspectCode, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import { Effect, Fiber, Schedule } from "effect"
import { readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { readProcessUsage } from "./ProcessUsage.ts"
import { Sandbox } from "./Sandbox.ts"
import { sizeWithin } from "./SandboxConfig.ts"
import { SandboxPool } from "./SandboxPool.ts"

const trivial = componentOf(`this.$emit(1)`)

/** A server on which runs wait until they are let go. */
const gate = Effect.gen(function*() {
  const waiting = new Set<ServerResponse>()
  const starts = new Map<string, number>()
  let open = false
  const url = yield* Loopback.serve((request, response) => {
    const name = request.url ?? ""
    starts.set(name, (starts.get(name) ?? 0) + 1)
    waiting.add(response)
    if (open) response.end()
  })
  return {
    starts,
    open: Effect.sync(() => {
      open = true
      for (const response of waiting) response.end()
    }),
    /** Returns once so many runs have begun whose names begin so. */
    begun: (count: number, prefix = "") =>
      Effect.sync(() => [...starts].reduce((sum, [name, each]) => sum + (name.startsWith(`/${prefix}`) ? each : 0), 0))
        .pipe(Effect.repeat({ until: (sum) => sum >= count, schedule: Schedule.spaced("20 millis") })),
    /** A run that waits here. */
    run: (accountId: string, { bytes = 0, name = accountId } = {}) =>
      runCode(
        componentOf(`const kept = Buffer.alloc(event.bytes, 1); await fetch(event.url); this.$emit(kept.length)`),
        {
          accountId,
          event: { bytes, url: `${url}/${name}` }
        }
      )
  }
})

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
      const left = yield* pool.processes.pipe(
        Effect.repeat({ until: (all) => all.every((_) => _.id !== own?.id), schedule: Schedule.spaced("50 millis") })
      )
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

  it.effect("a component is looked at in another process when the one it was given to dies", () =>
    Effect.gen(function*() {
      const pool = yield* SandboxPool
      const inspecting = yield* Effect.forkChild(
        inspectCode(
          `await new Promise((resolve) => setTimeout(resolve, 400)); export default { name: "N", run() {} }`,
          "u_inspected"
        )
      )
      const [own] = yield* pool.processes.pipe(
        Effect.map((all) => all.filter((_) => _.accountId === "u_inspected" && _.pid !== undefined)),
        Effect.repeat({ until: ({ length }) => length > 0, schedule: Schedule.spaced("10 millis") })
      )
      yield* Effect.sleep("100 millis")
      process.kill(own!.pid!, "SIGKILL")
      assert.strictEqual((yield* Fiber.join(inspecting)).name, "N")
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
        Effect.timeout("60 seconds")
      )
      assert.strictEqual((yield* runCode(trivial, { accountId: "u_after" })).outcome, "success")
    }).pipe(Effect.provide(realSandbox({ pool: { ...small, idleMillis: 60_000 } }))))

  it.live(
    "an account without a process gets another's place, whose run is done again and then left alone",
    () =>
      Effect.gen(function*() {
        const { begun, open, run, starts } = yield* gate
        const long = yield* Effect.forEach([1, 2, 3, 4], (n) => Effect.forkChild(run(`u_long${n}`)))
        yield* begun(4)
        for (const n of [1, 2, 3]) {
          assert.strictEqual((yield* runCode(trivial, { accountId: `u_stranger${n}` })).outcome, "success")
        }
        const more = [...starts.values()].filter((count) => count > 1)
        assert.isAtLeast(more.length, 1)
        yield* open
        const results = yield* Effect.forEach(long, Fiber.join)
        assert.deepStrictEqual(results.map(({ outcome }) => outcome), Array.from({ length: 4 }, () => "success"))
        assert.isAtMost(Math.max(...starts.values()), 2)
      }).pipe(
        Effect.scoped,
        Effect.provide(realSandbox({ allow: "loopback", pool: { warmProcesses: 1, maxProcesses: 4 } }))
      )
  )

  it.live(
    "accounts with a process leave the last places to those without, who need nobody's",
    () =>
      Effect.gen(function*() {
        const pool = yield* SandboxPool
        const { begun, open, run, starts } = yield* gate
        const greedy = yield* Effect.forEach(
          Array.from({ length: 128 }, (_, n) => n),
          (n) => Effect.forkChild(run(`u_greedy${n % 2}`, { name: `greedy${n}` }))
        )
        yield* begun(6 * 16)
        const strangers = yield* Effect.forEach([1, 2], (n) => Effect.forkChild(run(`u_alone${n}`)))
        yield* begun(2, "u_alone")
        assert.isAtMost((yield* pool.processes).length, 8)
        yield* open
        for (const fiber of [...greedy, ...strangers]) assert.strictEqual((yield* Fiber.join(fiber)).outcome, "success")
        assert.strictEqual(Math.max(...starts.values()), 1)
      }).pipe(
        Effect.scoped,
        Effect.provide(realSandbox({ allow: "loopback", pool: { warmProcesses: 1, maxProcesses: 8 } }))
      )
  )

  it.live.runIf(process.platform === "linux")(
    "processes that need more memory than there is for all lose the largest, and the others go on",
    () =>
      Effect.gen(function*() {
        const { begun, open, run, starts } = yield* gate
        const little = yield* Effect.forkChild(run("u_little"))
        yield* begun(1)
        const much = yield* run("u_much", { bytes: 128 * 1024 * 1024 })
        assert.deepStrictEqual([much.outcome, much.limit], ["limit", "memory"])
        assert.strictEqual(starts.get("/u_little"), 1)
        yield* open
        assert.strictEqual((yield* Fiber.join(little)).outcome, "success")
        assert.strictEqual(starts.get("/u_little"), 1)
      }).pipe(
        Effect.scoped,
        Effect.provide(realSandbox({ allow: "loopback", pool: { warmProcesses: 1, memoryMebibytes: 100 } }))
      )
  )

  it.live.runIf(process.platform === "linux")(
    "processor time that a run leaves behind counts to the next of its account",
    () =>
      Effect.gen(function*() {
        const accountId = "u_behind"
        yield* runCode(trivial, { accountId })
        const pid = (yield* (yield* SandboxPool).processes).find((_) => _.accountId === accountId)?.pid ?? 0
        const usedMs = Effect.sync(() => readProcessUsage(pid)?.cpuMs ?? 0)
        const before = yield* usedMs
        yield* runCode(
          componentOf(`
            const usedMicros = () => { const { system, user } = process.cpuUsage(); return system + user }
            const before = usedMicros()
            setTimeout(() => { while (usedMicros() - before < 130_000); }, 10)`),
          { accountId }
        )
        yield* usedMs.pipe(
          Effect.repeat({ until: (used) => used >= before + 120, schedule: Schedule.spaced("50 millis") })
        )
        // Until it has been looked at again.
        yield* Effect.repeat(Effect.sleep("100 millis"), { times: 4 })
        const runs = yield* Effect.replicateEffect(runCode(trivial, { accountId }), 3)
        const charged = runs.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
        assert.isAbove(charged, 90)
        assert.isBelow(charged, 400)
      }).pipe(Effect.provide(realSandbox({ pool: { ...small, idleMillis: 60_000 } })))
  )

  it.live.runIf(process.platform === "linux")(
    "a process that a run leaves blocked is ended, and holds up no other run",
    () =>
      Effect.gen(function*() {
        const accountId = "u_blocked"
        yield* runCode(
          componentOf(`setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 0)`),
          { accountId }
        )
        assert.strictEqual((yield* runCode(trivial, { accountId })).outcome, "success")
      }).pipe(Effect.provide(realSandbox({ pool: { ...small, idleMillis: 60_000, stuckMillis: 500 } })))
  )

  it.live("a run that asks for more heap has a process with as much, and others keep theirs", () =>
    Effect.gen(function*() {
      const pool = yield* SandboxPool
      const heaps = Effect.map(
        pool.processes,
        (all) => all.filter(({ accountId }) => accountId !== undefined).map(({ heapMebibytes }) => heapMebibytes).sort()
      )
      const fill = componentOf(`
        const kept = Array.from({ length: 1_200 }, () => new Array(16_384).fill(Math.random()))
        this.$emit(kept.length)`)
      const usual = yield* runCode(fill)
      assert.deepStrictEqual([usual.outcome, usual.limit], ["limit", "memory"])
      const larger = yield* runCode(fill, { limits: { heapMebibytes: 300 } })
      assert.deepStrictEqual(larger.emits, [{ payload: "1200" }])
      assert.deepStrictEqual(yield* heaps, [400])
      assert.strictEqual((yield* runCode(trivial)).outcome, "success")
      assert.deepStrictEqual(yield* heaps, [400, 64])
      yield* runCode(trivial, { limits: { heapMebibytes: 16_000 } })
      assert.deepStrictEqual(yield* heaps, [400, 64])
    }).pipe(Effect.provide(
      realSandbox({ limits: { heapMebibytes: 64, maxHeapMebibytes: 400 }, pool: { warmProcesses: 1 } })
    )))

  it.live("a process that was started for a run which does not wait any more gives its place to another", () =>
    Effect.gen(function*() {
      const { begun, open, run } = yield* gate
      const first = yield* Effect.forkChild(run("u_first"))
      yield* begun(1)
      const given = yield* Effect.forkChild(
        runCode(trivial, { accountId: "u_given_up", limits: { heapMebibytes: 512 } }),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(given)
      const second = yield* runCode(trivial, { accountId: "u_second" })
      assert.strictEqual(second.outcome, "success")
      yield* open
      assert.strictEqual((yield* Fiber.join(first)).outcome, "success")
    }).pipe(
      Effect.scoped,
      Effect.provide(realSandbox({
        allow: "loopback",
        limits: { maxHeapMebibytes: 512 },
        pool: { ...small, warmProcesses: 0, idleMillis: 600_000 }
      }))
    ))

  it("half of the memory is for sandboxes, at 64 MiB for each", () => {
    const gibibyte = 1024 ** 3
    assert.deepStrictEqual(sizeWithin(8 * gibibyte), { memoryMebibytes: 4_096, maxProcesses: 64 })
    assert.strictEqual(sizeWithin(gibibyte / 2).maxProcesses, 16)
    assert.strictEqual(sizeWithin(1024 * gibibyte).maxProcesses, 512)
  })

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
      assert.isAbove(pids.length, 0)
      const isGone = (pid: number) => {
        try {
          return !process.kill(pid, 0)
        } catch {
          return true
        }
      }
      yield* Effect.sync(() => pids.every(isGone)).pipe(
        Effect.repeat({ until: (gone) => gone, schedule: Schedule.spaced("50 millis") })
      )
    }))
})
