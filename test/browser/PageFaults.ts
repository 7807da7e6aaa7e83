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
  // A text that is fading in has less contrast for the moment.
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
  const inLight = await found(page)
  await page.emulateMedia({ colorScheme: "dark" })
  // All else is the same in the dark.
  const inDark = await found(page, ["color-contrast"])
  await page.emulateMedia({ colorScheme: "light", reducedMotion: null })
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
  readonly isConnected: boolean
  readonly matches: (selector: string) => boolean
  readonly checkVisibility: (options: { readonly visibilityProperty: boolean }) => boolean
}

interface Controls {
  readonly querySelectorAll: (selector: string) => Iterable<Control>
}

interface Walk {
  readonly document: Controls & {
    /** Of what is around an open dialog, nothing can be acted on. */
    readonly querySelector: (selector: string) => Controls | null
    readonly addEventListener: (type: string, listener: (event: { readonly target: Control }) => void) => void
  }
  /** What the walk has not come to yet. */
  ahead: Set<Control> | undefined
}

/**
 * What can be acted on with a mouse when this is called, and not be come to by the Tab key; Escape comes before it in an
 * editor of code.
 */
export const unreachable = async (page: Page): Promise<ReadonlyArray<string>> => {
  const stops = await page.evaluate(() => {
    const walk = globalThis as unknown as Walk
    const controls = "a[href], button, input, select, textarea, summary, [contenteditable=true], [tabindex]"
    const root = walk.document.querySelector("dialog[open]") ?? walk.document
    const ahead = [...root.querySelectorAll(controls)].filter((one) =>
      // The arrow keys come to the others of a group.
      !one.matches("[tabindex=\"-1\"], :disabled, [type=radio]:not(:checked)") &&
      one.checkVisibility({ visibilityProperty: true })
    )
    if (walk.ahead === undefined) walk.document.addEventListener("focusin", ({ target }) => walk.ahead?.delete(target))
    walk.ahead = new Set(ahead)
    // A field for a time has a stop for each of its parts.
    return ahead.reduce((stops, one) => stops + (one.matches("[type=datetime-local]") ? 8 : 1), 0)
  })
  const hasEditor = await page.locator(".cm-content").count() > 0
  for (let presses = 0; presses < stops + 5; presses++) {
    if (hasEditor) await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
  }
  return page.evaluate(() =>
    [...(globalThis as unknown as Walk).ahead!].filter(({ isConnected }) => isConnected).map(({ outerHTML }) =>
      outerHTML.slice(0, 200)
    )
  )
}
