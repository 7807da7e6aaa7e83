import { assert, it } from "@effect/vitest"
import * as Storable from "./Storable.ts"

it("what Postgres would refuse or merge is told from what it stores as it is", () => {
  assert.deepStrictEqual(["", "ü", "😀", "\u0000", "\ud83d", "a\udc00"].map(Storable.isText), [
    true,
    true,
    true,
    false,
    false,
    false
  ])
  assert.strictEqual(Storable.toText("a\u0000b\ud800"), "a\ufffdb\ufffd")
  assert.deepStrictEqual(
    ["x".repeat(2_500), "x".repeat(2_501), "ü".repeat(1_250), "ü".repeat(1_251), "\u0000"].map(Storable.isKey),
    [true, false, true, false, false]
  )
})

it("any amount fits an integer column", () => {
  assert.deepStrictEqual(
    [1.5, -0.2, 1e300, -1e300, Number.NaN, Infinity].map(Storable.toInteger),
    [2, 0, 2_147_483_647, -2_147_483_647, 0, 2_147_483_647]
  )
})
