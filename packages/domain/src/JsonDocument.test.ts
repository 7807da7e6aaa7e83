import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as FastCheck from "fast-check"
import { JsonDocument } from "./JsonDocument.ts"
import { JsonLookup } from "./JsonLookup.ts"
import { Work } from "./Work.ts"

const resultOf = <A>(steps: Generator<void, A>): A => {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** The value as `JSON.parse` would make it. */
const valueOf = (lookup: JsonLookup, value: number): unknown => {
  const { document } = lookup
  switch (document.kindOf(value)) {
    case "text":
      return resultOf(lookup.textOf(value))
    case "list":
      return Array.from(
        { length: document.countOf(value) },
        (_, n) => valueOf(lookup, resultOf(lookup.element(value, n)))
      )
    case "object": {
      const entries: Array<[string, unknown]> = []
      let key = value + 1
      for (let left = document.countOf(value); left > 0; left--) {
        const name = resultOf(lookup.textOf(key))
        entries.push([name, valueOf(lookup, resultOf(lookup.field(value, name)))])
        key = document.behind(key + 1)
      }
      const made = Object.fromEntries(entries)
      assert.strictEqual(resultOf(lookup.size(value)), Object.keys(made).length)
      return made
    }
    case "number":
      return Number(document.rawOf(value))
    default:
      return JSON.parse(document.kindOf(value))
  }
}

const read = (text: string): unknown => {
  const work = new Work()
  return valueOf(new JsonLookup(resultOf(JsonDocument.read(text, work)), work), 0)
}

it("says what JSON.parse says, however the text is written", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.jsonValue({ maxDepth: 5 }),
      FastCheck.constantFrom(undefined, "\t", 3),
      FastCheck.boolean(),
      (value, space, escaped) => {
        const written = JSON.stringify(value, undefined, space)
        const text = escaped
          ? written.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          : ` ${written}\n`
        assert.deepStrictEqual(read(text), JSON.parse(text))
      }
    ),
    { numRuns: 2_000 }
  )
})

it("reads what is large as what is small", () => {
  const escapes = "\"\\\\/\b\n\u0001é\u2028😀\ud800"
  const large = {
    texts: Array.from({ length: 40 }, (_, n) => "x".repeat(n) + escapes.repeat(3_000)),
    numbers: Array.from({ length: 20_000 }, (_, n) => n / 7),
    keys: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`${n % 3 === 0 ? escapes : "k"}${n}`, [n]]))
  }
  assert.deepStrictEqual(read(JSON.stringify(large)), JSON.parse(JSON.stringify(large)))
  assert.deepStrictEqual(read("{\"a\":1,\"b\":2,\"a\":3}"), { a: 3, b: 2 })
})

const Nested = Schema.Array(Schema.Literals(["[", "{\"a\":"]))

it.prop("reads what is nested", [Nested], ([opened]) => {
  const text = opened.join("") + "1" + opened.toReversed().map((one) => one === "[" ? "]" : "}").join("")
  assert.deepStrictEqual(read(text), JSON.parse(text))
})
