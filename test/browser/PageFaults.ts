import * as Fs from "node:fs/promises"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axeSource = Fs.readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

interface Axe {
  readonly run: (options: {
    readonly resultTypes: ReadonlyArray<string>
    readonly runOnly?: ReadonlyArray<string>
  }) => Promise<{ readonly violations: ReadonlyArray<Violation> }>
}

const found = (page: Page, runOnly?: ReadonlyArray<string>): Promise<ReadonlyArray<Violation>> =>
  page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    return (await axe.run({ resultTypes: ["violations"], ...(runOnly === undefined ? {} : { runOnly }) })).violations
  }, runOnly)

/** What is wrong with a page, in light and in dark, for people who do not see it well, or use no mouse. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(await axeSource)
  await page.emulateMedia({ colorScheme: "light" })
  const inLight = await found(page)
  await page.emulateMedia({ colorScheme: "dark" })
  // All else is the same in the dark.
  const inDark = await found(page, ["color-contrast"])
  await page.emulateMedia({ colorScheme: "light" })
  return Object.entries({ light: inLight, dark: inDark }).flatMap(([scheme, all]) =>
    all.flatMap(({ id, nodes }) =>
      nodes.map(({ failureSummary, html }) => `${scheme}: ${id}: ${html} ${failureSummary ?? ""}`)
    )
  )
}

/** Whether something sticks out of the window, or of the page's content, at its side. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    interface Box {
      readonly clientWidth: number
      readonly scrollWidth: number
    }
    const { document, innerWidth } = globalThis as unknown as {
      innerWidth: number
      document: { documentElement: Box; querySelector: (selector: string) => Box | null }
    }
    const content = document.querySelector("#content")
    return document.documentElement.scrollWidth > innerWidth ||
      (content !== null && content.scrollWidth > content.clientWidth)
  })
