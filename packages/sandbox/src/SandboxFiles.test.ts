import { assert, it, layer } from "@effect/vitest"
import { componentOf, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as DenoProcess from "./DenoProcess.ts"
import { packagedDenoPath, SandboxConfig } from "./SandboxConfig.ts"
import { SandboxFiles } from "./SandboxFiles.ts"
import { SandboxPool } from "./SandboxPool.ts"

const masked = Effect.acquireRelease(
  Effect.sync(() => process.umask(0o077)),
  (before) => Effect.sync(() => process.umask(before))
)

it.effect("what a sandbox reads is readable for whoever it runs as, whatever the umask", () =>
  Effect.gen(function*() {
    yield* masked
    const cacheDir = yield* TemporaryDirectory.make("sandbox-files")
    const extraCaFile = Path.join(cacheDir, "ca.pem")
    yield* Effect.promise(() => Fs.writeFile(extraCaFile, "pem"))
    const files = yield* SandboxFiles.pipe(
      Effect.provide(Layer.provide(
        SandboxFiles.layer,
        SandboxConfig.layer({ denoPath: packagedDenoPath(), cacheDir, extraCaFile })
      ))
    )
    const modeOf = (path: string) => Effect.promise(async () => (await Fs.stat(path)).mode & 0o777)
    const runtime = Path.dirname(yield* files.mainModule.javascript)
    for (const directory of [Path.dirname(runtime), runtime]) assert.strictEqual(yield* modeOf(directory), 0o755)
    const parts = yield* Effect.promise(() => Fs.readdir(runtime))
    assert.isAtLeast(parts.length, 2)
    for (const file of [...parts.map((name) => Path.join(runtime, name)), files.extraCaFile!]) {
      assert.strictEqual(yield* modeOf(file), 0o644)
    }
    assert.strictEqual(yield* modeOf(files.denoDirectory), 0o555)
    // Each process reads it at its start. A module that comes with all of Effect makes it several times as large.
    const { size } = yield* Effect.promise(() => Fs.stat(Path.join(runtime, "Main.txt")))
    assert.isBelow(size, 200_000)
  }))

/** In place of Deno: it ends, or does not. */
const program = Effect.fnUntraced(function*(cacheDir: string, line: string) {
  const denoPath = Path.join(cacheDir, "deno-in-place")
  yield* Effect.promise(() => Fs.writeFile(denoPath, `#!/bin/sh\n${line}\n`, { mode: 0o755 }))
  return SandboxConfig.layer({ denoPath, cacheDir })
})

it.effect("what could not be made of a program leaves no files", () =>
  Effect.gen(function*() {
    const cacheDir = yield* TemporaryDirectory.make("sandbox-files")
    const config = yield* program(cacheDir, "echo there is no memory >&2; exit 1")
    const files = yield* Effect.provide(SandboxFiles, Layer.provide(SandboxFiles.layer, config))
    assert.include((yield* Effect.flip(files.mainModule.python)).message, "there is no memory")
    const left = yield* Effect.promise(() => Fs.readdir(Path.join(cacheDir, "sandbox")))
    assert.deepStrictEqual(left.map((name) => name.replace(/-.*/, "")).sort(), ["deno", "runtime"])
  }))

it.effect("a program that does not end is given up", () =>
  Effect.gen(function*() {
    const cacheDir = yield* TemporaryDirectory.make("sandbox-files")
    const layer = yield* program(cacheDir, "exec sleep 1000")
    const config = yield* Effect.provide(SandboxConfig, layer)
    const files = { denoDirectory: cacheDir, extraCaFile: undefined }
    const output = DenoProcess.output({ config, files, mainModule: "main.js", kind: config.kinds.of("python") })
    const running = yield* Effect.forkChild(Effect.flip(output), { startImmediately: true })
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual((yield* Fiber.join(running)).message, "The program did not end within 5 minutes")
  }))

/** The environment of a process of the pool that has not ended. */
const environmentOfProcess = Effect.gen(function*() {
  const [process] = yield* (yield* SandboxPool).processes
  return yield* Effect.tryPromise(() => Fs.readFile(`/proc/${process?.pid}/environ`, "utf8"))
}).pipe(Effect.retry(Schedule.spaced("10 millis")))

/** The bytes of the files in the directory that the sandboxes' Deno takes for its cache. */
const writtenBytes = Effect.gen(function*() {
  const environment = yield* environmentOfProcess
  return yield* Effect.promise(async () => {
    const directory = /DENO_DIR=([^\0]*)/.exec(environment)?.[1] ?? ""
    const entries = await Fs.readdir(directory, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const sizes = files.map(async ({ name, parentPath }) => (await Fs.stat(Path.join(parentPath, name))).size)
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  })
})

layer(realSandbox({ pool: { warmProcesses: 1 } }), { excludeTestServices: true, timeout: "60 seconds" })(
  "What component code leaves on disk",
  (it) => {
    for (
      const [what, body] of [
        [
          "imports modules that it has made",
          `await import("data:text/javascript,export default " + n + ";//" + filler)`
        ],
        [
          "imports modules in TypeScript",
          `await import("data:text/typescript,export default " + n + " as number;//" + filler)`
        ],
        [
          "imports what it has as a blob",
          `await import(URL.createObjectURL(new Blob(["//" + n + filler], { type: "text/javascript" })))`
        ]
      ] as const
    ) {
      it.effect.runIf(process.platform === "linux")(`a run that ${what} leaves no file`, () =>
        Effect.gen(function*() {
          const { outcome } = yield* runCode(
            componentOf(`
              const filler = "x".repeat(1e5)
              for (let n = 0; n < 3; n++) { ${body} }`)
          )
          assert.strictEqual(outcome, "success")
          assert.strictEqual(yield* writtenBytes, 0)
        }))
    }

    it.effect("a database in memory gets no file for what is temporary in it", () =>
      Effect.gen(function*() {
        const result = yield* runCode(componentOf(`
          const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
          const database = new DatabaseSync(":memory:")
          database.exec("PRAGMA cache_size = 10; CREATE TEMP TABLE kept (bytes)")
          for (let n = 0; n < 20; n++) database.prepare("INSERT INTO kept VALUES (randomblob(1000000))").run()`))
        assert.include(result.error?.message, "disk I/O error")
      }))
  }
)
