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
