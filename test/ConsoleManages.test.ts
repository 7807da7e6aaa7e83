import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { ConsoleSite } from "./browser/ConsoleSite.ts"
import { inBrowser, until } from "./browser/InBrowser.ts"
import * as PageFaults from "./browser/PageFaults.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"
import * as ServerProcess from "./ServerProcess.ts"

/** Opens a dialog that fits a narrow window, and that axe finds no fault with. */
const opened = async (page: Page, button: string): Promise<Locator> => {
  await page.getByRole("button", { name: button }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: /Close|Keep it|Leave it/ }).first().waitFor()
  const folded = dialog.getByText("More settings", { exact: true })
  if (await folded.count() > 0) await folded.click()
  assert.deepStrictEqual(await PageFaults.violations(page), [], button)
  await page.setViewportSize({ width: 360, height: 900 })
  assert.isFalse(await PageFaults.overflows(page), `${button} is wider than a narrow window`)
  const isWide = await dialog.evaluate(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
  assert.isFalse(isWide, `${button} is wider than its dialog`)
  await page.setViewportSize({ width: 1_440, height: 900 })
  return dialog
}

/** Deletes what the page is about. */
const deleted = async (page: Page) => {
  await opened(page, "Delete …")
  await page.getByRole("button", { name: "Delete for good" }).click()
  await page.getByRole("dialog").waitFor({ state: "detached" })
}

layer(ConsoleSite.layerOn(ServerOnTestDatabase.make), { excludeTestServices: true })("the console", (it) => {
  it.effect(
    "makes, changes and deletes a webhook with all its settings, and shows and rotates its secret",
    () =>
      inBrowser(async ({ api, signedIn }) => {
        const page = await signedIn("/webhooks")
        const making = await opened(page, "New webhook …")
        await making.getByLabel("URL").fill("ftp://example.com")
        await making.getByRole("button", { name: "Create" }).click()
        await making.getByRole("alert").waitFor()
        assert.strictEqual(await making.getByLabel("URL").getAttribute("aria-invalid"), "true")
        await making.getByLabel("URL").fill("https://shop.example/orders")
        await making.getByLabel("Name", { exact: true }).fill("Shop")
        await making.getByLabel("Ordering").selectOption("strict")
        await making.getByLabel("Rate limit: at most").fill("10")
        await making.getByLabel("Rate limit: interval in seconds").fill("1")
        await making.getByLabel("Retry schedule").fill("5\n60")
        await making.getByLabel("Timeout", { exact: true }).fill("20s")
        await making.getByLabel("Headers", { exact: true }).fill("{\"x-team\": \"orders\"}")
        await making.getByLabel("Secret headers").fill("{\"authorization\": \"Bearer t-0123\"}")
        await making.getByRole("button", { name: "Create" }).click()

        const secrets = page.getByRole("dialog", { name: "Secrets of the webhook" })
        await secrets.getByRole("button", { name: "Show the secret" }).click()
        const shown = await secrets.getByRole("status").getByText(/^whsec_/).innerText()
        await secrets.getByRole("button", { name: "Rotate the secret" }).click()
        await page.getByRole("dialog", { name: "Are you sure?" }).getByRole("button", { name: "Rotate the secret" })
          .click()
        await secrets.getByText("The new signing secret:").waitFor()
        const newest = await secrets.getByRole("status").getByText(/^whsec_/).innerText()
        assert.notStrictEqual(newest, shown)
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        await page.keyboard.press("Escape")
        await secrets.waitFor({ state: "detached" })
        const id = /webhooks\/(wh_\w+)/.exec(page.url())![1]!
        assert.strictEqual<unknown>((await api("GET", `/webhooks/${id}/secret`))["data"]!["secret"], newest)
        const made = (await api("GET", `/webhooks/${id}`))["data"]!
        Json.assertHolds(made, {
          url: "https://shop.example/orders",
          name: "Shop",
          ordering: "strict",
          rate_limit: { limit: 10, interval_seconds: 1, burst: 1 },
          retry_schedule: [5, 60],
          timeout_ms: 20_000,
          headers: { "x-team": "orders" }
        })

        const changing = await opened(page, "Change …")
        await changing.getByLabel("Name", { exact: true }).fill("")
        await changing.getByLabel("Rate limit: burst").fill("5")
        await changing.getByLabel("Retry schedule").fill("")
        await changing.getByRole("button", { name: "Save" }).click()
        await changing.waitFor({ state: "detached" })
        const changed = (await api("GET", `/webhooks/${id}`))["data"]!
        Json.assertHolds(changed, {
          name: null,
          rate_limit: { limit: 10, interval_seconds: 1, burst: 5 },
          retry_schedule: [],
          secret_headers: { authorization: "***" }
        })
        await deleted(page)
        await page.getByRole("gridcell", { name: "Warehouse" }).waitFor()
        await page.getByRole("gridcell", { name: "shop.example" }).waitFor({ state: "detached" })
      }),
    180_000
  )

  it.effect(
    "subscribes a listener with a filter that is tried on stored events, and changes and ends a subscription",
    () =>
      inBrowser(async ({ api, orders, send, signedIn, source }) => {
        const counted = await source("Counted")
        const glob = `${counted.id.slice(0, -1)}?`
        await send(counted, [3, 7, 9, 12].map((total) => ({ order: total, total })))
        const { id: listener } = await source("Invoices", "export default { name: 'Invoices', run() {} }")
        const own = async () =>
          Json.listOf((await api("GET", "/users/me/subscriptions"))["data"]).filter(({ listener_id }) =>
            Json.textOf(listener_id) === listener
          )
        const page = await signedIn("/subscriptions")
        await page.getByRole("gridcell", { name: "Warehouse" }).waitFor()
        const making = await opened(page, "Subscribe …")
        await making.getByText("Fill in what it hears").waitFor()
        await making.getByLabel("Emitter").fill(glob)
        await making.getByLabel("Listener").fill(listener)
        await making.getByText("It would deliver 4 of the latest 4 events").waitFor()
        await making.getByLabel("Filter").fill("{\"total\": {\"$gt\": 8}}")
        await making.getByText("It would deliver 2 of the latest 4 events").waitFor()
        await making.getByText("its filter excludes it: filter.total.$gt").first().waitFor()
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        await making.getByLabel("Filter").fill("{\"total\": {\"$gtt\": 8}}")
        await making.getByRole("alert").getByText("$gtt").first().waitFor()
        await making.getByRole("button", { name: "Subscribe" }).click()
        await making.locator("[aria-invalid=true]:focus").waitFor()
        assert.strictEqual(await making.getByLabel("Filter").getAttribute("aria-invalid"), "true")
        await making.getByLabel("Filter").fill("{\"total\": {\"$gt\": 8}}")
        await making.getByText("It would deliver 2 of").waitFor()
        await making.getByRole("button", { name: "Subscribe" }).click()
        await making.waitFor({ state: "detached" })
        Json.assertHolds((await own())[0], { emitter_id: glob, event_name: "", filter: { total: { $gt: 8 } } })

        await page.getByRole("button", { name: "Future emitters" }).click()
        const later = await opened(page, "Subscribe to future emitters …")
        await later.getByLabel("Listener").fill(listener)
        await later.getByLabel("Stream").fill("$errors")
        await later.getByRole("button", { name: "Subscribe" }).click()
        await later.waitFor({ state: "detached" })
        await page.getByRole("gridcell", { name: "Invoices" }).click()
        await page.getByRole("button", { name: "Remove" }).click()
        await page.getByText("Nothing is subscribed to future emitters").waitFor()

        await page.goto(page.url().replace(/subscriptions.*/, `sources/${listener}`))
        const hears = page.getByRole("region", { name: "Listens to" })
        await hears.getByRole("cell", { name: glob }).waitFor()
        await hears.getByRole("button", { name: "Subscribe it …" }).click()
        const adding = page.getByRole("dialog")
        await adding.getByLabel("Emitter").fill(orders.id)
        await adding.getByLabel("Stream").fill("$errors")
        await adding.getByRole("button", { name: "Subscribe" }).click()
        await adding.waitFor({ state: "detached" })
        await hears.getByRole("row").filter({ hasText: glob }).getByRole("button", { name: "Change …" }).click()
        const changing = page.getByRole("dialog")
        await changing.getByText("It would deliver 2 of").waitFor()
        await changing.getByLabel("Filter").fill("")
        await changing.getByText("It would deliver 4 of").waitFor()
        await changing.getByRole("button", { name: "Save" }).click()
        await changing.waitFor({ state: "detached" })
        assert.deepStrictEqual((await own()).map(({ filter }) => filter), [undefined, undefined])
        await hears.getByRole("row").filter({ hasText: "$errors" }).getByRole("button", { name: "Change …" }).click()
        await page.getByRole("button", { name: "Remove" }).click()
        await page.getByRole("dialog", { name: "Are you sure?" }).getByRole("button", { name: "Remove" }).click()
        await hears.getByRole("row").filter({ hasText: "$errors" }).waitFor({ state: "detached" })
        assert.strictEqual((await own()).length, 1)
      }),
    180_000
  )

  it.effect(
    "makes a source and a workflow of code, asks for what the code needs, and renames and deletes them",
    () =>
      inBrowser(async ({ api, signedIn, url }) => {
        const page = await signedIn("/sources")
        await page.getByRole("link", { name: "New source" }).click()
        const editor = page.getByRole("textbox", { name: "Code of the new source" })
        const write = async (code: string) => {
          await editor.click()
          await page.keyboard.press("ControlOrMeta+a")
          await page.keyboard.insertText(code)
        }
        await editor.getByText("New source").waitFor()
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        await write("export default { run( }")
        await page.getByRole("button", { name: "Check" }).click()
        await page.getByRole("alert", { name: "Faults in the code" }).waitFor()
        await write("export default { name: 'Shelf', props: { shop: { type: 'string' } }, run() {} }")
        await page.getByRole("alert").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Check" }).click()
        const form = page.getByRole("region", { name: "The new source" })
        await form.getByRole("button", { name: "Create the source" }).click()
        await form.getByRole("alert").first().waitFor()
        await form.getByLabel("shop").fill("north")
        await form.getByLabel("Name of the source").fill("North shelf")
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        await form.getByRole("button", { name: "Create the source" }).click()
        await page.getByRole("heading", { name: "North shelf" }).waitFor()
        const renaming = await opened(page, "Rename …")
        await renaming.getByLabel("Name").fill("South shelf")
        await renaming.getByRole("button", { name: "Rename it" }).click()
        await page.getByRole("heading", { name: "South shelf" }).waitFor()
        Json.assertHolds((await api("GET", "/sources/south-shelf"))["data"], { configured_props: { shop: "north" } })
        await deleted(page)
        await page.getByRole("gridcell", { name: "Ledger" }).waitFor()

        await page.goto(`${url}workflows/new?from=url`)
        await page.getByLabel("URL of the code").fill("https://127.0.0.1:1/none.mjs")
        await page.getByRole("button", { name: "Check" }).click()
        await page.getByRole("alert").getByText("https://127.0.0.1:1/none.mjs can't be fetched:").waitFor()
        await page.getByRole("button", { name: "Code", exact: true }).click()
        await page.getByRole("button", { name: "Check" }).click()
        await page.getByRole("button", { name: "Create the workflow" }).click()
        await page.getByRole("heading", { name: "New workflow", level: 1 }).waitFor()
        await page.getByText("It has not run yet").waitFor()
        Json.assertHolds((await api("GET", "/workflows/new-workflow"))["data"], { active: true })
        await deleted(page)
        await page.getByText("There are no workflows yet").waitFor()
      }),
    180_000
  )

  it.effect(
    "makes a source and a workflow of the examples that are offered, which do what they say",
    () =>
      inBrowser(async ({ api, send, signedIn, url }) => {
        const page = await signedIn("/sources/new")
        await page.getByRole("textbox", { name: "Code of the new source" }).getByText("New source").waitFor()
        await page.getByRole("button", { name: "Check" }).click()
        await page.getByRole("button", { name: "Create the source" }).click()
        await page.waitForURL("**/sources/dc_*")
        const { configured_props, id } = (await api("GET", "/sources/new-source"))["data"]!
        const endpoint = Json.textOf(configured_props!["http"]!["endpoint_url"])
        await send({ id: Json.textOf(id), endpoint }, [{ order: 71 }])
        await page.goto(`${url}events?emitter=${Json.textOf(id)}`)
        await page.getByRole("gridcell", { name: "{\"order\":71}" }).waitFor()

        await page.goto(`${url}workflows/new`)
        await page.getByRole("textbox", { name: "Code of the new workflow" }).getByText("New workflow").waitFor()
        await page.getByRole("button", { name: "Check" }).click()
        await page.getByRole("button", { name: "Create the workflow" }).click()
        await page.getByRole("button", { name: "Run …" }).click()
        await page.getByLabel("Event, as JSON").fill("{\"order\": 72}")
        await page.getByRole("button", { name: "Run", exact: true }).click()
        const steps = page.getByRole("region", { name: "Steps" })
        await steps.getByText("Emitted").getByRole("link").click()
        await page.getByRole("region", { name: "The selected step" }).getByText("72", { exact: true }).waitFor()
        assert.deepStrictEqual(await PageFaults.violations(page), [])
      }),
    180_000
  )

  it.effect(
    "makes a consumer, shows where it stands, and moves and deletes it",
    () =>
      inBrowser(async ({ api, send, signedIn, source }) => {
        const counted = await source("Read")
        await send(counted, [1, 2, 3].map((order) => ({ order })))
        const page = await signedIn("/consumers")
        const making = await opened(page, "New consumer …")
        await making.getByLabel("Emitter").fill(counted.id)
        await making.getByLabel("Name", { exact: true }).fill("Warehouse import")
        await making.getByLabel("Start").fill("beginning")
        await making.getByRole("button", { name: "Create" }).click()
        await page.getByRole("heading", { name: "Warehouse import" }).waitFor()
        const row = page.getByRole("row").filter({ hasText: "Read" })
        await row.getByRole("cell", { name: "3", exact: true }).waitFor()
        const moving = await opened(page, "Move …")
        await moving.getByLabel("To").fill("end")
        await moving.getByRole("button", { name: "Move it" }).click()
        await row.getByRole("cell", { name: "3", exact: true }).waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Move …" }).click()
        await moving.getByLabel("To").fill("0")
        await moving.getByRole("button", { name: "Move it" }).click()
        await row.getByRole("cell", { name: "3", exact: true }).waitFor()
        await deleted(page)
        await page.getByText("There are no consumers yet").waitFor()
        assert.deepStrictEqual<unknown>((await api("GET", "/consumers"))["data"], [])
      }),
    180_000
  )

  it.effect(
    "makes a key with a scope that it shows once, rotates and revokes it, and tells of it in the audit log",
    () =>
      inBrowser(async ({ open, signedIn, url }) => {
        const page = await signedIn("/keys")
        const making = await opened(page, "New key …")
        await making.getByLabel("Name").fill("Dashboard")
        await making.getByLabel("Scope").selectOption("read")
        await making.getByRole("button", { name: "Create" }).click()
        const key = await making.getByText(/^hw_\w{40}$/).innerText()
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        await making.getByRole("button", { name: "Close" }).click()
        await making.waitFor({ state: "detached" })
        await page.getByRole("gridcell", { name: "Dashboard" }).waitFor()
        assert.notInclude(await page.content(), key)

        const reader = await open("/keys")
        await reader.getByLabel("API key").fill(key)
        await reader.getByRole("button", { name: "Sign in" }).click()
        await reader.getByRole("gridcell", { name: "Dashboard" }).click()
        assert.strictEqual(await reader.getByRole("button", { name: "New key …" }).count(), 0)
        assert.strictEqual(await reader.getByRole("dialog").count(), 0)

        await page.getByRole("gridcell", { name: "Dashboard" }).click()
        const dialog = page.getByRole("dialog", { name: "The key Dashboard" })
        await dialog.getByLabel("Overlap in seconds").fill("60")
        await dialog.getByRole("button", { name: "Rotate it" }).click()
        await dialog.getByText(/^hw_\w{40}$/).waitFor()
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        // It would revoke the key before, beside the new one.
        assert.strictEqual(await dialog.getByRole("button", { name: "Revoke it" }).count(), 0)
        await dialog.getByRole("button", { name: "Close" }).click()
        await dialog.waitFor({ state: "detached" })
        await page.getByRole("row").filter({ hasText: "Dashboard" }).nth(1).click()
        await dialog.getByRole("button", { name: "Revoke it" }).click()
        await page.getByRole("dialog", { name: "Are you sure?" }).getByRole("button", { name: "Revoke it" }).click()
        await dialog.waitFor({ state: "detached" })
        await reader.reload()
        await reader.getByLabel("API key").waitFor()

        await page.goto(`${url}audit`)
        const revoked = page.getByRole("row").filter({ hasText: "keys.revoke" })
        await revoked.getByText("204", { exact: true }).waitFor()
        await page.getByLabel("Operation").fill("keys.create")
        await revoked.waitFor({ state: "detached" })
        await page.getByRole("gridcell", { name: "keys.create" }).first().waitFor()
      }),
    180_000
  )

  it.effect(
    "adds an account with an app, changes its client, and removes it; and shows the account, its quotas and the server",
    () =>
      inBrowser(async ({ api, signedIn, url }) => {
        const page = await signedIn("/accounts")
        const making = await opened(page, "New app account …")
        await making.getByLabel("App", { exact: true }).fill("gitlab")
        await making.getByLabel("Name", { exact: true }).fill("North")
        await making.getByLabel("OAuth 2: client ID", { exact: true }).fill("north-client")
        await making.getByLabel("OAuth 2: provider").selectOption("gitlab")
        await making.getByLabel("OAuth 2: client secret").fill("s-0123")
        await making.getByLabel("OAuth 2: scopes").fill("api\nread_user")
        await making.getByRole("button", { name: "Create" }).click()
        await page.getByRole("heading", { name: "gitlab North" }).waitFor()
        const id = /accounts\/(apn_\w+)/.exec(page.url())![1]!
        const changing = await opened(page, "Change …")
        await changing.getByLabel("Name", { exact: true }).fill("South")
        await changing.getByLabel("OAuth 2: scopes").fill("api")
        await changing.getByRole("button", { name: "Save" }).click()
        await page.getByRole("heading", { name: "gitlab South" }).waitFor()
        const account = (await api("GET", `/accounts/${id}`))["data"]!
        Json.assertHolds(account["oauth"], { client_id: "north-client", provider: "gitlab", scopes: ["api"] })
        await deleted(page)
        await page.getByText("There are no app accounts yet").waitFor()
        await page.goto(`${url}account`)
        await page.getByText("Invocations today").waitFor()
        await page.goto(`${url}server`)
        await page.getByRole("region", { name: "Nodes and workers" }).getByText("node").first().waitFor()
        await page.getByRole("cell", { name: "database", exact: true }).waitFor()
      }),
    180_000
  )

  it.effect(
    "changes the own account's name, address and limits",
    () =>
      inBrowser(async ({ api, signedIn }) => {
        const page = await signedIn("/account")
        const changing = await opened(page, "Change …")
        await changing.getByLabel("Username").fill("a b")
        await changing.getByLabel("Email").fill("anna@example.com")
        await changing.getByRole("button", { name: "Save" }).click()
        await changing.getByRole("alert").getByText("a username of 1 to 100 characters").waitFor()
        await changing.getByLabel("Username").fill("anna")
        await changing.getByRole("button", { name: "Save" }).click()
        await changing.waitFor({ state: "detached" })
        // In the facts, and in the head of every page.
        await page.getByRole("definition").getByText("anna@example.com").waitFor()
        await page.getByRole("banner").getByText("anna", { exact: true }).waitFor()

        const quotas = page.getByRole("region", { name: "Quotas" })
        const limiting = await opened(page, "Limit …")
        await limiting.getByLabel("Own limits: daily invocations").fill("500")
        const time = limiting.getByLabel("Own limits: daily compute time")
        await time.fill("1.5h")
        await limiting.getByRole("button", { name: "Save" }).click()
        await limiting.getByRole("alert").getByText("Own limits: daily compute time: enter a duration such as 90s, 30m")
          .waitFor()
        assert.isTrue(await time.and(page.locator("[aria-invalid=true]:focus")).isVisible())
        await time.fill("90m")
        await limiting.getByRole("button", { name: "Save" }).click()
        await limiting.waitFor({ state: "detached" })
        await quotas.getByText(/of 1 h 30 min, \d+ %/).waitFor()
        Json.assertHolds((await api("GET", "/users/me/settings"))["data"]!["own_limits"], {
          daily_compute_time: 5_400_000
        })
        const limit = quotas.getByRole("button", { name: "Limit …" })
        await until("the focus is where it was", () => limit.and(page.locator(":focus")).isVisible())
        await quotas.getByText(/of 500, \d+ %/).waitFor()
        const freeing = await opened(page, "Limit …")
        assert.strictEqual(await freeing.getByLabel("Own limits: daily invocations").inputValue(), "500")
        assert.strictEqual(await freeing.getByLabel("Own limits: daily compute time").inputValue(), "90m")
        await freeing.getByLabel("Own limits: daily compute time").fill("")
        await freeing.getByRole("button", { name: "Save" }).click()
        await freeing.waitFor({ state: "detached" })
        const { own_limits } = (await api("GET", "/users/me/settings"))["data"]!
        Json.assertHolds(own_limits, { daily_compute_time: null, daily_invocations: 500 })
        assert.deepStrictEqual(await PageFaults.violations(page), [])
      }),
    180_000
  )

  it.effect(
    "finds anything by a key, and does what can be done with it; and lists the keys",
    () =>
      inBrowser(async ({ api, signedIn, source, webhook }) => {
        const { id } = await source("Palette <b>bold</b>")
        const unit = "export default { name: 'Shelving unit', version: '1.4.2', run() {} }"
        const { id: shelves } = await source("Shelves", unit)
        await api("PUT", `/sources/${shelves}`, { component_code: `${unit} // again` })
        const page = await signedIn("/overview")
        await page.getByRole("heading", { name: "Overview" }).waitFor()
        const asked = async (text: string) => {
          await page.keyboard.press("Control+k")
          const dialog = page.getByRole("dialog", { name: "Find anything" })
          await dialog.getByRole("combobox").fill(text)
          return dialog
        }
        const finding = await asked("warehouse")
        await finding.getByRole("option", { name: "Warehouse webhook" }).first().waitFor()
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        await page.setViewportSize({ width: 360, height: 900 })
        assert.isFalse(await PageFaults.overflows(page))
        await page.setViewportSize({ width: 1_440, height: 900 })
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Warehouse", level: 1 }).waitFor()

        const pausing = await asked(`pause ${webhook}`)
        await pausing.getByRole("option", { name: "Pause Warehouse" }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByRole("status").getByText("It is paused").waitFor()
        Json.assertHolds((await api("GET", `/webhooks/${webhook}`))["data"], { active: false })
        const resuming = await asked("resume ware")
        await resuming.getByRole("option", { name: "Resume Warehouse" }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByRole("button", { name: "Pause" }).waitFor()

        const testing = await asked("test warehouse")
        await testing.getByRole("option", { name: "Send a test to Warehouse" }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByRole("dialog", { name: "Send a test" }).getByRole("button", { name: "Send", exact: true })
          .waitFor()
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "detached" })

        const renaming = await asked("rename bold palette")
        await renaming.getByRole("option", { name: "Rename Palette" }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByRole("dialog", { name: "Rename" }).getByLabel("Name").waitFor()
        assert.include(page.url(), `/sources/${id}?do=rename`)
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "detached" })

        const component = await asked("shelving un")
        const found = component.getByRole("option", { name: "Shelving unit 1.4.2 component" })
        await found.first().waitFor()
        assert.strictEqual(await found.count(), 1, "the newest of those with one name")
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Shelving unit", level: 1 }).waitFor()
        await page.getByText("// again").waitFor()
        assert.match(page.url(), /\/components\/sc_\w+$/)

        const making = await asked("new webh")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("ArrowUp")
        await making.getByRole("option", { name: "New webhook" }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByRole("dialog", { name: "New webhook" }).getByLabel("URL").fill("what?")
        assert.strictEqual(await page.getByRole("dialog").count(), 1)
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "detached" })

        await page.keyboard.press("?")
        await page.getByRole("dialog", { name: "Keyboard" }).getByText("find anything, and act").waitFor()
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Find anything" }).click()
        await page.getByRole("dialog").getByRole("combobox").fill("no such thing")
        await page.getByRole("option", { name: "Events that contain" }).click()
        assert.include(page.url(), "/events?text=no+such+thing")
      }),
    180_000
  )

  it.effect(
    "goes to the page of whatever a whole id or path that is pasted names, once it is known to be there",
    () =>
      inBrowser(async ({ api, ledger, orders, send, server, signedIn, source, url, webhook }) => {
        const made = async (path: string, body: unknown) => Json.textOf((await api("POST", path, body))["data"]!["id"])
        const first = async (path: string) => Json.listOf((await api("GET", path))["data"])[0]
        const found = async (path: string) => {
          let one = await first(path)
          await until(path, async () => (one = await first(path)) !== undefined)
          return Json.textOf(one!["id"])
        }
        const workflow = await made("/workflows", {
          workflow_code: "export default { name: \"Sought\", steps: { only: { run() { return 1 } } } }"
        })
        await api("POST", `/workflows/${workflow}/invocations`, { event: {} })
        await send(orders, [{ order: 1, total: 1_000 }])
        const uploaded = await fetch(`${server.url}/v1/files/content?path=reports/7.csv`, {
          method: "PUT",
          headers: { authorization: `Bearer ${ServerProcess.key}` },
          body: "7"
        })
        const file = await uploaded.json() as { readonly data: { readonly id: string } }
        // The one that the session began with is on the last page of the list.
        const key = await found("/users/me/keys")
        for (let n = 0; n < 105; n++) await made("/users/me/keys", { name: `key ${n}`, scope: "read" })
        const delivery = await found(`/webhooks/${webhook}/deliveries`)
        const { deployment_id, steps } = (await api("GET", `/workflows/${workflow}`))["data"]!
        const entry = await first("/audit?operation=consumers.create") ?? await first("/audit")
        const secondOf = Number(entry!["at"]) * 1_000
        const component = Json.textOf((await api("GET", `/sources/${ledger.id}`))["data"]!["component_id"])
        const pages: Readonly<Partial<Record<Id.Kind, readonly [id: string, page: string]>>> = {
          audit: [Json.textOf(entry!["id"]), `audit?from=${secondOf}&to=${secondOf + 1_000}`],
          component: [component, "components/ID"],
          deployment: [Json.textOf(deployment_id), `workflows/${workflow}`],
          step: [Json.textOf(Json.listOf(steps)[0]!["id"]), `workflows/${workflow}`],
          account: [Json.textOf((await api("GET", "/users/me"))["data"]!["id"]), "account"],
          appAccount: [await made("/accounts", { app: "shop", credentials: { key: "k" } }), "accounts/ID"],
          autoSubscription: [
            await made("/auto_subscriptions", { listener_id: webhook, event_name: "$errors" }),
            "subscriptions?view=later&open=ID"
          ],
          bulkAction: [
            await made("/bulk_actions", { action: "retry", filter: { webhook_id: webhook }, dry_run: true }),
            "bulk-actions/ID"
          ],
          consumer: [await made("/consumers", { emitter_id: orders.id }), "consumers/ID"],
          courier: [await made("/couriers", { files: true }), "moving-in"],
          dataStore: [await made("/data_stores", { name: "Sought" }), "data-stores/ID"],
          delivery: [delivery, "deliveries/ID"],
          file: [file.data.id, "files?open=reports%2F7.csv"],
          key: [key, "keys?open=ID"],
          project: [await made("/projects", { name: "Sought" }), "variables?of=ID"],
          run: [await found(`/workflows/${workflow}/runs`), `workflows/${workflow}/runs/ID`],
          source: [ledger.id, "sources/ID"],
          subscription: [await found("/users/me/subscriptions"), "subscriptions?open=ID"],
          webhook: [webhook, "webhooks/ID"],
          workflow: [workflow, "workflows/ID"]
        }
        const without: ReadonlyArray<Id.Kind> = ["clockOperation", "session"]
        assert.sameMembers([...Object.keys(pages), ...without], Object.keys(Id.prefixes))

        const page = await signedIn("/overview")
        await page.getByRole("heading", { name: "Overview" }).waitFor()
        const paste = async (text: string) => {
          await page.keyboard.press("Control+k")
          await page.getByRole("dialog", { name: "Find anything" }).getByRole("combobox").fill(text)
        }
        const goes = async (text: string, to: string) => {
          await paste(text)
          await page.keyboard.press("Enter")
          const place = `/console/${to.replace("ID", text)}`
          await until(place, () => page.url().endsWith(place), () => page.url())
          if (!to.includes("open=")) return
          await page.getByRole("dialog").waitFor()
          await page.keyboard.press("Escape")
          await page.getByRole("dialog").waitFor({ state: "detached" })
        }
        for (const [id, to] of Object.values(pages)) await goes(id, to)
        await page.goto(`${url}sources/${ledger.id}`)
        await page.getByRole("link", { name: component }).click()
        await page.getByRole("heading", { name: "Ledger", level: 1 }).waitFor()
        await page.getByText("this.$emit({ booked: event.order })").waitFor()
        await page.getByRole("region", { name: "Sources that run it" }).getByRole("link", { name: "Ledger" }).click()
        await page.waitForURL(`**/sources/${ledger.id}`)
        await page.getByRole("heading", { name: "Listens to" }).waitFor()
        await goes("reports/7.csv", "files?open=reports%2F7.csv")
        const event = await found(`/sources/${orders.id}/events`)
        await goes(event, `events/${orders.id}/ID`)
        // It may be the path of a file, but is the beginning of a name.
        const { id: named } = await source("api.shop.example")
        await page.reload()
        await page.getByRole("heading", { level: 1 }).waitFor()
        await paste("api.shop.ex")
        await page.getByRole("option", { name: "api.shop.example" }).first().waitFor()
        await page.getByRole("dialog", { name: "Find anything" }).getByRole("combobox").fill("api.shop.exam")
        await page.keyboard.press("Enter")
        await until("its page", () => page.url().endsWith(`/console/sources/${named}`), () => page.url())
        for (const prefix of Object.values(Id.prefixes)) {
          await Promise.all([page.keyboard.press("Escape"), page.keyboard.press("Control+k")])
          await paste(`${prefix}_${"0".repeat(20)}`)
          const words = prefix === Id.prefixes.clockOperation ? "This is the id of a move" : "Nothing has this id."
          await page.getByRole("status").getByText(words).waitFor()
        }
        const emitted = (await first(`/sources/${orders.id}/events`))!["metadata"]!
        await page.keyboard.press("Escape")
        await paste(Json.textOf(emitted["emit_id"]))
        await page.getByRole("status").getByText("If this is the emit id of an event").waitFor()
        await page.setViewportSize({ width: 360, height: 900 })
        assert.isFalse(await PageFaults.overflows(page))
        assert.deepStrictEqual(await PageFaults.violations(page), [])
      }),
    180_000
  )

  it.effect(
    "says on each page of a server without work that nothing can be done there, and offers nothing that would",
    () =>
      Effect.gen(function*() {
        const { server, start, url } = yield* ConsoleSite
        yield* server.stop
        yield* server.startWith({
          HEADWATER_URL: url.replace(/\/console\/$/, ""),
          HEADWATER_TRUSTED_PROXIES: "127.0.0.0/8",
          HEADWATER_WORK: "off"
        })
        yield* inBrowser(async ({ signedIn, webhook }) => {
          const page = await signedIn(`/webhooks/${webhook}`)
          const banner = page.getByRole("complementary", { name: "How the server runs" })
          await banner.getByText("takes, runs, sends and changes nothing").waitFor()
          await page.getByRole("heading", { name: "Last deliveries" }).waitFor()
          assert.strictEqual(await page.getByRole("button", { name: /Pause|Change|Delete|Send a test/ }).count(), 0)
          await page.getByRole("link", { name: "Deliveries", exact: true }).click()
          await page.getByRole("heading", { name: "Deliveries", level: 1 }).waitFor()
          assert.isTrue(await banner.isVisible())
          for (const width of [1_440, 360]) {
            await page.setViewportSize({ width, height: 900 })
            assert.isFalse(await PageFaults.overflows(page))
            assert.deepStrictEqual(await PageFaults.violations(page), [])
          }
        })
        yield* server.stop
        yield* start
      }),
    180_000
  )
})
