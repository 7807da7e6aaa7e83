import { assert, describe, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Schema } from "effect"
import { preview } from "./EventPreview.ts"

const limit = 200
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const shownOf = (value: Schema.Json, limit: number) => Json.parse(JSON.stringify(preview(value, limit)))

describe("preview", () => {
  it.prop("is below the limit for any value, and the value itself where that fits", [Schema.Json], ([value]) => {
    const shown = preview(value, limit)
    assert.isBelow(bytes(shown), limit)
    if (bytes(value) < limit / 2) assert.deepStrictEqual(shown, value)
  })

  it("shows the beginning of long texts, lists and objects", () => {
    const shown = shownOf({ a: "x".repeat(50), b: "ö".repeat(5_000), c: 1 }, limit)
    assert.strictEqual(Json.textOf(shown["a"]), "x".repeat(50))
    assert.match(Json.textOf(shown["b"]), /^ö+…$/)
    const list = Json.listOf(shownOf(Array.from({ length: 1_000 }, (_, i) => i), limit))
    assert.deepStrictEqual<unknown>(list, Array.from({ length: list.length }, (_, i) => i))
    assert.isAbove(list.length, 30)
  })

  it("never cuts a character in two", () => {
    for (let limit = 20; limit < 40; limit++) {
      assert.isTrue(Json.textOf(shownOf("😀".repeat(100), limit)).isWellFormed())
    }
  })

  it("gets through values nested without end", () => {
    const deep: Schema.Json = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`)
    assert.isBelow(bytes(preview(deep, limit)), limit)
  })
})
