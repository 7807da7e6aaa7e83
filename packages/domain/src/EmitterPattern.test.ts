import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as EmitterPattern from "./EmitterPattern.ts"

/** Characters of an id, each with what a pattern that more or less fits has in its place. */
const Characters = Schema.Array(Schema.Struct({
  character: Schema.Literals(["a", "b", "_"]),
  place: Schema.Literals(["a", "b", "_", "", "*", "?", "**", "*?"])
})).pipe(Schema.check(Schema.isMaxLength(7)))

describe("EmitterPattern", () => {
  it.prop(
    "matches as the regular expression that it stands for",
    [Characters],
    ([characters]) => {
      const id = characters.map(({ character }) => character).join("")
      const loose = characters.map(({ character, place }) => /[*?]/.test(place) ? place : character).join("")
      const strict = characters.map(({ place }) => place).join("")
      for (const pattern of [loose, strict, `*${strict}`, `${strict}*`]) {
        const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`)
        assert.strictEqual(EmitterPattern.matches(pattern, id), expression.test(id), `${pattern} ${id}`)
      }
    },
    { arbitrary: { runs: 500 } }
  )

  it("takes no time over a pattern of many stars", () => {
    const id = `dc_${"a".repeat(20)}`
    assert.isFalse(EmitterPattern.matches(`${"*a".repeat(20)}*b`, id))
    assert.isFalse(EmitterPattern.matches(`${"*".repeat(99)}b`, id))
  })
})
