import * as Fs from "node:fs/promises"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axeSource = Fs.readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

/** What is wrong with a page for people who do not see it well, or use no mouse. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(await axeSource)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: ReadonlyArray<Violation> }> } }
    return (await axe.run()).violations
  })
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ failureSummary, html }) => `${id}: ${html} ${failureSummary ?? ""}`)
  )
}

/** Whether something sticks out of the window at its side. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { document, innerWidth } = globalThis as unknown as {
      innerWidth: number
      document: { documentElement: { scrollWidth: number } }
    }
    return document.documentElement.scrollWidth > innerWidth
  })
