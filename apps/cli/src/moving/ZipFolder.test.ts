import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import { type ZipEntry, zipOf } from "../../test/ZipFile.ts"
import * as ZipFolder from "./ZipFolder.ts"

const place = Effect.fnUntraced(function*(bytes: Buffer) {
  const outer = yield* TemporaryDirectory.make("zip")
  const file = Path.join(outer, "project.zip")
  const folder = Path.join(outer, "inner", "folder")
  yield* Effect.promise(async () => {
    await Fs.writeFile(file, bytes)
    await Fs.mkdir(folder, { recursive: true })
  })
  return { file, folder, outer }
})

/** The words of a refusal, after which nothing is written anywhere. */
const refusal = Effect.fnUntraced(function*(bytes: Buffer, limits?: Partial<ZipFolder.Limits>) {
  const { file, folder, outer } = yield* place(bytes)
  const { message } = yield* Effect.flip(ZipFolder.unpack(file, folder, { ...ZipFolder.limits, ...limits }))
  assert.deepStrictEqual(yield* Files.namesIn(outer), ["project.zip"])
  return message.replace(file, "ZIP")
})

const entriesRefused = (...entries: ReadonlyArray<ZipEntry>) =>
  refusal(zipOf([{ name: "first.txt", content: "first" }, ...entries]))

describe("a zip", () => {
  it.effect("is unpacked with its folders, for the user alone", () =>
    Effect.gen(function*() {
      const { file, folder } = yield* place(zipOf([
        { name: "manifest.json", content: "{}", mode: 0o100666 },
        { name: "inner/", mode: 0o040755 },
        { name: "inner/größe.js", content: "x".repeat(100_000) },
        { name: "inner/deep/stored.bin", content: new Uint8Array([0, 255]), isStored: true },
        { name: "empty/" }
      ]))
      yield* ZipFolder.unpack(file, folder)
      assert.deepStrictEqual(yield* Files.namesIn(folder), ["inner/deep/stored.bin", "inner/größe.js", "manifest.json"])
      const stat = yield* Effect.promise(() => Fs.stat(Path.join(folder, "manifest.json")))
      assert.strictEqual(stat.mode & 0o777, 0o600)
      assert.isTrue((yield* Effect.promise(() => Fs.stat(Path.join(folder, "empty")))).isDirectory())
    }))

  it.effect("that leaves its folder in any way is refused by the name of the entry", () =>
    Effect.gen(function*() {
      const refused = (name: string | Buffer) => entriesRefused({ name, content: "x" })
      assert.strictEqual(
        yield* refused("../out.txt"),
        "ZIP is not taken: its entry \"../out.txt\" leads out of the folder"
      )
      assert.match(yield* refused("a/../../out.txt"), /"a\/\.\.\/\.\.\/out\.txt" leads out/)
      assert.match(yield* refused("a/.."), /leads out/)
      assert.match(yield* refused("/etc/out.txt"), /"\/etc\/out\.txt" has an absolute path/)
      assert.match(yield* refused("C:/out.txt"), /has an absolute path/)
      assert.match(yield* refused("..\\out.txt"), /has a backslash/)
      assert.match(yield* refused("a\0.txt"), /has a NUL/)
      assert.match(yield* refused("a//b.txt"), /has no plain path/)
      assert.match(yield* refused("./b.txt"), /has no plain path/)
      assert.match(yield* refused(""), /has no plain path/)
      assert.match(yield* refused("a/CON"), /"a\/CON" has the name of a device/)
      assert.match(yield* refused("nul.txt/b.txt"), /has the name of a device/)
      assert.match(yield* refused("COM1.yaml"), /has the name of a device/)
      assert.match(yield* refused("workflow.yaml."), /ends in a dot or a space/)
      assert.match(yield* refused(`${"a".repeat(256)}.txt`), /has too long a name/)
    }))

  it.effect("with anything but plain files, or with two of one name, is refused", () =>
    Effect.gen(function*() {
      assert.match(
        yield* entriesRefused({ name: "link", content: "/etc/passwd", mode: 0o120777 }),
        /"link" is a symbolic link/
      )
      assert.match(yield* entriesRefused({ name: "pipe", mode: 0o010644 }), /"pipe" is no plain file/)
      assert.match(yield* entriesRefused({ name: "first.txt" }), /"first\.txt" is there twice/)
      assert.match(yield* entriesRefused({ name: "First.TXT" }), /"First\.TXT" is there twice/)
      assert.match(yield* entriesRefused({ name: "first.txt/x" }), /lies in what is a file/)
      assert.match(yield* entriesRefused({ name: "a/b" }, { name: "a" }), /"a" is there twice/)
      assert.match(yield* entriesRefused({ name: "locked", flags: 1 }), /"locked" is encrypted/)
    }))

  it.effect("that is larger than it may be is refused before anything is unpacked", () =>
    Effect.gen(function*() {
      const large = zipOf([{ name: "a", content: "a".repeat(100_000) }, { name: "b", content: "b".repeat(100_000) }])
      assert.match(yield* refusal(large, { entries: 1 }), /more than 1 entries/)
      assert.match(yield* refusal(large, { bytes: 150_000 }), /its files have more than 150000 bytes/)
      assert.match(yield* refusal(large, { fileBytes: 90_000 }), /"a" has more than 90000 bytes/)
      assert.match(yield* refusal(large, { freeBytes: 1_000 }), /more than 100 times as large as it is/)
    }))

  it.effect("is refused where it says less of its size than is so, or is broken", () =>
    Effect.gen(function*() {
      const broken = Effect.fnUntraced(function*(bytes: Buffer) {
        const { file, folder } = yield* place(bytes)
        const { message } = yield* Effect.flip(ZipFolder.unpack(file, folder))
        return message.replace(file, "ZIP")
      })
      assert.match(
        yield* broken(zipOf([{ name: "bomb", content: "x".repeat(1_000_000), size: 10 }])),
        /ZIP can't be read as a zip: too many bytes/
      )
      assert.match(yield* broken(zipOf([{ name: "short", content: "x", size: 10 }])), /not enough bytes/)
      assert.match(yield* broken(zipOf([{ name: "changed", content: "x", sum: 7 }])), /"changed" is damaged/)
      assert.match(yield* broken(Buffer.from("no zip")), /ZIP can't be read as a zip/)
      assert.match(yield* broken(zipOf([{ name: "a", content: "a" }]).subarray(0, -30)), /can't be read as a zip/)
    }))
})
