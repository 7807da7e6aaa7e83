import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { ConsoleSite } from "./browser/ConsoleSite.ts"
import { inBrowser, type Site } from "./browser/InBrowser.ts"
import * as PageFaults from "./browser/PageFaults.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

const workflow_code = `export default {
  props: { http: "$.interface.http", shop: "string" },
  run() {}
}`

const markup = "<img src=x onerror=alert(1)>"

const finding = (kind: string, line: number, message: string) => ({
  kind,
  file: "inner/orders-p_A1/workflow.yaml",
  line,
  message
})

const imported = (moved_from: string, name: string, workflow_id: string | null) => ({
  moved_from,
  name,
  from: `inner/${moved_from}`,
  ref: null,
  workflow_id,
  came: { triggers: 1, steps: 5, props: 3, files: 5 },
  findings: [
    finding("failed", 3, "a step in Go can't be brought"),
    finding("missing", 18, "reads the environment variable SHOP: set it with `headwater env set SHOP`"),
    finding("different", 7, `hi_A1: has another URL here. ${markup}`)
  ],
  needs: [
    { kind: "value", name: "shop", message: "a value of the type string: `--set shop=…`", is_required: true },
    { kind: "variable", name: "env.SHOP", message: "the environment variable", is_required: false }
  ],
  endpoints: [{ trigger: `hi_${moved_from}`, old_url: `https://old.example/${"long".repeat(30)}`, url: null }]
})

const made = async ({ api }: Site, name: string, active: boolean) => {
  const configured_props = active ? { shop: "north" } : {}
  const { data } = await api("POST", "/workflows", { name, workflow_code, configured_props, active })
  return { id: Json.textOf(data!["id"]), url: Json.textOf(data!["configured_props"]!["http"]!["endpoint_url"]) }
}

layer(ConsoleSite.layerOn(ServerOnTestDatabase.make), { excludeTestServices: true })("the console", (it) => {
  it.effect("shows what was moved in, how it stands now, and which URL is in the place of which", () =>
    inBrowser(async (site) => {
      const page = await site.signedIn("/moving-in")
      await page.getByText("Nothing has been imported").waitFor()
      assert.strictEqual(await page.getByRole("link", { name: "Moving in" }).count(), 0)

      const orders = await made(site, "Orders", false)
      const nightly = await made(site, "Nightly", true)
      const workflows = [
        imported("p_A1", "Orders", orders.id),
        imported("p_B2", "Nightly", nightly.id),
        imported("p_C3", "Refused", null),
        imported("p_D4", "Gone", "p_0Uz7P0aRk3WnXc5TzQmB")
      ]
      await site.api("PUT", "/imports/moved", { report: { workflows, findings: [] } })
      await site.api("PUT", "/imports/other", { report: { workflows: [], findings: [finding("missing", 1, "left")] } })
      await page.reload()
      await page.getByRole("link", { name: "Moving in" }).click()
      const part = (name: string) => page.getByRole("region", { name, exact: true })
      await part("Orders").getByText("needs 1 more").waitFor()
      await part("Nightly").getByText("active", { exact: true }).waitFor()
      await part("Nightly").getByText("env.SHOP, not required").waitFor()
      assert.strictEqual(await part("Nightly").getByText("a value of the type string").count(), 0)
      await part("Refused").getByText("not deployed").waitFor()
      await part("Gone").getByText("deleted").waitFor()
      await part("Orders").getByText("inner/orders-p_A1/workflow.yaml:18").waitFor()
      await part("Orders").getByText("Different here: 1").click()
      await part("Orders").getByText(markup).waitFor()
      const urls = part("URLs").getByRole("row").filter({ hasText: "Orders" })
      await urls.getByText(orders.url).waitFor()
      await urls.getByRole("button", { name: "Copy the new URL of Orders" }).click()
      await page.getByText("Copied the new URL of Orders").or(page.getByText("does not let the page copy")).waitFor()

      assert.deepStrictEqual(await PageFaults.violations(page), [])
      assert.deepStrictEqual(await PageFaults.unreachable(page), [])
      for (const width of [360, 2_560, 1_440]) {
        await page.setViewportSize({ width, height: 900 })
        assert.isFalse(await PageFaults.overflows(page), `it is wider than ${width} px`)
      }

      await site.api("PUT", `/workflows/${orders.id}`, { active: true, configured_props: { shop: "south" } })
      await page.reload()
      await part("Orders").getByText("active", { exact: true }).waitFor()
      await part("Orders").getByRole("link", { name: "Orders" }).click()
      await page.getByRole("heading", { name: "Orders" }).waitFor()

      await page.goto(`${site.url}moving-in`)
      await page.getByLabel("Import").selectOption("other")
      await page.getByText("To do: 1").waitFor()
      await page.getByRole("button", { name: "Delete" }).click()
      await page.getByRole("button", { name: "Delete for good" }).click()
      await part("Orders").waitFor()
      assert.deepStrictEqual(
        Json.listOf((await site.api("GET", "/imports"))["data"]).map(({ name }) => Json.textOf(name)),
        [
          "moved"
        ]
      )
    }))

  it.effect("makes couriers, shows their address once, what they have brought, and removes them", () =>
    inBrowser(async (site) => {
      await site.api("POST", "/data_stores", { name: "customers" })
      const page = await site.signedIn("/moving-in")
      const part = page.getByRole("region", { name: "Couriers", exact: true })
      await part.getByText("There are no couriers.").waitFor()
      await part.getByRole("button", { name: "New courier" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByRole("button", { name: "Create" }).click()
      await dialog.getByText("Give at least one thing that it should bring.").waitFor()
      await dialog.getByLabel("Data stores").fill("ds_A1=customers")
      await dialog.getByLabel("Environment variables").fill("SHOP, SHOP_URL")
      await dialog.getByLabel("Files").check()
      await dialog.getByRole("button", { name: "Create" }).click()
      const address = dialog.getByRole("region", { name: "Its address" })
      await address.waitFor()
      const [url, token] = await address.locator("code").allTextContents()
      assert.match(url!, /\/courier$/)
      assert.match(token!, /^hwc_/)
      await dialog.getByRole("button", { name: "Close" }).click()
      const row = part.getByRole("region").filter({ hasText: "ds_A1, SHOP, SHOP_URL, files" })
      await row.getByText("nothing yet").waitFor()
      // No page shows it again.
      assert.isFalse((await page.content()).includes(token!))

      const sent = await fetch(url!, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ store: "ds_A1", page: 0, entries: [{ key: "a", value: 1 }] })
      })
      assert.strictEqual(sent.status, 200, await sent.text())
      await page.reload()
      await row.getByText("1 entries in 1 page").waitFor()
      assert.deepStrictEqual(await PageFaults.violations(page), [])
      assert.deepStrictEqual(await PageFaults.unreachable(page), [])
      for (const width of [360, 2_560, 1_440]) {
        await page.setViewportSize({ width, height: 900 })
        assert.isFalse(await PageFaults.overflows(page), `it is wider than ${width} px`)
      }

      await row.getByRole("button", { name: "Delete" }).click()
      await page.getByRole("button", { name: "Delete for good" }).click()
      await part.getByText("There are no couriers.").waitFor()
      assert.deepStrictEqual(Json.listOf((await site.api("GET", "/couriers"))["data"]), [])
    }))
})
