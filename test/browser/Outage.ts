import type { Page } from "playwright-core"

/** More than any page waits before it asks again, in milliseconds. */
const patienceMs = 20_000

/** A page that is slow to load may be in the midst of asking, and asks again only a little later. In milliseconds. */
const noticeMs = 60_000

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
    await page.clock.fastForward(patienceMs)
    await page.locator(stale).nth(before).waitFor({ timeout: noticeMs }).catch(() => {
      faults.push(`${url} does not say that it is as it was`)
    })
  }
  await page.reload()
  await page.getByRole("alert").first().waitFor({ timeout: noticeMs }).catch(() => {
    faults.push(`${url} does not say that it could not be had`)
  })
  if (await page.locator(".empty").count() > 0) faults.push(`${url} says that there is nothing, where it could not ask`)
  await page.unroute("**/v1/**")
  return faults
}
