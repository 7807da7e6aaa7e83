import type { Page } from "playwright-core"

interface Point {
  readonly x: number
  readonly y: number
}

/** How often a finger is heard of on its way. */
const steps = 8

/** Puts fingers on a page, moves each from its first point to its second, all at once, and lifts them. */
export const move = async (page: Page, ways: ReadonlyArray<readonly [from: Point, to: Point]>): Promise<void> => {
  const session = await page.context().newCDPSession(page)
  const at = (step: number) =>
    ways.map(([from, to], id) => ({
      id,
      x: from.x + (to.x - from.x) * step / steps,
      y: from.y + (to.y - from.y) * step / steps
    }))
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) })
  for (let step = 1; step <= steps; step++) {
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(step) })
  }
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
  await session.detach()
}

/** Touches a page and lets go at once. */
export const tap = async (page: Page, point: Point): Promise<void> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] })
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
  await session.detach()
}
