import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import * as MovingRecord from "./MovingRecord.ts"
import * as SetupWriting from "./SetupWriting.ts"

const read = (folder: string, file: string) =>
  Effect.promise(() => Fs.readFile(Path.join(folder, file), "utf8").catch(() => undefined))

const write = (folder: string, files: Readonly<Record<string, string>>, record: MovingRecord.MovingRecord) =>
  SetupWriting.write(folder, new Map(Object.entries(files)), record, (path) => path.startsWith("w/"))

describe("the files of a set-up", () => {
  it.effect("follow the project, but for those that somebody has changed", () =>
    Effect.gen(function*() {
      const folder = Path.join(yield* TemporaryDirectory.make("setup"), "new")
      const first = yield* write(
        folder,
        { "w/a": "1", "w/b": "1", "w/c": "1", "w/d": "1", "w/e": "1" },
        MovingRecord.empty
      )
      assert.deepStrictEqual([first.kept, first.beside, first.removed], [[], [], []])
      yield* Files.write(folder, { "w/b": "mine", "w/c": "mine", "w/e": "mine" })
      const second = yield* write(folder, { "w/a": "2", "w/b": "2", "w/c": "1" }, first.record)
      assert.deepStrictEqual([second.kept, second.beside, second.removed], [["w/c", "w/e"], ["w/b"], ["w/d"]])
      const texts = yield* Effect.forEach(["w/a", "w/b", "w/b.new", "w/c", "w/d", "w/e"], (file) => read(folder, file))
      assert.deepStrictEqual(texts, ["2", "mine", "2", "mine", undefined, "mine"])
      const third = yield* write(folder, { "w/a": "2", "w/b": "2", "w/c": "1" }, second.record)
      assert.deepStrictEqual(third.beside, [])
      assert.deepStrictEqual(third.record.files["w/a"], MovingRecord.hashOf("2"))
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("are set aside only as the import wrote them, and taken up again once somebody has changed them there", () =>
    Effect.gen(function*() {
      const folder = yield* TemporaryDirectory.make("setup")
      const first = yield* write(folder, { "w/a": "1", "w/b": "1", "w/c": "1" }, MovingRecord.empty)
      yield* Files.write(folder, { "w/a": "mine" })
      let record = first.record
      const asides: Array<boolean> = []
      for (const path of ["w/a", "w/b", "w/c"]) {
        const set = yield* SetupWriting.setAside(folder, record, path)
        asides.push(set.isAside)
        record = set.record
      }
      assert.deepStrictEqual(asides, [false, true, true])
      yield* Files.write(folder, { "w/c.left": "mine" })
      const second = yield* write(folder, { "w/a": "1", "w/b": "2", "w/c": "2" }, record)
      assert.deepStrictEqual([second.kept, second.beside, second.removed], [["w/a"], ["w/c"], []])
      const texts = yield* Effect.forEach(
        ["w/a", "w/a.left", "w/b", "w/b.left", "w/c", "w/c.new", "w/c.left"],
        (file) => read(folder, file)
      )
      assert.deepStrictEqual(texts, ["mine", undefined, "2", undefined, "mine", "2", undefined])
      assert.deepStrictEqual(Object.keys(second.record.files).sort(), ["w/a", "w/b", "w/c"])
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("are written nowhere else", () =>
    Effect.gen(function*() {
      const place = yield* TemporaryDirectory.make("setup")
      yield* Files.write(place, { "outside/a": "theirs", "into/x": "" })
      const folder = Path.join(place, "into")
      yield* Effect.promise(() => Fs.symlink(Path.join(place, "outside"), Path.join(folder, "linked")))
      for (const path of ["linked/a", "../outside/a", "../other/b", "linked/deep/a"]) {
        const refused = yield* Effect.flip(write(folder, { [path]: "ours" }, MovingRecord.empty))
        assert.match(refused.message, /leads out of/)
      }
      const record = { ...MovingRecord.empty, files: { "w/a": MovingRecord.hashOf("theirs") } }
      yield* Effect.promise(() => Fs.symlink(Path.join(place, "outside"), Path.join(folder, "w")))
      assert.match((yield* Effect.flip(write(folder, {}, record))).message, /leads out of/)
      assert.strictEqual(yield* read(place, "outside/a"), "theirs")
      for (const [folder, names] of [[place, ["into", "outside"]], [Path.join(place, "outside"), ["a"]]] as const) {
        assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(folder)), [...names])
      }
    }).pipe(Effect.provide(NodeServices.layer)))
})
