import { assert, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/testing/TemporaryDirectory"
import { Effect, Layer } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { packagedDenoPath, SandboxConfig } from "./SandboxConfig.ts"
import { SandboxFiles } from "./SandboxFiles.ts"

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
    const runtime = Path.dirname(files.mainModule)
    for (const directory of [Path.dirname(runtime), runtime]) assert.strictEqual(yield* modeOf(directory), 0o755)
    const parts = yield* Effect.promise(() => Fs.readdir(runtime))
    assert.isAtLeast(parts.length, 2)
    for (const file of [...parts.map((name) => Path.join(runtime, name)), files.extraCaFile!]) {
      assert.strictEqual(yield* modeOf(file), 0o644)
    }
    assert.strictEqual(yield* modeOf(files.denoDirectory), 0o700)
  }))
