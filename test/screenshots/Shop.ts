import * as Json from "@headwater/fixtures/Json"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect } from "effect"
import type { ConsoleSite } from "../browser/ConsoleSite.ts"
import * as ServerProcess from "../ServerProcess.ts"

type Site = ConsoleSite["Service"]

const payments = `
/** Takes what the payment provider tells, once for each payment. */
export default {
  name: "Payments",
  dedupe: "unique",
  props: {
    http: "$.interface.http",
    db: "$.service.db",
    currency: { type: "string", label: "Currency", options: ["EUR", "SEK", "USD"], default: "EUR" },
    secret: { type: "string", label: "Signing secret", secret: true, optional: true }
  },
  run(event) {
    const { amount, id, order } = event.body
    if (amount <= 0) throw new RangeError(\`payment \${id} is of \${amount}\`)
    console.log("payment", id, "for order", order)
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ id, order, amount, currency: this.currency }, { id, summary: \`\${amount} \${this.currency}\` })
  }
}
`.trimStart()

const returns = `
export default {
  name: "Returns",
  props: {
    http: "$.interface.http",
    days: { type: "integer", label: "Days to send back", description: "Later returns are refused.", default: 30 },
    shops: { type: "string[]", label: "Shops", options: ["Berlin", "Malmö", "Lyon"], default: ["Berlin", "Malmö"] },
    label: { type: "boolean", label: "Send a label", default: true },
    token: { type: "string", label: "Carrier token", secret: true, optional: true }
  },
  run(event) {
    const { order, reason, sentAfterDays = 3 } = event.body
    console.log("return of order", order, "because it is", reason)
    if (sentAfterDays > this.days) throw new RangeError(\`order \${order} came back after \${sentAfterDays} days\`)
    this.$emit({ order, reason, label: this.label }, { summary: \`order \${order}: \${reason}\` })
  }
}
`.trimStart()

const stock = `
export default {
  name: "Stock levels",
  props: { http: "$.interface.http" },
  run(event) {
    this.$emit(event.body, { summary: event.body.item + ": " + event.body.left + " left" })
  }
}
`.trimStart()

const largeOrders = `
export default {
  name: "Large orders",
  props: {
    limit: { type: "integer", label: "Large from", default: 100 },
    country: { type: "string", label: "Country of the customer", default: "DE" }
  },
  steps: {
    check: {
      run({ steps, $ }) {
        const { order, total } = steps.trigger.event
        console.log("order", order, "comes to", total)
        if (total === undefined) throw new TypeError(\`order \${order} has no total\`)
        if (total < this.limit) return $.flow.exit("a small order")
        return { order, over: total - this.limit }
      }
    },
    rate: {
      run({ steps }) {
        const { over } = steps.check.$return_value
        console.log("rated for", this.country)
        return { gift: over > 100 ? "chocolate" : "card" }
      }
    },
    tell: {
      run({ steps, $ }) {
        const { order, over } = steps.check.$return_value
        $.emit({ order, over, gift: steps.rate.$return_value.gift }, { summary: \`order \${order}\` })
      }
    }
  }
}
`.trimStart()

const restock = `
export default {
  name: "Restock",
  props: { least: { type: "integer", default: 5 } },
  steps: {
    count: {
      run({ steps, $ }) {
        const { item, left } = steps.trigger.event
        if (left >= this.least) return $.flow.exit("enough of " + item)
        return { item, missing: this.least - left }
      }
    },
    order: { run({ steps, $ }) { $.emit(steps.count.$return_value) } }
  }
}
`.trimStart()

const customers = ["Ada Berg", "Jonas Falk", "Mira Okafor", "Lucía Romero", "Tom Nakamura", "Ines Duarte", "Sven Holm"]
const items = ["espresso cups", "oak tray", "linen apron", "pepper mill", "cast-iron pan", "tea towels"]
const cities = ["Berlin", "Malmö", "Lyon", "Porto", "Graz"]

/** A few orders as a shop gets them, the same each time. */
const order = (index: number) => ({
  order: 20_481 + index,
  customer: { name: customers[index * 5 % customers.length], city: cities[index * 3 % cities.length] },
  items: [{ name: items[index * 7 % items.length], pieces: 1 + index % 4, price: 12.5 + index * 17 % 60 }],
  total: Math.round((1 + index % 4) * (12.5 + index * 17 % 60))
})

const orders = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => order(from + index))

/** What listens to the shop: it answers by the path. */
const receivers = Effect.suspend(() => {
  const answers: Readonly<Record<string, readonly [status: number, body: string]>> = {
    "/accounting": [500, "{\"error\":\"closed\",\"message\":\"The books are being closed. Try again later.\"}"],
    "/old-till": [410, "{\"error\":\"gone\"}"]
  }
  return Loopback.serve((request, response) => {
    const [status, body] = answers[request.url ?? ""] ?? [200, "{\"taken\":true}"]
    request.resume().once("end", () => {
      setTimeout(() => response.writeHead(status, { "content-type": "application/json" }).end(body), 20)
    })
  })
})

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Paths of pages below the console's address, by the names of their pictures. */
export type Pages = Readonly<Record<string, string>>

/** The pages about things of the shop: those that the documentation shows, and the others. */
interface ShopPages {
  readonly documented: Pages
  readonly others: Pages
}

const idOf = (answer: Json.Json): string => Json.textOf(answer["data"]!["id"])

/** What the shop has beside its programs and webhooks. */
const furnish = async ({ api, ledger, orders: taken, server }: Site): Promise<Pages> => {
  const consumer = idOf(
    await api("POST", "/consumers", { name: "Warehouse import", emitter_id: taken.id, start: "beginning" })
  )
  const account = idOf(
    await api("POST", "/accounts", { app: "carrier", name: "North", credentials: { token: "t-0123" } })
  )
  const store = idOf(await api("POST", "/data_stores", { name: "Addresses" }))
  await api("POST", `/data_stores/${store}/entries`, {
    entries: customers.map((key, index) => ({ key, value: { city: cities[index % cities.length], orders: 3 + index } }))
  })
  const project = idOf(await api("POST", "/projects", { name: "Web shop" }))
  await api("PUT", `/sources/${taken.id}`, { project_id: project })
  await api("PUT", "/environment_variables/CARRIER_URL", { value: "https://carrier.example" })
  await api("PUT", "/environment_variables/CARRIER_TOKEN", { value: "t-0123", secret: true })
  for (const path of ["reports/2026-10.csv", "reports/2026-11.csv", "labels/20481.pdf"]) {
    const uploaded = await fetch(`${server.url}/v1/files/content?path=${encodeURIComponent(path)}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${ServerProcess.key}` },
      body: "order,total\n20481,40\n"
    })
    if (!uploaded.ok) throw new Error(await uploaded.text())
  }
  await api("POST", "/users/me/keys", { name: "Dashboard", scope: "read" })
  const component = Json.textOf((await api("GET", `/sources/${ledger.id}`))["data"]!["component_id"])
  return {
    consumer: `consumers/${consumer}`,
    "app-account": `accounts/${account}`,
    "data-store": `data-stores/${store}`,
    "saved-component": `components/${component}`,
    find: "overview"
  }
}

const fill = async (site: Site, receiver: string): Promise<ShopPages> => {
  const { api, ledger, send, source } = site
  const taken = await source("Payments", payments)
  const back = await source("Returns", returns)
  const levels = await source("Stock levels", stock)
  const workflow = idOf(await api("POST", "/workflows", { workflow_code: largeOrders, concurrency: 4 }))
  const webhook = async (
    name: string,
    path: string,
    emitter_id: string,
    retry_schedule: ReadonlyArray<number>,
    filter?: object
  ) => {
    const id = idOf(await api("POST", "/webhooks", { url: receiver + path, name, retry_schedule }))
    await api("POST", "/subscriptions", {
      emitter_id,
      listener_id: id,
      ...(filter === undefined ? {} : { filter })
    })
    return id
  }
  const listen = (emitter_id: string, listener_id: string) => api("POST", "/subscriptions", { emitter_id, listener_id })
  await listen(site.orders.id, workflow)
  await listen(levels.id, idOf(await api("POST", "/workflows", { workflow_code: restock })))
  const accounting = await webhook("Accounting", "/accounting", ledger.id, [1, 900, 1_800, 3_600])
  await webhook("Gift packing", "/gifts", workflow, [30])
  const mails = await webhook("Customer mails", "/mails", back.id, [30])
  await webhook("Analytics", "/analytics", "dc_*", [30])
  await webhook("Old till", "/old-till", levels.id, [1])
  await webhook("Purchasing", "/purchasing", levels.id, [30], { left: { $lt: 5 } })
  await listen(taken.id, ledger.id)

  await send(site.orders, orders(0, 40))
  await send(
    taken,
    Array.from({ length: 12 }, (_, index) => ({
      id: `pay_${7_300 + index}`,
      order: 20_481 + index,
      amount: order(index).total
    }))
  )
  for (const [index, item] of items.slice(0, 4).entries()) {
    await send(levels, [{ item, left: 9 - 3 * index, shop: cities[index] }])
  }
  await send(back, [{ order: 20_402, reason: "too small" }, { order: 20_377, reason: "broken", sentAfterDays: 41 }])
  await api("PUT", `/webhooks/${mails}`, { active: false })
  const bulk = (body: object) => api("POST", "/bulk_actions", body)
  await bulk({ action: "replay", filter: { webhook_id: site.webhook } })
  await pause(1_000)
  for (let index = 40; index < 52; index++) {
    await send(site.orders, [order(index)])
    await pause(250)
  }
  await send(back, [
    { order: 20_411, reason: "not as shown" },
    { order: 20_433, reason: "too late" },
    { order: 20_455, reason: "twice in the parcel" }
  ])
  await send(back, [{ order: 20_380, reason: "broken", sentAfterDays: 44 }])
  const missing = { order: 20_533, customer: { name: "Mira Okafor", city: "Porto" }, items: [] }
  await send(site.orders, [missing])
  await pause(4_000)
  const failed = idOf(await api("POST", `/workflows/${workflow}/invocations`, { event: order(3) }))

  const pending = { webhook_id: accounting, state: "pending" }
  await bulk({ action: "retry", filter: pending, dry_run: true })
  const retry = idOf(await bulk({ action: "retry", filter: pending, rate_limit: 1 }))
  await pause(3_000)

  const listed = Json.listOf((await api("GET", `/sources/${site.orders.id}/events?limit=20`))["data"])
  const total = (event: Json.Json) => Number(event["event"]!["raw_event"]!["total"] ?? 0)
  const event = Json.textOf(listed.find((one) => total(one) > 150)!["id"])
  const [level] = Json.listOf((await api("GET", `/sources/${levels.id}/events?limit=10`))["data"]).toReversed()
  const first = Json.textOf(level!["id"])
  const journey = await api("GET", `/events/${first}/journey?emitter=${levels.id}`)
  const till = Json.listOf(journey["data"]!["nodes"]).find((node) => String(node["webhook_name"]) === "Old till")!
  const delivery = Json.textOf(
    Json.listOf((await api("GET", `/webhooks/${accounting}/deliveries?limit=10`))["data"])[0]!["id"]
  )
  const others = await furnish(site)
  const documented = {
    overview: "overview",
    events: `events?open=${encodeURIComponent(`${site.orders.id}/${event}`)}`,
    event: `events/${levels.id}/${first}?stop=${encodeURIComponent(Json.textOf(till["id"]))}`,
    graph: `graph?node=${accounting}`,
    deliveries: "deliveries",
    delivery: `deliveries/${delivery}`,
    webhooks: "webhooks",
    webhook: `webhooks/${accounting}`,
    "bulk-actions": "bulk-actions",
    "bulk-action": `bulk-actions/${retry}`,
    sources: "sources",
    source: `sources/${back.id}`,
    code: `sources/${taken.id}/code`,
    trial: `sources/${taken.id}/code`,
    workflows: "workflows",
    workflow: `workflows/${workflow}`,
    "workflow-code": `workflows/${workflow}/code`,
    runs: `workflows/${workflow}/runs`,
    run: `workflows/${workflow}/runs/${failed}`,
    registry: "registry",
    component: "registry/headwater-json-poll"
  }
  return { documented, others }
}

/** Fills a site with what a small shop does in a few minutes: most of it goes well, some fails, and some waits. */
export const make = (site: Site) => Effect.flatMap(receivers, (url) => Effect.promise(() => fill(site, url)))
