import { assert, describe, it } from "@effect/vitest"
import type { Placed, Point } from "./GraphLayout.ts"
import { GraphView } from "./GraphView.ts"

const box = { width: 200, height: 60 }

/** Four boxes in a row, with room between them. */
const row: Placed = {
  width: 1_400,
  height: 60,
  boxes: new Map([0, 1, 2, 3].map((index) => [String(index), { x: 100 + 400 * index, y: 30 }])),
  links: []
}

const at = (index: number): Point => row.boxes.get(String(index))!

const shown = (width: number, scaled = 1) => {
  const view = new GraphView()
  let transform = ""
  view.attach((next) => {
    transform = next
  })
  view.resize({ width, height: 400 })
  view.replace(undefined, row)
  if (scaled !== 1) view.zoom(scaled)
  const now = () => {
    const [x, , scale] = [...transform.matchAll(/-?[\d.]+/g)].map(Number)
    const span = (index: number): readonly [number, number] => [
      (at(index).x - box.width / 2) * scale! + x!,
      (at(index).x + box.width / 2) * scale! + x!
    ]
    return { x: x!, scale: scale!, isSeen: (index: number) => span(index)[0] >= 0 && span(index)[1] <= width }
  }
  return { view, now }
}

describe("GraphView", () => {
  it("moves nothing for a box that is visible with its neighbours", () => {
    const { now, view } = shown(1_500)
    const before = now()
    view.reveal(at(3), [at(2)], box)
    assert.strictEqual(now().x, before.x)
  })

  it("moves no farther than a box and its neighbours need", () => {
    const { now, view } = shown(1_100)
    const before = now()
    assert.isFalse(before.isSeen(3))
    view.reveal(at(3), [at(2)], box)
    const after = now()
    assert.deepStrictEqual([1, 2, 3].map(after.isSeen), [true, true, true], "what there is room for stays visible")
    assert.isAbove(after.x, before.x - 300)
    assert.strictEqual(after.scale, before.scale)
    view.reveal(at(2), [at(1)], box)
    assert.strictEqual(now().x, after.x)
  })

  it("shows a box in full, and a part of its neighbours, where there is no room for all of them", () => {
    const { now, view } = shown(600)
    view.reveal(at(2), [at(0), at(3)], box)
    assert.isTrue(now().isSeen(2))
    view.reveal(at(0), [at(3)], box)
    assert.isTrue(now().isSeen(0))
    view.reveal(at(3), [at(0)], box)
    assert.isTrue(now().isSeen(3))
  })

  it("makes a box large enough to be read", () => {
    const { now, view } = shown(1_100, 0.2)
    view.reveal(at(3), [at(2)], box)
    assert.isAtLeast(now().scale, 12 / 13 - 0.001)
    assert.isTrue(now().isSeen(3))
  })
})
