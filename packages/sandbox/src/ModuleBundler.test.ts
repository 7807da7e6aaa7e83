import { assert, layer } from "@effect/vitest"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { ModuleBundler } from "./ModuleBundler.ts"

/** Processes that read modules for this one. */
const bundlers = (): ReadonlyArray<number> =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").map(Number).filter((pid) => {
    try {
      return pid > 0 && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("bundler/Main.ts")
    } catch {
      return false
    }
  })

const importsOf = Effect.fnUntraced(function*(text: string) {
  const { imports } = yield* (yield* ModuleBundler).read({ file: "/a.mjs", type: "js", text })
  return imports.map(({ specifier }) => specifier)
})

layer(ModuleBundler.layer, { excludeTestServices: true, timeout: "60 seconds" })("ModuleBundler", (it) => {
  it.effect("finds every way to name a module, and what only looks like one not", () =>
    Effect.gen(function*() {
      const text = `
        import "./a.mjs"
        export * from "./b.mjs"
        // import "./comment.mjs"
        const text = 'import "./text.mjs"'
        try { await import("./try.mjs") } catch {}
        const later = () => import(\`./later.mjs\`)
        import(text)
        export default { later, run() { require("./required.js") } }`
      assert.deepStrictEqual((yield* importsOf(text)).toSorted(), [
        "./a.mjs",
        "./b.mjs",
        "./later.mjs",
        "./required.js",
        "./try.mjs"
      ])
    }))

  it.effect("reads a text again whose process was ended from outside", () =>
    Effect.gen(function*() {
      const before = bundlers()
      const reading = yield* Effect.forkChild(importsOf(`import "./a.mjs"`))
      // A process that was there already is idle, and ends as well as one that is just being started.
      const found = yield* Effect.repeat(Effect.delay(Effect.sync(bundlers), "1 millis"), {
        until: ({ length }) => length > 0
      })
      for (const pid of new Set([...before, ...found])) process.kill(pid, "SIGKILL")
      assert.deepStrictEqual(yield* Fiber.join(reading), ["./a.mjs"])
    }))

  it.effect("a text that brings the parser down fails by itself, and those that wait are read", () =>
    Effect.gen(function*() {
      const hostile = yield* Effect.forkChild(Effect.flip(importsOf(`x = ${"(".repeat(1_000_000)}`)))
      yield* Effect.sleep("50 millis")
      const others = yield* Effect.forEach(["./b.mjs", "./c.mjs"], (name) => importsOf(`import "${name}"`), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(others, [["./b.mjs"], ["./c.mjs"]])
      const fault = yield* Fiber.join(hostile)
      assert.match(fault.message, /can't be read/)
      assert.deepStrictEqual(fault.at, { file: "/a.mjs", line: 1, column: 1 })
    }))

  it.effect("one that gives up waiting leaves the others their turn and their answers", () =>
    Effect.gen(function*() {
      const long = `import "./long.mjs"\n${"void 0\n".repeat(200_000)}`
      assert.isTrue(Option.isNone(yield* Effect.timeoutOption(importsOf(long), "50 millis")))
      for (let count = 0; count < 200; count++) {
        assert.deepStrictEqual(yield* importsOf(`import "./${count}.mjs"`), [`./${count}.mjs`])
      }
    }))

  it.effect("a text is held to the time that a processor works on it, not to how long that takes on a busy machine", () =>
    Effect.gen(function*() {
      const before = bundlers()
      yield* importsOf("")
      const pid = bundlers().find((each) => !before.includes(each))
      process.kill(-pid!, "SIGSTOP")
      const reading = yield* Effect.forkChild(importsOf(`import "./a.mjs"`), { startImmediately: true })
      yield* Effect.sleep("5 seconds")
      process.kill(-pid!, "SIGCONT")
      assert.deepStrictEqual(yield* Fiber.join(reading), ["./a.mjs"])
    }).pipe(Effect.provide(Layer.fresh(ModuleBundler.layer))))

  it.effect("a text that takes long holds up its own account alone", () =>
    Effect.gen(function*() {
      const as = (account: string) => Effect.provideService(OnBehalfOf, account)
      const before = bundlers()
      const slow = yield* Effect.forkChild(importsOf(`import "./slow.mjs"`).pipe(as("u_slow")), {
        startImmediately: true
      })
      const [pid] = yield* Effect.repeat(
        Effect.delay(Effect.sync(() => bundlers().filter((each) => !before.includes(each))), "1 millis"),
        { until: ({ length }) => length > 0 }
      )
      process.kill(-pid!, "SIGSTOP")
      const next = yield* Effect.forkChild(importsOf(`import "./next.mjs"`).pipe(as("u_slow")), {
        startImmediately: true
      })
      for (const other of ["u_a", "u_b", "u_c"]) {
        assert.deepStrictEqual(yield* importsOf(`import "./${other}.mjs"`).pipe(as(other)), [`./${other}.mjs`])
      }
      assert.isUndefined(slow.pollUnsafe())
      assert.isUndefined(next.pollUnsafe())
      process.kill(-pid!, "SIGCONT")
      assert.deepStrictEqual(yield* Fiber.join(slow), ["./slow.mjs"])
      assert.deepStrictEqual(yield* Fiber.join(next), ["./next.mjs"])
    }).pipe(Effect.provide(Layer.fresh(ModuleBundler.layer))))

  it.effect("a text is not held to how long the parser takes to start", () =>
    Effect.gen(function*() {
      yield* importsOf("")
      // Nobody needs it for so long, so that the next text has to wait for another.
      yield* TestClock.adjust("31 seconds")
      const reading = yield* Effect.forkChild(importsOf(`import "./a.mjs"`), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(reading), ["./a.mjs"])
    }).pipe(Effect.provide(TestClock.layer())))
})
