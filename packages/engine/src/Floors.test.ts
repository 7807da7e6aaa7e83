import { assert, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"

/** The folders of the engine, the lowest first. Those on one floor know nothing of each other. */
const floors = [["ground"], ["bulk", "routing"], ["webhook", "consumer", "oauth"], ["program"], ["placement"], ["."]]

const folderOf = (file: string): string => file.includes("/") ? file.slice(0, file.indexOf("/")) : "."

const floorOf = (folder: string): number => floors.findIndex((folders) => folders.includes(folder))

it("a file of the engine imports from its own folder and from floors below it", () => {
  const files = Fs.readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  assert.sameMembers([...new Set(files.map(folderOf))], floors.flat())
  for (const file of files) {
    const text = Fs.readFileSync(Path.join(import.meta.dirname, file), "utf8")
    for (const [, specifier] of text.matchAll(/from "(\.[^"]+)"/g)) {
      const imported = Path.join(Path.dirname(file), specifier!)
      const [from, to] = [folderOf(file), folderOf(imported)]
      assert.isTrue(from === to || floorOf(to) < floorOf(from), `${file} imports ${imported}`)
    }
  }
})
