import { assert, it } from "@effect/vitest"
import { BoundedMap, BoundedSet } from "./BoundedMap.ts"

it("keeps as many entries as it may, those that came last, and changes one in its place", () => {
  const map = new BoundedMap<string, number>(2)
  map.set("a", 1).set("b", 2).set("a", 3)
  assert.deepStrictEqual([...map], [["a", 3], ["b", 2]])
  map.set("c", 4)
  assert.deepStrictEqual([...map], [["b", 2], ["c", 4]])
})

it("lets the first go that is there, also after others were taken out or all were", () => {
  const map = new BoundedMap<number, number>(3)
  const kept: Array<number> = []
  for (let n = 0; n < 1_000; n++) {
    if (n % 7 === 3) {
      map.delete(kept[1]!)
      kept.splice(1, 1)
    }
    if (n % 101 === 100) {
      map.clear()
      kept.length = 0
    }
    map.set(n, n)
    kept.push(n)
    if (kept.length > 3) kept.shift()
    assert.deepStrictEqual([...map.keys()], kept)
  }
})

it("keeps as many members as it may, those that came last", () => {
  const set = new BoundedSet<string>(2)
  set.add("a").add("b").add("a").add("c")
  assert.deepStrictEqual([...set], ["b", "c"])
})
