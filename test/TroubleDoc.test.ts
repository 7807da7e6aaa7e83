import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "..")

/** Code that says something to people, with its texts in one part each. */
const code = async (): Promise<string> => {
  const texts = await Promise.all(["apps", "packages", "bin"].map(async (folder) => {
    const entries = await Fs.readdir(Path.join(root, folder), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => Path.join(parentPath, name))
    const ours = files.filter((file) =>
      !file.includes("node_modules") && /\/src\/.*(?<!\.test)\.tsx?$|\/bin\//.test(file)
    )
    return Promise.all(ours.map((file) => Fs.readFile(file, "utf8")))
  }))
  return texts.flat().join("\n").replaceAll(/["`]\s*\+\s*["`]/g, "")
}

it.live("each message of docs/trouble.md is one that the code says", () =>
  Effect.promise(async () => {
    const document = await Fs.readFile(Path.join(root, "docs/trouble.md"), "utf8")
    const said = await code()
    const messages = [...document.matchAll(/^\| (?:`\w+`: )?`([^`]{12,})` \|/gm)].map(([, message]) => message!)
    assert.isAbove(messages.length, 20)
    assert.deepStrictEqual(messages.filter((message) => !said.includes(message)), [])
  }))
