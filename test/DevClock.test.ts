import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Cron } from "croner"
import { Effect, Schedule } from "effect"
import * as Path from "node:path"
import * as HeadwaterCommand from "../apps/cli/test/HeadwaterCommand.ts"
import * as ServerProcess from "./ServerProcess.ts"

const environment = { HEADWATER_DEV_CLOCK: "1", HEADWATER_LOG_RATE: "1" }
const dayMs = 24 * 3_600_000

const timer = (schedule: string) =>
  `export default {
    props: { timer: { type: "$.interface.timer", default: ${schedule} }, db: "$.service.db" },
    run(event) {
      const count = (this.db.get("count") ?? 0) + 1
      this.db.set("count", count)
      this.$emit({ count, at: event.timestamp })
    }
  }`

const ingest = `export default { props: { http: "$.interface.http" }, run() { this.$emit({ order: 7 }) } }`

const idOf = (json: Json.Json) => Json.textOf(json["data"]!["id"])
const numberOf = (json: Json.Json | undefined) => Number(json)

const operation = (server: ServerProcess.ServerProcess, id: string) =>
  Effect.map(server.api("GET", `/clock/operations/${id}`), (found) => found["data"]!)

const ended = (server: ServerProcess.ServerProcess, id: string) =>
  operation(server, id).pipe(
    Effect.repeat({ until: (found) => String(found["state"]) === "done", schedule: Schedule.spaced("100 millis") }),
    Effect.timeout("3 minutes")
  )

const advance = (server: ServerProcess.ServerProcess, body: unknown) =>
  Effect.flatMap(server.api("POST", "/clock/advance", body), (begun) => ended(server, idOf(begun)))

const eventsOf = Effect.fnUntraced(function*(server: ServerProcess.ServerProcess, sourceId: string) {
  const events: Array<Json.Json> = []
  for (let cursor = "";;) {
    const page = yield* server.api("GET", `/sources/${sourceId}/events?limit=100&event_name=default${cursor}`)
    const found = Json.listOf(page["data"])
    events.push(...found)
    if (found.length < 100) return events.toReversed()
    cursor = `&after=${Json.textOf(page["page_info"]!["end_cursor"])}`
  }
})

const timesOf = (events: ReadonlyArray<Json.Json>) =>
  events.map((event) => numberOf(Json.textOf(event["id"]).split("-")[0] as never))

it.live(
  "90 days of a five-minute timer and a delivery that fails for days pass with exact counts, also across a kill in the midst",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerProcess.make
      const sink = yield* WebhookSink.make(() => ({ status: 500 }))
      yield* server.startWith({ ...environment, HEADWATER_RETENTION_DAYS: "365" })
      yield* server.api("POST", "/clock/freeze")
      const source = (yield* server.api("POST", "/sources", {
        component_code: timer("{ intervalSeconds: 300 }"),
        name: "Every five minutes"
      }))["data"]!
      const sourceId = Json.textOf(source["id"])
      const orders = (yield* server.api("POST", "/sources", { component_code: ingest, name: "Orders" }))["data"]!
      const webhookId = idOf(yield* server.api("POST", `/webhooks?url=${sink.url}`))
      yield* server.api(
        "POST",
        `/subscriptions?emitter_id=${Json.textOf(orders["id"])}&listener_id=${webhookId}`
      )
      const endpoint = Json.textOf(orders["configured_props"]!["http"]!["endpoint_url"])
      yield* Effect.promise(() => fetch(endpoint, { method: "POST" }))
      const from = numberOf((yield* server.api("GET", "/clock"))["data"]!["now"])
      const begun = (yield* server.api("POST", "/clock/advance", { by: 90 * dayMs }))["data"]!
      const id = Json.textOf(begun["id"])
      yield* operation(server, id).pipe(
        Effect.repeat({
          until: (found) => numberOf(found["fired"]!["timer"]) > 3_000,
          schedule: Schedule.spaced("20 millis")
        })
      )
      yield* server.kill
      yield* server.startWith({ ...environment, HEADWATER_RETENTION_DAYS: "365" })
      const before = yield* operation(server, id)
      assert.strictEqual(String(before["state"]), "running")

      const after = yield* ended(server, id)
      Json.assertHolds(after, { stopped_by: "target", from, now: from + 90 * dayMs })
      Json.assertHolds(after["fired"], { timer: 25_920, emit: 0, resume: 0 })
      const events = yield* eventsOf(server, sourceId)
      assert.strictEqual(events.length, 25_920)
      const times = timesOf(events)
      assert.deepStrictEqual(times, times.map((_, index) => times[0]! + index * 300_000), "each at its time")
      assert.deepStrictEqual(
        events.map((event) => numberOf(event["event"]!["raw_event"]!["count"])),
        events.map((_, index) => index + 1)
      )

      // The first attempt and those of the schedule, but for one that was cut off by the kill and is made again.
      const deliveries = Json.listOf((yield* server.api("GET", `/webhooks/${webhookId}/deliveries`))["data"])
      assert.strictEqual(deliveries.length, 1)
      Json.assertHolds(deliveries[0], { state: "exhausted", attempt_count: 10 })
      assert.strictEqual(numberOf(after["fired"]!["retry"]), 9)
      const attempts = sink.received.map(({ headers }) => numberOf(headers["x-headwater-attempt"] as never))
      assert.deepStrictEqual([...new Set(attempts)], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      const signedAt = numberOf(sink.received.at(-1)?.headers["webhook-timestamp"] as never)
      assert.isBelow(Math.abs(signedAt - Date.now() / 1_000), 300, "signatures have real time")
    }).pipe(Effect.scoped),
  HeadwaterCommand.patienceMs * 4
)

it.live(
  "what falls due between ticks comes between them, and what is sent is sent at its time",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerProcess.make
      const sink = yield* WebhookSink.make()
      yield* server.startWith(environment)
      yield* server.api("POST", "/clock/freeze")
      const code = `export default {
      props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } }, db: "$.service.db" },
      run(event) {
        const count = (this.db.get("count") ?? 0) + 1
        this.db.set("count", count)
        console.log(count)
        this.$emit({ count })
        if (count % 20 === 0) this.$emit({ late: count }, { delivery_ts: (event.timestamp + 30) * 1000 })
      }
    }`
      const ticking = idOf(yield* server.api("POST", "/sources", { component_code: code, name: "Ticking" }))
      const heard = idOf(
        yield* server.api("POST", "/sources", { component_code: timer("{ intervalSeconds: 600 }"), name: "Heard" })
      )
      const webhookId = idOf(yield* server.api("POST", `/webhooks?url=${sink.url}`))
      yield* server.api("POST", `/subscriptions?emitter_id=${heard}&listener_id=${webhookId}`)

      const done = yield* advance(server, { by: 2 * 3_600_000 + 30_000 })
      Json.assertHolds(done["fired"], { timer: 132, emit: 6 })
      const events = yield* eventsOf(server, ticking)
      const times = timesOf(events)
      const first = times[0]!
      const expected = Array.from({ length: 120 }, (_, index) => {
        const at = first + index * 60_000
        const late = { late: index + 1, at: Math.floor(at / 1_000) * 1_000 + 30_000 }
        return [{ count: index + 1, at }, ...((index + 1) % 20 === 0 ? [late] : [])]
      }).flat()
      const seen = events.map((event, index) => ({ ...(event["event"]!["raw_event"] as object), at: times[index]! }))
      assert.deepStrictEqual<ReadonlyArray<object>>(seen, expected)

      const sent = Json.listOf((yield* server.api("GET", `/webhooks/${webhookId}/deliveries?limit=100`))["data"])
      assert.strictEqual(sent.length, 12)
      assert.strictEqual(sink.received.length, 12)
      for (const delivery of sent) {
        const full = (yield* server.api("GET", `/deliveries/${Json.textOf(delivery["id"])}`))["data"]!
        const [attempt] = Json.listOf(full["attempts"])
        assert.strictEqual(
          numberOf(attempt!["started_at_ms"]),
          numberOf(Json.textOf(delivery["event_id"]).split("-")[0] as never)
        )
      }
    }).pipe(Effect.scoped),
  HeadwaterCommand.patienceMs
)

it.live(
  "a cron is due once each day across both changes to and from summer time, and the clock goes only forward",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerProcess.make
      yield* server.startWith({ ...environment, HEADWATER_RETENTION_DAYS: "3650" })
      const headwater = (...args: ReadonlyArray<string>) =>
        HeadwaterCommand.run(args, { HEADWATER_URL: server.url, HEADWATER_API_KEY: ServerProcess.key })
      const year = new Date().getUTCFullYear() + 1
      const from = Date.UTC(year, 1, 1)
      const to = Date.UTC(year, 10, 15)
      Json.assertHolds(yield* advance(server, { to: from }), { now: from, stopped_by: "target" })
      const source = yield* server.api("POST", "/sources", {
        component_code: timer(`{ cron: "0 9 * * *", timezone: "Europe/Berlin" }`)
      })
      const expected = new Cron("0 9 * * *", { timezone: "Europe/Berlin" }).nextRuns(400, new Date(from))
        .map((date) => date.getTime()).filter((time) => time <= to)
      assert.strictEqual(new Set(expected.map((time) => new Date(time).getUTCHours())).size, 2)

      const next = yield* advance(server, { to_next: true })
      Json.assertHolds(next, { now: expected[0], stopped_by: "target" })
      const some = yield* advance(server, { to, max_fired: 9 })
      Json.assertHolds(some, { now: expected[9], stopped_by: "max_fired" })
      const rest = yield* advance(server, { to })
      Json.assertHolds(rest["fired"], { timer: expected.length - 10 })
      assert.deepStrictEqual(timesOf(yield* eventsOf(server, idOf(source))), expected)

      const backwards = yield* Effect.flip(server.api("POST", "/clock/advance", { to: from }))
      assert.match(backwards.message, /400 .*it goes forward only/)
      const told = Json.listOf((yield* server.api("GET", "/events?stream=$clock"))["data"])
      assert.strictEqual(told.length, 4)
      Json.assertHolds(told[0]!["event"]!["raw_event"], { type: "clock.ready", now: to, stopped_by: "target" })

      const day = yield* headwater("clock", "advance", "1d")
      assert.match(day.stdout, /\nState +done\n[^]*\nFired +1 timer\nStopped by +target\n/)
      assert.match((yield* headwater("clock")).stdout, /\nMode +frozen\nStatus +ready\nNext due +2/)
      HeadwaterCommand.assertRefused(yield* headwater("clock", "advance", "soon"), /is no span of time/)
      yield* server.api("DELETE", "/clock")
      const running = (yield* server.api("GET", "/clock"))["data"]!
      Json.assertHolds(running, { mode: "ahead", status: "ready" })
      assert.isAtLeast(numberOf(running["now"]), to)
      yield* Effect.sleep("20 millis")
      assert.isAbove(numberOf((yield* server.api("GET", "/clock"))["data"]!["now"]), numberOf(running["now"]))
    }).pipe(Effect.scoped),
  HeadwaterCommand.patienceMs * 2
)

it.live("a database is for a clock that can be moved from its first start on, or never", () =>
  Effect.gen(function*() {
    const directory = yield* TemporaryDirectory.make("dev-clock")
    const usual = yield* ServerProcess.makeIn(Path.join(directory, "usual"))
    yield* usual.start
    Json.assertHolds((yield* usual.api("GET", "/clock"))["data"], { mode: "real", status: "fixed" })
    const fixed = yield* Effect.flip(usual.api("POST", "/clock/advance", { by: 1 }))
    assert.match(fixed.message, /409 .*clock_fixed/)
    yield* usual.stop
    const refused = yield* Effect.flip(usual.startWith(environment))
    assert.match(refused.message, /this database was not made for the dev clock/)

    const made = yield* ServerProcess.makeIn(Path.join(directory, "made"))
    yield* made.startWith(environment)
    yield* made.stop
    const without = yield* Effect.flip(made.start)
    assert.match(without.message, /This database was made for the dev clock/)
    const workers = yield* Effect.flip(made.startWith({ ...environment, HEADWATER_WORKERS: "2" }))
    assert.match(workers.message, /HEADWATER_DEV_CLOCK: goes with HEADWATER_WORKERS=1 only/)
  }).pipe(Effect.scoped), HeadwaterCommand.patienceMs)
