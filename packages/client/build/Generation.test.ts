import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Generation from "./Generation.ts"

/** What is in a folder, by the path in it. */
const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => {
      const path = Path.join(entry.parentPath, entry.name)
      return [Path.relative(folder, path), Fs.readFileSync(path, "utf8")]
    })
  )

describe("what is generated of the client", () => {
  it.live("is what the OpenAPI document makes of it now: else run packages/client/build/generate.ts", () =>
    Effect.gen(function*() {
      const folder = Path.join(yield* TemporaryDirectory.make("generated"), "generated")
      yield* Effect.promise(() => Generation.generate(folder))
      assert.deepStrictEqual(filesOf(folder), filesOf(Generation.folder))
    }))

  it("has each problem in the type of errors", () => {
    const types = Fs.readFileSync(Path.join(Generation.folder, "types.gen.ts"), "utf8")
    const errors = Fs.readFileSync(Path.join(import.meta.dirname, "../src/HeadwaterError.ts"), "utf8")
    const problems = [...types.matchAll(/^export type (\w+Problem) = /gm)].map(([, name]) => name)
    assert.isAbove(problems.length, 20)
    assert.sameMembers([...errors.matchAll(/^ {2}\| Generated\.(\w+)$/gm)].map(([, name]) => name), problems)
  })
})
