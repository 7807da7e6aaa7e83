import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Latch, Schedule } from "effect"
import * as Path from "node:path"
import * as CommandInProcess from "../apps/cli/test/CommandInProcess.ts"
import * as HeadwaterCommand from "../apps/cli/test/HeadwaterCommand.ts"
import {
  advance,
  attemptsOf,
  ended,
  environment,
  eventsOf,
  idOf,
  now,
  numberOf,
  operation,
  payloadOf,
  timeOfId
} from "./DevClockServer.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"
import * as ServerProcess from "./ServerProcess.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const timer = (schedule: string) =>
  `export default {
    props: { timer: { type: "$.interface.timer", default: ${schedule} }, db: "$.service.db" },
    run(event) {
      const count = (this.db.get("count") ?? 0) + 1
      this.db.set("count", count)
      this.$emit({ count, at: event.timestamp, date: new Date().toISOString() })
    }
  }`

/** The schedule of a webhook that asks for no other. */
const defaultScheduleSeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

/** What an account is told of a webhook that fails for five days, and behind how many percent of them. */
const toldOfWebhook = [
  ["webhook.failing", 50, 50],
  ["webhook.failing", 70, 70],
  ["webhook.failing", 90, 90],
  ["webhook.disabled", "failing", 100]
] as const

/** Emits an order every six hours from now on, for longer than a webhook may fail. */
const ordering = `export default {
  props: { http: "$.interface.http" },
  run() {
    for (let order = 0; order < 22; order++) this.$emit({ order }, { delivery_ts: Date.now() + order * 6 * 3600000 })
  }
}`

const timesOf = (events: ReadonlyArray<Json.Json>) => events.map(({ id }) => timeOfId(id))

/** What an attempt was made at, by the number of its order and its own. */
const labelOf = ({ body, headers }: WebhookSink.Received) =>
  `${Json.textOf(Json.parse(body)["order"]?.toString() as never)} ${headers["x-headwater-attempt"]}`

it.live(
  "90 days of a five-minute timer and a webhook that fails for five days pass with exact counts, also across kills in the midst",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerOnTestDatabase.make
      const killed = yield* Latch.make()
      const kill = Effect.runForkWith(yield* Effect.context<never>()).bind(
        undefined,
        Effect.andThen(server.kill, killed.open)
      )
      // The first attempt at the order of the third day ends with the server.
      const sink: WebhookSink.WebhookSink = yield* WebhookSink.make(() => {
        if (labelOf(sink.received.at(-1)!) !== "12 1" || killed.isOpen()) return { status: 500 }
        kill()
        return undefined
      })
      const settings = { ...environment, HEADWATER_RETENTION_DAYS: "365" }
      yield* server.startWith(settings)
      yield* server.api("POST", "/clock/freeze")
      const source = (yield* server.api("POST", "/sources", {
        component_code: timer("{ intervalSeconds: 300 }"),
        name: "Every five minutes"
      }))["data"]!
      const sourceId = Json.textOf(source["id"])
      const orders = (yield* server.api("POST", "/sources", { component_code: ordering, name: "Orders" }))["data"]!
      const webhookId = idOf(yield* server.api("POST", `/webhooks?url=${sink.url}`))
      yield* server.api(
        "POST",
        `/subscriptions?emitter_id=${Json.textOf(orders["id"])}&listener_id=${webhookId}`
      )
      const endpoint = Json.textOf(orders["configured_props"]!["http"]!["endpoint_url"])
      yield* Effect.promise(() => fetch(endpoint, { method: "POST" }))
      const from = yield* now(server)
      const failing = idOf(yield* server.api("POST", "/clock/advance", { by: 5 * dayMs }))
      yield* killed.await
      yield* server.startWith(settings)
      const failed = yield* ended(server, failing)
      Json.assertHolds(failed, { stopped_by: "target", from, now: from + 5 * dayMs })

      // Every failure until the webhook is switched off, at the time that the one before it said, and none after that.
      const deliveries = yield* attemptsOf(server, webhookId)
      assert.strictEqual(deliveries.length, 21)
      const made: Array<string> = []
      for (const [order, { attempts, state }] of deliveries.entries()) {
        let due: number | null = from + order * 6 * hourMs
        for (const { at, attempt, nextAt } of attempts) {
          assert.strictEqual(at, due)
          made.push(`${order} ${attempt}`)
          const delay = defaultScheduleSeconds[attempt - 1]
          if (delay === undefined) assert.isNull(nextAt)
          else assert.closeTo(nextAt!, at + delay * 1_000, delay * 200)
          due = nextAt
        }
        assert.isTrue(due === null || due >= from + 5 * dayMs, "it was due before the webhook was switched off")
        assert.strictEqual(state, due === null ? "exhausted" : "pending")
      }
      assert.deepStrictEqual(sink.received.map(labelOf).toSorted(), [...made, "12 1"].toSorted(), "one is made again")
      Json.assertHolds(failed["fired"], { timer: 1_440, emit: 20, retry: made.length - 21, resume: 0 })
      const signedAt = numberOf(sink.received.at(-1)?.headers["webhook-timestamp"] as never)
      assert.isBelow(Math.abs(signedAt - Date.now() / 1_000), 300, "signatures have real time")

      Json.assertHolds((yield* server.api("GET", `/webhooks/${webhookId}`))["data"], { active: false })
      const told = Json.listOf((yield* server.api("GET", "/events?stream=$webhooks"))["data"]).map(payloadOf)
        .toReversed()
      assert.deepStrictEqual<ReadonlyArray<unknown>>(
        told.filter(({ type }) => String(type) !== "delivery.exhausted")
          .map(({ percent, reason, ts, type }) => [type, percent ?? reason, numberOf(ts) - from]),
        toldOfWebhook.map(([type, detail, percent]) => [type, detail, percent / 100 * 5 * dayMs])
      )
      assert.strictEqual(told.length, toldOfWebhook.length + 1, "one delivery was told of that was given up")

      // What it still owes would wake it once a day.
      yield* server.api("DELETE", `/webhooks/${webhookId}`)
      const id = idOf(yield* server.api("POST", "/clock/advance", { by: 85 * dayMs }))
      yield* operation(server, id).pipe(
        Effect.repeat({
          until: (found) => numberOf(found["fired"]!["timer"]) > 3_000,
          schedule: Schedule.spaced("20 millis")
        })
      )
      yield* server.kill
      yield* server.startWith(settings)
      assert.strictEqual(String((yield* operation(server, id))["state"]), "running")
      const after = yield* ended(server, id)
      Json.assertHolds(after, { stopped_by: "target", now: from + 90 * dayMs })
      Json.assertHolds(after["fired"], { timer: 24_480, emit: 1, resume: 0 })
      const events = yield* eventsOf(server, sourceId)
      assert.strictEqual(events.length, 25_920)
      const times = timesOf(events)
      assert.deepStrictEqual(times, times.map((_, index) => times[0]! + index * 300_000), "each at its time")
      assert.deepStrictEqual<ReadonlyArray<unknown>>(
        events.map(payloadOf),
        times.map((time, index) => ({
          count: index + 1,
          at: Math.floor(time / 1_000),
          date: new Date(time).toISOString()
        }))
      )
    }).pipe(Effect.scoped),
  HeadwaterCommand.patienceMs * 4
)

it.live(
  "what falls due between ticks comes between them, and what is sent is sent at its time",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerOnTestDatabase.make
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
      const server = yield* ServerOnTestDatabase.make
      yield* server.startWith({ ...environment, HEADWATER_RETENTION_DAYS: "3650" })
      const headwater = (...args: ReadonlyArray<string>) =>
        CommandInProcess.run(args, { env: { HEADWATER_URL: server.url, HEADWATER_API_KEY: ServerProcess.key } })
      const year = new Date().getUTCFullYear() + 1
      // The source rests from spring to autumn.
      const from = Date.UTC(year, 2, 20)
      const spring = Date.UTC(year, 3, 5)
      const autumn = Date.UTC(year, 9, 20)
      const to = Date.UTC(year, 10, 5)
      Json.assertHolds(yield* advance(server, { to: from }), { now: from, stopped_by: "target" })
      const source = yield* server.api("POST", "/sources", {
        component_code: timer(`{ cron: "0 9 * * *", timezone: "Europe/Berlin" }`)
      })
      const wall = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Berlin", timeStyle: "short" })
      const expected = Array.from({ length: (to - from) / 3_600_000 + 1 }, (_, index) => from + index * 3_600_000)
        .filter((time) => wall.format(time) === "09:00" && (time <= spring || time >= autumn))
      const inSpring = expected.filter((time) => time <= spring).length
      const hours = (times: ReadonlyArray<number>) => new Set(times.map((time) => new Date(time).getUTCHours()))
      assert.deepStrictEqual([...hours(expected.slice(0, inSpring))], [8, 7])
      assert.deepStrictEqual([...hours(expected.slice(inSpring))], [7, 8])

      const next = yield* advance(server, { to_next: true })
      Json.assertHolds(next, { now: expected[0], stopped_by: "target" })
      const some = yield* advance(server, { to: spring, max_fired: 9 })
      Json.assertHolds(some, { now: expected[9], stopped_by: "max_fired" })
      Json.assertHolds((yield* advance(server, { to: spring }))["fired"], { timer: inSpring - 10 })
      yield* server.api("PUT", `/sources/${idOf(source)}`, { active: false })
      Json.assertHolds((yield* advance(server, { to: autumn }))["fired"], { timer: 0 })
      yield* server.api("PUT", `/sources/${idOf(source)}`, { active: true })
      Json.assertHolds((yield* advance(server, { to }))["fired"], { timer: expected.length - inSpring })
      const ticks = yield* eventsOf(server, idOf(source))
      assert.deepStrictEqual(timesOf(ticks), expected)
      const dates = ticks.map((tick) => Json.textOf(payloadOf(tick)["date"]))
      assert.deepStrictEqual(
        dates,
        expected.map((time) => new Date(time).toISOString()),
        "what code takes for the time"
      )

      const backwards = yield* Effect.flip(server.api("POST", "/clock/advance", { to: from }))
      assert.match(backwards.message, /400 .*it goes forward only/)
      const told = Json.listOf((yield* server.api("GET", "/events?stream=$clock"))["data"])
      assert.strictEqual(told.length, 6)
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

it.live("an advance can be begun as soon as the one before it says that it is done", () =>
  Effect.gen(function*() {
    const server = yield* ServerOnTestDatabase.make
    yield* server.startWith(environment)
    yield* server.api("POST", "/clock/freeze")
    const from = yield* now(server)
    for (let by = 0; by < 30; by++) {
      const id = idOf(yield* server.api("POST", "/clock/advance", { by: 1 }))
      yield* Effect.repeat(operation(server, id), { until: (found) => String(found["state"]) === "done" })
    }
    assert.strictEqual(yield* now(server), from + 30)
  }).pipe(Effect.scoped))

it.live("a database is for a clock that can be moved from its first start on, or never", () =>
  Effect.gen(function*() {
    const directory = yield* TemporaryDirectory.make("dev-clock")
    const usual = yield* ServerProcess.makeIn(Path.join(directory, "usual"))
    yield* usual.start
    Json.assertHolds((yield* usual.api("GET", "/clock"))["data"], { mode: "real", status: "fixed" })
    const fixed = yield* Effect.flip(usual.api("POST", "/clock/advance", { by: 1 }))
    assert.match(fixed.message, /409 .*clock_fixed/)
    yield* usual.stop
    const surroundings = (server: ServerProcess.ServerProcess) => ({
      HEADWATER_API_KEY: ServerProcess.key,
      HEADWATER_DATA_DIR: server.dataDirectory,
      HEADWATER_PORT: new URL(server.url).port
    })
    const refused = yield* HeadwaterCommand.run(["start", "--dev-clock"], surroundings(usual))
    assert.strictEqual(refused.code, 1)
    assert.match(refused.stdout, /this database was not made for the dev clock.*HEADWATER_DATA_DIR=\.headwater-test/)

    const made = yield* ServerProcess.makeIn(Path.join(directory, "made"))
    const started = yield* HeadwaterCommand.start(["start", "--dev-clock"], surroundings(made), directory)
    const { data } = yield* made.api("GET", "/clock").pipe(
      Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 600 })
    )
    Json.assertHolds(data, { mode: "real", status: "ready" })
    yield* started.interrupt
    const without = yield* Effect.flip(made.start)
    assert.match(without.message, /This database was made for the dev clock.*--dev-clock/)
    const workers = yield* Effect.flip(made.startWith({ ...environment, HEADWATER_WORKERS: "2" }))
    assert.match(workers.message, /HEADWATER_DEV_CLOCK: goes with HEADWATER_WORKERS=1 only/)
  }).pipe(Effect.scoped), HeadwaterCommand.patienceMs)
