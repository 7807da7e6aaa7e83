import { assert, layer } from "@effect/vitest"
import { changed, entryBytes, lenderName, lentName, type RunFile } from "@headwater/domain/RunFile"
import { inputOf, keys, slowly } from "@headwater/fixtures/PythonSteps"
import { hashOf, realSandbox } from "@headwater/fixtures/RealSandbox"
import { Effect, Option } from "effect"
import type { RunFiles } from "./Run.ts"
import { Sandbox } from "./Sandbox.ts"
import * as StepAnswer from "./StepAnswer.ts"

const mebibyte = 1024 * 1024

layer(realSandbox({ limits: { fileBytes: 4 * mebibyte } }), { excludeTestServices: true, timeout: "240 seconds" })(
  "/tmp of steps in Python",
  (it) => {
    /** Runs steps one after the other, each with the files that those before it have left; the first one has those given. */
    const run = Effect.fnUntraced(function*(
      steps: Record<string, string | { readonly js: string }>,
      given: ReadonlyArray<readonly [RunFile, string]> = []
    ) {
      const bodies = Object.entries(steps).map(([name, step]) =>
        typeof step === "string"
          ? `${name}: { lang: "python", code: ${
            JSON.stringify(`import os, time\ndef handler(pd):\n${step.replaceAll(/^/gm, "    ")}`)
          } }`
          : `${name}: { async run() { const fs = await import("node:fs"); ${step.js} } }`
      )
      const code = `export default { steps: { ${bodies.join()}, end: { run() {} } } }`
      const parts = new Map<string, Uint8Array>(given.map(([{ content }, text]) => [`${content} 0`, Buffer.from(text)]))
      let entries: ReadonlyArray<RunFile> = given.map(([file]) => file)
      const seen = []
      for (const [name, step] of Object.entries(steps)) {
        const files: RunFiles = {
          entries,
          read: (content, place) => Effect.succeed(parts.get(`${content} ${place}`)!),
          write: (content, place, bytes) => {
            parts.set(`${content} ${place}`, bytes)
            return Effect.succeed(true)
          }
        }
        const input = inputOf("1")
        const result = yield* (yield* Sandbox).run({
          accountId: "u_test",
          programId: "p_test",
          module: { code, hash: hashOf(code) },
          call: {
            _tag: "Step",
            step: name,
            lang: typeof step === "string" ? "python" : undefined,
            keys,
            runs: [{ ...input, files }]
          },
          props: {},
          interfaces: {},
          credentials: {},
          db: {}
        })
        if (result.files !== undefined) entries = changed(entries, result.files)
        const answer = Option.getOrUndefined(StepAnswer.decode(result.answerJson))
        seen.push({ ...result, value: answer?.result["$return_value"] })
      }
      return { entries, seen }
    })

    it.effect("has what the steps before have left, in either language, to the byte", () =>
      Effect.gen(function*() {
        const { entries, seen } = yield* run({
          first: {
            js: `fs.mkdirSync("/tmp/a/b", { recursive: true })
              fs.writeFileSync("/tmp/a/b/bytes", Buffer.from(Array.from({ length: 700_000 }, (_, i) => i * 7 % 256)))
              fs.writeFileSync("/tmp/a/secret", "ü", { mode: 0o600 })
              fs.utimesSync("/tmp/a/secret", 1, 2)
              fs.symlinkSync("/tmp/a/secret", "/tmp/link")
              fs.writeFileSync("/tmp/gone", "gone"); fs.writeFileSync("/tmp/empty", "")`
          },
          second: `
data = open("/tmp/a/b/bytes", "rb").read()
found = [len(data), data == bytes(i * 7 % 256 for i in range(700000)), open("/tmp/link").read(),
         oct(os.stat("/tmp/a/secret").st_mode & 0o777), os.stat("/tmp/a/secret").st_mtime,
         os.readlink("/tmp/link"), os.path.getsize("/tmp/empty"), os.getcwd()]
os.remove("/tmp/gone")
os.rename("/tmp/a/b", "/tmp/moved")
with open("/tmp/a/secret", "a") as file:
    file.write(" and more")
with open("made", "wb") as file:
    file.write(bytes(range(256)) * 2000)
os.chmod("/tmp/made", 0o400)
os.symlink("made", "/tmp/other")
return found`,
          third: `return [sorted(os.listdir("/tmp")), open("/tmp/other", "rb").read() == bytes(range(256)) * 2000]`,
          fourth: {
            js: `const made = fs.readFileSync("/tmp/made")
              return [fs.readdirSync("/tmp", { recursive: true }).sort(), made.length, made.every((byte, i) => byte === i % 256),
                fs.readFileSync("/tmp/link", "utf8"), (fs.statSync("/tmp/made").mode & 0o777).toString(8),
                fs.readFileSync("/tmp/moved/bytes").length]`
          }
        })
        assert.deepStrictEqual(seen.map(({ error }) => error), [undefined, undefined, undefined, undefined])
        const [, second, third, fourth] = seen
        assert.deepStrictEqual(second?.value, [700_000, true, "ü", "0o600", 2, "/tmp/a/secret", 0, "/tmp"])
        assert.deepStrictEqual(third?.value, [["a", "empty", "link", "made", "moved", "other"], true])
        const all = ["a", "a/secret", "empty", "link", "made", "moved", "moved/bytes", "other"]
        assert.deepStrictEqual(fourth?.value, [all, 512_000, true, "ü and more", "400", 700_000])
        assert.deepStrictEqual(entries.map(({ path }) => path), all)
        // Bytes that are the same are not handed over again.
        const contentOf = (step: typeof second, path: string) =>
          step?.files?.put.find((file) => file.path === path)?.content
        assert.strictEqual(
          contentOf(second, "moved/bytes"),
          contentOf(seen[0], "a/b/bytes")
        )
        assert.isUndefined(third?.files)
      }), slowly)

    it.effect(
      "has changes of a file seen whose size and time are as before, and leaves nothing of a step that fails",
      () =>
        Effect.gen(function*() {
          const { seen } = yield* run({
            first: `open("/tmp/a", "w").write("one"); os.utime("/tmp/a", (5, 5))`,
            second: `
file = open("/tmp/a", "r+")
file.write("two")
file.close()
os.utime("/tmp/a", (5, 5))`,
            third: `
open("/tmp/b", "w").write("lost")
raise ValueError(open("/tmp/a").read())`,
            fourth: `return os.listdir("/tmp")`
          })
          assert.strictEqual(seen[2]?.error?.message, "two")
          assert.deepStrictEqual(seen[3]?.value, ["a"])
        }),
      slowly
    )

    it.effect("has what a step makes of files that it is lent as the run's own", () =>
      Effect.gen(function*() {
        const lent = (path: string): readonly [RunFile, string] => [
          { path, size: 3, mode: 0o100644, modifiedAt: 5_000, content: lentName(path), target: null },
          "one"
        ]
        const { entries, seen } = yield* run({
          first: `
open("/tmp/changed", "w").write("two"); os.utime("/tmp/changed", (5, 5))
os.chmod("/tmp/permitted", 0o600)
os.rename("/tmp/moved", "/tmp/there")`,
          second: `return [open("/tmp/" + name).read() for name in ["changed", "permitted", "same", "there"]]`
        }, ["changed", "moved", "permitted", "same"].map(lent))
        assert.deepStrictEqual(seen.map(({ error }) => error), [undefined, undefined])
        assert.deepStrictEqual(seen[1]?.value, ["two", "one", "one", "one"])
        assert.deepStrictEqual(
          entries.filter(({ content }) => lenderName(content) !== undefined).map(({ path }) => path),
          ["same"]
        )
      }), slowly)

    it.effect("has no more in it than the next step has room for", () =>
      Effect.gen(function*() {
        const most = 4 * mebibyte - 2 * entryBytes
        const { seen } = yield* run({
          first: `
try:
    open("/tmp/a", "wb", buffering=0).write(bytes(${most + 1}))
except OSError as error:
    open("/tmp/a", "wb", buffering=0).write(bytes(${most}))
    return error.strerror`,
          second: {
            js: `const { size } = fs.statSync("/tmp/a")
              try { fs.appendFileSync("/tmp/a", "x") } catch ({ code }) { return [size, code] }`
          },
          third: `return os.path.getsize("/tmp/a")`
        })
        assert.deepStrictEqual(seen.map(({ error }) => error), [undefined, undefined, undefined])
        assert.deepStrictEqual(seen.map(({ value }) => value), ["No space left on device", [most, "ENOSPC"], most])
      }), slowly)

    it.effect("is full at the same size as in JavaScript", () =>
      Effect.gen(function*() {
        const most = 4 * mebibyte - 3 * entryBytes
        const { seen } = yield* run({
          first: `open("/tmp/a", "wb").write(bytes(${most - mebibyte}))`,
          second: `
def tried(act):
    try:
        act()
        return "done"
    except OSError as error:
        return error.strerror
def append(size):
    with open("/tmp/a", "ab", buffering=0) as file:
        file.write(bytes(size))
found = [tried(lambda: append(${mebibyte + entryBytes + 1})), tried(lambda: append(${mebibyte})),
         tried(lambda: os.truncate("/tmp/a", ${
            5 * mebibyte
          })), tried(lambda: os.mkdir("/tmp/b")), tried(lambda: os.mkdir("/tmp/c")),
         tried(lambda: os.symlink("a", "/tmp/d"))]
os.remove("/tmp/a")
return [*found, tried(lambda: os.mkdir("/tmp/c"))]`,
          third: { js: `return fs.readdirSync("/tmp").sort()` }
        })
        const full = "No space left on device"
        assert.deepStrictEqual(seen[1]?.value, [full, "done", full, "done", full, full, "done"])
        assert.deepStrictEqual(seen[2]?.value, ["b", "c"])
      }), slowly)
  }
)
