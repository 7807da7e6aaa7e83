import { assert, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"

it("has each problem of the API in the type of errors", () => {
  const read = (path: string) => Fs.readFileSync(Path.join(import.meta.dirname, "../src", path), "utf8")
  const problems = [...read("generated/types.gen.ts").matchAll(/^export type (\w+Problem) = /gm)].map(([, name]) =>
    name
  )
  assert.isAbove(problems.length, 20)
  assert.sameMembers(
    [...read("HeadwaterError.ts").matchAll(/^ {2}\| Generated\.(\w+)$/gm)].map(([, name]) => name),
    problems
  )
})
