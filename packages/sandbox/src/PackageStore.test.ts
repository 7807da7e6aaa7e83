import { assert, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { PackageStore } from "./PackageStore.ts"

/** A store with files by path, each so many bytes and fetched at a time in Unix milliseconds. */
const storeWith = Effect.fnUntraced(function*(
  files: ReadonlyArray<readonly [path: string, bytes: number, fetchedAt: number]>
) {
  const directory = yield* TemporaryDirectory.make("store")
  const at = (path: string) => join(directory, "npm/registry.example", path)
  for (const [path, bytes, fetchedAt] of files) {
    yield* Effect.promise(async () => {
      await Fs.mkdir(dirname(at(path)), { recursive: true })
      await Fs.writeFile(at(path), "x".repeat(bytes))
      await Fs.utimes(at(path), fetchedAt / 1_000, fetchedAt / 1_000)
      await Fs.utimes(dirname(at(path)), fetchedAt / 1_000, fetchedAt / 1_000)
    })
  }
  const has = (path: string) => Effect.promise(() => Fs.stat(at(path)).then(() => true, () => false))
  return { store: new PackageStore(directory), has }
})

it.effect("over its bound, the store loses the versions that were fetched first", () =>
  Effect.gen(function*() {
    const { has, store } = yield* storeWith([
      ["some/1.0.0/index.js", 400, 2_000],
      ["some/2.0.0/index.js", 400, 4_000],
      ["@own/other/1.0.0/lib/index.js", 400, 1_000],
      ["@own/other/1.0.0/package.json", 1, 1_000]
    ])
    yield* Effect.promise(() => store.trim(900))
    assert.isFalse(yield* has("@own/other/1.0.0/lib/index.js"))
    assert.isTrue(yield* has("some/1.0.0/index.js"))
    yield* Effect.promise(() => store.trim(400))
    assert.isFalse(yield* has("some/1.0.0/index.js"))
    assert.isTrue(yield* has("some/2.0.0/index.js"))
  }))

it.effect("the registry is asked anew for what is wanted now, and for what it was asked long ago", () =>
  Effect.gen(function*() {
    const now = 10 * 3_600_000
    const { has, store } = yield* storeWith([
      ["wanted/registry.json", 1, now - 1_000],
      ["@own/wanted/registry.json", 1, now - 1_000],
      ["recent/registry.json", 1, now - 1_000],
      ["old/registry.json", 1, now - 2 * 3_600_000]
    ])
    yield* Effect.promise(() => store.forgetVersions(["wanted", "@own/wanted"], now))
    assert.isFalse(yield* has("wanted/registry.json"))
    assert.isFalse(yield* has("@own/wanted/registry.json"))
    assert.isTrue(yield* has("recent/registry.json"))
    assert.isFalse(yield* has("old/registry.json"))
  }))
