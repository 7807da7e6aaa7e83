import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Path from "node:path"
import { promisify } from "node:util"
import { deploy, until } from "./ClusterNodes.ts"
import * as FormerVersion from "./FormerVersion.ts"
import * as ServerProcess from "./ServerProcess.ts"

/** Its count is right only if each request was run once. */
const orders = `
export default {
  name: "Orders",
  props: { http: "$.interface.http", db: "$.service.db" },
  async run({ body }) {
    if (body.slow) await new Promise((resolve) => setTimeout(resolve, 400))
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ order: body.order, count })
    if (body.later) this.$emit({ order: body.order }, { name: "later", delivery_ts: Date.now() + body.later })
  }
}`

const ledger = `
export default {
  name: "Ledger",
  props: { db: "$.service.db" },
  run({ order }) {
    const seen = [...(this.db.get("seen") ?? []), order]
    this.db.set("seen", seen)
    this.$emit({ seen })
  }
}`

const ticking = `
export default {
  name: "Ticking",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } }, db: "$.service.db" },
  run() {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ count })
  }
}`

const delayed = `
export default {
  steps: {
    first: { run({ steps, $ }) { $.flow.delay(4_000); return steps.trigger.event.order + 1 } },
    second: { run({ steps, $ }) { $.send.emit({ order: steps.first.$return_value }); return "done" } }
  }
}`

const idOf = (of: Json.Json) => Json.textOf(of["id"])

/** The ids of events are times in milliseconds and a number: the later, the larger. */
const placeOf = (id: string): bigint => {
  const [ms, seq] = id.split("-")
  return (BigInt(ms!) << 20n) | BigInt(seq!)
}

const cli = Path.resolve(import.meta.dirname, "../apps/cli/bin/headwater")

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

it.live(
  "a server of the version before is upgraded in place, in the middle of its work, and goes on with all of it",
  () =>
    Effect.gen(function*() {
      const former = yield* FormerVersion.ofBaseline
      const server = yield* ServerProcess.make
      const { api } = server
      yield* server.startWith({ NODE_COMPILE_CACHE: Path.join(former, "compiled") }, former)

      const source = yield* deploy(server, orders)
      const listener = yield* deploy(server, ledger)
      const timer = yield* deploy(server, ticking)
      const workflow = (yield* api("POST", "/workflows", { workflow_code: delayed }))["data"]!
      const subscribe = (emitter: Json.Json, listener: Json.Json, more = {}) =>
        api("POST", "/subscriptions", { emitter_id: idOf(emitter), listener_id: idOf(listener), ...more })
      const sinkFor = Effect.fnUntraced(function*(status: () => number, settings: object, subscription: object) {
        const sink = yield* WebhookSink.make(() => ({ status: status() }))
        const webhook = (yield* api("POST", "/webhooks", { url: sink.url, ...settings }))["data"]!
        yield* subscribe(source, webhook, subscription)
        return { sink, webhook }
      })
      let isDown = true
      const well = yield* sinkFor(() => 200, {}, {})
      const down = yield* sinkFor(() => isDown ? 500 : 200, { retry_schedule: Array.from({ length: 20 }, () => 5) }, {})
      const later = yield* sinkFor(() => 200, {}, { event_name: "later" })
      const some = yield* sinkFor(() => 200, {}, { batch: { max_events: 5, max_wait_ms: 500 } })
      yield* subscribe(source, listener)
      const consumer = (yield* api("POST", "/consumers", { emitter_id: idOf(source), lease_seconds: 600 }))["data"]!
      const key = Json.textOf((yield* api("POST", "/users/me/keys", { name: "reader", scope: "read" }))["data"]!["key"])

      const endpoint = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      const post = (body: object) =>
        Effect.promise(() =>
          fetch(endpoint, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body)
          }).then(({ status }) => status)
        )
      const postAll = (from: number, to: number, more = {}) =>
        Effect.map(
          Effect.forEach(range(from, to), (order) => post({ order, ...more })),
          (statuses) => assert.deepStrictEqual(new Set(statuses), new Set([200]))
        )
      const eventsOf = (emitter: Json.Json) =>
        Effect.map(
          api("GET", `/sources/${idOf(emitter)}/events?limit=100&expand=event`),
          ({ data }) =>
            Json.listOf(data).toReversed().map((event) => ({ id: idOf(event), payload: event["event"]!["raw_event"]! }))
        )
      const once = (path: string, body: object) =>
        Effect.promise(() =>
          fetch(`${server.url}/v1${path}`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${ServerProcess.key}`,
              "content-type": "application/json",
              "idempotency-key": "once"
            },
            body: JSON.stringify(body)
          }).then((response) => response.json() as Promise<Json.Json>)
        )

      yield* postAll(0, 20)
      yield* post({ order: 20, later: 4_000 })
      const run = idOf((yield* once(`/workflows/${idOf(workflow)}/invocations`, { event: { order: 1 } }))["data"]!)
      yield* until("all is run and sent", 60, Effect.sync(() => well.sink.received.length >= 21))
      const page = yield* api("GET", `/consumers/${idOf(consumer)}/events?max=10&wait=60`)
      yield* api("POST", `/consumers/${idOf(consumer)}/commit`, {
        lease: idOf(page["lease"]!),
        positions: page["positions"]
      })
      const read = Json.listOf(page["data"]).map(idOf)
      yield* until("all has failed once", 60, Effect.sync(() => down.sink.received.length >= 21))
      yield* until(
        "the timer ticks",
        60,
        Effect.map(eventsOf(timer), ({ length }) => length >= 2)
      )
      const before = { source: yield* eventsOf(source), timer: yield* eventsOf(timer) }
      // Acknowledged, and not run yet when the server is killed.
      yield* postAll(21, 25, { slow: true })
      yield* server.kill

      isDown = false
      const failed = down.sink.received.length
      yield* server.start
      const orderOf = ({ order }: { readonly order?: unknown }) => Number(order)
      const distinct = (
        { sink: { received } }: typeof well,
        from = 0
      ) => [
        ...new Map(received.slice(from).map(({ body, headers }) => [headers["webhook-id"], JSON.parse(body)])).values()
      ]
      yield* postAll(25, 30)
      yield* until(
        "what waited for a retry and what came since is delivered",
        60,
        Effect.sync(() => distinct(down, failed).length === 30 && distinct(well).length === 30)
      )

      // The log goes on behind what was in it, and each request was run once.
      const after = yield* eventsOf(source)
      assert.deepStrictEqual(after.slice(0, before.source.length), before.source)
      assert.deepStrictEqual<unknown>(
        after.map(({ payload }) => payload),
        range(0, 30).map((order) => ({ order, count: order + 1 }))
      )
      const places = after.map(({ id }) => placeOf(id))
      assert.deepStrictEqual(places, places.toSorted((a, b) => a < b ? -1 : 1))
      assert.deepStrictEqual(distinct(well).map(orderOf), range(0, 30))
      assert.sameMembers(distinct(down, failed).map(orderOf), range(0, 30))
      assert.lengthOf(distinct(down), 30)
      yield* until(
        "the ledger has seen each once",
        60,
        Effect.map(eventsOf(listener), (events) => events.length >= 30)
      )
      const seen = (yield* eventsOf(listener)).at(-1)!.payload["seen"]
      assert.deepStrictEqual<unknown>(seen, range(0, 30))

      // What waited for its time comes once: an emit, a step behind a delay, and ticks.
      yield* until("what was for later is sent", 60, Effect.sync(() => later.sink.received.length > 0))
      assert.deepStrictEqual(distinct(later), [{ order: 20 }])
      yield* until(
        "the run that waited has ended",
        60,
        Effect.map(
          api("GET", `/workflows/${idOf(workflow)}/runs/${run}`),
          ({ data }) => Json.textOf(data!["status"]) === "success"
        )
      )
      const again = yield* once(`/workflows/${idOf(workflow)}/invocations`, { event: { order: 1 } })
      assert.strictEqual(idOf(again["data"]!), run)
      const emitted = yield* api("GET", `/workflows/${idOf(workflow)}/events?expand=event`)
      assert.deepStrictEqual<unknown>(Json.listOf(emitted["data"]).map(({ event }) => event!["raw_event"]), [{
        order: 2
      }])
      yield* until(
        "the timer goes on",
        60,
        Effect.map(eventsOf(timer), ({ length }) => length > before.timer.length + 1)
      )
      const ticks = (yield* eventsOf(timer)).map(({ payload }) => Number(payload["count"]))
      assert.deepStrictEqual(ticks, range(1, ticks.length + 1))
      yield* until("batches are sent", 60, Effect.sync(() => distinct(some).flat().length >= 30))
      assert.sameMembers(distinct(some).flat().map(orderOf), range(0, 30))

      // A reader goes on with its lease, behind its last commit, and keys are what they were.
      const rest = yield* api("GET", `/consumers/${idOf(consumer)}/events?max=100&lease=${idOf(page["lease"]!)}`)
      assert.deepStrictEqual([...read, ...Json.listOf(rest["data"]).map(idOf)], after.map(({ id }) => id))
      const statusWith = (method: string) =>
        Effect.promise(() =>
          fetch(`${server.url}/v1/users/me/keys`, { method, headers: { authorization: `Bearer ${key}` } })
            .then(({ status }) => status)
        )
      assert.deepStrictEqual([yield* statusWith("GET"), yield* statusWith("POST")], [200, 403])
      const checked = yield* Effect.promise(() =>
        promisify(execFile)(cli, ["check", "--json"], {
          env: { PATH: process.env["PATH"], HEADWATER_DATA_DIR: server.dataDirectory }
        })
      )
      assert.deepStrictEqual(JSON.parse(checked.stdout), { balanced: true, imbalances: [] })
      assert.strictEqual(yield* server.stop, 0)
    }),
  240_000
)
