import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import type { Page } from "playwright-core"
import { ConsoleSite } from "./browser/ConsoleSite.ts"
import { inBrowser, type Site, until } from "./browser/InBrowser.ts"
import * as Outage from "./browser/Outage.ts"
import * as PageFaults from "./browser/PageFaults.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

const shop = `
export default {
  name: "Shop",
  props: {
    http: "$.interface.http",
    shop: { type: "string", label: "Shop name", default: "north" },
    token: { type: "string", label: "Token", secret: true, optional: true },
    format: { type: "string", label: "Format", options: ["plain", "table"], default: "plain", reloadProps: true },
    rules: { type: "object", label: "Rules", optional: true },
    branch: { type: "string", label: "Branch", optional: true, options() { return [{ label: "Seventh", value: "b7" }] } }
  },
  additionalProps() {
    return this.format === "table" ? { columns: { type: "string[]", label: "Columns" } } : {}
  },
  run(event) {
    console.log("taken", event.body.order)
    if (event.body.fails) throw new RangeError("order " + event.body.order + " has no lines")
    this.$emit({ order: event.body.order, shop: this.shop, digits: this.token?.length, columns: this.columns })
  }
}`

const workflow = `
export default {
  name: "Large orders",
  props: { limit: { type: "integer", default: 100 } },
  steps: {
    check: {
      run({ steps }) {
        const { order, total } = steps.trigger.event
        console.log("checked", order)
        if (total === undefined) throw new TypeError("order " + order + " has no total")
        return { over: total - this.limit }
      }
    },
    tell: { run({ steps, $ }) { $.emit({ over: steps.check.$return_value.over }) } }
  }
}`

/** Counts its runs, and asks what it is told to. */
const tried = `
export default {
  key: "tried",
  props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    const { fails, order, url } = event.body
    if (fails) throw new RangeError("no order")
    console.log("trying", order)
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    if (url) await fetch(url, { method: "POST", body: "{}" })
    this.$emit({ order, count })
  }
}`

const markup = "<img src=x onerror=alert(1)><script>alert(2)</script>"

const hostile = `
export default {
  name: "x",
  props: {
    http: "$.interface.http",
    odd: { type: "string", label: ${JSON.stringify(`${markup} \u202Egnp`)}, description: ${
  JSON.stringify(markup)
}, default: "\\u202Eabc" }
  },
  run() {
    console.log(${JSON.stringify(markup)} + "\\u001b[31m" + "y".repeat(2000))
    throw new Error(${JSON.stringify(markup)} + "z".repeat(1000))
  }
} // \u202E ${"long".repeat(200)}`

/** Puts another text into the editor. */
const write = async (page: Page, code: string): Promise<void> => {
  await page.locator(".cm-content").focus()
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.press("Delete")
  await page.keyboard.insertText(code)
}

const keyOf = async ({ api }: Site, scope: string): Promise<string> =>
  Json.textOf((await api("POST", "/users/me/keys", { name: scope, scope }))["data"]!["key"])

const madeWorkflow = async ({ api }: Site): Promise<string> =>
  Json.textOf((await api("POST", "/workflows", { workflow_code: workflow }))["data"]!["id"])

/** A server publishes its own components while it already answers. */
const untilPublished = async ({ api }: Site, key: string): Promise<void> => {
  const isThere = async () =>
    Json.listOf((await api("GET", "/registry/components?limit=100"))["data"]).some((listed) =>
      Json.textOf(listed["key"]) === key
    )
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 100))
}

/** What a source has emitted, newest first, once that is anything. */
const emitted = async ({ api }: Site, source: string): Promise<ReadonlyArray<Json.Json>> => {
  while (true) {
    const events = Json.listOf((await api("GET", `/sources/${source}/event_summaries`))["data"])
    if (events.length > 0) return events
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const valueOf = async ({ api }: Site, source: string, name: string): Promise<unknown> =>
  (await api("GET", `/sources/${source}`))["data"]!["configured_props"]![name]

/** The texts of the scripts that the page has loaded. */
const loadsEditor = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const { fetch, performance } = globalThis as unknown as {
      fetch: (url: string) => Promise<{ text: () => Promise<string> }>
      performance: { getEntriesByType: (type: string) => ReadonlyArray<{ readonly name: string }> }
    }
    const scripts = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) =>
      name.endsWith(".js")
    )
    const texts = await Promise.all(scripts.map(async (name) => (await fetch(name)).text()))
    return texts.some((text) => text.includes("cm-content"))
  })

layer(ConsoleSite.layerOn(ServerOnTestDatabase.make), { excludeTestServices: true })(
  "the console's sources and workflows",
  (it) => {
    it.effect("makes a source of a component of the registry, and says at a field why its value is not taken", () =>
      inBrowser(async (site) => {
        await untilPublished(site, "headwater-signed-webhook")
        await untilPublished(site, "headwater-schedule")
        const page = await site.signedIn("/sources")
        await page.getByRole("link", { name: "New from the registry" }).click()
        await page.getByLabel("Name, key or description").fill("signed")
        const components = page.getByRole("grid", { name: "components" })
        await components.getByRole("gridcell", { name: "Signed webhook", exact: true }).click()
        await page.getByRole("button", { name: "Create the source" }).click()
        await page.getByText("is required").first().waitFor()
        await page.locator("[aria-invalid=true]:focus").waitFor()
        await page.goto(`${site.url}registry/headwater-schedule`)
        await page.getByLabel("Name of the source").fill("Each morning")
        await page.getByLabel("Schedule by").selectOption("cron")
        await page.getByLabel("Cron expression").fill("0 9 * * 1-5")
        await page.getByLabel("Time zone").fill("Europe/Berlin")
        await page.getByRole("button", { name: "Create the source" }).click()
        await page.getByRole("heading", { name: "Each morning" }).waitFor()
        const source = /sources\/(dc_\w+)/.exec(page.url())![1]!
        assert.deepInclude(await valueOf(site, source, "timer"), { cron: "0 9 * * 1-5", timezone: "Europe/Berlin" })
        await page.getByRole("link", { name: "Sources" }).click()
        await page.getByLabel("Name, slug or id").fill("each m")
        await page.getByText("1 of").waitFor()
        assert.isFalse(await loadsEditor(page))
      }))

    it.effect("changes props, shows those that depend on others, and writes a secret that it never shows", () =>
      inBrowser(async (site) => {
        const { id, endpoint } = await site.source("Shop", shop)
        const page = await site.signedIn(`/sources/${id}`)
        await page.getByLabel("Shop name").fill("south")
        await page.getByLabel("Token").fill("s3cr3t!")
        await page.getByLabel("Rules").fill("{\"tax\": ")
        await page.getByText("This is not JSON").waitFor()
        await page.getByLabel("Rules").fill("{\"tax\": 25}")
        await page.getByRole("button", { name: "Load the choices" }).click()
        await page.getByLabel("Values of Branch").selectOption({ label: "Seventh" })
        assert.strictEqual(await page.getByLabel("Columns").count(), 0)
        await page.getByLabel("Format").selectOption("table")
        await page.getByLabel("Columns").fill("order\ntotal")
        await page.getByRole("button", { name: "Save the props" }).click()
        await page.getByText("The props are saved").waitFor()
        assert.strictEqual(await page.getByLabel("Token").inputValue(), "")
        assert.notInclude(await page.locator("body").innerHTML(), "s3cr3t!")
        assert.strictEqual(await valueOf(site, id, "branch"), "b7")
        assert.deepStrictEqual(await valueOf(site, id, "rules"), { tax: 25 })
        await site.send({ id, endpoint }, [{ order: 1 }])
        await page.getByText("{\"order\":1,\"shop\":\"south\",\"digits\":7,\"columns\":[\"order\",\"total\"]}")
          .waitFor()
      }))

    it.effect("deploys code from the editor, marks a fault at its line, and shows what the new code emits and throws", () =>
      inBrowser(async (site) => {
        const { id } = await site.source("Edited", shop)
        const page = await site.signedIn(`/sources/${id}/code`)
        await page.locator(".cm-content").waitFor()
        assert.isTrue(await loadsEditor(page))
        const deploy = page.getByRole("button", { name: "Deploy", exact: true })
        assert.isTrue(await deploy.isDisabled())
        await write(page, "export default {\n  name: \"Edited\",\n  run( {\n}")
        await deploy.click()
        await page.getByText(/It was not deployed: look at line [34]/).waitFor()
        await page.locator(".cm-lint-marker-error").waitFor()
        const changed = shop.replace("order: event.body.order", "number: event.body.order")
        await write(page, changed)
        const typed = Promise.withResolvers<void>()
        await page.route(new RegExp(`/sources/${id}$`), async (route) => {
          if (route.request().method() === "PUT") await typed.promise
          await route.continue()
        })
        await page.keyboard.press("ControlOrMeta+s")
        await page.getByRole("button", { name: "Deploying …" }).waitFor()
        await write(page, `${changed}\n// typed meanwhile`)
        typed.resolve()
        await page.getByText("New runs use the new code").waitFor()
        await page.getByText("Not deployed yet.").waitFor()
        await page.locator(".cm-lint-marker-error").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Send an event" }).click()
        await page.getByLabel("Body, as JSON").fill("{\"order\": 42}")
        await page.getByRole("button", { name: "Send", exact: true }).click()
        await page.getByText("200 OK").waitFor()
        await page.getByLabel("Body, as JSON").fill("{\"order\": 43, \"fails\": true}")
        await page.getByRole("button", { name: "Send", exact: true }).click()
        await page.keyboard.press("Escape")
        await page.getByRole("region", { name: "Last events" }).getByText("{\"number\":42").waitFor()
        await page.getByLabel("Console lines").getByText("taken 42").waitFor()
        await page.getByText("RangeError: order 43 has no lines", { exact: true }).waitFor()
        await page.getByRole("link", { name: /^line \d+, column \d+$/ }).click()
        await page.locator(".cm-activeLine").filter({ hasText: "has no lines" }).waitFor()
      }))

    it.effect("moves no caret when code is refused while somebody types, and marks faults as they are typed", () =>
      inBrowser(async (site) => {
        const { id } = await site.source("Typed", shop)
        const page = await site.signedIn(`/sources/${id}/code`)
        await page.locator(".cm-content").waitFor()
        const refusal = Promise.withResolvers<void>()
        await page.route(new RegExp(`/sources/${id}$`), async (route) => {
          if (route.request().method() === "PUT") await refusal.promise
          await route.continue()
        })
        await write(page, "export default {\n  run( {\n}\n// one")
        await page.keyboard.press("ControlOrMeta+s")
        await page.getByRole("button", { name: "Deploying …" }).waitFor()
        await page.keyboard.type(" two")
        refusal.resolve()
        await page.getByText(/It was not deployed: look at line \d/).waitFor()
        await page.locator(".cm-lint-marker-error").waitFor()
        await page.keyboard.type(" three")
        await page.locator(".cm-activeLine").getByText("// one two three", { exact: true }).waitFor()
        await write(page, "export default {\n  dedupe: \"all\",\n  run() {}\n}")
        await page.getByText("Change the definition as the message says.").first().waitFor()
        await page.getByRole("button", { name: /^Go to line 2, / }).click()
        await page.locator(".cm-activeLine").getByText("dedupe:").waitFor()
        await page.locator(".cm-content:focus").waitFor()
        await write(page, shop.replace("order: event.body.order", "number: event.body.order"))
        await page.getByText("No faults found.").waitFor()
        await page.locator(".cm-lint-marker-error").waitFor({ state: "detached" })
      }))

    it.effect("checks code and says what to do, and runs it once over a sample without keeping anything", () =>
      inBrowser(async (site) => {
        const source = await site.source("Tried", tried)
        await site.send(source, [{ order: 1 }])
        await emitted(site, source.id)
        const page = await site.signedIn(`/sources/${source.id}/code`)
        await page.locator(".cm-content").waitFor()
        const check = page.getByRole("button", { name: "Check", exact: true })
        const run = page.getByRole("button", { name: "Run once" })
        await write(page, "export default {\n  dedupe: \"all\",\n  run() {}\n}")
        await check.click()
        await page.getByText("Change the definition as the message says.").first().waitFor()
        await page.locator(".cm-lint-marker-error").waitFor()
        await write(page, tried.replace("+ 1", "+ 10"))
        await check.click()
        await page.getByText("It can be deployed: a source with the key tried").waitFor()
        await page.locator(".cm-lint-marker-error").waitFor({ state: "detached" })
        await page.locator(".cm-content").focus()
        await page.keyboard.press("ControlOrMeta+End")
        await page.keyboard.type("\nthis.d")
        // The editor takes no key for a choice in the first moment after it has offered it.
        await page.locator(".cm-tooltip-autocomplete").getByText("$.service.db").click()
        await page.keyboard.type(".g")
        await page.locator(".cm-tooltip-autocomplete").getByText("The value that was stored, as JSON keeps it")
          .waitFor()
        await page.keyboard.press("Escape")
        await page.keyboard.type("\nevent.h")
        await page.locator(".cm-tooltip-autocomplete").getByText("headers").waitFor()
        await page.keyboard.press("Escape")
        await page.keyboard.insertText("\nconst more = { type: ")
        await page.keyboard.type("\"data")
        await page.locator(".cm-tooltip-autocomplete").getByText("data_store").waitFor()
        await write(page, tried.replace("+ 1", "+ 10"))
        await page.getByLabel("Event, as JSON").fill(JSON.stringify({ order: 2, url: site.endpoint.url }))
        await run.click()
        await page.getByText("It would emit 1 event and change 1 key of its store. Nothing was kept.").waitFor()
        const cells = page.getByRole("group", { name: "Changes of the store" }).getByRole("cell")
        assert.deepStrictEqual(await cells.allInnerTexts(), ["count", "1", "11"])
        await page.getByRole("region", { name: "Requests it made" }).getByText(site.endpoint.url).waitFor()
        await page.getByLabel("Console lines", { exact: true }).getByText("trying 2").waitFor()
        await page.getByLabel("Event, as JSON").fill("{\"fails\": true}")
        await page.getByLabel("Send its HTTP requests for real").uncheck()
        await run.click()
        await page.getByText("RangeError: no order", { exact: false }).first().waitFor()
        await page.locator(".cm-lint-marker-error").waitFor()
        assert.lengthOf(await emitted(site, source.id), 1)
        const runner = await site.signedIn(`/sources/${source.id}/code`, { key: await keyOf(site, "run") })
        await runner.getByRole("button", { name: "Run once" }).click()
        await runner.getByText("It would emit 1 event").waitFor()
      }))

    it.effect("opens the code of a workflow, runs it once over an event of a log, and deploys it", () =>
      inBrowser(async (site) => {
        const id = await madeWorkflow(site)
        const source = await site.source("Orders of the workflow")
        await site.send(source, [{ order: 17, total: 140 }])
        const [event] = await emitted(site, source.id)
        const page = await site.signedIn(`/workflows/${id}`)
        await page.getByRole("link", { name: "Code", exact: true }).click()
        await page.locator(".cm-content").getByText("has no total").waitFor()
        await page.getByRole("button", { name: "Stored event" }).click()
        await page.getByLabel("Emitter").fill(source.id)
        await page.getByLabel("Event", { exact: true }).fill(Json.textOf(event!["id"]))
        await page.getByRole("button", { name: "Run once" }).click()
        await page.getByText("It would emit 1 event and change 0 keys").waitFor()
        const steps = page.getByRole("region", { name: "Steps" })
        await steps.getByText("check", { exact: true }).waitFor()
        await write(page, workflow.replace("total - this.limit", "this.limit - total"))
        await page.keyboard.press("ControlOrMeta+s")
        await page.getByText("New runs use the new code").waitFor()
        const { code } = (await site.api("GET", `/workflows/${id}/code`))["data"]!
        assert.include(Json.textOf(code), "this.limit - total")
        assert.isEmpty(Json.listOf((await site.api("GET", `/workflows/${id}/runs`))["data"]))
      }))

    it.effect("shows what is changed from the code that runs, and tries it on the input of a run", () =>
      inBrowser(async (site) => {
        const id = await madeWorkflow(site)
        await site.api("POST", `/workflows/${id}/invocations`, { event: { order: 17, total: 140 } })
        const list = async () => Json.listOf((await site.api("GET", `/workflows/${id}/runs`))["data"])
        await until(
          "a run that has ended",
          async () => (await list()).some((run) => Json.textOf(run["status"]) === "success")
        )
        const page = await site.signedIn(`/workflows/${id}/code`)
        await page.locator(".cm-content").waitFor()
        await write(page, workflow.replace("{ over: total - this.limit }", "{ over: total + this.limit }"))
        await page.getByRole("button", { name: "Compare with the deployed code" }).click()
        await page.locator(".cm-deletedChunk").getByText("total - this.limit").waitFor()
        await page.getByLabel("Use the input of a run").selectOption({ index: 1 })
        const event = page.getByLabel("Event, as JSON")
        await until("the input of the run", async () => (await event.inputValue()).includes("140"))
        await page.getByRole("button", { name: "Run once" }).click()
        await page.getByRole("region", { name: "Events", exact: true }).getByText("240", { exact: true }).waitFor()
        const changed = page.locator(".cm-deletedChunk").filter({ hasText: "total - this.limit" })
        await changed.getByRole("button", { name: "Undo this change" }).click()
        await changed.waitFor({ state: "detached" })
        await page.locator(".cm-content").getByText("total - this.limit").waitFor()
      }))

    it.effect("links a run to the event that began it", () =>
      inBrowser(async (site) => {
        const source = await site.source("Began a run")
        const id = await madeWorkflow(site)
        await site.api("POST", "/subscriptions", { emitter_id: source.id, listener_id: id })
        await site.send(source, [{ order: 23, total: 140 }])
        const runs = async () => Json.listOf((await site.api("GET", `/workflows/${id}/runs`))["data"])
        await until("a run", async () => (await runs()).length > 0)
        const page = await site.signedIn(`/workflows/${id}/runs/${Json.textOf((await runs())[0]!["id"])}`)
        const [event] = await emitted(site, source.id)
        await page.locator(".facts").getByRole("link").filter({ has: page.locator("code") }).click()
        await page.getByRole("heading", { name: `Event ${Json.textOf(event!["id"])}` }).waitFor()
      }))

    it.effect("asks for the values that new code needs, and does not overwrite what somebody else has deployed", () =>
      inBrowser(async (site) => {
        const { id } = await site.source("Shared", shop)
        const page = await site.signedIn(`/sources/${id}/code`)
        await page.locator(".cm-content").waitFor()
        const wanting = shop.replace("props: {", "props: { size: { type: \"integer\", label: \"Size\" },")
        await write(page, wanting)
        await page.getByRole("button", { name: "Deploy", exact: true }).click()
        const dialog = page.getByRole("dialog", { name: "The new code needs more values" })
        await dialog.getByLabel("Size").fill("3")
        await dialog.getByRole("button", { name: "Deploy with these" }).click()
        await page.getByText("New runs use the new code").waitFor()
        assert.strictEqual(await valueOf(site, id, "size"), 3)
        await write(page, `${wanting}\n// mine`)
        await site.api("PUT", `/sources/${id}`, { component_code: `${wanting}\n// theirs` })
        await page.keyboard.press("ControlOrMeta+s")
        await page.getByText("Your text is based on the code before that").waitFor()
        const { component_id } = (await site.api("GET", `/sources/${id}`))["data"]!
        const { code } = (await site.api("GET", `/components/${Json.textOf(component_id)}`))["data"]!
        assert.include(Json.textOf(code), "// theirs")
        // What was typed is still there after the page was left.
        await page.getByRole("link", { name: "The source" }).click()
        await page.getByRole("link", { name: "Code", exact: true }).click()
        await page.locator(".cm-content").getByText("// mine").waitFor()
        await page.getByRole("button", { name: "Discard my changes and show it" }).click()
        await page.locator(".cm-content").getByText("// theirs").waitFor()

        const flow = await madeWorkflow(site)
        await page.goto(`${site.url}workflows/${flow}/code`)
        await page.locator(".cm-content").waitFor()
        await write(page, `${workflow}\n// mine`)
        await site.api("PUT", `/workflows/${flow}`, { workflow_code: `${workflow}\n// theirs` })
        await page.keyboard.press("ControlOrMeta+s")
        await page.getByText("Your text is based on the code before that").waitFor()
        await page.getByRole("link", { name: "The workflow" }).click()
        await page.getByRole("link", { name: "Code", exact: true }).click()
        await page.locator(".cm-content").getByText("// mine").waitFor()
        await page.getByRole("button", { name: "Deploy over it" }).click()
        await page.getByText("New runs use the new code").waitFor()
        assert.include(
          Json.textOf((await site.api("GET", `/workflows/${flow}/code`))["data"]!["code"]),
          "// mine"
        )
      }))

    it.effect("runs a workflow over an event, shows its steps, and runs it again with other props", () =>
      inBrowser(async (site) => {
        const id = await madeWorkflow(site)
        const page = await site.signedIn(`/workflows/${id}`)
        await page.getByText("It has not run yet").waitFor()
        await page.getByRole("button", { name: "Run …" }).click()
        await page.getByLabel("Event, as JSON").fill("{\"order\": 17}")
        await page.getByRole("button", { name: "Run", exact: true }).click()
        await page.getByRole("heading", { name: /^Run run_/ }).waitFor()
        const steps = page.getByRole("region", { name: "Steps" })
        await steps.getByText("TypeError: order 17 has no total", { exact: true }).waitFor()
        await steps.getByText("at line 10, column").waitFor()
        await steps.getByText("checked 17").waitFor()
        await page.goto(`${site.url}workflows/${id}`)
        await page.getByLabel("limit", { exact: true }).fill("40")
        await page.getByRole("button", { name: "Save the props" }).click()
        await page.getByText("The props are saved").waitFor()
        await page.getByLabel("Concurrency").fill("3")
        await page.getByLabel("Timeout in seconds").fill("20")
        await page.getByLabel("Memory in MiB").fill("256")
        await page.getByLabel("Suspension timeout").selectOption("resume")
        await page.getByRole("button", { name: "Save the settings" }).click()
        await page.getByText("The settings are saved").waitFor()
        Json.assertHolds((await site.api("GET", `/workflows/${id}`))["data"], {
          concurrency: 3,
          suspension_timeout: "resume",
          timeout_seconds: 20,
          memory_mb: 256
        })
        await page.getByRole("button", { name: "Run …" }).click()
        await page.getByLabel("Event, as JSON").fill("{\"order\": 18, \"total\": 50}")
        await page.getByRole("button", { name: "Run", exact: true }).click()
        await steps.getByText("checked 18").waitFor()
        const first = page.url()
        await page.getByRole("button", { name: "Run again", exact: true }).click()
        await page.waitForURL((url) => /run_\w+$/.test(url.href) && url.href !== first)
        await page.getByText("a repeat of").waitFor()
        await page.getByRole("link", { name: "large-orders" }).click()
        await page.getByRole("link", { name: "All runs" }).click()
        await page.getByText("3 runs").waitFor()
        await page.getByLabel("State").selectOption("error")
        await page.getByText("1 run.").waitFor()
      }))

    it.effect("runs a changed event in the place of a run's, all again that failed, and links each figure of the books", () =>
      inBrowser(async (site) => {
        const id = await madeWorkflow(site)
        const run = Json.textOf(
          (await site.api("POST", `/workflows/${id}/invocations`, { event: { order: 17 } }))["data"]!["id"]
        )
        const page = await site.signedIn(`/workflows/${id}/runs?status=cancelled`)
        const none = page.getByRole("button", { name: "Run all again …", disabled: true })
        await none.waitFor()
        assert.strictEqual(await none.getAttribute("title"), "No run has the state cancelled.")
        await page.goto(`${site.url}workflows/${id}/runs/${run}`)
        await page.getByText("TypeError: order 17 has no total", { exact: true }).first().waitFor()
        await page.getByRole("button", { name: "Run with a changed event …" }).click()
        await page.getByLabel("Event, as JSON").fill("{\"order\": 19, \"total\": 5}")
        await page.getByRole("button", { name: "Run", exact: true }).click()
        await page.getByText("with a changed event, in place of").waitFor()
        await page.goto(`${site.url}workflows/${id}`)
        await page.getByRole("button", { name: "Run again all that failed …" }).click()
        await page.getByText("1 run matches now.").waitFor()
        await page.getByLabel("From").selectOption("the step that failed")
        await page.getByRole("button", { name: "Run again 1 run" }).click()
        await page.getByText("from the step that failed, on the current code").waitFor()
        await page.getByText("done", { exact: true }).first().waitFor()
        await page.goto(`${site.url}workflows/${id}`)
        const books = page.getByRole("region", { name: "All runs since it was created" })
        await books.getByText("received").waitFor()
        await books.getByRole("link", { name: "2", exact: true }).click()
        await page.getByText("2 runs.").waitFor()
        assert.strictEqual(new URL(page.url()).searchParams.get("status"), "error")
      }))

    it.effect("shows in which minutes a source ran, how often that failed, and how long it took", () =>
      inBrowser(async (site) => {
        const own = await site.source("Running")
        await site.send(own, [{ order: 1 }, { order: 2 }, { order: 3, fails: true }])
        const page = await site.signedIn(`/sources/${own.id}`)
        const runs = page.getByRole("region", { name: "Last runs" })
        await runs.getByText(/^3 runs in the last hour, 1 failed; \d+ ms on average\.$/).waitFor()
        await runs.getByRole("row", { name: / \d+ ms$/ }).first().waitFor()
      }))

    it.effect("pauses and activates a source, and deletes it once that is confirmed", () =>
      inBrowser(async (site) => {
        const { id } = await site.source("Passing", shop)
        const page = await site.signedIn(`/sources/${id}`)
        await page.getByRole("button", { name: "Pause" }).click()
        await page.getByText("paused", { exact: true }).waitFor()
        Json.assertHolds((await site.api("GET", `/sources/${id}`))["data"], { active: false })
        // A change of a prop does not activate it by the way.
        await page.getByLabel("Shop name").fill("east")
        await page.getByRole("button", { name: "Save the props" }).click()
        await page.getByText("The props are saved").waitFor()
        Json.assertHolds((await site.api("GET", `/sources/${id}`))["data"], { active: false })
        await page.getByRole("button", { name: "Activate" }).click()
        await page.getByText("active", { exact: true }).waitFor()
        await page.getByRole("button", { name: "Delete …" }).click()
        await page.getByRole("button", { name: "Keep it" }).click()
        await page.getByRole("button", { name: "Delete …" }).click()
        await page.getByRole("button", { name: "Delete for good" }).click()
        await page.getByRole("heading", { name: "Sources" }).waitFor()
        await page.goto(`${site.url}sources/${id}`)
        await page.getByText("Could not load the source").waitFor()
      }))

    it.effect("offers a key only what it may do", () =>
      inBrowser(async (site) => {
        const { id } = await site.source("Looked at", shop)
        const flow = await madeWorkflow(site)
        const changing = /Pause|Delete|Deploy|Save|Create/
        for (const scope of ["read", "run"]) {
          const page = await site.signedIn(`/sources/${id}`, { key: await keyOf(site, scope) })
          await page.getByRole("heading", { name: "Looked at" }).waitFor()
          await page.getByText("secret: not shown").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: changing }).count(), 0)
          assert.strictEqual(await page.getByRole("button", { name: "Send an event" }).count(), scope === "run" ? 1 : 0)
          await page.getByRole("link", { name: "Code", exact: true }).click()
          await page.locator(".cm-content").waitFor()
          assert.strictEqual(await page.locator(".cm-content").getAttribute("contenteditable"), "false")
          assert.strictEqual(await page.getByRole("button", { name: changing }).count(), 0)
          await page.goto(`${site.url}workflows/${flow}`)
          await page.getByText("Concurrent runs").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: changing }).count(), 0)
          assert.strictEqual(await page.getByRole("button", { name: "Run …" }).count(), scope === "run" ? 1 : 0)
          await page.goto(`${site.url}registry/headwater-schedule`)
          await page.getByRole("heading", { name: "Its props" }).waitFor()
          assert.strictEqual(await page.getByRole("button", { name: changing }).count(), 0)
          await page.context().close()
        }
      }))

    it.effect("has nothing on any of its pages that axe finds fault with, fits windows of any width, and runs no hostile text", () =>
      inBrowser(async (site) => {
        const odd = await site.source(`${markup} \u202Egnp.exe\u202C ${"long".repeat(60)}`, hostile)
        await site.send(odd, [{}])
        const flow = await madeWorkflow(site)
        const run = Json.textOf(
          (await site.api("POST", `/workflows/${flow}/invocations`, { event: { order: markup } }))["data"]!["id"]
        )
        const { id: shown } = await site.source("Shown", shop)
        const paths = [
          "sources",
          `sources/${shown}`,
          `sources/${odd.id}`,
          `sources/${odd.id}/code?line=1&column=400`,
          "workflows",
          `workflows/${flow}`,
          `workflows/${flow}/code`,
          `workflows/${flow}/runs`,
          `workflows/${flow}/runs/${run}`,
          "registry",
          "registry/headwater-json-poll"
        ]
        const open = async (page: Page, path: string) => {
          await page.goto(site.url + path)
          await page.getByRole("heading", { level: 1 }).waitFor()
          await page.waitForFunction(() => {
            const { document } = globalThis as unknown as {
              document: { querySelector: (selector: string) => unknown }
            }
            return document.querySelector(".waiting") === null
          })
        }
        const page = await site.signedIn("/sources")
        for (const path of paths) {
          await open(page, path)
          assert.deepStrictEqual(await PageFaults.violations(page), [], path)
          assert.deepStrictEqual(await PageFaults.unreachable(page), [], path)
          for (const width of [360, 2_560, 1_440]) {
            await page.setViewportSize({ width, height: 900 })
            assert.isFalse(await PageFaults.overflows(page), `${path} is wider than ${width} px`)
          }
        }
        await open(page, `sources/${odd.id}/code`)
        for (
          const [button, then] of [["Check", "It can be deployed"], ["Run once", "It would emit 0 events"]] as const
        ) {
          await page.getByRole("button", { name: button, exact: true }).click()
          await page.getByText(then).waitFor()
          assert.deepStrictEqual(await PageFaults.violations(page), [], button)
          await page.setViewportSize({ width: 360, height: 900 })
          assert.isFalse(await PageFaults.overflows(page), `${button} is wider than 360 px`)
          await page.setViewportSize({ width: 1_440, height: 900 })
        }
        await open(page, `sources/${shown}`)
        for (const [button, leave] of [["Send an event", "Close"], ["Delete …", "Keep it"]] as const) {
          await page.getByRole("button", { name: button }).click()
          assert.deepStrictEqual(await PageFaults.violations(page), [], button)
          await page.getByRole("button", { name: leave }).click()
        }
      }))

    it.effect("says on each page that it could not be read again, or at all, and never that there is nothing instead", () =>
      inBrowser(async (site) => {
        const { id: source } = await site.source("Out of reach", shop)
        const flow = await madeWorkflow(site)
        const run = Json.textOf(
          (await site.api("POST", `/workflows/${flow}/invocations`, { event: { order: 1 } }))["data"]!["id"]
        )
        const page = await site.signedIn("/sources")
        await page.clock.install()
        const faults: Array<string> = []
        for (
          const [path, asksAgain] of [
            ["sources", true],
            [`sources/${source}`, true],
            [`sources/${source}/code`, true],
            ["workflows", true],
            [`workflows/${flow}`, true],
            [`workflows/${flow}/code`, true],
            [`workflows/${flow}/runs`, true],
            [`workflows/${flow}/runs/${run}`, true],
            ["registry", true],
            // What is published under a version stays as it is.
            ["registry/headwater-json-poll", false]
          ] as const
        ) faults.push(...await Outage.show(page, site.url + path, asksAgain))
        assert.deepStrictEqual(faults, [])
      }))

    it.effect("asked nobody but its own server, in all of this, and met no error", () =>
      inBrowser(async ({ faults, foreignRequests }) => {
        assert.deepStrictEqual(foreignRequests, [])
        assert.deepStrictEqual(faults, [])
        await Promise.resolve()
      }))
  }
)
