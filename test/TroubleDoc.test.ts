import { assert, it } from "@effect/vitest"
import { ErrorClass } from "@headwater/domain/ErrorClass"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "..")

/** Code that says something to people, with its texts in one part each and without its comments. */
const code = async (): Promise<string> => {
  const texts = await Promise.all(["apps", "packages", "bin"].map(async (folder) => {
    const entries = await Fs.readdir(Path.join(root, folder), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => Path.join(parentPath, name))
    const ours = files.filter((file) =>
      !/node_modules|packages\/fixtures/.test(file) && /\/src\/.*(?<!\.test)\.tsx?$|\/bin\//.test(file)
    )
    return Promise.all(ours.map((file) => Fs.readFile(file, "utf8")))
  }))
  return texts.flat().join("\n").replaceAll(/^ *\/\/.*$|^ *\/\*\*[^]*?\*\/$/gm, "").replaceAll(/["`]\s*\+\s*["`]/g, "")
}

/** What the first cells of the tables quote. */
const quotesOf = (document: string): ReadonlyArray<string> =>
  [...document.matchAll(/^\| (?!Message|Class|`code` )(.*?) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, quote]) => quote!)
  )

/** Sentences are said as they are. A word, such as a code, is a text of its own. */
const isSaid = (said: string, quote: string): boolean => said.includes(quote.includes(" ") ? quote : `"${quote}"`)

it.live("each message of docs/trouble.md is one that the code says", () =>
  Effect.promise(async () => {
    const quotes = quotesOf(await Fs.readFile(Path.join(root, "docs/trouble.md"), "utf8"))
    const said = await code()
    assert.isAbove(quotes.length, 60)
    assert.deepStrictEqual(quotes.filter((quote) => !isSaid(said, quote)), [])
  }))

it.live("docs/delivery.md explains each kind of failed attempt, and docs/trouble.md has a remedy for it", () =>
  Effect.promise(async () => {
    for (const document of ["docs/delivery.md", "docs/trouble.md"]) {
      const quotes = quotesOf(await Fs.readFile(Path.join(root, document), "utf8"))
      assert.deepStrictEqual(ErrorClass.literals.filter((kind) => !quotes.includes(kind)), [], document)
    }
  }))
