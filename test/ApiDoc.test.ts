import { assert, it } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Walkthrough from "./documents/Walkthrough.ts"
import * as ServerProcess from "./ServerProcess.ts"

it.live("the examples of docs/api.md do what it shows", () =>
  Effect.gen(function*() {
    const server = yield* ServerProcess.make
    yield* server.start
    const document = yield* Effect.promise(() =>
      Fs.readFile(Path.resolve(import.meta.dirname, "../docs/api.md"), "utf8")
    )
    const directory = yield* TemporaryDirectory.make("api")
    const port = yield* FreePort.find
    assert.isAbove(yield* Walkthrough.walk(document, { server, directory, port }), 80)
  }), 480_000)
