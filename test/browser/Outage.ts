import type { Page } from "playwright-core"

/** More than any page waits before it asks again, in milliseconds. */
const patienceMs = 20_000

/** The time that a page has to show what it has noticed, in milliseconds. */
const noticeMs = 5_000

/** A page that is in the midst of asking when time passes asks again only when as much has passed once more. */
const mostAsked = 5

/** What says that what is shown is as it was. */
const stale = ".stale, .graph.is-old, .live.is-lost"

const isUp = async (page: Page): Promise<void> => {
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForFunction(() => {
    const { document } = globalThis as unknown as { document: { querySelector: (selector: string) => unknown } }
    return document.querySelector(".waiting") === null
  })
}

/**
 * Opens a page and has the server fail: the page must say that what it shows is as it was, if it asks again by itself.
 * Opened anew, it must say that it could not be had, and not that there is nothing.
 *
 * @param page its clock is installed
 */
export const show = async (page: Page, url: string, asksAgain = true): Promise<ReadonlyArray<string>> => {
  await page.goto(url)
  await isUp(page)
  const before = await page.locator(stale).count()
  await page.route("**/v1/**", (route) =>
    route.request().url().endsWith("/v1/session")
      ? route.fallback()
      : route.fulfill({ status: 503, json: { detail: "The database is away." } }))
  const faults: Array<string> = []
  if (asksAgain) {
    let isStale = false
    for (let asked = 0; asked < mostAsked && !isStale; asked++) {
      await page.clock.fastForward(patienceMs)
      isStale = await page.locator(stale).nth(before).waitFor({ timeout: noticeMs }).then(() => true, () => false)
    }
    if (!isStale) faults.push(`${url} does not say that it is as it was`)
  }
  await page.reload()
  await page.getByRole("alert").first().waitFor().catch(() => {
    faults.push(`${url} does not say that it could not be had`)
  })
  if (await page.locator(".empty").count() > 0) faults.push(`${url} says that there is nothing, where it could not ask`)
  await page.unroute("**/v1/**")
  return faults
}
