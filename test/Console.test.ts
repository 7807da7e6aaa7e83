import { assert, layer } from "@effect/vitest"
import type { Graph } from "@headwater/api/GraphApi"
import * as Json from "@headwater/fixtures/Json"
import { OAuthServer } from "@headwater/fixtures/OAuthServer"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { ConsoleSite } from "./browser/ConsoleSite.ts"
import * as Fingers from "./browser/Fingers.ts"
import { inBrowser, rowsOf, type Site, until } from "./browser/InBrowser.ts"
import * as Outage from "./browser/Outage.ts"
import * as PageFaults from "./browser/PageFaults.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

type GraphNode = Graph["nodes"][number]

/** The orders that the first rows of the log show, the newest first. */
const shownOrders = async (page: Page): Promise<ReadonlyArray<number>> => {
  const texts = await rowsOf(page, "Events").allInnerTexts()
  return texts.flatMap((text) => /"order":(\d+)/.exec(text)?.slice(1).map(Number) ?? [])
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const transformOf = (page: Page) => page.locator(".graph-frame svg > g").getAttribute("transform")

/** Where the drawing of the graph is seen in its frame, in pixels, and how large. */
const viewOf = async (page: Page) => {
  const [x = 0, y = 0, scale = 0] = (await transformOf(page) ?? "").match(/-?[\d.]+/g)!.map(Number)
  return { x, y, scale }
}

/** How a stop of the graph is drawn, as the browser comes to draw it. */
const lookOf = (stop: Locator) =>
  stop.evaluate((element) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle: (of: unknown) => { readonly stroke: string }
    }
    const { querySelector } = element as unknown as {
      querySelector: (
        selector: string
      ) => { readonly getAttribute: (name: string) => string; readonly textContent: string }
    }
    const of = querySelector.bind(element)
    return {
      stroke: getComputedStyle(of(".graph-box")).stroke,
      mark: of(".graph-mark").getAttribute("d"),
      said: of(".graph-said").textContent
    }
  })

/** A graph of 1,000 nodes in three layers, of which some fail and one waits. */
const largeGraph = (): Graph => {
  const node = (type: GraphNode["type"], prefix: string) => (_: unknown, index: number): GraphNode => ({
    id: `${prefix}_${1_000 + index}`,
    type,
    name: `${type} ${index}`,
    active: true,
    state: index === 77 ? "failing" : index === 277 ? "waiting" : "ok",
    waiting: index === 277 ? 3 : 0,
    pending: 0,
    emitted: 1,
    done: 1,
    failed: 0
  })
  const sources = Array.from({ length: 200 }, node("source", "dc"))
  const workflows = Array.from({ length: 200 }, node("workflow", "p"))
  const webhooks = Array.from({ length: 600 }, node("webhook", "wh"))
  const ties = [
    ...sources.map(({ id }, index) => [id, workflows[index * 7 % 200]!.id]),
    ...webhooks.map(({ id }, index) => [workflows[index * 11 % 200]!.id, id])
  ]
  return {
    nodes: [...sources, ...workflows, ...webhooks],
    edges: ties.map(([emitter, listener], index) => ({
      subscription_id: `sub_${index}` as Graph["edges"][number]["subscription_id"],
      emitter_id: emitter!,
      is_glob: false,
      listener_id: listener!,
      event_name: "",
      is_filtered: false,
      waiting: 0
    })),
    is_cut: false,
    end_cursor: "",
    has_more: false,
    expanded: null
  }
}

/** A graph of 30 nodes, whose subscriptions are of a stream and have a filter. */
const middlingGraph = (): Graph => {
  const { nodes, ...rest } = largeGraph()
  const [sources, workflows, webhooks] = [nodes.slice(0, 8), nodes.slice(200, 210), nodes.slice(400, 412)]
  const tie = (emitter: GraphNode, listener: GraphNode, index: number) => ({
    ...rest.edges[0]!,
    subscription_id: `sub_${emitter.id}_${index}` as Graph["edges"][number]["subscription_id"],
    emitter_id: emitter.id,
    listener_id: listener.id,
    event_name: "refunds",
    is_filtered: true
  })
  return {
    ...rest,
    nodes: [...sources, ...workflows, ...webhooks],
    edges: [
      ...workflows.map((workflow, index) => tie(sources[index % 8]!, workflow, index)),
      ...webhooks.map((webhook, index) => tie(workflows[index % 10]!, webhook, index)),
      ...webhooks.slice(0, 5).map((webhook, index) => tie(sources[index]!, webhook, index + 20))
    ]
  }
}

/** The size of the smallest text in the drawing of the graph, and how many lines cross labels. */
const legibility = (page: Page) =>
  page.evaluate(() => {
    interface Shape {
      readonly getBBox: () => {
        readonly x: number
        readonly y: number
        readonly width: number
        readonly height: number
      }
      readonly getScreenCTM: () => { readonly a: number }
      readonly getTotalLength: () => number
      readonly getPointAtLength: (at: number) => { readonly x: number; readonly y: number }
    }
    const { document, getComputedStyle } = globalThis as unknown as {
      document: { querySelectorAll: (selector: string) => Iterable<Shape> }
      getComputedStyle: (element: Shape) => { readonly fontSize: string }
    }
    const texts = [...document.querySelectorAll(".graph-frame text")]
    const sizes = texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)
    const labels = [...document.querySelectorAll(".graph-label")].map((label) => label.getBBox())
    const crossed = [...document.querySelectorAll(".graph-line > path:first-child")].filter((path) => {
      const length = path.getTotalLength()
      return Array.from({ length: 200 }, (_, at) => path.getPointAtLength(length * at / 199)).some((point) =>
        labels.some(({ height, width, x, y }) =>
          point.x > x && point.x < x + width && point.y > y && point.y < y + height
        )
      )
    })
    return { texts: texts.length, smallest: Math.min(...sizes), crossed: crossed.length }
  })

/** What the log, deliveries and webhooks hold so that every page has something to show. */
const somePages = async ({ api, orders, webhook }: Site): Promise<ReadonlyArray<string>> => {
  const event = (await api("GET", `/sources/${orders.id}/events?limit=1`))["data"]![0]!
  const delivery = (await api("GET", `/webhooks/${webhook}/deliveries?limit=1`))["data"]![0]!
  const bulk =
    (await api("POST", "/bulk_actions", { action: "retry", filter: { webhook_id: webhook }, dry_run: true }))["data"]!
  const oauth = { client_id: "north", provider: "gitlab", scopes: ["api"] }
  const account = (await api("POST", "/accounts", { app: "gitlab", oauth }))["data"]!
  const store = (await api("POST", "/data_stores", { name: `pages ${crypto.randomUUID()}` }))["data"]!
  await api("PUT", `/data_stores/${Json.textOf(store["id"])}/entry`, { key: "a", value: { n: 1 } })
  await api("PUT", "/environment_variables/PAGES", { value: "shown" })
  const consumer = (await api("POST", "/consumers", { emitter_id: orders.id, name: "Pages" }))["data"]!
  return [
    "overview",
    "overview?range=30d",
    "events",
    `events?open=${encodeURIComponent(`${orders.id}/${Json.textOf(event["id"])}`)}`,
    `events/${orders.id}/${Json.textOf(event["id"])}`,
    "deliveries",
    `deliveries/${Json.textOf(delivery["id"])}`,
    "webhooks",
    `webhooks/${webhook}`,
    "subscriptions",
    "graph",
    "graph?view=list",
    `graph?focus=${orders.id}&node=${orders.id}`,
    `graph?view=table&node=${webhook}`,
    "bulk-actions",
    `bulk-actions/${Json.textOf(bulk["id"])}`,
    "accounts",
    `accounts/${Json.textOf(account["id"])}`,
    "variables",
    "data-stores",
    `data-stores/${Json.textOf(store["id"])}`,
    "files",
    "consumers",
    `consumers/${Json.textOf(consumer["id"])}`,
    "keys",
    "audit",
    "account",
    "server",
    "nowhere"
  ]
}

/** The sites to which a reader went to connect an account. */
const providers = new Set<string>()

layer(ConsoleSite.layerOn(ServerOnTestDatabase.make), { excludeTestServices: true })("the console", (it) => {
  it.effect("takes a key for a session, and none that the server does not know, and keeps the key nowhere", () =>
    inBrowser(async ({ open, orders, send }) => {
      await send(orders, [{ order: 1, total: 1 }])
      const page = await open("/events?text=order")
      await page.getByLabel("API key").fill(`hw_${"x".repeat(40)}`)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByText("The server does not know this key").waitFor()
      await page.getByLabel("API key").fill(`hw_${"k".repeat(40)}`)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Events" }).waitFor()
      assert.include(page.url(), "/engine/console/events?text=order", "it is taken to where it wanted to go")
      const kept = await page.evaluate(() => {
        const { document, localStorage, sessionStorage } = globalThis as unknown as Record<string, unknown> & {
          document: { cookie: string; documentElement: { outerHTML: string } }
        }
        return JSON.stringify([localStorage, sessionStorage, document.cookie, document.documentElement.outerHTML])
      })
      assert.notInclude(kept, "hw_kkkk")
      const [cookie] = await page.context().cookies()
      assert.isTrue(cookie?.httpOnly)
      assert.strictEqual(cookie?.sameSite, "Strict")
      await page.reload()
      await page.getByRole("heading", { name: "Events" }).waitFor()
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByText("You have signed out").waitFor()
      await page.reload()
      await page.getByLabel("API key").waitFor()
    }))

  it.effect("connects an account over OAuth 2, and shows how it stands", () =>
    Effect.gen(function*() {
      const { api, signedIn } = yield* ConsoleSite
      const created = (path: string, body: unknown) =>
        Effect.map(Effect.promise(() => api("POST", path, body)), ({ data }) => data!)
      const known = yield* created("/accounts", { app: "gitlab", oauth: { client_id: "north", provider: "gitlab" } })
      const begun = yield* created(`/accounts/${Json.textOf(known["id"])}/connect`, {})
      const server = yield* OAuthServer.make([Json.textOf(begun["redirect_uri"])])
      providers.add(server.url)
      yield* created("/accounts", { app: "calendar", oauth: server.oauth })
      yield* Effect.promise(async () => {
        const page = await signedIn("/accounts")
        await page.getByRole("link", { name: "calendar" }).click()
        await page.getByText("unconnected").waitFor()
        await page.getByRole("button", { name: "Connect" }).click()
        await page.getByText("Connected.").waitFor()
        await page.getByRole("button", { name: "Connect again" }).waitFor()
        assert.notInclude(page.url(), "confirmation")
      })
    }).pipe(Effect.scoped))

  it.effect("says that the session has ended when its key is revoked, and goes on where it was with another", () =>
    inBrowser(async ({ api, signedIn }) => {
      const { data } = await api("POST", "/users/me/keys", { name: "to be revoked" })
      const page = await signedIn("/webhooks", { key: Json.textOf(data!["key"]) })
      await page.clock.install()
      await page.reload()
      await page.getByRole("gridcell", { name: "Warehouse" }).waitFor()
      await api("DELETE", `/users/me/keys/${Json.textOf(data!["id"])}`)
      await page.clock.fastForward(10_000)
      await page.getByText("Your session has ended").waitFor()
      await page.getByLabel("API key").fill(`hw_${"k".repeat(40)}`)
      await page.keyboard.press("Enter")
      await page.getByRole("gridcell", { name: "Warehouse" }).waitFor()
    }))

  it.effect("lists the log by what the address says, and shows an event's payload as a tree and raw", () =>
    inBrowser(async ({ ledger, orders, send, signedIn }) => {
      await send(orders, [{ order: 100, total: 5, customer: { name: "Ann" } }, { order: 101, total: 6 }])
      const page = await signedIn("/events")
      await rowsOf(page, "Events").filter({ hasText: "\"booked\":101" }).waitFor()
      await page.getByRole("combobox", { name: "Emitter" }).selectOption({ label: "Ledger" })
      await until("only the ledger's events", async () => (await shownOrders(page)).length === 0)
      assert.include(page.url(), `emitter=${ledger.id}`)
      await page.goBack()
      await rowsOf(page, "Events").filter({ hasText: "\"order\":101" }).waitFor()
      await page.getByLabel("Payload contains").fill("\"name\":\"Ann\"")
      await until("only what was searched", async () => (await shownOrders(page)).join() === "100")
      const address = page.url()
      await page.getByLabel("Payload contains").fill("there is no such text")
      await page.getByText("No event matches").waitFor()
      await page.goto(address)
      await rowsOf(page, "Events").filter({ hasText: "\"order\":100" }).click()
      const panel = page.getByRole("complementary", { name: "The open event" })
      await panel.getByText("\"Ann\"").waitFor()
      await panel.getByRole("button", { name: "Raw" }).click()
      assert.deepInclude(JSON.parse(await panel.locator("pre").innerText()), { order: 100 })
      await page.keyboard.press("Escape")
      await panel.waitFor({ state: "detached" })
      await page.locator("summary", { hasText: "Columns" }).click()
      await page.getByLabel("A payload field").fill("customer.name")
      await page.getByRole("button", { name: "Add" }).click()
      await page.getByRole("columnheader", { name: "customer.name" }).waitFor()
      await rowsOf(page, "Events").getByRole("gridcell", { name: "Ann", exact: true }).waitFor()
    }))

  it.effect("follows several emitters over a restart of the server, and over a pause, without missing or repeating an event", () =>
    inBrowser(async ({ server, send, signedIn, source, start }) => {
      const emitters = [await source("Followed"), await source("Also followed")] as const
      const emit = async (from: number, to: number) => {
        const orders = range(from, to).map((order) => ({ order, followed: true }))
        await Promise.all(emitters.map((one, index) => send(one, orders.filter(({ order }) => order % 2 === index))))
      }
      await emit(1, 2)
      const page = await signedIn(`/events?stream=default&text=${encodeURIComponent("\"followed\"")}`)
      await page.getByText("Live", { exact: true }).waitFor()
      await emit(3, 6)
      await until("the new events", async () => (await shownOrders(page)).length === 6)
      await Effect.runPromise(server.kill)
      await page.getByText("Connection lost").waitFor()
      await Effect.runPromise(start)
      await emit(7, 12)
      await until("what came after the restart", async () => (await shownOrders(page)).length === 12)
      await page.getByRole("button", { name: "Pause" }).click()
      await page.getByText("Paused", { exact: true }).waitFor()
      await emit(13, 20)
      await new Promise((resolve) => setTimeout(resolve, 500))
      assert.strictEqual((await shownOrders(page)).length, 12)
      await page.getByRole("button", { name: "Resume" }).click()
      await until("what came in the pause", async () => (await shownOrders(page)).length === 20)
      assert.deepStrictEqual((await shownOrders(page)).toSorted((a, b) => a - b), [...range(1, 20)])
    }))

  it.effect("lets new events in at the end of a list that begins with the oldest, once it is read up to its end", () =>
    inBrowser(async ({ send, signedIn, source }) => {
      const own = await source("Oldest first")
      const emit = (from: number, to: number) => send(own, range(from, to).map((order) => ({ order })))
      await emit(1, 150)
      const page = await signedIn(`/events?sort=oldest&stream=default&emitter=${own.id}`)
      await rowsOf(page, "Events").first().waitFor()
      await page.getByText("New events come in at the end of the list").waitFor()
      await emit(151, 155)
      const grid = page.getByRole("grid", { name: "Events" })
      await grid.focus()
      const ends = async (order: number) => {
        await page.keyboard.press("End")
        return await rowsOf(page, "Events").filter({ hasText: `"order":${order}` }).count() === 1
      }
      await until("the list is read up to its end", () => ends(155))
      await page.getByText("Live", { exact: true }).waitFor()
      await emit(156, 160)
      await until("the new events", () => ends(160))
      await page.getByText("160 events.").waitFor()
      await page.getByRole("button", { name: "Pause" }).click()
      await emit(161, 163)
      await page.getByRole("button", { name: "Resume" }).click()
      await page.getByText("163 events.").waitFor()
    }))

  it.effect("follows all emitters, and does not move what the reader looks at", () =>
    inBrowser(async ({ orders, send, signedIn }) => {
      await send(orders, range(200, 320).map((order) => ({ order, total: 1 })))
      const page = await signedIn("/events")
      await rowsOf(page, "Events").filter({ hasText: /Ledger.*"booked":320/s }).waitFor()
      const grid = page.getByRole("grid", { name: "Events" })
      await grid.focus()
      await page.keyboard.press("PageDown")
      await page.keyboard.press("PageDown")
      await page.keyboard.press("PageDown")
      const held = page.locator("[role=row].is-active")
      // The age of an event grows meanwhile.
      const booked = async () => /"booked":\d+|"order":\d+/.exec(await held.innerText())?.[0]
      const text = await booked()
      assert.isString(text)
      const before = (await held.boundingBox())!.y
      const place = async () => Number(await held.getAttribute("aria-rowindex"))
      const index = await place()
      await send(orders, range(400, 410).map((order) => ({ order, total: 1 })))
      await until("new rows above", async () => (await place()) > index)
      assert.strictEqual(await booked(), text)
      assert.approximately((await held.boundingBox())!.y, before, 1)
    }))

  it.effect("shows an event's whole way with the reasons, and what was sent and came back", () =>
    inBrowser(async ({ endpoint, orders, send, signedIn }) => {
      endpoint.answer = 500
      await send(orders, [{ order: 500, total: 50 }, { order: 501, total: 500, fails: true }])
      const page = await signedIn("/events?text=501&stream=default")
      await rowsOf(page, "Events").filter({ hasText: "\"order\":501" }).click()
      await page.getByRole("link", { name: "Trace the event" }).click()
      const way = page.getByRole("group", { name: "Trace of the event" })
      await way.getByRole("button", { name: /Delivery Warehouse.*pending 500/ }).click()
      await page.getByText("out of stock").waitFor()
      await page.getByRole("link", { name: "All attempts" }).click()
      await page.getByRole("heading", { name: "Delivery to Warehouse" }).waitFor()
      endpoint.answer = 200
      await page.getByRole("button", { name: "Retry", exact: true }).click()
      await page.getByRole("heading", { name: "Attempt 2" }).waitFor()
      await page.getByText("delivered", { exact: true }).first().waitFor()

      await page.goto(
        page.url().replace(/deliveries.*/, `events?text=${encodeURIComponent("\"order\":500")}&stream=default`)
      )
      await rowsOf(page, "Events").filter({ hasText: "\"total\":50}" }).click()
      await page.getByRole("link", { name: "Trace the event" }).click()
      await way.getByRole("button", { name: /Not reached Warehouse.*filter excludes it/ }).click()
      await page.getByText("filter.total.$gt").first().waitFor()
      await way.getByRole("button", { name: /Run Ledger/ }).waitFor()
      assert.include(orders.id, "dc_")
    }))

  it.effect("counts 1,000 deliveries before it retries them, and shows how far that is", () =>
    inBrowser(async ({ endpoint, orders, send, signedIn, webhook }) => {
      endpoint.answer = 500
      await send(orders, range(10_000, 10_999).map((order) => ({ order, total: 1_000 })))
      const page = await signedIn(`/deliveries?webhook_id=${webhook}&state=pending`)
      await rowsOf(page, "deliveries").nth(1).waitFor()
      const sent = () => endpoint.bodies.filter((body) => body.includes("\"total\":1000}"))
      await until("all have failed", () => sent().length >= 1_000)
      endpoint.answer = 200
      await page.getByRole("button", { name: "Act on all that match" }).click()
      const start = page.getByRole("button", { name: /^Retry [\d,]+ deliveries$/ })
      await until("all are counted", async () => {
        await start.waitFor()
        if (await start.innerText() === "Retry 1,000 deliveries") return true
        // The last of them had failed and were not committed: they are counted anew.
        await page.getByLabel("Skip").check()
        await page.getByLabel("Retry").check()
        return false
      })
      await page.getByLabel("Attempts per second").fill("10000")
      await start.click()
      await page.getByRole("heading", { name: "Retry" }).waitFor()
      const bar = page.getByRole("progressbar")
      await until("all are done", async () => await bar.getAttribute("aria-valuetext") === "1,000 of 1,000")
      await page.getByText("done", { exact: true }).first().waitFor()
      assert.strictEqual(new Set(sent().slice(1_000)).size, 1_000)
    }))

  it.effect("draws who listens to whom, marks what fails, and moves nothing while it is live", () =>
    inBrowser(async ({ api, send, signedIn, source, url }) => {
      const own = await source("Returns")
      const webhook = async (name: string, emitter_id: string) => {
        const made = await api("POST", "/webhooks", { url: "http://127.0.0.1:1/", name, retry_schedule: [3_600] })
        const id = Json.textOf(made["data"]!["id"])
        await api("POST", "/subscriptions", { emitter_id, listener_id: id })
        return id
      }
      const desk = await webhook("Returns desk", own.id)
      await webhook("Audit", `${own.id.slice(0, -1)}?`)
      await send(own, [{ order: 1 }])
      // So wide that the drawing begins as a whole.
      const page = await signedIn("/webhooks", { width: 1_600 })
      await page.clock.install()
      await page.goto(`${url}graph?focus=${own.id}`)
      const stop = (name: string) => page.locator(".graph-stop").filter({ hasText: name })
      /** What is said of a node once the page has asked again. */
      const standing = async (name: string) => {
        // By the page's clock a reader without input has left after 180 of these looks, and the page asks no more.
        await page.keyboard.press("Shift")
        const answered = page.waitForResponse("**/v1/graph*")
        await page.clock.fastForward(5_000)
        await answered
        return await stop(name).locator(".graph-said").textContent() ?? ""
      }
      await stop("Returns desk").waitFor()
      await until("it fails", async () => /^failing.*1 to retry$/.test(await standing("Returns desk")))
      await page.locator(".graph-stop.is-failing").filter({ hasText: "Returns desk" }).waitFor()
      assert.strictEqual(await page.locator(".graph-stop").count(), 4, "it, the glob and two webhooks")

      const before = [await transformOf(page), await stop("Returns desk").boundingBox()]
      await send(own, range(2, 20).map((order) => ({ order })))
      await until("it is live", async () => (await standing("Returns desk")).includes("20 to retry"))
      assert.deepStrictEqual([await transformOf(page), await stop("Returns desk").boundingBox()], before)

      await stop("Returns desk").click()
      const panel = page.getByRole("complementary", { name: "Details" })
      await panel.getByText("failing").waitFor()
      assert.include(page.url(), `node=${desk}`)
      assert.include(
        await panel.getByRole("link", { name: "Open its page" }).getAttribute("href") ?? "",
        `webhooks/${desk}`
      )
      await page.keyboard.press("Escape")
      await panel.waitFor({ state: "detached" })

      await page.getByRole("group", { name: "The drawing", exact: true }).focus()
      for (const key of ["ArrowLeft", "+"]) {
        const was = await transformOf(page)
        await page.keyboard.press(key)
        assert.notStrictEqual(await transformOf(page), was, key)
      }
      await page.keyboard.press("0")
      const frame = (await page.locator(".graph-frame").boundingBox())!
      for (const each of await page.locator(".graph-stop").all()) {
        const { height, width, x, y } = (await each.boundingBox())!
        assert.isAtLeast(
          Math.min(x - frame.x, frame.x + frame.width - x - width),
          0,
          "within the frame, from left to right"
        )
        assert.isAtLeast(Math.min(y - frame.y, frame.y + frame.height - y - height), 0, "and from top to bottom")
      }

      const middle = { x: frame.x + frame.width / 2, y: frame.y + frame.height / 2 }
      const from = (x: number, y: number) => ({ x: middle.x + x, y: middle.y + y })
      let was = await viewOf(page)
      const isAt = async (x: number, y: number, scale: number, what: string) => {
        const wanted = { x, y, scale }
        await until(`${what}: ${JSON.stringify(wanted)}`, async () => {
          was = await viewOf(page)
          return Math.abs(was.x - x) <= 1 && Math.abs(was.y - y) <= 1 && Math.abs(was.scale - scale) <= 0.01
        }, () => JSON.stringify(was))
      }
      await Fingers.move(page, [[from(0, 60), from(-50, 90)]])
      await isAt(was.x - 50, was.y + 30, was.scale, "one finger drags it")
      await Fingers.move(page, [[from(-40, 0), from(20, 40)], [from(40, 0), from(100, 40)]])
      await isAt(was.x + 60, was.y + 40, was.scale, "two fingers drag it too")
      await Fingers.move(page, [[from(-50, 0), from(-100, 0)], [from(50, 0), from(100, 0)]])
      const held = { x: frame.width / 2, y: frame.height / 2 }
      await isAt(2 * was.x - held.x, 2 * was.y - held.y, 2 * was.scale, "what is between two fingers stays there")
      assert.strictEqual(await panel.count(), 0, "fingers that move choose nothing")
      await page.getByRole("button", { name: "Fit" }).click()
      const desks = (await stop("Returns desk").boundingBox())!
      await Fingers.tap(page, { x: desks.x + desks.width / 2, y: desks.y + desks.height / 2 })
      await panel.getByRole("heading", { name: "Returns desk" }).waitFor()
      await page.keyboard.press("Escape")
      await panel.waitFor({ state: "detached" })
      await page.getByRole("grid", { name: "Nodes" }).focus()
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await panel.getByRole("heading", { name: "Audit" }).waitFor()

      await panel.getByRole("button", { name: /\?$/ }).click()
      await panel.getByRole("button", { name: "Matching emitters" }).click()
      await panel.getByRole("cell", { name: "Returns" }).waitFor()
      await page.locator(".graph-frame .graph-line.is-matches").waitFor()
      await page.keyboard.press("Escape")

      await page.route(
        "**/v1/graph*",
        (route) => route.fulfill({ status: 503, json: { detail: "The database is away." } })
      )
      await page.clock.fastForward(5_000)
      await page.getByText("it could not be refreshed").waitFor()
      await page.locator(".graph.is-old").waitFor()
      assert.strictEqual(await page.locator(".graph-stop").count(), 4)
      await page.unroute("**/v1/graph*")
      await page.clock.fastForward(5_000)
      await page.locator(".graph.is-old").waitFor({ state: "detached" })

      await page.getByRole("button", { name: "Table" }).click()
      await page.reload()
      await rowsOf(page, "Subscriptions").filter({ hasText: /Returns desk.*failing/s }).click()
      await panel.getByRole("heading", { name: "Returns desk" }).waitFor()
    }))

  it.effect("draws 1,000 nodes as a few, finds the one that fails, and draws all of them aside from the page", () =>
    inBrowser(async ({ signedIn, url }) => {
      const page = await signedIn("/events")
      const data = largeGraph()
      await page.route("**/v1/graph*", (route) => route.fulfill({ json: { data } }))
      await page.goto(`${url}graph`)
      const stops = page.locator(".graph-stop")
      await stops.filter({ hasText: /webhooks.*1 failing/ }).click()
      assert.isBelow(await stops.count(), 60)
      const panel = page.getByRole("complementary", { name: "Details" })
      await panel.getByRole("listitem").first().filter({ hasText: "failing" }).getByRole("button", {
        name: "webhook 77"
      })
        .click()
      await panel.getByRole("button", { name: "Show its neighbours" }).click()
      await stops.filter({ hasText: "webhook 77" }).waitFor()
      await until("its workflow and itself", async () => await stops.count() === 2)
      await page.getByLabel("up to").selectOption({ label: "2 hops" })
      await until("what is around these too", async () => await stops.count() > 2)
      await page.keyboard.press("Escape")
      await panel.waitFor({ state: "detached" })
      const [failing, waiting, well] = await Promise.all(
        ["77", "277", "477"].map(async (number) => await lookOf(stops.filter({ hasText: `webhook ${number}` })))
      )
      assert.strictEqual(waiting!.stroke, failing!.stroke, "red where something fails or waits")
      assert.notStrictEqual(well!.stroke, failing!.stroke)
      assert.strictEqual(
        new Set([failing, waiting, well].map((look) => look!.mark)).size,
        3,
        "told apart without colours"
      )
      assert.deepStrictEqual([failing!.said, waiting!.said, well!.said], ["failing", "3 waiting", "active"])
      const legend = page.getByRole("list", { name: "Legend" })
      for (const sign of ["failing", "disabled", "waiting", "paused", "active"]) {
        await legend.getByText(sign, { exact: true }).waitFor()
      }
      await page.getByRole("button", { name: "Show the whole graph" }).click()

      const worker = page.waitForEvent("worker")
      await page.getByLabel("Group").selectOption({ label: "no groups" })
      await worker
      await until("all of them", async () => await stops.count() === 1_000)
      await page.getByLabel("Name or id").fill("webhook 59")
      await page.getByText("11 of 1,000 nodes").waitFor()
      assert.strictEqual(await page.locator(".graph-stop:not(.is-dim)").count(), 11)
      await rowsOf(page, "Nodes").filter({ hasText: "webhook 591" }).click()
      await page.locator(".graph-stop.is-chosen .graph-title").getByText("webhook 591").waitFor()

      const frame = (await page.locator(".graph-frame").boundingBox())!
      await page.mouse.move(frame.x + 200, frame.y + 200)
      for (
        const act of [() => page.mouse.wheel(0, 200), async () => {
          await page.mouse.down()
          await page.mouse.move(frame.x + 260, frame.y + 230)
          await page.mouse.up()
        }]
      ) {
        const was = await transformOf(page)
        await act()
        await until("it has moved", async () => await transformOf(page) !== was)
      }
      await page.getByRole("button", { name: "Fit" }).click()
      assert.isFalse(await PageFaults.overflows(page))
    }))

  it.effect("draws 30 nodes so that each text can be read, and lists them on a telephone, the failing ones first", () =>
    inBrowser(async ({ signedIn, url }) => {
      const data = middlingGraph()
      data.nodes.slice(15, 16).forEach((node) => Object.assign(node, { state: "failing" }))
      data.nodes.slice(20, 21).forEach((node) => Object.assign(node, { state: "waiting", type: "consumer" }))
      const page = await signedIn("/events")
      await page.route("**/v1/graph*", (route) => route.fulfill({ json: { data } }))
      await page.goto(`${url}graph`)
      await page.locator(".graph-label").first().waitFor()
      const { crossed, smallest, texts } = await legibility(page)
      assert.isAbove(texts, 30)
      assert.isAtLeast(smallest, 11.99)
      assert.strictEqual(crossed, 0, "lines that cross labels")
      await page.setViewportSize({ width: 1_280, height: 800 })
      await page.goto(`${url}graph?node=${data.nodes.at(-1)!.id}`)
      await page.locator(".graph-stop.is-chosen").waitFor()
      const frame = (await page.locator(".graph-frame").boundingBox())!
      for (const each of await page.locator(".graph-stop").all()) {
        const { width, x } = (await each.boundingBox())!
        assert.isAtLeast(Math.min(x - frame.x, frame.x + frame.width - x - width), 0, "no column is cut")
      }
      await page.goto(`${url}graph`)
      await page.setViewportSize({ width: 360, height: 800 })
      await page.reload()
      await rowsOf(page, "Nodes").filter({ hasText: "workflow 7" }).waitFor()
      assert.include(await rowsOf(page, "Nodes").nth(1).innerText(), "failing")
      const summary = page.getByRole("group", { name: "Nodes by state" })
      const [failing, waiting] = ["1 failing", "1 waiting"].map((name) => summary.getByRole("button", { name }))
      assert.strictEqual(await waiting!.locator(".badge.is-plain").count(), 1, "what waits for a consumer is no alarm")
      assert.strictEqual(await failing!.locator(".badge.is-bad").count(), 1)
      await failing!.click()
      await page.getByText("1 of 30 nodes").waitFor()
      assert.isFalse(await PageFaults.overflows(page))
    }))

  it.effect("scrolls over 10,000 rows, of which it draws those that are seen", () =>
    inBrowser(async ({ api, orders, send, signedIn, url, webhook }) => {
      const listed = async () => Json.listOf((await api("GET", `/webhooks/${webhook}/deliveries?limit=1`))["data"])
      if ((await listed()).length === 0) await send(orders, [{ order: 1, total: 200 }])
      await until("there is a delivery", async () => (await listed()).length > 0)
      const [delivery] = await listed()
      const data = Array.from({ length: 10_000 }, (_, index) => ({
        ...delivery as object,
        id: `dlv_${10_000 + index}`,
        attempt_count: 10_000 + index
      }))
      const page = await signedIn("/webhooks")
      await page.route(
        "**/v1/deliveries?*",
        (route) => route.fulfill({ json: { page_info: { count: data.length, has_more: false, end_cursor: "" }, data } })
      )
      await page.goto(`${url}deliveries`)
      await rowsOf(page, "deliveries").nth(1).waitFor()
      const seen = await page.evaluate(scrolled, 9_000)
      assert.isAtLeast(seen.length, 30)
      for (const { drawn, first, last } of seen) {
        assert.isAtMost(drawn, 100)
        assert.isTrue(first && last, "it shows the ground")
      }
      await rowsOf(page, "deliveries").filter({ hasText: "19,999" }).waitFor()
      await page.getByRole("grid", { name: "deliveries" }).focus()
      await page.keyboard.press("End")
      await page.keyboard.press("Enter")
      await page.waitForURL(/deliveries\/dlv_19999$/)
    }))

  it.effect("tests, pauses and resumes a webhook", () =>
    inBrowser(async ({ endpoint, signedIn, webhook }) => {
      const page = await signedIn(`/webhooks/${webhook}`)
      await page.getByRole("button", { name: "Send a test" }).click()
      await page.getByLabel("Payload").fill("{\"order\": }")
      await page.getByRole("button", { name: "Send", exact: true }).click()
      await page.getByText("This is not JSON").waitFor()
      await page.getByLabel("Payload").fill("{\"from\": \"the console\"}")
      await page.getByRole("button", { name: "Send", exact: true }).click()
      await page.getByRole("article", { name: "Attempt 1" }).waitFor()
      assert.include(endpoint.bodies.at(-1) ?? "", "the console")
      await page.keyboard.press("Escape")
      await page.getByRole("button", { name: "Pause" }).click()
      await page.getByText("paused", { exact: true }).waitFor()
      await page.getByRole("button", { name: "Resume", exact: true }).click()
      await page.getByText("active", { exact: true }).waitFor()
    }))

  it.effect("offers a key only what it may do", () =>
    inBrowser(async ({ api, signedIn, webhook }) => {
      const { data } = await api("POST", "/users/me/keys", { name: "looking", scope: "read" })
      const page = await signedIn(`/webhooks/${webhook}`, { key: Json.textOf(data!["key"]) })
      await page.getByRole("heading", { name: "Warehouse" }).waitFor()
      await page.getByText("may read").waitFor()
      assert.strictEqual(await page.getByRole("button", { name: /Pause|Send a test|Attempt the oldest/ }).count(), 0)
      await page.getByRole("link", { name: "Deliveries" }).click()
      await rowsOf(page, "deliveries").nth(1).click()
      await page.getByRole("heading", { name: /^Delivery to / }).waitFor()
      assert.strictEqual(await page.getByRole("button", { name: /^(Retry|Skip|Replay)$/ }).count(), 0)
      await page.getByRole("link", { name: "Deliveries" }).click()
      assert.strictEqual(await page.getByRole("button", { name: /Do with all/ }).count(), 0)
    }))

  it.effect("tells a failure from an empty list, and tries again", () =>
    inBrowser(async ({ signedIn }) => {
      const page = await signedIn("/webhooks")
      await page.clock.install()
      await page.reload()
      await page.getByRole("gridcell", { name: "Warehouse" }).waitFor()
      await page.route("**/v1/**", (route) =>
        route.fulfill({ status: 503, contentType: "application/json", body: "{\"detail\":\"The database is away.\"}" }))
      await page.clock.fastForward(10_000)
      await page.getByText("it could not be refreshed").first().waitFor()
      await page.getByRole("gridcell", { name: "Warehouse" }).waitFor()
      await page.getByRole("link", { name: "Deliveries" }).click()
      await page.getByText("Could not load deliveries.").waitFor()
      assert.strictEqual(await page.getByText("No delivery").count(), 0)
      await page.unroute("**/v1/**")
      const failed = page.getByRole("alert").filter({ hasText: "Could not load deliveries." })
      await failed.getByRole("button", { name: "Try again" }).click()
      await rowsOf(page, "deliveries").nth(1).waitFor()
    }))

  it.effect("shows what was counted, what fails and waits, and the server, and leads to the pages about it", () =>
    inBrowser(async ({ api, endpoint, orders, send, signedIn }) => {
      endpoint.answer = 500
      const hopeless = Json.textOf(
        (await api("POST", "/webhooks", { url: "http://127.0.0.1:1/", name: "Hopeless", retry_schedule: [1] }))[
          "data"
        ]!["id"]
      )
      await api("POST", "/subscriptions", { emitter_id: orders.id, listener_id: hopeless, filter: { order: 30_000 } })
      await send(orders, range(30_000, 30_019).map((order) => ({ order, total: 500, fails: order % 2 === 0 })))
      const counted = async () => {
        const { now, series } = (await api("GET", "/figures"))["data"] as unknown as {
          readonly now: { readonly pending: number }
          readonly series: ReadonlyArray<Readonly<Record<"requests" | "errors" | "exhausted", number>>>
        }
        const sum = (name: "requests" | "errors" | "exhausted") => series.reduce((all, step) => all + step[name], 0)
        return {
          requests: sum("requests"),
          errors: sum("errors"),
          exhausted: sum("exhausted"),
          pending: now.pending
        }
      }
      await until("the failures are counted", async () => {
        const { errors, exhausted, pending } = await counted()
        return errors >= 10 && pending >= 20 && exhausted >= 1
      })
      const page = await signedIn("/overview?range=6h")
      await page.locator(".plot canvas").nth(5).waitFor()
      await page.goBack()
      await page.goForward()
      assert.strictEqual(await page.getByRole("button", { name: "6 h" }).getAttribute("aria-pressed"), "true")
      await page.getByRole("button", { name: "1 h", exact: true }).first().click()
      await page.locator(".plot canvas").nth(5).waitFor()
      assert.notInclude(page.url(), "range=")

      const chart = page.getByRole("figure", { name: "Requests and events" })
      const numberIn = (text: string) => Number(text.replaceAll(/\D/g, ""))
      await until("the numbers of the API", async () => {
        await page.reload()
        await page.locator(".plot canvas").nth(5).waitFor()
        const shown = numberIn(await chart.getByRole("listitem").first().innerText())
        return shown === (await counted()).requests
      })
      await chart.getByText("As a table").click()
      const cells = await chart.locator("tbody td:nth-child(2)").allInnerTexts()
      const whole = numberIn(await chart.getByRole("listitem").first().innerText())
      assert.strictEqual(cells.map(numberIn).reduce((all, one) => all + one, 0), whole)
      assert.include([60, 61], cells.length)

      const troubles = page.getByRole("region", { name: "Failing or waiting" })
      await troubles.getByRole("row").filter({ hasText: "Warehouse" }).getByText("failing").waitFor()
      await page.getByRole("region", { name: "Nodes and workers" }).getByText("node", { exact: true }).waitFor()
      const tiles = page.getByRole("list", { name: "Status of the account" })
      await tiles.getByText("balances").waitFor()
      const equal = page.getByRole("region", { name: "Errors" }).getByRole("row").filter({ hasText: "has no lines" })
      assert.isAtLeast(
        numberIn(await equal.first().getByRole("cell").nth(1).innerText()),
        5,
        "equal errors are one line"
      )
      const tops = await Promise.all(
        [equal.first(), tiles, chart].map(async (part) => (await part.boundingBox())!.y)
      )
      assert.deepStrictEqual(tops.toSorted((a, b) => a - b), tops, "what fails comes first, then tiles, then charts")
      const rowsOfTiles = Map.groupBy(
        await Promise.all(
          range(0, 7).map(async (index) => (await tiles.getByRole("listitem").nth(index).boundingBox())!)
        ),
        ({ y }) => Math.round(y)
      )
      assert.strictEqual(new Set([...rowsOfTiles.values()].map(({ length }) => length)).size, 1, "the grid has no hole")
      await tiles.getByRole("link", { name: /Errors/ }).click()
      await rowsOf(page, "Events").filter({ hasText: "has no lines" }).first().waitFor()
      await page.goBack()
      await tiles.getByRole("link", { name: /Retries/ }).click()
      await rowsOf(page, "deliveries").filter({ hasText: "pending" }).first().waitFor()
      await page.goBack()
      await tiles.getByRole("link", { name: /Exhausted 1 / }).click()
      await rowsOf(page, "deliveries").filter({ hasText: "Hopeless" }).getByText("exhausted").waitFor()
      assert.strictEqual(await rowsOf(page, "deliveries").count(), 2, "those that the tile counts, below the head")
      const since = Number(new URL(page.url()).searchParams.get("last_attempt_since"))
      assert.approximately(since, Date.now() - 3_600_000, 120_000)
      await page.getByLabel("Last tried from").waitFor()
      await page.goBack()
      await troubles.getByRole("link", { name: "Warehouse" }).click()
      await page.getByRole("heading", { name: "Warehouse" }).waitFor()
      endpoint.answer = 200
    }))

  it.effect("keeps its figures in place as they change, and says of those that it could not read that it could not", () =>
    inBrowser(async ({ signedIn }) => {
      const page = await signedIn("/overview", { width: 1_280 })
      await page.clock.install()
      await page.reload()
      const canvases = page.locator(".plot canvas")
      await canvases.nth(5).waitFor()
      const places = () => Promise.all(range(0, 5).map(async (index) => await canvases.nth(index).boundingBox()))
      const before = await places()
      await page.route("**/v1/figures*", async (route) => {
        const answer = await route.fetch()
        const body = await answer.json() as {
          data: { now: Record<string, unknown>; series: Array<Record<string, unknown>> }
        }
        Object.assign(body.data.now, { waiting: 123_456, pending: 20_000, is_cut: true, imbalances: 7 })
        Object.assign(body.data.now["webhooks"] as object, { disabled: 2, failing: 3, open: 4, throttled: 5 })
        for (const step of body.data.series) {
          Object.assign(step, { requests: 1_234_567, p50_ms: 12_345, p99_ms: 99_999 })
        }
        await route.fulfill({ response: answer, json: body })
      })
      await page.clock.fastForward(10_500)
      await page.getByText("123,456+").waitFor()
      assert.deepStrictEqual(await places(), before)
      const tile = page.getByRole("listitem").filter({ hasText: "3 failing, 4 circuit open" }).locator("b")
      assert.isAbove((await tile.boundingBox())!.height, 20, "its value is squeezed by the note below it")

      const refuse = () =>
        page.route(
          "**/v1/{figures,graph,nodes}*",
          (route) =>
            route.fulfill({
              status: 503,
              contentType: "application/json",
              body: "{\"detail\":\"The database is away.\"}"
            })
        )
      await refuse()
      await page.clock.fastForward(10_500)
      // What else the page shows asks by itself, and may fail before the figures.
      await page.locator(".charts.is-stale canvas").nth(5).waitFor()
      await page.getByText("it could not be refreshed").first().waitFor()
      await page.getByText("123,456+").waitFor()

      await page.getByRole("button", { name: "7 d" }).click()
      await page.getByText("The figures could not be loaded.").waitFor()
      assert.strictEqual(await canvases.count(), 0)
      const tiles = page.getByRole("list", { name: "Status of the account" })
      assert.deepStrictEqual(await tiles.locator("b").allInnerTexts(), range(0, 7).map(() => "unknown"))
      await page.reload()
      await page.getByText("Could not load what fails or waits.").waitFor()
      assert.strictEqual(await page.getByText("Nothing is failing").count(), 0)
      await page.unroute("**/v1/{figures,graph,nodes}*")
      await page.unroute("**/v1/figures*")
      await page.getByRole("alert").filter({ hasText: "The figures" }).getByRole("button", { name: "Try again" })
        .click()
      await canvases.nth(5).waitFor()
    }))

  it.effect("can be walked through by the keyboard alone", () =>
    inBrowser(async ({ open }) => {
      const page = await open("/")
      await page.getByLabel("API key").waitFor()
      await page.keyboard.type(`hw_${"k".repeat(40)}`)
      await page.keyboard.press("Enter")
      const walkTo = async (target: string, key = "Tab") => {
        const seen: Array<string> = []
        for (let presses = 0; presses < 80; presses++) {
          await page.keyboard.press(key)
          const name = await page.evaluate(focused)
          seen.push(name)
          if (name === target) break
        }
        assert.strictEqual(seen.at(-1), target, seen.join(", "))
      }
      await page.locator(".plot canvas").first().waitFor()
      await page.keyboard.press("Tab")
      assert.strictEqual(await page.evaluate(focused), "Skip to the content")
      await page.keyboard.press("Enter")
      assert.strictEqual(await page.locator("#content:focus").count(), 1)
      await walkTo("24 h")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "What happened in the last 24 hours" }).waitFor()
      await page.locator(".plot canvas").first().waitFor()
      const chart = page.getByRole("slider", { name: "Requests and events, in every 15 minutes" })
      await walkTo("Requests and events, in every 15 minutes")
      await page.keyboard.press("End")
      await page.keyboard.press("ArrowLeft")
      await until("the step before the last", async () =>
        /^[\w: ]+ to [\w: ]+: requests [\d,]+, events [\d,]+$/.test(await chart.getAttribute("aria-valuetext") ?? ""))
      await walkTo("Events", "Shift+Tab")
      await page.keyboard.press("Enter")
      await rowsOf(page, "Events").nth(2).waitFor()
      await walkTo("Events grid")
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      const panel = page.getByRole("complementary", { name: "The open event" })
      await panel.waitFor()
      await page.keyboard.press("Escape")
      await panel.waitFor({ state: "detached" })
      await page.keyboard.press("Home")
      await page.keyboard.press("Enter")
      await panel.waitFor()
    }))

  it.effect("runs nothing of hostile names, payloads and logs, and stays in one piece", () =>
    inBrowser(async (site) => {
      const { api, send, signedIn, source } = site
      const markup = "<img src=x onerror=alert(1)><script>alert(2)</script>"
      const name = `${markup} \u202Egnp.exe\u202C \u0007${"long".repeat(100)}`
      const own = await source(name)
      let deep: unknown = markup
      for (let level = 0; level < 98; level++) deep = { [level % 2 === 0 ? markup : "d"]: deep }
      await send(own, [
        { order: 1, log: `${markup}\u001b[31m\u202Ered\u0000` },
        { order: 2, [markup]: markup, __proto__: { x: 1 }, constructor: "c", "": "empty", bidi: "\u202Eabc\u2066" },
        { order: 3, text: "x".repeat(400_000) },
        { order: 4, list: Array.from({ length: 20_000 }, (_, index) => index) }
      ])
      await send(own, [{ order: 5, deep }])
      const fiveMegabytes = await source(
        "Large",
        `export default { name: "Large", props: { http: "$.interface.http" },
          run() { for (let part = 0; part < 1; part++) this.$emit({ order: 6, text: "y".repeat(5_000_000) }) } }`
      )
      await send(fiveMegabytes, [{}])
      const hook = Json.textOf(
        (await api("POST", "/webhooks", {
          url: "http://127.0.0.1:1/?q=%22%3E%3Cscript%3Ealert(3)%3C/script%3E",
          name
        }))["data"]![
          "id"
        ]
      )
      await api("POST", "/subscriptions", { emitter_id: own.id, listener_id: hook })
      await send(own, [{ order: 7 }])
      const delivered = async () => Json.listOf((await api("GET", `/webhooks/${hook}/deliveries`))["data"])
      await until("it is sent", async () => (await delivered()).length > 0)
      const [{ event_id: event, id: delivery }] = (await delivered()).map(({ event_id, id }) => ({
        event_id: Json.textOf(event_id),
        id: Json.textOf(id)
      })) as [{ readonly event_id: string; readonly id: string }]
      for (const width of [360, 1440]) {
        const page = await signedIn("/overview", { width })
        await page.getByRole("link", { name: /<img src=x/ }).first().waitFor()
        await page.locator(".plot canvas").nth(5).waitFor()
        assert.isFalse(await PageFaults.overflows(page), "the overview is wider than the window")
        await page.goto(`${site.url}events?emitter=${own.id}`)
        await rowsOf(page, "Events").filter({ hasText: "\"order\":1" }).first().waitFor()
        assert.isFalse(await PageFaults.overflows(page), "the log is wider than the window")
        assert.include(await page.locator("body").innerText(), "\\u202e")
        for (const order of [2, 3, 4, 5]) {
          await rowsOf(page, "Events").filter({ hasText: new RegExp(`"order":${order}[,}]`) }).click()
          const panel = page.getByRole("complementary", { name: "The open event" })
          await panel.locator(".json").waitFor()
          await panel.getByRole("button", { name: "Raw" }).click()
          await panel.locator("pre").waitFor()
          assert.isFalse(await PageFaults.overflows(page), `the event of order ${order} is wider than the window`)
          await page.keyboard.press("Escape")
        }
        for (
          const [path, shown] of [
            [`webhooks/${hook}`, page.getByRole("heading", { level: 1 })],
            ["webhooks", rowsOf(page, "webhooks").nth(1)],
            [`deliveries?webhook_id=${hook}`, rowsOf(page, "deliveries").nth(1)],
            [`deliveries/${delivery}`, page.getByRole("article", { name: "Attempt 1" })],
            [
              `events/${own.id}/${event}`,
              page.getByRole("group", { name: "Trace of the event" }).getByRole("button").nth(1)
            ]
          ] as const
        ) {
          await page.goto(site.url + path)
          await shown.waitFor()
          assert.isFalse(await PageFaults.overflows(page), `${path} is wider than the window`)
        }
        await page.goto(`${site.url}graph?view=drawing&node=${hook}&text=onerror`)
        await page.locator(".graph-stop.is-chosen").waitFor()
        await page.getByRole("complementary").getByRole("heading", { level: 2 }).waitFor()
        assert.isFalse(await PageFaults.overflows(page), "the graph is wider than the window")
        await page.goto(`${site.url}events?emitter=${fiveMegabytes.id}`)
        await rowsOf(page, "Events").nth(1).click()
        await page.getByRole("complementary").getByText("more characters").waitFor()
        await page.context().close()
      }
    }))

  it.effect("says on each page that it could not be read again, or at all, and never that there is nothing instead", () =>
    inBrowser(async (site) => {
      const page = await site.signedIn("/events")
      await page.clock.install()
      const faults: Array<string> = []
      for (const path of await somePages(site)) {
        if (/nowhere|range=|focus=/.test(path)) continue
        // A log that is live does not ask: the server tells it.
        faults.push(...await Outage.show(page, site.url + path, !/^events($|\?)/.test(path)))
      }
      assert.deepStrictEqual(faults, [])
    }))

  it.effect("asked nobody but its own server, in all of this, and met no error", () =>
    inBrowser(async ({ faults, foreignRequests }) => {
      const unasked = foreignRequests.filter((url) => !providers.has(new URL(url).origin))
      assert.deepStrictEqual(unasked, [])
      assert.deepStrictEqual(faults, [])
      await Promise.resolve()
    }))
})

/** What has the focus: its name, and that it is a grid if it is one. */
function focused(): string {
  const { document } = globalThis as unknown as {
    document: {
      activeElement: {
        getAttribute: (name: string) => string | null
        innerText?: string
      }
    }
  }
  const element = document.activeElement
  const label = element.getAttribute("aria-label")
  if (element.getAttribute("role") === "grid") return `${label} grid`
  return label ?? element.innerText ?? ""
}

/** Scrolls a list to its end, so many pixels in each frame: what is drawn in each, and whether it fills what is seen. */
function scrolled(
  pixels: number
): Promise<ReadonlyArray<{ readonly drawn: number; readonly first: boolean; readonly last: boolean }>> {
  interface Element {
    scrollTop: number
    readonly scrollHeight: number
    readonly clientHeight: number
    readonly getBoundingClientRect: () => { readonly left: number; readonly top: number; readonly bottom: number }
    readonly closest: (selector: string) => unknown
    readonly querySelectorAll: (selector: string) => ArrayLike<unknown>
  }
  const { document, requestAnimationFrame } = globalThis as unknown as {
    document: {
      querySelector: (selector: string) => Element
      elementFromPoint: (x: number, y: number) => Element | null
    }
    requestAnimationFrame: (act: () => void) => void
  }
  const scroller = document.querySelector(".rows-scroller")
  const frame = scroller.getBoundingClientRect()
  const isRow = (y: number) => document.elementFromPoint(frame.left + 40, y)?.closest("[role=row]") != null
  return new Promise((resolve) => {
    const seen: Array<{ drawn: number; first: boolean; last: boolean }> = []
    const look = () => {
      seen.push({
        drawn: scroller.querySelectorAll("[role=row]").length,
        first: isRow(frame.top + 60),
        last: isRow(frame.bottom - 60)
      })
      if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) return resolve(seen)
      scroller.scrollTop += pixels
      // The next frame draws what was scrolled to.
      requestAnimationFrame(() => requestAnimationFrame(look))
    }
    look()
  })
}
