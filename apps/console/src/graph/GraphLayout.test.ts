import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { curve, place, type Placed, type Plan, type Point } from "./GraphLayout.ts"

const box = { width: 200, height: 60 }
const label = { width: 110, height: 30 }

const names = (count: number) => Array.from({ length: count }, (_, index) => String(index))

const plan = (count: number, links: Plan["links"], changes: Partial<Plan> = {}): Plan => ({
  boxes: names(count),
  links,
  box,
  gap: { width: 50, height: 15 },
  aspect: 1.5,
  ...changes
})

const plans: Readonly<Record<string, Plan>> = {
  star: plan(300, names(300).slice(1).map((to) => ["0", to])),
  pairs: plan(300, names(150).map((name, index) => [name, String(index + 150)])),
  ring: plan(20, names(20).map((name, index) => [name, String((index + 1) % 20)])),
  alone: plan(50, [])
}

/** Points on a path of cubic curves. */
const pointsOn = (path: string): ReadonlyArray<Point> => {
  const numbers = path.split(/[MC ,]/).filter((text) => text !== "").map(Number)
  const points: Array<Point> = []
  for (let at = 0; at + 7 < numbers.length; at += 6) {
    for (let step = 0; step <= 32; step++) {
      const [t, u] = [step / 32, 1 - step / 32]
      const along = (axis: number) =>
        u ** 3 * numbers[at + axis]! + 3 * u ** 2 * t * numbers[at + 2 + axis]! + 3 * u * t ** 2 *
          numbers[at + 4 + axis]! +
        t ** 3 * numbers[at + 6 + axis]!
      points.push({ x: along(0), y: along(1) })
    }
  }
  return points
}

/** The links that pass through a box to which they do not belong, or through a label. */
const crossings = (asked: Plan, { boxes, links }: Placed): ReadonlyArray<string> => {
  const obstacles = [
    ...[...boxes].map(([name, at]) => ({ name, ...at, ...box })),
    // The text of a label ends a little above its lower edge.
    ...links.flatMap(({ label: at }, index) =>
      at === undefined ? [] : [{ name: `label of ${index}`, x: at.x, y: at.y - 4, ...label, height: label.height - 8 }]
    )
  ]
  return asked.links.flatMap((ends, index) => {
    const [from, to] = ends.map((end) => boxes.get(end)!)
    const points = pointsOn(curve(from!, links[index]!.between, to!, box))
    return obstacles
      .filter((obstacle) =>
        !ends.includes(obstacle.name) &&
        points.some(({ x, y }) =>
          Math.abs(x - obstacle.x) < obstacle.width / 2 - 0.5 && Math.abs(y - obstacle.y) < obstacle.height / 2 - 0.5
        )
      )
      .map(({ name }) => `${ends.join(" to ")} crosses ${name}`)
  })
}

const graphs = FastCheck.integer({ min: 2, max: 30 }).chain((count) =>
  FastCheck.record({
    count: FastCheck.constant(count),
    links: FastCheck.uniqueArray(
      FastCheck.tuple(FastCheck.nat(count - 1), FastCheck.nat(count - 1)).filter(([from, to]) => from !== to),
      { maxLength: 2 * count, selector: (ends) => ends.join() }
    ),
    hub: FastCheck.boolean(),
    isLabelled: FastCheck.boolean(),
    aspect: FastCheck.constantFrom(0.7, 1, 1.5)
  })
)

describe("the layout of a graph", () => {
  for (const [name, asked] of Object.entries(plans)) {
    it(`keeps the boxes of a ${name} apart and free of links, and within a shape that fits on a screen`, () => {
      const placed = place(asked)
      const { boxes, height, width } = placed
      const points = [...boxes.values()]
      assert.strictEqual(points.length, asked.boxes.length)
      for (const [index, { x, y }] of points.entries()) {
        assert.isTrue(x >= 100 && x <= width - 100 && y >= 30 && y <= height - 30, `${x},${y} of ${width},${height}`)
        for (const other of points.slice(0, index)) {
          assert.isTrue(Math.abs(other.x - x) >= 200 || Math.abs(other.y - y) >= 60, "two boxes lie on each other")
        }
      }
      assert.deepStrictEqual(crossings(asked, placed), [])
      if (name !== "ring") assert.isTrue(width / height > 0.7 && width / height < 3, `${width} x ${height}`)
    })
  }

  it("leads no link that passes all boxes of its part through another part", () => {
    const asked = plan(19, [["0", "2"], ["0", "3"], ["0", "16"], ["16", "2"]], {
      aspect: 0.7
    })
    assert.deepStrictEqual(crossings(asked, place(asked)), [])
  })

  it("lets no link pass through a box or a label", () =>
    FastCheck.assert(
      FastCheck.property(graphs, ({ aspect, count, hub, isLabelled, links }) => {
        // A hub makes a part so high that it is folded.
        const all = hub ? names(count).slice(1).map((to) => ["0", to] as const) : []
        const known = new Set(all.map((ends) => ends.join()))
        const others = links.map(([from, to]) => [String(from), String(to)] as const)
        const asked = plan(count, [...all, ...others.filter((ends) => !known.has(ends.join()))], {
          aspect,
          ...(isLabelled ? { label } : {})
        })
        assert.deepStrictEqual(crossings(asked, place(asked)), [])
      }),
      { numRuns: 100 }
    ))
})
