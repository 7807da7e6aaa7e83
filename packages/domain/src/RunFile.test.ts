import { assert, describe, it } from "@effect/vitest"
import { changed, changesOver, type RunFile } from "./RunFile.ts"

const entry = (path: string, mode: number): RunFile => ({
  path,
  mode,
  modifiedAt: 0,
  size: 0,
  content: null,
  target: null
})
const directory = (path: string) => entry(path, 0o040755)
const file = (path: string) => entry(path, 0o100644)

describe("the changes of two steps that ran at the same time", () => {
  it("leave no file in what is no directory any more, and of a file that both have written, the later one's", () => {
    const both = [directory("d"), file("d/old"), file("same")]
    const first = { put: [file("d/new"), directory("e"), file("e/kept")], removed: [], dropped: [] }
    const later = { put: [file("e"), { ...file("same"), modifiedAt: 2 }], removed: ["d", "d/old"], dropped: [] }
    const between = changed(both, changesOver(both, first))
    assert.deepStrictEqual(between.map(({ path }) => path), ["d", "d/new", "d/old", "e", "e/kept", "same"])
    const changes = changesOver(between, later)
    assert.deepStrictEqual(changed(between, changes), [file("e"), { ...file("same"), modifiedAt: 2 }])
    assert.deepStrictEqual([...changes.removed].toSorted(), ["d", "d/new", "d/old", "e/kept"])
  })
})
