import { assert, describe, it } from "@effect/vitest"
import { place, type Plan } from "./GraphLayout.ts"

const names = (count: number) => Array.from({ length: count }, (_, index) => String(index))

const plan = (count: number, links: Plan["links"]): Plan => ({
  boxes: names(count),
  links,
  box: { width: 200, height: 60 },
  gap: { width: 50, height: 15 },
  aspect: 1.5
})

const plans: Readonly<Record<string, Plan>> = {
  star: plan(300, names(300).slice(1).map((to) => ["0", to])),
  pairs: plan(300, names(150).map((name, index) => [name, String(index + 150)])),
  ring: plan(20, names(20).map((name, index) => [name, String((index + 1) % 20)])),
  alone: plan(50, [])
}

describe("the layout of a graph", () => {
  for (const [name, asked] of Object.entries(plans)) {
    it(`keeps the boxes of a ${name} apart, and within a shape that fits on a screen`, () => {
      const { boxes, height, width } = place(asked)
      const points = [...boxes.values()]
      assert.strictEqual(points.length, asked.boxes.length)
      for (const [index, { x, y }] of points.entries()) {
        assert.isTrue(x >= 100 && x <= width - 100 && y >= 30 && y <= height - 30, `${x},${y} of ${width},${height}`)
        for (const other of points.slice(0, index)) {
          assert.isTrue(Math.abs(other.x - x) >= 200 || Math.abs(other.y - y) >= 60, "two boxes lie on each other")
        }
      }
      if (name !== "ring") assert.isTrue(width / height > 0.7 && width / height < 3, `${width} x ${height}`)
    })
  }
})
