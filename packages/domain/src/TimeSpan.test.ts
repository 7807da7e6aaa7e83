import { assert, describe, it } from "@effect/vitest"
import * as TimeSpan from "./TimeSpan.ts"

describe("TimeSpan", () => {
  it("reads and writes whole numbers of each unit", () => {
    const spans = { "250ms": 250, "90s": 90_000, "30m": 1_800_000, "12h": 43_200_000, "7d": 604_800_000, "0s": 0 }
    for (const [text, ms] of Object.entries(spans)) {
      assert.strictEqual(TimeSpan.msOf(text), ms)
      assert.strictEqual(TimeSpan.textOf(ms), text)
    }
    assert.strictEqual(TimeSpan.textOf(86_400_000), "1d")
    assert.strictEqual(TimeSpan.textOf(90_001), "90001ms")
  })

  it("takes no fraction, no other unit, nothing around it, and nothing that is too long to count", () => {
    for (const text of ["", "1.5h", "-1s", "1 h", " 1h", "1w", "12", "h", "9007199254740993ms", "999999999999d"]) {
      assert.isUndefined(TimeSpan.msOf(text), text)
    }
  })

  it("takes a number without a unit for milliseconds where that is said", () => {
    assert.strictEqual(TimeSpan.msOrAmountOf("1500"), 1_500)
    assert.strictEqual(TimeSpan.msOrAmountOf("2m"), 120_000)
    assert.isUndefined(TimeSpan.msOrAmountOf("1.5"))
  })
})
