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

interface Control {
  readonly outerHTML: string
  readonly matches: (selector: string) => boolean
  readonly checkVisibility: (options: { readonly visibilityProperty: boolean }) => boolean
}

interface Walk {
  readonly document: {
    readonly querySelectorAll: (selector: string) => Iterable<Control>
    readonly addEventListener: (type: string, listener: (event: { readonly target: Control }) => void) => void
  }
  visited: Set<Control> | undefined
}

/** What can be acted on with a mouse, and not be come to by the Tab key; Escape comes before it in an editor of code. */
export const unreachable = async (page: Page): Promise<ReadonlyArray<string>> => {
  const selector = "a[href], button, input, select, textarea, summary, [contenteditable=true], [tabindex]"
  const stops = await page.evaluate((selector) => {
    const walk = globalThis as unknown as Walk
    const visited = walk.visited ?? new Set<Control>()
    if (walk.visited === undefined) walk.document.addEventListener("focusin", ({ target }) => visited.add(target))
    walk.visited = visited
    visited.clear()
    // A field for a time has a stop for each of its parts.
    return [...walk.document.querySelectorAll(selector)].reduce(
      (stops, one) => stops + (one.matches("[type=datetime-local]") ? 8 : 1),
      0
    )
  }, selector)
  const hasEditor = await page.locator(".cm-content").count() > 0
  for (let presses = 0; presses < stops + 3; presses++) {
    if (hasEditor) await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
  }
  return page.evaluate((selector) => {
    const { document, visited } = globalThis as unknown as Walk
    return [...document.querySelectorAll(selector)].flatMap((one) =>
      // What reads more of a list does so once it is seen, and is another one then.
      one.matches("[tabindex=\"-1\"], :disabled, .rows .end button") ||
        !one.checkVisibility({ visibilityProperty: true }) ||
        visited!.has(one)
        ? []
        : [one.outerHTML.slice(0, 200)]
    )
  }, selector)
}
