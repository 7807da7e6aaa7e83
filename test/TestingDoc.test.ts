import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"
import { pack } from "../build/PackedPackages.ts"

const root = Path.resolve(import.meta.dirname, "..")

/** The blocks that begin with the name of a file. */
const filesOf = (document: string): ReadonlyArray<readonly [name: string, text: string]> =>
  [...document.matchAll(/^```js\n(?<text>\/\/ (?<name>\S+)\n[^]*?)^```$/gm)].map(({ groups }) =>
    [groups!["name"]!, groups!["text"]!] as const
  )

/** Installs archives of this repository's packages; packages of others are linked to. */
const install = async (archives: ReadonlyMap<string, string>, modules: string): Promise<void> => {
  await Fs.mkdir(modules)
  for (const name of await Fs.readdir(Path.join(root, "node_modules"))) {
    if (name !== "@headwater" && !name.startsWith(".")) {
      await Fs.symlink(Path.join(root, "node_modules", name), Path.join(modules, name))
    }
  }
  for (const [name, archive] of archives) {
    const folder = Path.join(modules, name)
    await Fs.mkdir(folder, { recursive: true })
    await promisify(execFile)("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"])
  }
}

/** Runs what there is in a folder with Node's own runner; answers what it said, and its exit code. */
const runTests = (folder: string) =>
  Effect.callback<{ readonly code: number | null; readonly said: string }>((resume) => {
    const child = execFile(
      process.execPath,
      ["--test", "--test-isolation=none", "--test-reporter=tap"],
      { cwd: folder },
      (_, stdout, stderr) => resume(Effect.succeed({ code: child.exitCode, said: stdout + stderr }))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("docs/testing.md", () => {
  it.live("examples pass outside of this repository, on the packages as they are packed", () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = yield* TemporaryDirectory.make("testing-doc")
      const packed = yield* TemporaryDirectory.make("packed")
      yield* Effect.promise(async () => {
        const document = await Fs.readFile(Path.join(root, "docs/testing.md"), "utf8")
        for (const [name, text] of filesOf(document)) await Fs.writeFile(Path.join(folder, name), text)
        await install(await pack(["@headwater/testing"], packed), Path.join(folder, "node_modules"))
      })
      const { code, said } = yield* runTests(folder)
      assert.strictEqual(code, 0, said)
      assert.match(said, /^# pass 5$/m)
    })))
})
