import * as Json from "@headwater/fixtures/Json"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Browser, BrowserContext, Page } from "playwright-core"
import * as ServerProcess from "../ServerProcess.ts"
import * as Chromium from "./Chromium.ts"
import * as PrefixProxy from "./PrefixProxy.ts"

/** Emits what it is sent; what asks for it fails, or goes to another stream. */
const orders = `
export default {
  name: "Orders",
  props: { http: "$.interface.http" },
  async run(event) {
    const order = event.body
    if (order.log) console.log(order.log)
    this.$emit(order, { summary: "order " + order.order })
    if (order.fails) throw new Error("order " + order.order + " has no lines")
  }
}`

const ledger = `
export default {
  name: "Ledger",
  async run(event) {
    this.$emit({ booked: event.order })
  }
}`

/** An endpoint for webhooks whose answer can be changed. */
export interface Endpoint {
  readonly url: string
  /** The statuses of the answers from now on. */
  answer: number
  readonly bodies: Array<string>
}

const endpoint = Effect.gen(function*() {
  const state = { url: "", answer: 200, bodies: [] as Array<string> }
  const origin = yield* Loopback.serve((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => {
      body += chunk
    })
    request.on("end", () => {
      state.bodies.push(body)
      response.writeHead(state.answer, { "content-type": "text/plain" }).end(
        state.answer === 200 ? "" : "out of stock"
      )
    })
  })
  state.url = `${origin}/`
  return state as Endpoint
})

/** A source and its address, without the proxy. */
export interface Source {
  readonly id: string
  readonly endpoint: string
}

/** How somebody looks at the console. */
export interface Reader {
  readonly colorScheme?: "light" | "dark"
  /** Of the window, in pixels. */
  readonly width?: number
  readonly timezone?: string
}

/** A server with data, behind a proxy under a prefix, and a browser that looks at it. */
export class ConsoleSite extends Context.Service<ConsoleSite, {
  readonly server: ServerProcess.ServerProcess
  /** Starts the server, or starts it again. */
  readonly start: Effect.Effect<void, ServerProcess.ServerProcessError>
  /** The console's address, with a slash at its end. */
  readonly url: string
  readonly api: (method: string, path: string, body?: unknown) => Promise<Json.Json>
  readonly browser: Browser
  readonly orders: Source
  readonly ledger: Source
  readonly endpoint: Endpoint
  readonly webhook: string
  /** Makes a source of code that listens to HTTP. */
  readonly source: (name: string, code?: string) => Promise<Source>
  /** Sends requests to a source, each of which is acknowledged. */
  readonly send: (source: Source, bodies: ReadonlyArray<unknown>) => Promise<void>
  /** A page of a reader of its own who has not signed in. */
  readonly open: (path: string, options?: Reader) => Promise<Page>
  /** The same, signed in. */
  readonly signedIn: (path: string, options?: Reader & { readonly key?: string }) => Promise<Page>
  /** What any page asked for elsewhere than at the server. */
  readonly foreignRequests: ReadonlyArray<string>
  /** What went wrong in any page: errors that nobody caught, and what the browser refused by the page's policy. */
  readonly faults: ReadonlyArray<string>
}>()("@headwater/test/browser/ConsoleSite") {
  /** @param make the server, which is not yet started */
  static readonly layerOn = (make: Effect.Effect<ServerProcess.ServerProcess, never, Scope.Scope>) =>
    Layer.effect(
      ConsoleSite,
      Effect.gen(function*() {
        const server = yield* make
        const proxy = yield* PrefixProxy.make(server.url, "/engine")
        const start = server.startWith({ HEADWATER_URL: proxy.url, HEADWATER_TRUSTED_PROXIES: "127.0.0.0/8" })
        yield* start
        const browser = yield* Chromium.launch
        const sink = yield* endpoint
        const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
        const api = (method: string, path: string, body?: unknown) => runPromise(server.api(method, path, body))

        const source = async (name: string, code = orders): Promise<Source> => {
          const { data } = await api("POST", "/sources", { component_code: code, name })
          const url = data!["configured_props"]!["http"]?.["endpoint_url"]
          return {
            id: Json.textOf(data!["id"]),
            endpoint: url === undefined ? "" : Json.textOf(url).replace(proxy.url, server.url)
          }
        }
        const send = async (to: Source, bodies: ReadonlyArray<unknown>) => {
          const queue = [...bodies]
          const next = async (): Promise<void> => {
            for (let body = queue.shift(); body !== undefined; body = queue.shift()) {
              const response = await fetch(to.endpoint, {
                method: "POST",
                headers: { "content-type": "application/json" },
                body: JSON.stringify(body)
              })
              if (!response.ok) throw new Error(`the endpoint answered ${response.status}: ${await response.text()}`)
            }
          }
          await Promise.all(Array.from({ length: 16 }, next))
        }

        const foreignRequests: Array<string> = []
        const faults: Array<string> = []
        const watch = (context: BrowserContext) => {
          context.on("request", (request) => {
            if (!request.url().startsWith(`${proxy.url}/`)) foreignRequests.push(request.url())
          })
          context.on("weberror", (error) => faults.push(error.error().stack ?? String(error.error())))
          context.on("console", (message) => {
            const text = message.text()
            if (message.type() === "error" && !text.startsWith("Failed to load resource")) faults.push(text)
          })
          context.on("dialog", (dialog) => {
            faults.push(`a dialog: ${dialog.message()}`)
            void dialog.dismiss()
          })
        }
        const contexts: Array<BrowserContext> = []
        const open = async (path: string, { colorScheme = "light", timezone = "UTC", width = 1440 }: Reader = {}) => {
          const context = await browser.newContext({
            colorScheme,
            viewport: { width, height: 900 },
            timezoneId: timezone,
            permissions: ["clipboard-read", "clipboard-write"],
            bypassCSP: false
          })
          context.setDefaultTimeout(60_000)
          contexts.push(context)
          watch(context)
          const page = await context.newPage()
          await page.goto(`${proxy.url}/console${path}`)
          return page
        }
        const signedIn = async (path: string, options: Reader & { readonly key?: string } = {}) => {
          const page = await open(path, options)
          await page.getByLabel("API key").fill(options.key ?? ServerProcess.key)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.locator("#content").waitFor()
          return page
        }

        const { orders: ordersSource, ledger: ledgerSource, webhook } = yield* Effect.promise(async () => {
          const made = await source("Orders")
          const listening = await source("Ledger", ledger)
          const hook = Json.textOf(
            (await api("POST", "/webhooks", { url: sink.url, name: "Warehouse", retry_schedule: [3_600] }))["data"]![
              "id"
            ]
          )
          await api("POST", "/subscriptions", { emitter_id: made.id, listener_id: listening.id })
          await api("POST", "/subscriptions", {
            emitter_id: made.id,
            listener_id: hook,
            filter: { total: { $gt: 100 } }
          })
          return { orders: made, ledger: listening, webhook: hook }
        })

        return {
          server,
          start,
          url: `${proxy.url}/console/`,
          api,
          browser,
          orders: ordersSource,
          ledger: ledgerSource,
          endpoint: sink,
          webhook,
          source,
          send,
          open,
          signedIn,
          foreignRequests,
          faults
        }
      })
    )
}
