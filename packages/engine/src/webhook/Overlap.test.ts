import { assert, it } from "@effect/vitest"
import { Overlap, type OverlapItem } from "./Overlap.ts"

const itemsOf = (overlap: Overlap, count: number) => {
  const written: Array<string> = []
  const items = Array.from({ length: count }, (_, i): OverlapItem => ({
    commit: undefined,
    stepAside: () => ({ accountId: `${i} aside` }),
    handOver: ({ accountId }) => written.push(accountId!)
  }))
  for (const item of items) overlap.add(item)
  const end = (i: number) => overlap.ended(items[i]!, { accountId: String(i) })
  return { end, written }
}

it("outcomes are written in the order of the log, whatever the order is that they come in", () => {
  const overlap = new Overlap(16)
  const { end, written } = itemsOf(overlap, 4)
  for (const i of [2, 1, 0]) end(i)
  assert.deepStrictEqual(written, ["0", "1", "2"])
  assert.isFalse(overlap.isEmpty)
  end(3)
  assert.deepStrictEqual(written, ["0", "1", "2", "3"])
  assert.isTrue(overlap.isEmpty)
})

it("those that are slow step aside once many outcomes wait for them", () => {
  const overlap = new Overlap(16)
  const { end, written } = itemsOf(overlap, 20)
  end(0)
  for (let i = 3; i < 18; i++) end(i)
  assert.deepStrictEqual(written, ["0"])
  end(19)
  assert.deepStrictEqual(written, ["0", "1 aside", "2 aside", ...Array.from({ length: 15 }, (_, i) => String(i + 3))])
  end(18)
  assert.deepStrictEqual(written.slice(-2), ["18", "19"])
})
