import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as TextComparison from "./TextComparison.ts"
import { Work } from "./Work.ts"

const resultOf = <A>(steps: Generator<void, A>): A => {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Texts of few characters, much of which repeats: so that parts of one are often parts of another. */
const Parts = Schema.Array(Schema.Struct({
  text: Schema.Literals(["a", "b", "ab", "aab", "é", ""]),
  times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
})).check(Schema.isMaxLength(6))

const textOf = (parts: typeof Parts.Type) => parts.map(({ text, times }) => text.repeat(times)).join("")

it.prop(
  "two texts compare as they do in JavaScript",
  [Parts, Parts, Schema.Literals([1, 1, 500]), Schema.Boolean],
  ([one, other, times, within]) => {
    const text = textOf(one).repeat(times)
    const part = within ? text.slice(textOf(other).length % (text.length + 1)) : textOf(other).repeat(times)
    const work = new Work()
    assert.strictEqual(resultOf(TextComparison.contains(text, part, work)), text.includes(part))
    assert.strictEqual(
      resultOf(TextComparison.contains(text, part.slice(0, -1), work)),
      text.includes(part.slice(0, -1))
    )
    assert.strictEqual(resultOf(TextComparison.begins(text, part, work)), text.startsWith(part))
    assert.strictEqual(resultOf(TextComparison.ends(text, part, work)), text.endsWith(part))
    assert.strictEqual(resultOf(TextComparison.isSame(text, part, work)), text === part)
    assert.strictEqual(resultOf(TextComparison.compare(text, part, work)), text < part ? -1 : text > part ? 1 : 0)
  },
  { arbitrary: { runs: 700 } }
)

it("the work of a search grows with the sum of both lengths, whatever they hold", () => {
  const [n, m] = [900_000, 2_000]
  const half = "a".repeat(m / 2)
  const fibonacci = (length: number) => {
    let [one, other] = ["a", "ab"]
    while (other.length < length) [one, other] = [other, other + one]
    return other.slice(0, length)
  }
  const pairs: ReadonlyArray<readonly [string, string]> = [
    ["a".repeat(n), `${half}b${half}`],
    ["a".repeat(n), `b${half}${half}`],
    ["a".repeat(n), `${half}${half}b`],
    [`${half}c`.repeat(n / (m / 2 + 1)), `${half}b${half}`],
    ["ab".repeat(n / 2), `${"ab".repeat(m / 2)}b`],
    [fibonacci(n), `${fibonacci(m)}c`],
    ["a".repeat(n), `${"a".repeat(n / 2)}b`]
  ]
  for (const [text, part] of pairs) {
    const work = new Work()
    assert.isFalse(resultOf(TextComparison.contains(text, part, work)))
    assert.isBelow(work.used, (text.length + part.length) / 4)
  }
})

it("many short searches are as much work as the characters that they read", () => {
  const work = new Work()
  const part = "a".repeat(900)
  for (let n = 0; n < 100; n++) assert.isFalse(resultOf(TextComparison.contains("é".repeat(2_000), part, work)))
  // Each place where the part could be is looked at, and a unit is 16 characters.
  assert.isAtLeast(work.used, 100 * Math.floor((2_000 - 900) / 16))
})
