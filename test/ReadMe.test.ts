import { assert, it } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Walkthrough from "./documents/Walkthrough.ts"
import * as ServerProcess from "./ServerProcess.ts"

const root = Path.resolve(import.meta.dirname, "..")

it.live("the README's walk-through does what it shows, command by command", () =>
  Effect.gen(function*() {
    const server = yield* ServerProcess.make
    yield* server.start
    const readme = yield* Effect.promise(() => Fs.readFile(Path.join(root, "README.md"), "utf8"))
    const port = yield* FreePort.find
    assert.isAbove(yield* Walkthrough.walk(readme, { server, directory: root, port }), 15)
  }), 480_000)

it.live("the README names every package, app and client, and no other", () =>
  Effect.promise(async () => {
    const readme = await Fs.readFile(Path.join(root, "README.md"), "utf8")
    const named = [...readme.matchAll(/^((?:packages|apps|clients)\/[a-z]+) {2}/gm)].map(([, folder]) => folder)
    const groups = ["packages", "apps", "clients"]
    const folders = await Promise.all(groups.map(async (group) => {
      const entries = await Fs.readdir(Path.join(root, group), { withFileTypes: true })
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${group}/${name}`)
    }))
    assert.sameMembers(named, folders.flat())
  }))
