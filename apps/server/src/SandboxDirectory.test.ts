import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Net from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import * as SandboxDirectory from "./SandboxDirectory.ts"

/** Leaves a socket in a directory, as a process does that is killed while it listens there. */
const listenAndDie = (directory: string) =>
  Effect.promise(async () => {
    const code = `require("net").createServer().listen(${JSON.stringify(Path.join(directory, "alive"))},
      () => process.kill(process.pid, "SIGKILL"))`
    const child = spawn(process.execPath, ["-e", code], { stdio: "ignore" })
    await new Promise((resolve) => child.once("exit", resolve))
  })

it.live("goes with its server, and with the next one if that is killed, and never while its server lives", () =>
  Effect.gen(function*() {
    const root = yield* Effect.acquireRelease(
      Effect.promise(() => Fs.mkdtemp(Path.join(Os.tmpdir(), "headwater-directories-"))),
      (path) => Effect.promise(() => Fs.rm(path, { recursive: true }))
    )
    const made = (name: string) =>
      Effect.promise(async () => {
        const path = Path.join(root, name)
        await Fs.mkdir(path)
        return path
      })
    const [killed, other] = [yield* made("headwater-sandbox-killed"), yield* made("another-program")]
    yield* made("headwater-sandbox-just-made")
    yield* listenAndDie(killed)
    yield* listenAndDie(other)
    yield* Effect.scoped(Effect.gen(function*() {
      const first = yield* SandboxDirectory.make(root)
      const second = yield* SandboxDirectory.make(root)
      const names = [first, second].map((path) => Path.basename(path))
      const kept = [...names, "another-program", "headwater-sandbox-just-made"]
      assert.sameMembers(yield* Effect.promise(() => Fs.readdir(root)), kept)
      const isHeard = yield* Effect.promise(() =>
        new Promise((resolve) => Net.connect(Path.join(first, "alive")).once("connect", () => resolve(true)))
      )
      assert.isTrue(isHeard)
    }))
    const left = ["another-program", "headwater-sandbox-just-made"]
    assert.sameMembers(yield* Effect.promise(() => Fs.readdir(root)), left)
  }))

it.live("is there also where no socket can be", () =>
  Effect.gen(function*() {
    const top = yield* Effect.acquireRelease(
      Effect.promise(() => Fs.mkdtemp(Path.join(Os.tmpdir(), "headwater-directories-"))),
      (path) => Effect.promise(() => Fs.rm(path, { recursive: true }))
    )
    // The path of a socket has at most about 100 bytes.
    const root = Path.join(top, "d".repeat(200))
    yield* Effect.promise(() => Fs.mkdir(root))
    yield* Effect.scoped(Effect.gen(function*() {
      const directory = yield* SandboxDirectory.make(root)
      assert.isTrue((yield* Effect.promise(() => Fs.stat(directory))).isDirectory())
    }))
    assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(root)), [])
  }))
