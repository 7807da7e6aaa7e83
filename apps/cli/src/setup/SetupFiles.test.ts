import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const textOf = (folder: string, file: string) => Effect.promise(() => Fs.readFile(Path.join(folder, file), "utf8"))

const namesIn = (folder: string) =>
  Effect.promise(async () => (await Fs.readdir(folder, { recursive: true })).map(String).toSorted())

/** The command line of a user in a folder of its own, with files put into the store. */
const prepared = Effect.fnUntraced(function*(stored: Readonly<Record<string, string>>) {
  const { headwater } = yield* RunningServer
  const cwd = yield* TemporaryDirectory.make("files")
  const told = (...args: ReadonlyArray<string>) =>
    Effect.map(headwater(cwd, ...args), ({ code, stderr, stdout }) => {
      assert.strictEqual(code, 0, stderr)
      return stdout
    })
  const listed = Effect.map(told("files", "list", "--json"), (text) => Json.listOf(JSON.parse(text)))
  for (const { path } of yield* listed) yield* told("files", "delete", Json.textOf(path))
  yield* Files.write(cwd, { given: "" })
  for (const [path, text] of Object.entries(stored)) {
    yield* Files.write(cwd, { given: text })
    yield* told("files", "put", path, "given")
  }
  return { cwd, told, listed, refused: (...args: ReadonlyArray<string>) => headwater(cwd, ...args) }
})

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("files of a set-up", (it) => {
  it.effect("are written into it and read from it where they differ", () =>
    Effect.gen(function*() {
      const long = "0123456789".repeat(300_000)
      const { cwd, listed, told } = yield* prepared({ "a.txt": "one", "reports/2026/b.csv": "x,y", "long.bin": long })
      yield* told("export", "bare")
      assert.notIncludeMembers(yield* namesIn(Path.join(cwd, "bare")), ["files", "files.json"])

      const set = Path.join(cwd, "set")
      yield* told("export", "set", "--files")
      assert.deepStrictEqual(
        (yield* namesIn(set)).filter((name) => !name.startsWith(".")),
        [
          "files",
          "files.json",
          "files/a.txt",
          "files/long.bin",
          "files/reports",
          "files/reports/2026",
          "files/reports/2026/b.csv",
          "headwater.json",
          "ids.json"
        ]
      )
      assert.deepStrictEqual(JSON.parse(yield* textOf(set, "files.json")), {
        "a.txt": { content_type: "text/plain; charset=utf-8" },
        "long.bin": { content_type: "application/octet-stream" },
        "reports/2026/b.csv": { content_type: "text/csv; charset=utf-8" }
      })
      assert.strictEqual(yield* textOf(set, "files/long.bin"), long)
      assert.strictEqual(yield* told("apply", "set"), "Nothing to do\n")

      yield* told("files", "delete", "a.txt")
      const before = yield* listed
      yield* Files.write(set, { "files/reports/2026/b.csv": "x,y\n1,2", "files/new.md": "# New" })
      const plan = yield* told("apply", "set", "--dry-run")
      assert.match(
        plan,
        /^\+ create files\/a\.txt\n\+ create files\/new\.md\n~ change files\/reports\/2026\/b\.csv\n    sha256: .* -> .*\n2 to create, 1 to change, 0 to delete\n$/
      )
      yield* told("apply", "set", "--yes")
      assert.strictEqual(yield* told("apply", "set"), "Nothing to do\n")
      yield* told("files", "get", "reports/2026/b.csv", "-o", "copy")
      assert.strictEqual(yield* textOf(cwd, "copy"), "x,y\n1,2")
      const after = yield* listed
      assert.deepStrictEqual<unknown>(
        after.map(({ content_type, path }) => [path, content_type]),
        [
          ["a.txt", "text/plain; charset=utf-8"],
          ["long.bin", "application/octet-stream"],
          ["new.md", "text/markdown; charset=utf-8"],
          ["reports/2026/b.csv", "text/csv; charset=utf-8"]
        ]
      )
      const longOf = (files: typeof after) => files.find(({ path }) => Json.textOf(path) === "long.bin")
      assert.deepStrictEqual(longOf(after), longOf(before))

      // The type that files.json names is a field of the file.
      const types = JSON.parse(yield* textOf(set, "files.json"))
      yield* Files.write(set, {
        "files.json": JSON.stringify({ ...types, "a.txt": { content_type: "text/x-own" } })
      })
      assert.match(yield* told("apply", "set", "--yes"), /~ change files\/a\.txt\n    content_type: "text\/plain/)

      // A later export brings the folder up to date.
      yield* told("files", "delete", "reports/2026/b.csv")
      const again = JSON.parse(yield* told("export", "set", "--files", "--json"))
      assert.deepStrictEqual(again["removed"], ["files/reports/2026/b.csv"])
      assert.notInclude(yield* namesIn(set), "files/reports")
      assert.strictEqual(yield* told("apply", "set", "--prune"), "Nothing to do\n")
    }))

  it.effect("are deleted by --prune, but only where the folder holds all of them", () =>
    Effect.gen(function*() {
      const { cwd, listed, told } = yield* prepared({ "a": "1", "b": "2" })
      yield* told("export", "set", "--files")
      yield* Effect.promise(() => Fs.rm(Path.join(cwd, "set/files/b")))
      assert.strictEqual(yield* told("apply", "set"), "Nothing to do\n")
      assert.match(yield* told("apply", "set", "--prune", "--dry-run"), /^- delete files\/b\n/)
      yield* Files.write(cwd, { "own/headwater.json": "{\"format\":1,\"kinds\":[]}", "own/files/c": "3" })
      assert.notMatch(yield* told("apply", "own", "--prune", "--yes"), /delete files/)
      yield* told("apply", "set", "--prune", "--yes")
      assert.deepStrictEqual<unknown>((yield* listed).map(({ path }) => path), ["a"])
    }))

  it.effect("are refused by name where no folder could hold them, and nothing is written then", () =>
    Effect.gen(function*() {
      const { cwd, refused } = yield* prepared({ "In/a": "1", "in/b": "2", "x": "3", "x/y": "4", "one\\two": "5" })
      HeadwaterCommand.assertRefused(
        yield* refused("export", "set", "--files"),
        /"files\/in\/b": can't lie in a folder beside "files\/In"; .*"files\/one\\\\two": .*without \\; .*"files\/x\/y": .* beside "files\/x"/
      )
      assert.deepStrictEqual(yield* namesIn(cwd), ["given"])
    }))

  it.effect("never leave the folder, where something in it leads out", () =>
    Effect.gen(function*() {
      const { cwd, refused, told } = yield* prepared({ "in/a": "1", "b": "2" })
      yield* Files.write(cwd, { "outside/b": "mine", "outside/secret": "s" })
      yield* told("export", "set")
      yield* Effect.promise(async () => {
        await Fs.mkdir(Path.join(cwd, "set/files"))
        await Fs.symlink(Path.join(cwd, "outside"), Path.join(cwd, "set/files/in"))
        await Fs.symlink(Path.join(cwd, "outside/b"), Path.join(cwd, "set/files/b"))
      })
      HeadwaterCommand.assertRefused(yield* refused("apply", "set", "--yes"), /files\/b: .*Link; files\/in: .*Link/)
      HeadwaterCommand.assertRefused(yield* refused("export", "set", "--files"), /files\/in: is a link/)
      assert.strictEqual(yield* textOf(cwd, "outside/b"), "mine")
      assert.deepStrictEqual(yield* namesIn(Path.join(cwd, "outside")), ["b", "secret"])
      yield* Effect.promise(() => Fs.rm(Path.join(cwd, "set/files/in")))
      // Paths of files.json that lead out, or through a link, name nothing that an export removes.
      yield* Files.write(cwd, {
        "set/files.json": "{\"../../outside/secret\":{\"content_type\":null},\"out/secret\":{\"content_type\":null}}"
      })
      yield* Effect.promise(() => Fs.symlink(Path.join(cwd, "outside"), Path.join(cwd, "set/files/out")))
      yield* told("export", "set", "--files")
      assert.deepStrictEqual(yield* namesIn(Path.join(cwd, "outside")), ["b", "secret"])
      assert.strictEqual(yield* textOf(cwd, "outside/b"), "mine")
      assert.strictEqual(yield* textOf(cwd, "set/files/b"), "2")
    }))
})
