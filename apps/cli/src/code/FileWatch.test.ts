import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as FileWatch from "./FileWatch.ts"

it.live("tells that a change may have been missed of a file that was not watched, also in a folder that was", () =>
  Effect.gen(function*() {
    const folder = yield* TemporaryDirectory.make("watch")
    const [one, other] = [Path.join(folder, "one.ts"), Path.join(folder, "other.ts")]
    for (const file of [one, other]) yield* Effect.promise(() => Fs.writeFile(file, ""))
    const watch = yield* FileWatch.make
    assert.isTrue(yield* watch.set(new Set([one])))
    assert.isFalse(yield* watch.set(new Set([one])))
    assert.isTrue(yield* watch.set(new Set([one, other])))
    assert.isFalse(yield* watch.set(new Set([other])))
  }).pipe(Effect.provide(NodeServices.layer)))
