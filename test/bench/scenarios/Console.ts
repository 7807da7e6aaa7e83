import { Clock, Effect, Schedule, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { BrowserContext, Page } from "playwright-core"
import * as Chromium from "../../browser/Chromium.ts"
import { BenchFailed } from "../BenchFailed.ts"
import { apiKey, type BenchServer } from "../BenchServer.ts"
import * as Deployment from "../Deployment.ts"
import * as FilledAttempts from "../FilledAttempts.ts"
import * as FilledFigures from "../FilledFigures.ts"
import * as FilledLog from "../FilledLog.ts"
import * as Progress from "../Progress.ts"
import type { Report } from "../Report.ts"
import * as Scenario from "../Scenario.ts"
import { latency, median, percentile, rounded } from "../Statistics.ts"
import { timed } from "../TimedRequests.ts"
import type { Workbench } from "../Workbench.ts"

const code = `
export default {
  name: "Bench console",
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit({ seq: event.body.seq })
    if (event.body.seq % 5 === 0) throw new Error("of five one fails")
  }
}`

const workflowCode = `
export default {
  name: "Bench console workflow",
  steps: { one: { run({ steps, $ }) { $.emit({ seq: steps.trigger.event.seq }) } } }
}`

const sources = 10
const webhooks = 10

/** Requests that are really sent, so that there are runs, errors and deliveries that wait. */
const sent = 40

/** How often each call of a page is made for itself; the first does not count. */
const askedAlone = 6

/** What holds for every page, in milliseconds. */
const paintWithinMs = 1_000
const callWithinMs = 100

/** Rows that the list of events keeps. */
const mostRows = 10_000

const Listed = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) })
const Made = Schema.Struct({ data: Schema.Struct({ id: Schema.String }) })
const Components = Schema.Struct({ data: Schema.Array(Schema.Struct({ key: Schema.String })) })

const inBrowser = <A>(what: string, act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: (cause) => new BenchFailed({ message: `${what}: ${String(cause)}` }) })

/** An account with a past, and the pages about it. */
const prepare = Effect.fnUntraced(function*(server: BenchServer, options: {
  readonly events: number
  readonly attempts: number
}) {
  const made = yield* Deployment.sources(server, code, sources)
  const [workflow] = yield* Deployment.workflows(server, workflowCode, 1)
  const webhookIds = yield* Effect.forEach(
    Array.from({ length: webhooks }),
    (_, index) => Deployment.webhook(server, `http://127.0.0.1:9/${index}`)
  )
  const emitterIds = made.map(({ id }) => id)
  yield* Progress.say(`writing ${options.events} events and ${options.attempts} attempts`)
  yield* FilledAttempts.make(server, { attempts: options.attempts, emitterIds, webhookIds })
  yield* FilledFigures.make(server, [...emitterIds, ...webhookIds])
  yield* FilledLog.make(server, { emitterIds, events: Math.ceil(options.events / sources), bytes: 250 })
  for (const [index, { id }] of made.entries()) yield* Deployment.subscribe(server, id, webhookIds[index]!)
  for (let seq = 0; seq < sent; seq++) {
    yield* inBrowser("a request", () =>
      fetch(made[seq % sources]!.endpoint, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ seq })
      }))
  }
  const source = emitterIds[0]!
  const run = yield* server.api(Made, "POST", `/workflows/${workflow!.id}/invocations`, { event: { seq: 1 } })
  const first = (path: string) =>
    server.api(Listed, "GET", path).pipe(
      Effect.flatMap(({ data: [item] }) =>
        item === undefined ? Effect.fail(new BenchFailed({ message: `${path} is empty` })) : Effect.succeed(item.id)
      ),
      Effect.retry({ times: 100, schedule: Schedule.spaced("100 millis") })
    )
  const event = yield* first(`/events?emitter=${source}&stream=default&limit=1`)
  const delivery = yield* first("/deliveries?state=pending&limit=1")
  const bulk = yield* server.api(Made, "POST", "/bulk_actions", {
    action: "retry",
    filter: { webhook_id: webhookIds[0] },
    dry_run: true
  })
  const { data: [component] } = yield* server.api(Components, "GET", "/registry/components?limit=1")
  const from = (yield* Clock.currentTimeMillis) - 90_000
  return [
    "overview",
    "overview?range=24h",
    "overview?range=30d",
    "events",
    `events?emitter=${source}&stream=default`,
    `events?from=${from}&stream=default`,
    `events?open=${encodeURIComponent(`${source}/${event}`)}`,
    `events/${source}/${event}`,
    "deliveries",
    "deliveries?state=exhausted",
    `deliveries?webhook_id=${webhookIds[3]}&state=delivered`,
    `deliveries/${delivery}`,
    "graph",
    "webhooks",
    `webhooks/${webhookIds[0]}`,
    "sources",
    `sources/${source}`,
    `sources/${source}/code`,
    "workflows",
    `workflows/${workflow!.id}`,
    `workflows/${workflow!.id}/runs`,
    `workflows/${workflow!.id}/runs/${run.data.id}`,
    "registry",
    ...(component === undefined ? [] : [`registry/${component.key}`]),
    "bulk-actions",
    `bulk-actions/${bulk.data.id}`
  ]
})

/** A call of the API beside the others of its page, in milliseconds from when it was sent to its last byte. */
interface Call {
  /** Below `/v1`. */
  readonly path: string
  /** Whether it can be made again without the session: a POST can't, and nothing but a session asks for the session. */
  readonly isRepeatable: boolean
  readonly ms: number
}

interface Visit {
  /** From the entry of the address to the first paint. */
  readonly paintMs: number
  /** Until nothing of the page is on its way. */
  readonly wholeMs: number
  readonly calls: ReadonlyArray<Call>
}

interface Entry {
  readonly name: string
  readonly startTime: number
  readonly requestStart: number
  readonly responseEnd: number
}

interface Window {
  readonly performance: {
    readonly now: () => number
    readonly getEntriesByType: (type: string) => ReadonlyArray<Entry>
  }
  readonly document: {
    readonly querySelector: (selector: string) => (Scroller & object) | null
  }
  readonly requestAnimationFrame: (act: (ms: number) => void) => void
}

interface Scroller {
  scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}

const visit = async (context: BrowserContext, url: string): Promise<Visit> => {
  const page = await context.newPage()
  const reads = new Set<string>()
  page.on("request", (request) => {
    if (request.method() === "GET") reads.add(request.url())
  })
  try {
    await page.goto(url)
    await page.waitForFunction(
      () => {
        const { document } = globalThis as unknown as Window
        return document.querySelector("#content h1") !== null &&
          document.querySelector(".waiting, [aria-busy=true]") === null
      },
      undefined,
      { polling: "raf" }
    )
    const wholeMs = await page.evaluate(() => (globalThis as unknown as Window).performance.now())
    const { calls, paintMs } = await page.evaluate(() => {
      const { performance } = globalThis as unknown as Window
      const paint = performance.getEntriesByType("paint").find(({ name }) => name === "first-contentful-paint")
      return {
        paintMs: paint?.startTime ?? Number.NaN,
        calls: performance.getEntriesByType("resource").filter(({ name, responseEnd }) =>
          name.includes("/v1/") && responseEnd > 0
        ).map(({ name, requestStart, responseEnd }) => ({ url: name, ms: responseEnd - requestStart }))
      }
    })
    return {
      paintMs,
      wholeMs,
      calls: calls.map(({ ms, url }) => {
        const path = url.slice(url.indexOf("/v1/") + 3)
        return { path, ms, isRepeatable: reads.has(url) && path !== "/session" }
      })
    }
  } finally {
    await page.close()
  }
}

/** Has a list read as far as it goes, and says how many rows there are then. */
const readAll = async (page: Page): Promise<number> => {
  await page.locator("[role=row]").nth(1).waitFor()
  const rows = async () => Number(await page.getByRole("grid").getAttribute("aria-rowcount")) - 1
  for (let before = -1, count = await rows(); count > before && count < mostRows;) {
    before = count
    await page.evaluate(() => {
      const scroller = (globalThis as unknown as Window).document.querySelector(".rows-scroller")!
      scroller.scrollTop = scroller.scrollHeight
    })
    await page.waitForFunction(
      (least) => {
        const { document } = globalThis as unknown as {
          document: { querySelector: (s: string) => { getAttribute: (name: string) => string } }
        }
        return Number(document.querySelector("[role=grid]").getAttribute("aria-rowcount")) - 1 > least
      },
      before,
      { timeout: 10_000 }
    ).catch(() => undefined)
    count = await rows()
  }
  return rows()
}

/** Scrolls over all rows, so many pixels in each frame; how long each frame took, in milliseconds. */
const frames = (page: Page, pixels: number): Promise<ReadonlyArray<number>> =>
  page.evaluate((step) =>
    new Promise<ReadonlyArray<number>>((resolve) => {
      const { document, requestAnimationFrame } = globalThis as unknown as Window
      const scroller = document.querySelector(".rows-scroller")!
      const times: Array<number> = []
      let last = Number.NaN
      scroller.scrollTop = 0
      const next = (now: number) => {
        if (!Number.isNaN(last)) times.push(now - last)
        last = now
        if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - step) return resolve(times)
        scroller.scrollTop += step
        requestAnimationFrame(next)
      }
      requestAnimationFrame(next)
    }), pixels)

const scenario = (options: { readonly events: number; readonly attempts: number; readonly visits: number }) =>
  Effect.fnUntraced(function*({ server }: Workbench) {
    const paths = yield* prepare(server, options)
    const browser = yield* Chromium.launch
    const context = yield* inBrowser("a window", () => browser.newContext({ viewport: { width: 1440, height: 900 } }))
    const root = `${server.url}/console/`
    yield* inBrowser("signing in", async () => {
      const page = await context.newPage()
      await page.goto(root)
      await page.getByLabel("API key").fill(apiKey)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.locator("#content h1").waitFor()
      await page.close()
    })
    const found = new Map<string, ReadonlyArray<Visit>>()
    for (const path of paths) {
      const all: Array<Visit> = []
      for (let number = 0; number <= options.visits; number++) {
        all.push(yield* inBrowser(`the page ${path}`, () => visit(context, root + path)))
      }
      found.set(path, all.slice(1))
    }
    const calls = [...found.values()].flat().flatMap(({ calls }) => calls)
    const alone = new Map<string, number>()
    for (const path of new Set(calls.filter(({ isRepeatable }) => isRepeatable).map(({ path }) => path))) {
      const requests = Array.from({ length: askedAlone }, () => ({ method: "GET", path }))
      alone.set(path, median((yield* timed(server, requests)).slice(1)))
    }
    yield* Progress.say("reading and scrolling the list of events")
    const list = yield* inBrowser("the list of events", async () => {
      const page = await context.newPage()
      await page.goto(`${root}events?live=off`)
      const rows = await readAll(page)
      // What was asked for at the end has come, and moves nothing any more.
      await page.waitForTimeout(500)
      const slow = await frames(page, 240)
      await page.waitForTimeout(500)
      const fast = await frames(page, 2_000)
      await page.close()
      return { rows, slow, fast }
    })
    return reportOf(found, alone, list, options)
  })

/** A page's address without ids. */
const nameOf = (path: string): string =>
  decodeURIComponent(path).replaceAll(/(?:dc|p|wh|dlv|run|ba|u)_\w{10,}/g, "…").replaceAll(/\d{13}(?:-\d+)?/g, "…")

const reportOf = (
  found: ReadonlyMap<string, ReadonlyArray<Visit>>,
  alone: ReadonlyMap<string, number>,
  list: { readonly rows: number; readonly slow: ReadonlyArray<number>; readonly fast: ReadonlyArray<number> },
  { attempts, events }: { readonly events: number; readonly attempts: number }
): Report => {
  const pages = [...found].map(([path, visited]) => {
    const calls = visited.flatMap(({ calls }) => calls)
    const slowest = <Time extends { readonly ms: number }>(times: ReadonlyArray<Time>): Time | undefined =>
      times.toSorted((a, b) => b.ms - a.ms)[0]
    return {
      name: nameOf(path),
      paint: visited.map(({ paintMs }) => paintMs),
      whole: visited.map(({ wholeMs }) => wholeMs),
      calls: Math.round(median(visited.map(({ calls }) => calls.length))),
      together: slowest(
        [...Map.groupBy(calls, ({ path }) => nameOf(path))].map(([path, all]) => ({
          path,
          ms: median(all.map(({ ms }) => ms))
        }))
      ),
      alone: slowest(
        [...new Set(calls.map(({ path }) => path))].flatMap((path) => {
          const ms = alone.get(path)
          return ms === undefined ? [] : [{ path: nameOf(path), ms }]
        })
      )
    }
  })
  const paints = pages.flatMap(({ paint }) => paint)
  const missed = pages.flatMap(({ alone, name, paint }) => [
    ...(Math.max(...paint) < paintWithinMs ? [] : [`${name} is painted after ${paintWithinMs} ms`]),
    ...(alone === undefined || alone.ms < callWithinMs ? [] : [`${alone.path} takes longer than ${callWithinMs} ms`])
  ])
  const scrolling = [["240 px a frame", list.slow], ["2,000 px a frame", list.fast]] as const
  return {
    scenario: "console",
    throughput: pages.length,
    limit: pages.length,
    latency: latency(paints),
    lost: 0,
    duplicates: 0,
    voids: [],
    tables: [
      {
        columns: ["page", "first paint ms", "most", "whole ms", "calls", "slowest ms", "slowest alone ms", "which"],
        rows: pages.map(({ alone, calls, name, paint, together, whole }) => [
          name,
          Math.round(median(paint)),
          Math.round(Math.max(...paint)),
          Math.round(median(whole)),
          calls,
          together === undefined ? null : rounded(together.ms),
          alone === undefined ? null : rounded(alone.ms),
          alone?.path.replace(/[?&]include=[^&]*/, "") ?? ""
        ])
      },
      {
        columns: [`${list.rows} rows of events`, "frames", "p50 ms", "p99 ms", "most ms", "over 50 ms"],
        rows: scrolling.map(([name, times]) => [
          name,
          times.length,
          rounded(percentile(times, 0.5)),
          rounded(percentile(times, 0.99)),
          rounded(Math.max(...times)),
          times.filter((ms) => ms > 50).length
        ])
      },
      {
        columns: [`missed of ${paintWithinMs} ms to the first paint, ${callWithinMs} ms a call`],
        rows: missed.length === 0 ? [["nothing"]] : [...new Set(missed)].map((one) => [one])
      }
    ],
    figures: {
      events,
      attempts,
      missed,
      rows: list.rows,
      frames: Object.fromEntries(scrolling.map(([name, times]) => [name, rounded(percentile(times, 0.99))])),
      pages: Object.fromEntries(pages.map(({ alone, name, paint, together, whole }) => [
        name,
        {
          paint_ms: rounded(median(paint)),
          whole_ms: rounded(median(whole)),
          slowest_ms: rounded(together?.ms ?? Number.NaN),
          slowest_alone: alone?.path ?? null,
          slowest_alone_ms: rounded(alone?.ms ?? Number.NaN)
        }
      ]))
    }
  }
}

/** The pages of the console over a long past. */
export const command = Command.make("console", {
  ...Scenario.flags,
  events: Flag.Int("events").pipe(
    Flag.withDescription("Events in the log, over 10 sources"),
    Flag.withDefault(1_000_000)
  ),
  attempts: Flag.Int("attempts").pipe(Flag.withDescription("Attempts there are"), Flag.withDefault(100_000)),
  visits: Flag.Int("visits").pipe(
    Flag.withDescription("How often each page is opened once it is warm"),
    Flag.withDefault(5)
  )
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription("How fast each page of the console is there, and the API calls it makes, with a long past")
)
