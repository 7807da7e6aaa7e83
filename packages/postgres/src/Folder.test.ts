import { assert, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Folder from "./Folder.ts"

it.live("a folder is made with those above it, and refused where there can be none", () =>
  Effect.gen(function*() {
    const made = Path.join(yield* TemporaryDirectory.make("folder"), "a/b/c")
    yield* Effect.promise(() => Folder.create(made, 0o700))
    yield* Effect.promise(() => Folder.create(made, 0o700))
    assert.isTrue((yield* Effect.promise(() => Fs.stat(made))).isDirectory())
    const file = Path.join(made, "file")
    yield* Effect.promise(() => Fs.writeFile(file, ""))
    for (const path of [file, Path.join(file, "below"), "/proc/headwater", "/proc/headwater/below"]) {
      yield* Effect.flip(Effect.tryPromise(() => Folder.create(path, 0o700)))
    }
  }))
