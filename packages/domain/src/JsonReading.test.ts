import { assert, it } from "@effect/vitest"
import { isJson, structureOf } from "./JsonReading.ts"

const toEnd = <A>(steps: Generator<void, A>): { readonly result: A; readonly steps: number } => {
  for (let count = 1;; count++) {
    const step = steps.next()
    if (step.done === true) return { result: step.value, steps: count }
  }
}

const isParsed = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

it("takes for JSON what `JSON.parse` does", () => {
  const sample = ` {"a":[1,-0.5e+3,true,false,null,"x\\n\\u00e9\\"ü"],"b":{},"c":[],"":{"d":[[{}]]}}\n`
  const pieces = ["", " ", ",", ":", "\"", "\\", "[", "]", "{", "}", "0", "-", ".", "e", "t", "\u0001", "\n", "\u00a0"]
  const texts = new Set<string>([
    sample,
    "",
    " ",
    "1",
    "01",
    "-",
    "1.",
    "1e",
    "\"",
    "\"\\",
    "tru",
    "nullx",
    "[1,]",
    "{\"a\"}"
  ])
  for (let at = 0; at <= sample.length; at++) {
    texts.add(sample.slice(0, at))
    for (const piece of pieces) {
      texts.add(sample.slice(0, at) + piece + sample.slice(at))
      texts.add(sample.slice(0, at) + piece + sample.slice(at + 1))
    }
  }
  for (const text of texts) assert.strictEqual(toEnd(isJson(text, 500)).result, isParsed(text), JSON.stringify(text))
  assert.isTrue(toEnd(isJson("[".repeat(500) + "]".repeat(500), 500)).result)
  assert.isFalse(toEnd(isJson("[".repeat(501) + "]".repeat(501), 500)).result)
})

it("reads a large text in many steps, of strings or not", () => {
  for (const text of [JSON.stringify("x".repeat(1e6)), JSON.stringify(Array.from({ length: 250_000 }, () => [1]))]) {
    const read = toEnd(isJson(text, 500))
    assert.isTrue(read.result)
    assert.isAtLeast(read.steps, 20)
    assert.isAtLeast(toEnd(structureOf(text)).steps, 20)
  }
  assert.deepStrictEqual(toEnd(structureOf(`{"a[\\"":[1]}`)).result, { outside: 6, depth: 2 })
})
