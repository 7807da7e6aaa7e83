import { assert, describe, it } from "@effect/vitest"
import { maxToldBytes, told } from "./ToldProps.ts"

const tooLarge = "(left out: a step's props are shown with at most 64 KiB of JSON)"

describe("the props that a step tells", () => {
  it("are JSON as it would be sent, and null where there is nothing", () => {
    const at = new Date(0)
    assert.deepStrictEqual(told({ at, deep: [{ a: "ü" }], none: undefined, ["__proto__"]: 1 }), {
      at: at.toISOString(),
      deep: [{ a: "ü" }],
      none: null,
      ["__proto__"]: 1
    })
  })

  it("have a mark in place of what is not JSON, or nests too deep", () => {
    const cycle: Array<unknown> = []
    cycle.push(cycle)
    let deep: unknown = 0
    for (let level = 0; level < 600; level++) deep = [deep]
    let bottomless: unknown = 0
    for (let level = 0; level < 100_000; level++) bottomless = [bottomless]
    const shown = told({ cycle, big: 1n, deep, bottomless, plain: 1 })
    const mark = "(left out: it is not JSON)"
    assert.deepStrictEqual(shown, { cycle: mark, big: mark, deep: mark, bottomless: mark, plain: 1 })
  })

  it("have a mark in place of each that does not fit, within the bound", () => {
    const half = "x".repeat(maxToldBytes / 2)
    const shown = told({ first: half, second: { half }, list: Array.from({ length: 100_000 }, () => 0), last: "small" })
    assert.deepStrictEqual(shown, { first: half, second: tooLarge, list: tooLarge, last: "small" })
    assert.deepStrictEqual(told({ wide: "ü".repeat(maxToldBytes / 2) }), { wide: tooLarge })
  })

  it("fill the bound and never exceed it", () => {
    const exact = told({ a: "x".repeat(maxToldBytes - `{"a":""},`.length) })
    assert.strictEqual(JSON.stringify(exact).length, maxToldBytes - 1)
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`prop ${n}`, "x".repeat(1_000)]))
    assert.isAtMost(JSON.stringify(told(many)).length, maxToldBytes)
  })
})
