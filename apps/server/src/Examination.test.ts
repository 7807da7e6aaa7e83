import { assert, it } from "@effect/vitest"
import * as Examination from "./Examination.ts"

it("a difference between clocks counts only as far as the time of the question does not explain it", () => {
  const found = (aheadMs: number, tookMs: number) => {
    const { message, state } = Examination.clockFinding(
      "The server's clock",
      Examination.skewOf(1_000_000 + tookMs / 2 + aheadMs, 1_000_000, 1_000_000 + tookMs)
    )
    return [state, message]
  }
  assert.deepStrictEqual(found(900, 0), ["ok", "The server's clock agrees with this one."])
  assert.deepStrictEqual(found(-2_500, 4_000), ["ok", "The server's clock agrees with this one."])
  assert.deepStrictEqual(found(-2_500, 100), ["warning", "The server's clock is 2.5 s behind this one."])
  assert.deepStrictEqual(found(61_000, 100), ["failed", "The server's clock is 61.0 s ahead of this one."])
})
