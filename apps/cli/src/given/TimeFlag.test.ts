import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import * as TimeFlag from "./TimeFlag.ts"

it("a span of time is said in the greatest unit that leaves no rest, and means the same again", () => {
  const texts = {
    0: "0s",
    214: "214ms",
    90_000: "90s",
    60_000: "1m",
    5_400_000: "90m",
    43_200_000: "12h",
    172_800_000: "48h"
  }
  for (const [ms, text] of Object.entries(texts)) {
    assert.strictEqual(TimeFlag.spanText(Number(ms)), text)
    assert.strictEqual(TimeFlag.msOf(text), Number(ms))
  }
})

it("whole seconds are taken as a short span or in words, and nothing else is", () => {
  for (const text of ["90m", "5400s", "90 minutes"]) {
    assert.deepStrictEqual(TimeFlag.secondsOf(text), Option.some(5_400), text)
  }
  for (const text of ["soon", "90", "m", "-1h"]) assert.deepStrictEqual(TimeFlag.secondsOf(text), Option.none(), text)
})
