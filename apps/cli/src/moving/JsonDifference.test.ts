import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import * as JsonDifference from "./JsonDifference.ts"

const now = Date.parse("2026-11-20T12:00:00Z")

const found = (there: Schema.Json, here: Schema.Json) =>
  [...JsonDifference.differences("step", there, here, now)].map(({ here, incidental, path, there }) =>
    incidental === null ? [path, there, here] : [path, incidental]
  )

describe("the difference of two values", () => {
  it("names each place as code would, and nothing that is the same in another order", () => {
    assert.deepStrictEqual(found({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }), [])
    assert.deepStrictEqual(
      found({ a: { "b c": [1, { d: "x" }] }, gone: 1, [`__proto__`]: 1 }, { a: { "b c": [1, { d: "y" }] }, more: [] }),
      [
        ["step.a[\"b c\"][1].d", "x", "y"],
        ["step.gone", 1, undefined],
        ["step.__proto__", 1, undefined],
        ["step.more", undefined, []]
      ]
    )
    assert.deepStrictEqual(found({ a: {} }, { a: [] }), [["step.a", {}, []]])
    assert.deepStrictEqual(found({ a: "1" }, { a: 1 }), [["step.a", "1", 1]])
  })

  it("shifts nothing behind an item of a list that is added or missing", () => {
    assert.deepStrictEqual(found([{ n: 1 }, { n: 2 }, { n: 3 }], [{ n: 1 }, { n: 3 }]), [[
      "step[1]",
      { n: 2 },
      undefined
    ]])
    assert.deepStrictEqual(found([1, 3], [1, 2, 3]), [["step[1]", undefined, 2]])
    assert.deepStrictEqual(found([1, 1], [1]), [["step[1]", 1, undefined]])
  })

  it("marks times of the runs, and ids that are made anew, but no other text and no other number", () => {
    const ids = ["0b9d8a3e-1111-4222-8333-444455556666", "7c1f2e4d-5555-4666-8777-888899990000"] as const
    assert.deepStrictEqual(
      found(
        {
          at: "2025-01-02T03:04:05.678Z",
          ms: 1_735_787_045_678,
          s: "1735787045",
          any: ids[0],
          orderId: "abcdefgh",
          "x-id": "12345678"
        },
        {
          at: "2026-11-20T11:59:59.000Z",
          ms: now - 5,
          s: String(now / 1_000),
          any: ids[1],
          orderId: "hgfedcba",
          "x-id": "87654321"
        }
      ),
      [
        ["step.at", "time"],
        ["step.ms", "time"],
        ["step.s", "time"],
        ["step.any", "id"],
        ["step.orderId", "id"],
        ["step[\"x-id\"]", "id"]
      ]
    )
    const differing = [
      ["2025-01-02", "2025-01-03"],
      [1_735_787_045_678, 1_735_787_045_679],
      ["2026-11-20T11:59:59Z", 5],
      ["abcdefgh", "hgfedcba"],
      ["", "2026-11-20T11:59:59Z"]
    ] as const
    for (const [there, here] of differing) assert.deepStrictEqual(found(there, here), [["step", there, here]])
    assert.deepStrictEqual(found({ id: "short" }, { id: "trohs" }), [["step.id", "short", "trohs"]])
  })
})
