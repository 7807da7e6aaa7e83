import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import type { Page } from "playwright-core"
import * as ConsoleRoutes from "./browser/ConsoleRoutes.ts"
import { ConsoleSite } from "./browser/ConsoleSite.ts"
import { inBrowser, type Site, until } from "./browser/InBrowser.ts"
import * as PageFaults from "./browser/PageFaults.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

const workflow = `export default {
  props: { limit: { type: "integer", default: 100 } },
  steps: { check: { run({ steps }) { return steps.trigger.event } } }
}`

/** One thing of each kind that the address of a page names, and others for the lists to show. */
const samplesOf = async ({ api, endpoint, orders, send, webhook }: Site): Promise<Readonly<Record<string, string>>> => {
  const made = async (path: string, body: unknown) => Json.textOf((await api("POST", path, body))["data"]!["id"])
  const firstOf = async (path: string) => {
    const list = async () => Json.listOf((await api("GET", path))["data"])
    await until(`${path} has an entry`, async () => (await list()).length > 0)
    return Json.textOf((await list())[0]!["id"])
  }
  endpoint.answer = 500
  await send(orders, [{ order: 1, total: 200 }, { order: 2, total: 1, fails: true }])
  const flow = await made("/workflows", { workflow_code: workflow, name: "Checks" })
  const store = await made("/data_stores", { name: "Seen" })
  await api("PUT", `/data_stores/${store}/entry`, { key: "a", value: { n: 1 } })
  await api("PUT", "/environment_variables/SHOP_URL", { value: "https://shop.example" })
  await made("/couriers", { files: true, variables: ["SHOP_URL"] })
  await made("/users/me/keys", { name: "Dashboard", scope: "read" })
  const listed = async () => Json.listOf((await api("GET", "/registry/components"))["data"])
  await until("the components are published", async () => (await listed()).length > 0)
  return {
    emitter: orders.id,
    version: Json.textOf((await api("GET", `/sources/${orders.id}`))["data"]!["component_id"]),
    source: orders.id,
    event: await firstOf(`/sources/${orders.id}/events?limit=1`),
    webhook,
    delivery: await firstOf(`/webhooks/${webhook}/deliveries?limit=1`),
    workflow: flow,
    run: await made(`/workflows/${flow}/invocations`, { event: { order: 1 } }),
    consumer: await made("/consumers", { emitter_id: orders.id, name: "Import" }),
    account: await made("/accounts", { app: "gitlab", oauth: { client_id: "north", provider: "gitlab" } }),
    store,
    component: Json.textOf((await listed())[0]!["key"]),
    action: await made("/bulk_actions", { action: "retry", filter: { webhook_id: webhook }, dry_run: true })
  }
}

/** Addresses of pages that look different from the page without what is behind the question mark. */
const otherViews = (samples: Readonly<Record<string, string>>): ReadonlyArray<string> => [
  "overview?range=30d",
  `events?open=${encodeURIComponent(`${samples["emitter"]}/${samples["event"]}`)}`,
  "graph?view=list",
  `graph?view=table&node=${samples["webhook"]}`,
  `graph?focus=${samples["emitter"]}&node=${samples["emitter"]}`,
  "workflows/new?from=url",
  "nowhere"
]

const widths = [360, 1_440]

/** The faults of what is shown, in windows of several widths. */
const faultsOf = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const fault of await PageFaults.violations(page)) faults.push(`${name}, ${width} px: ${fault}`)
    if (await PageFaults.overflows(page)) faults.push(`${name} is wider than ${width} px`)
  }
  for (const control of await PageFaults.unreachable(page)) faults.push(`${name}: no key comes to ${control}`)
  return faults
}

/** The faults of the dialogs that the page's buttons, and the first row of its list, open. */
const faultsOfDialogs = async (page: Page, name: string, open: () => Promise<void>) => {
  const faults: Array<string> = []
  const buttons = page.locator("#content").getByRole("button", { name: / …$/ })
  const row = page.locator("#content").getByRole("grid").first().getByRole("row").nth(1)
  const openers = [
    ...Array.from({ length: await buttons.count() }, (_, index) => buttons.nth(index)),
    ...(await row.count() > 0 ? [row] : [])
  ]
  const dialog = page.getByRole("dialog")
  let opened = 0
  for (const [index, opener] of openers.entries()) {
    await open()
    if (await opener.isDisabled()) continue
    await opener.click()
    if (index === openers.length - 1 && opener === row) {
      // A row may also lead to another page, or do nothing.
      await page.waitForTimeout(300)
      if (await dialog.count() === 0) continue
    }
    await dialog.waitFor()
    opened++
    await until("the dialog is loaded", async () => await dialog.locator(".waiting").count() === 0)
    for (const more of await dialog.getByText("More settings", { exact: true }).all()) await more.click()
    faults.push(...await faultsOf(page, `${name}, the dialog ${await dialog.getAttribute("aria-label")}`))
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
  }
  return { faults, opened }
}

layer(ConsoleSite.layerOn(ServerOnTestDatabase.make), { excludeTestServices: true })("the console", (it) => {
  it.effect(
    "has nothing on any page or in any dialog that axe finds fault with, that no key comes to, or that is too wide",
    () =>
      inBrowser(async (site) => {
        const stranger = await site.open("/")
        await stranger.getByLabel("API key").waitFor()
        const faults = [...await faultsOf(stranger, "the sign-in")]
        await stranger.context().close()
        const samples = await samplesOf(site)
        const paths = ConsoleRoutes.paths.map((path) =>
          path.map((segment) => {
            if (!segment.startsWith(":")) return segment
            const sample = samples[segment.slice(1)]
            return sample ?? assert.fail(`${path.join("/")} is left out: it needs a sample of ${segment}`)
          }).join("/")
        )
        assert.isAbove(paths.length, 30)
        const page = await site.signedIn("/overview")
        let dialogs = 0
        for (const path of [...paths, ...otherViews(samples)]) {
          const open = async () => {
            await page.goto(site.url + path)
            await page.getByRole("heading", { level: 1 }).waitFor()
            await until(`${path} is loaded`, async () => await page.locator(".waiting").count() === 0)
          }
          await open()
          faults.push(...await faultsOf(page, path))
          if (path.includes("?")) continue
          const found = await faultsOfDialogs(page, path, open)
          faults.push(...found.faults)
          dialogs += found.opened
        }
        assert.deepStrictEqual(faults, [])
        assert.isAbove(dialogs, 25)
      }),
    900_000
  )

  it.effect(
    "has nothing on any page of the documentation that axe finds fault with, that no key comes to, or that is too wide",
    () =>
      inBrowser(async (site) => {
        const names = (await Fs.readdir(Path.resolve(import.meta.dirname, "../docs"))).flatMap((name) =>
          name.endsWith(".md") ? [name.slice(0, -3)] : []
        )
        const page = await site.signedIn("/overview")
        await page.getByRole("link", { name: "Documentation" }).click()
        await page.waitForURL("**/docs/README")
        const faults: Array<string> = []
        for (const path of ["README", ...names, "search?q=webhook", "search?q=nosuchword"]) {
          await page.goto(`${site.url}docs/${path}`)
          faults.push(...await faultsOf(page, path))
        }
        assert.deepStrictEqual(faults, [])
      }),
    900_000
  )
})
