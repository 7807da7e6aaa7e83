import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { latencyBounds } from "@headwater/log/commit/FigureCounts"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { ConsoleSite } from "./browser/ConsoleSite.ts"
import * as FigureRows from "./browser/FigureRows.ts"
import { inBrowser, rowsOf, type Site, until } from "./browser/InBrowser.ts"
import * as PageFaults from "./browser/PageFaults.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

const strict = `
export default {
  name: "Strict",
  run(event) {
    const { lines } = event
    if (lines === undefined) throw new TypeError("an order without lines")
    this.$emit(event)
  }
}`

const idOf = (made: Json.Json): string => Json.textOf(made["data"]!["id"])

const listen = ({ api }: Site, emitter_id: string, listener_id: string, more: object = {}) =>
  api("POST", "/subscriptions", { emitter_id, listener_id, ...more })

/** A webhook to the site's endpoint, whose retries are an hour away. */
const webhookOf = async (site: Site, name: string, emitter: string, more: object = {}): Promise<string> => {
  const made = await site.api("POST", "/webhooks", { url: site.endpoint.url, name, retry_schedule: [3_600] })
  await listen(site, emitter, idOf(made), more)
  return idOf(made)
}

/** The deliveries to a webhook, once there are so many in a state. */
const deliveries = async ({ api }: Site, webhook: string, state: string, least: number) => {
  let found: ReadonlyArray<Json.Json> = []
  await until(`${least} are ${state}`, async () => {
    found = Json.listOf((await api("GET", `/webhooks/${webhook}/deliveries?state=${state}`))["data"])
    return found.length >= least
  }, () => `${found.length} are`)
  return found.map(({ id }) => Json.textOf(id))
}

const newestEvent = async ({ api }: Site, emitter: string): Promise<string> => {
  let id = ""
  await until("it has emitted", async () => {
    const [newest] = Json.listOf((await api("GET", `/sources/${emitter}/events?limit=1`))["data"])
    id = newest === undefined ? "" : Json.textOf(newest["id"])
    return id !== ""
  })
  return id
}

const copied = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { navigator } = globalThis as unknown as {
      navigator: { readonly clipboard: { readonly readText: () => Promise<string> } }
    }
    return navigator.clipboard.readText()
  })

const copyAsCurl = async (page: Page): Promise<string> => {
  await page.getByRole("button", { name: "Copy as curl" }).first().click()
  await page.getByText("Copied the request.").first().waitFor()
  return copied(page)
}

/** Attempts to a webhook so many milliseconds ago, by how long each took, of which the first so many failed. */
const attempts = (subject: string, agoMs: number, failed: number, ms: ReadonlyArray<number>): FigureRows.FigureRow => ({
  subject,
  at: Date.now() - agoMs,
  counts: { attempts: ms.length, failed_attempts: failed },
  latencies: [...latencyBounds, Infinity].map((bound, bucket, bounds) =>
    ms.filter((one) => one <= bound && one > (bounds[bucket - 1] ?? 0)).length
  )
})

const minuteMs = 60_000
const hourMs = 60 * minuteMs

layer(ConsoleSite.layerOn(ServerOnTestDatabase.make), { excludeTestServices: true })(
  "the console's deliveries",
  (it) => {
    it.effect("shows on an event's way what a run threw, and what a workflow sent of its own", () =>
      inBrowser(async (site) => {
        const { api, endpoint, send, signedIn, source, url } = site
        const own = await source("Shop")
        const workflow = idOf(
          await api("POST", "/workflows", {
            workflow_code: `export default { name: "Asking", steps: { ask: { run({ $, steps }) {
            $.send.http({ method: "PUT", url: "${endpoint.url}", data: { asked: steps.trigger.event.order } }) } } } }`
          })
        )
        const failing = await source("Strict", strict)
        await listen(site, own.id, failing.id)
        await listen(site, own.id, workflow)
        await send(own, [{ order: 7 }])
        const page = await signedIn(`/events/${own.id}/${await newestEvent(site, own.id)}`)
        const way = page.getByRole("group", { name: "Trace of the event" })
        await way.getByRole("button", { name: /Run Strict/ }).click()
        const details = page.getByRole("region", { name: "The selected step" })
        await details.getByText("TypeError: an order without lines", { exact: true }).waitFor()
        await details.getByRole("link", { name: "line 6" }).waitFor()
        await details.getByText("Stack", { exact: true }).click()
        assert.match(await details.locator("pre").innerText(), /at .*:6:/)

        await way.getByRole("button", { name: /Delivery own request.*delivered 200/ }).click()
        // The address says which stop is looked at.
        await page.reload()
        await details.getByRole("heading", { name: "Request of the workflow's own" }).waitFor()
        await details.getByText(`PUT ${endpoint.url}`).waitFor()
        assert.strictEqual(await details.getByRole("button", { name: "Replay" }).count(), 0)
        const command = await copyAsCurl(page)
        assert.include(command, `curl -X PUT '${endpoint.url}'`)
        assert.include(command, "--data-binary '{\"asked\":7}'")
        await details.getByRole("link", { name: "All attempts" }).click()
        await page.getByRole("heading", { name: "Delivery to a workflow's target" }).waitFor()
        await page.getByText(`PUT ${endpoint.url}`).waitFor()
        assert.isTrue(page.url().startsWith(`${url}deliveries/`))
      }))

    it.effect("leaves an event's way where the reader has moved it, though its stops change", () =>
      inBrowser(async (site) => {
        const { api, endpoint, send, signedIn, source } = site
        const first = await source("Far")
        const [second, third] = [await source("Farther", strict), await source("Farthest", strict)]
        await listen(site, first.id, second.id)
        await listen(site, second.id, third.id)
        const webhook = await webhookOf(site, "End", third.id)
        endpoint.answer = 500
        await send(first, [{ order: 8, lines: [] }])
        const [delivery] = await deliveries(site, webhook, "pending", 1)
        endpoint.answer = 200
        const page = await signedIn(`/events/${third.id}/${await newestEvent(site, third.id)}`, { width: 900 })
        const way = page.getByRole("group", { name: "Trace of the event" })
        await way.getByRole("button", { name: /Delivery End.*pending 500/ }).waitFor()
        const left = () => way.evaluate((frame) => (frame as unknown as { readonly scrollLeft: number }).scrollLeft)
        assert.isAbove(await left(), 0, "the event is in sight, and not where its way begins")
        await way.evaluate((frame) => (frame as unknown as { scrollTo: (x: number, y: number) => void }).scrollTo(0, 0))
        await api("POST", `/deliveries/${delivery}/retry`)
        await way.getByRole("button", { name: /Delivery End.*delivered 200/ }).waitFor()
        assert.strictEqual(await left(), 0)
      }))

    it.effect("says why nothing goes out to a webhook, and what waits for it", () =>
      inBrowser(async (site) => {
        const { endpoint, send, signedIn, source } = site
        const own = await source("Quiet")
        const failing = await webhookOf(site, "Failing", own.id)
        endpoint.answer = 500
        await send(own, [{ order: 9 }])
        await deliveries(site, failing, "pending", 1)
        const page = await signedIn(`/webhooks/${failing}`)
        await page.getByText("failing", { exact: true }).first().waitFor()
        await page.getByText(/^Nothing has arrived since/).waitFor()
        await page.getByText("1 waits for a retry").waitFor()

        const other = await source("Closing")
        const gone = await webhookOf(site, "Gone", other.id)
        endpoint.answer = 410
        await send(other, [{ order: 10 }])
        await page.goto(page.url().replace(failing, gone))
        await page.getByText("its endpoint answered 410").waitFor()
        await send(other, [{ order: 11 }, { order: 12 }])
        endpoint.answer = 200
        await page.getByRole("heading", { name: "2 events wait for a first attempt" }).waitFor()
        await page.getByRole("link", { name: "Webhooks" }).click()
        await page.getByRole("row", { name: /^Failing failing 0 %/ }).waitFor()
        const first = page.getByRole("rowgroup").getByRole("row").first()
        const head = page.getByRole("columnheader", { name: "Success" })
        await head.getByRole("button").click()
        await first.filter({ hasText: "0 %" }).waitFor()
        assert.strictEqual(await head.getAttribute("aria-sort"), "ascending")
        const byName = page.getByRole("columnheader", { name: "Name" }).getByRole("button")
        await byName.click()
        // The first of them is of the test before.
        await first.filter({ hasText: /End|Failing/ }).waitFor()
        await byName.click()
        await first.filter({ hasText: "Warehouse" }).waitFor()
        assert.include(page.url(), "sort=-Name")
        await page.getByRole("row", { name: /^Gone disabled/ }).click()
        await page.getByRole("button", { name: "Resume from now on" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Resume from now on" }).click()
        await page.getByRole("button", { name: "Pause", exact: true }).waitFor()
        await page.getByRole("heading", { name: /for a first attempt/ }).waitFor({ state: "detached" })
        await send(other, [{ order: 13 }])
        await until("only what came since is sent", () => endpoint.bodies.some((body) => body.includes("13")))
        assert.isFalse(endpoint.bodies.some((body) => /"order":1[12]/.test(body)))
      }))

    it.effect("attempts, skips and replays single deliveries, and copies what was sent", () =>
      inBrowser(async (site) => {
        const { endpoint, send, signedIn, source } = site
        const own = await source("Steered")
        const webhook = await webhookOf(site, "Steering", own.id)
        endpoint.answer = 500
        await send(own, [{ order: 20 }])
        await send(own, [{ order: 21 }])
        const [, oldest] = await deliveries(site, webhook, "pending", 2)
        endpoint.answer = 200
        const page = await signedIn(`/webhooks/${webhook}`)
        await page.getByRole("button", { name: "Attempt the oldest now" }).click()
        await deliveries(site, webhook, "delivered", 1)
        await page.getByText("1 waits for a retry").waitFor()
        await page.getByRole("link", { name: "Show them" }).click()
        await rowsOf(page, "deliveries").nth(1).click()
        await page.getByRole("button", { name: "Skip", exact: true }).click()
        await page.getByText("dropped", { exact: true }).waitFor()

        await page.goto(page.url().replace(/[^/]*$/, oldest!))
        await page.getByText("delivered", { exact: true }).first().waitFor()
        await page.getByRole("button", { name: "Replay", exact: true }).click()
        const sent = () => endpoint.bodies.filter((body) => body.includes("\"order\":20"))
        await until("it is sent a third time", () => sent().length === 3)
        const command = await copyAsCurl(page)
        assert.include(command, `curl -X POST '${endpoint.url}'`)
        assert.include(command, "-H 'webhook-id: ")
        assert.include(command, `--data-binary '${sent()[0]}'`)

        await page.goto(page.url().replace(/deliveries.*/, `webhooks/${webhook}`))
        await page.getByRole("button", { name: "Send a test" }).click()
        await page.getByLabel("Payload").fill("{ \"from\": \"a test\" }")
        await page.getByRole("button", { name: "Send", exact: true }).click()
        await page.getByRole("article", { name: "Attempt 1" }).waitFor()
        assert.include(await copyAsCurl(page), `--data-binary '${endpoint.bodies.at(-1)}'`)
      }))

    it.effect("shows of a batch which events it is of, and of one alone the list that was sent", () =>
      inBrowser(async (site) => {
        const { endpoint, send, signedIn, source } = site
        const own = await source("Gathered")
        endpoint.answer = 200
        const webhook = await webhookOf(site, "Gathering", own.id, { batch: { max_events: 2, max_wait_ms: 3_600_000 } })
        await send(own, [{ order: 31 }, { order: 32 }])
        const [many] = await deliveries(site, webhook, "delivered", 1)
        const page = await signedIn(`/deliveries/${many}`)
        await page.getByText("a batch of 2 events").waitFor()
        await page.getByText("A list of the payloads of 2 events.").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Copy as curl" }).count(), 0)

        const single = await webhookOf(site, "Alone", own.id, { batch: { max_events: 1 } })
        await send(own, [{ order: 33 }])
        const [one] = await deliveries(site, single, "delivered", 1)
        await page.goto(page.url().replace(many!, one!))
        await page.getByText("[{\"order\":33}]").waitFor()
        assert.include(await copyAsCurl(page), "--data-binary '[{\"order\":33}]'")
      }))

    it.effect("lists events and deliveries from either end of the whole list, deliveries with the summaries of their events", () =>
      inBrowser(async (site) => {
        const { api, send, signedIn, source } = site
        const own = await source("Long")
        const webhook = await webhookOf(site, "All of it", own.id)
        const orders = Array.from({ length: 130 }, (_, order) => ({ order }))
        for (const some of [orders.slice(0, 1), orders.slice(1, -1), orders.slice(-1)]) await send(own, some)
        const first = async () => {
          const { data } = await api("GET", `/webhooks/${webhook}/deliveries?sort=oldest&expand=summary&limit=1`)
          return Json.listOf(data)[0]
        }
        await until("all are delivered", async () => {
          const { data } = await api(
            "GET",
            `/webhooks/${webhook}/deliveries?since=0&limit=100&state=delivered&sort=oldest`
          )
          return Json.listOf(data).length === 100
        })
        const oldest = Json.textOf((await first())!["summary"])

        const page = await signedIn(`/deliveries?webhook_id=${webhook}`)
        const rows = rowsOf(page, "deliveries")
        await rows.nth(1).getByText("order 129", { exact: true }).waitFor()
        const started = page.getByRole("columnheader", { name: "Started" })
        assert.strictEqual(await started.getAttribute("aria-sort"), "descending")
        assert.strictEqual(await page.getByRole("columnheader", { name: "Tried for" }).getAttribute("aria-sort"), null)
        const head = started.getByRole("button")
        await page.getByRole("grid", { name: "deliveries" }).focus()
        await page.keyboard.press("ArrowDown")
        await head.press("Enter")
        await rows.nth(1).getByText(oldest, { exact: true }).waitFor()
        assert.isTrue(await head.and(page.locator(":focus")).isVisible())
        assert.strictEqual(await started.getAttribute("aria-sort"), "ascending")
        await page.getByRole("grid", { name: "deliveries" }).focus()
        await page.keyboard.press("End")
        await page.getByText("130 deliveries.").waitFor()
        // What comes now belongs behind the last row.
        await send(own, [{ order: 130 }])
        await page.getByText("131 deliveries.").waitFor()
        await page.keyboard.press("End")
        await rows.last().getByText("order 130", { exact: true }).waitFor()
        await page.reload()
        await rows.nth(1).getByText(oldest, { exact: true }).waitFor()

        await page.goto(page.url().replace(/deliveries\?.*/, `events?emitter=${own.id}`))
        const events = rowsOf(page, "Events")
        await events.nth(1).getByText("order 130", { exact: true }).waitFor()
        await page.getByRole("button", { name: "Time" }).click()
        await events.nth(1).getByText("order 0", { exact: true }).waitFor()
        assert.include(page.url(), "sort=oldest")
        await page.getByText("New events come in at the end of the list").waitFor()
        await page.setViewportSize({ width: 360, height: 900 })
        await page.getByText("Filters (1)").waitFor()
        await page.getByRole("combobox", { name: "Order" }).selectOption("newest")
        await events.nth(1).getByText("order 130", { exact: true }).waitFor()
        assert.isFalse(await PageFaults.overflows(page))
        assert.deepStrictEqual(await PageFaults.violations(page), [])
      }))

    it.effect("tells the health of a webhook over 1 h, 24 h and 7 d, and sorts webhooks by each part of it", () =>
      inBrowser(async (site) => {
        const own = await site.source("Measured")
        const [slow, odd] = [await webhookOf(site, "Slow till", own.id), await webhookOf(site, "Odd till", own.id)]
        const times = (count: number, ms: number) => Array.from({ length: count }, () => ms)
        await Effect.runPromise(FigureRows.write(site.server, [
          attempts(slow, 10 * minuteMs, 4, times(10, 40)),
          attempts(slow, 5 * hourMs, 5, times(10, 400)),
          attempts(slow, 72 * hourMs, 0, times(20, 4_000)),
          attempts(odd, 20 * minuteMs, 1, [...times(9, 4), 4_000])
        ]))
        const page = await site.signedIn(`/webhooks/${slow}`)
        const health = page.getByRole("region", { name: "Health" })
        const told = async () =>
          (await health.getByRole("row").allInnerTexts()).slice(1).map((row) => row.split(/\s*\t\s*/))
        await health.getByText(/^last delivered 1[01] min/).waitFor()
        assert.deepStrictEqual(await told(), [
          ["1 h", "60 %", "10", "4", "40 ms", "49 ms"],
          ["24 h", "55 %", "20", "9", "50 ms", "480 ms"],
          ["7 d", "77.5 %", "40", "9", "500 ms", "4.8 s"]
        ])
        await page.goto(`${site.url}webhooks?q=till`)
        await page.getByLabel("Name, URL or id").fill("till")
        const names = async () =>
          (await rowsOf(page, "webhooks").filter({ hasText: "till" }).allInnerTexts()).map((row) => row.split("\n")[0])
        const row = page.getByRole("row").filter({ hasText: "Slow till" })
        for (
          const [range, texts] of [["24h", ["55 %", "50 ms", "480 ms"]], ["1h", ["60 %", "40 ms", "49 ms"]], [
            "7d",
            ["77.5 %", "500 ms", "4.8 s"]
          ]] as const
        ) {
          await page.getByLabel("Health over").selectOption(range)
          for (const text of texts) await row.getByText(text, { exact: true }).waitFor()
          await row.getByText(/^1[01] min/).waitFor()
        }
        assert.include(page.url(), "range=7d")
        await page.reload()
        await row.getByText("77.5 %").waitFor()
        await page.getByLabel("Health over").selectOption("1h")
        await row.getByText("60 %").waitFor()
        await page.getByLabel("Name, URL or id").fill("till")
        for (
          const [column, first] of [["Success", "Slow till"], ["p50", "Odd till"], ["p95", "Slow till"], [
            "Last delivered",
            "Odd till"
          ]] as const
        ) {
          const head = page.getByRole("columnheader", { name: column })
          await head.getByRole("button").click()
          await until(`${column} ascends`, async () => (await head.getAttribute("aria-sort")) === "ascending")
          await until(`${first} is first by ${column}`, async () => (await names())[0] === first)
          await head.getByRole("button").click()
          await until(`${first} is last by ${column}`, async () => (await names())[1] === first)
        }
        assert.deepStrictEqual(await PageFaults.violations(page), [])
      }))

    it.effect("narrows events and deliveries to a range up to now, which the address keeps", () =>
      inBrowser(async (site) => {
        const own = await site.source("Ranged")
        const webhook = await webhookOf(site, "In range", own.id)
        site.endpoint.answer = 200
        await site.send(own, [{ order: 60 }])
        await deliveries(site, webhook, "delivered", 1)
        const page = await site.signedIn("/overview")
        // For the reader, it was sent two hours ago.
        const now = Date.now() + 2 * hourMs
        await page.clock.install({ time: now })
        for (
          const [path, list, name, none] of [
            [`events?emitter=${own.id}`, "Events", "from", "No event matches."],
            [`deliveries?webhook_id=${webhook}`, "deliveries", "since", "No delivery matches."]
          ] as const
        ) {
          await page.goto(site.url + path)
          const row = rowsOf(page, list).filter({ hasText: "order 60" })
          await row.waitFor()
          const range = page.getByRole("combobox", { name: "Time", exact: true })
          const kept = () => new URL(page.url()).searchParams.get(name)
          await range.selectOption("last hour")
          await page.getByText(none).waitFor()
          assert.closeTo(Number(kept()), now - hourMs, 10 * minuteMs)
          await page.reload()
          await page.getByText(none).waitFor()
          assert.strictEqual(await range.inputValue(), "last hour")
          await range.selectOption("last 24 hours")
          await row.waitFor()
          assert.closeTo(Number(kept()), now - 24 * hourMs, 10 * minuteMs)
          await page.goBack()
          await page.getByText(none).waitFor()
          assert.strictEqual(await range.inputValue(), "last hour")
          await range.selectOption("")
          await row.waitFor()
          assert.isNull(kept())
        }
        assert.deepStrictEqual(await PageFaults.violations(page), [])
      }))

    it.effect("keeps what a search has found far down the list when it reads the beginning again", () =>
      inBrowser(async (site) => {
        const { api, orders, send, signedIn, webhook } = site
        await send(orders, [{ order: 7, total: 500 }])
        const path = `/webhooks/${webhook}/deliveries?limit=1`
        const listed = async () => Json.listOf((await api("GET", path))["data"])
        await until("there is a delivery", async () => (await listed()).length > 0)
        const data = await listed()
        const page = await signedIn("/overview")
        let beginnings = 0
        await page.route("**/v1/deliveries?*", (route) => {
          const isBehind = new URL(route.request().url()).searchParams.has("after")
          if (!isBehind) beginnings++
          return route.fulfill({
            json: isBehind
              ? { page_info: { count: 1, has_more: false, end_cursor: "b" }, data }
              : { page_info: { count: 0, has_more: true, end_cursor: "a" }, data: [] }
          })
        })
        await page.goto(`${site.url}deliveries?text=seven`)
        await page.getByText("1 delivery.").waitFor()
        const before = beginnings
        await until("it is read again twice", () => beginnings > before + 1)
        assert.isTrue(await page.getByText("1 delivery.").isVisible())
      }))

    it.effect("cancels a bulk action, which says what it means by name", () =>
      inBrowser(async (site) => {
        const { api, endpoint, send, signedIn, source } = site
        const own = await source("Many")
        const webhook = await webhookOf(site, "Slowly", own.id)
        endpoint.answer = 500
        await send(own, Array.from({ length: 30 }, (_, order) => ({ order: 100 + order })))
        await deliveries(site, webhook, "pending", 10)
        const bulk = idOf(
          await api("POST", "/bulk_actions", { action: "retry", filter: { webhook_id: webhook }, rate_limit: 1 })
        )
        const page = await signedIn(`/bulk-actions/${bulk}`)
        await page.getByText("webhook Slowly").waitFor()
        await page.getByText("1 webhook, of which 0 are done").waitFor()
        await page.getByRole("button", { name: "Cancel" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
        await page.getByText("cancelled", { exact: true }).first().waitFor()
        Json.assertHolds((await api("GET", `/bulk_actions/${bulk}`))["data"], { state: "cancelled" })
      }))

    it.effect("tells times in the reader's zone, and in UTC on hover or where the reader chooses so", () =>
      inBrowser(async (site) => {
        const own = await site.source("Clocked")
        await site.send(own, [{ order: 40 }])
        const id = await newestEvent(site, own.id)
        const page = await site.signedIn(`/events/${own.id}/${id}`, { timezone: "Asia/Tokyo" })
        const time = page.getByRole("region", { name: "The selected step" }).locator("time").first()
        const iso = await time.getAttribute("datetime")
        const inTokyo = new Date(Date.parse(iso!) + 9 * 3_600_000).toISOString()
        assert.include(await time.innerText(), inTokyo.slice(11, 23))
        assert.strictEqual(await time.getAttribute("title"), `${iso!.replace("T", " ").replace("Z", "")} UTC`)
        await page.getByLabel("Times").selectOption("UTC")
        await time.filter({ hasText: iso!.slice(11, 23) }).waitFor()
        await page.goto(`${site.url}events?from=${Date.parse(iso!)}`)
        assert.strictEqual(await page.getByLabel("From", { exact: true }).inputValue(), iso!.slice(0, 19))
      }))

    it.effect("asked nobody but its own server, in all of this, and met no error", () =>
      inBrowser(async ({ faults, foreignRequests }) => {
        assert.deepStrictEqual(foreignRequests, [])
        assert.deepStrictEqual(faults, [])
        await Promise.resolve()
      }))
  }
)
