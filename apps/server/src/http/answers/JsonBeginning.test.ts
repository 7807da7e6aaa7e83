import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { preview } from "./EventPreview.ts"
import * as JsonBeginning from "./JsonBeginning.ts"

const value = {
  text: "a \"quoted\" 😀 \\ line\n",
  list: [1, -2.5e3, true, null, [], {}, "x"],
  "a, key: {": { deep: [{ "": "é" }] }
}

describe("JsonBeginning", () => {
  it.prop("reads every beginning of a JSON text, however it is written", [Schema.Json], ([value]) => {
    for (const text of [JSON.stringify([value]), JSON.stringify([value], null, 2)]) {
      for (let length = 1; length < text.length; length++) {
        assert.isArray(JsonBeginning.parse(text.slice(0, length)))
      }
      assert.deepStrictEqual<unknown>(JsonBeginning.parse(text), JSON.parse(text))
    }
  })

  it("ends lists and objects where the beginning ends, and texts with an ellipsis", () => {
    const cases: ReadonlyArray<readonly [string, unknown]> = [
      ["[1, 23", [1]],
      ["[1, 23,", [1, 23]],
      ["{\"a\": [tru", { a: [] }],
      ["{\"a\": \"one\", \"b", { a: "one" }],
      ["{\"a\": \"one\", \"b\"", { a: "one" }],
      ["{\"a\": \"one\", \"b\":", { a: "one" }],
      ["{\"a\": \"on", { a: "on…" }],
      ["{\"a\": \"on\\u00e", { a: "on…" }],
      ["{\"a\": \"on\\", { a: "on…" }],
      ["[\"a\\\\\", \"b\\\"", ["a\\", "b\"…"]],
      ["\"te", "te…"],
      ["12", undefined],
      ["", undefined]
    ]
    for (const [text, expected] of cases) assert.deepStrictEqual<unknown>(JsonBeginning.parse(text), expected, text)
  })

  it("never cuts a character in two", () => {
    const text = JSON.stringify(value)
    for (let length = 1; length < text.length; length++) {
      assert.isTrue(JSON.stringify(JsonBeginning.parse(text.slice(0, length))).isWellFormed())
    }
  })

  it("gives the same preview as the whole text", () => {
    const large: ReadonlyArray<Schema.Json> = [
      { first: value, rest: "ä".repeat(5_000) },
      Array.from({ length: 5_000 }, (_, i) => ({ i, value })),
      { a: "x".repeat(900), b: { c: ["y".repeat(900), "z".repeat(900)] } },
      "😀".repeat(5_000)
    ]
    for (const value of large) {
      const beginning = JSON.stringify(value).slice(0, 2_048)
      const shown = preview({ raw_event: JsonBeginning.parse(beginning) ?? null }, 1_024)
      assert.deepStrictEqual(shown, preview({ raw_event: value }, 1_024))
    }
  })
})
