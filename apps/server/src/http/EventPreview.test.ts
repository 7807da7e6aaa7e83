import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { preview } from "./EventPreview.ts"

const limit = 200
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe("preview", () => {
  it.prop("is below the limit for any value, and the value itself where that fits", [Schema.Json], ([value]) => {
    const shown = preview(value, limit)
    assert.isBelow(bytes(shown), limit)
    if (bytes(value) < limit / 2) assert.deepStrictEqual(shown, value)
  })

  it("shows the beginning of long texts, lists and objects", () => {
    const shown = preview({ a: "x".repeat(50), b: "ö".repeat(5_000), c: 1 }, limit) as Record<string, string>
    assert.strictEqual(shown["a"], "x".repeat(50))
    assert.match(shown["b"]!, /^ö+…$/)
    const list = preview(Array.from({ length: 1_000 }, (_, i) => i), limit) as ReadonlyArray<number>
    assert.deepStrictEqual(list, Array.from({ length: list.length }, (_, i) => i))
    assert.isAbove(list.length, 30)
  })

  it("never cuts a character in two", () => {
    for (let limit = 20; limit < 40; limit++) assert.isTrue((preview("😀".repeat(100), limit) as string).isWellFormed())
  })

  it("gets through values nested without end", () => {
    const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`) as Parameters<typeof preview>[0]
    assert.isBelow(bytes(preview(deep, limit)), limit)
  })
})
