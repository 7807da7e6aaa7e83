import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { ConsoleSite } from "./ConsoleSite.ts"

export type Site = ConsoleSite["Service"]

/** A test in the browser, which goes its way in promises. */
export const inBrowser = (test: (site: Site) => Promise<void>) =>
  Effect.flatMap(ConsoleSite, (site) => Effect.promise(() => test(site)))

/** How long a browser and a server on a loaded machine may take for anything. */
const patienceMs = 100_000

/** Waits for something that the page does not show by an element of its own. */
export const until = async (
  what: string,
  holds: () => Promise<boolean> | boolean,
  instead: () => string = () => ""
): Promise<void> => {
  const deadline = Date.now() + patienceMs
  while (!(await holds())) {
    if (Date.now() > deadline) assert.fail(`it never came to this: ${what}; ${instead()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export const rowsOf = (page: Page, list: string): Locator => page.getByRole("grid", { name: list }).getByRole("row")
