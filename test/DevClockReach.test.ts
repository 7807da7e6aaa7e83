import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Context, Effect, Layer } from "effect"
import * as HeadwaterCommand from "../apps/cli/test/HeadwaterCommand.ts"
import * as DevClockServer from "./DevClockServer.ts"
import { advance, attemptsOf, eventsOf, idOf, now, numberOf, payloadOf, timeOfId } from "./DevClockServer.ts"
import * as ServerProcess from "./ServerProcess.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

class DevClockedServer extends Context.Service<DevClockedServer, ServerProcess.ServerProcess>()(
  "@headwater/test/DevClockedServer"
) {
  static readonly layer = Layer.effect(
    DevClockedServer,
    Effect.gen(function*() {
      const server = yield* ServerProcess.make
      yield* server.startWith(DevClockServer.environment)
      yield* server.api("POST", "/clock/freeze")
      return server
    })
  )
}

/** Emits as many events as it is asked for. */
const emitting = `export default {
  props: { http: "$.interface.http" },
  run(event) { for (let n = 1; n <= event.body.count; n++) this.$emit({ n }) }
}`

const hourly = `export default {
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 3600 } } },
  run() { this.$emit({ date: Date.now() }) }
}`

const post = (source: Json.Json, body: unknown) =>
  Effect.promise(() =>
    fetch(Json.textOf(source["data"]!["configured_props"]!["http"]!["endpoint_url"]), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  )

layer(DevClockedServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("a clock that is moved", (it) => {
  it.effect(
    "brings what a webhook puts off at its time: its rate, a pause that it asks for, an open circuit, a batch",
    () =>
      Effect.gen(function*() {
        const server = yield* DevClockedServer
        const source = yield* server.api("POST", "/sources", { component_code: emitting })
        const from = yield* now(server)
        const heard = Effect.fnUntraced(function*(
          settings: object,
          subscription: object,
          answer?: (count: number) => WebhookSink.Answer
        ) {
          const sink = yield* WebhookSink.make(answer)
          const id = idOf(yield* server.api("POST", "/webhooks", { url: sink.url, ...settings }))
          yield* server.api("POST", "/subscriptions", { emitter_id: idOf(source), listener_id: id, ...subscription })
          return id
        })
        const rated = yield* heard({ rate_limit: { limit: 1, interval_seconds: 3_600 } }, {})
        const throttled = yield* heard({}, {}, (count) =>
          count === 0 ? { status: 429, headers: { "retry-after": "7200" } } : { status: 200 })
        const broken = yield* heard(
          { circuit: { failures: 2, cooldown_seconds: 600 }, retry_schedule: [] },
          {},
          (count) => ({ status: count < 3 ? 500 : 200 })
        )
        const batched = yield* heard({}, { batch: { max_events: 100, max_wait_ms: 900_000 } })

        yield* post(source, { count: 4 })
        const done = yield* advance(server, { by: 4 * hourMs })
        Json.assertHolds(done["fired"], { retry: 1, timer: 0 })
        const timesOf = Effect.fnUntraced(function*(webhookId: string) {
          const deliveries = yield* attemptsOf(server, webhookId)
          return deliveries.map(({ attempts, state }) =>
            `${state} ${
              attempts.map(({ at }) => at - from).join(", ")
            }`
          )
        })
        assert.deepStrictEqual(
          yield* timesOf(rated),
          // One may come 20 ms before its place.
          [0, hourMs - 20, 2 * hourMs - 20, 3 * hourMs - 20].map((at) => `delivered ${at}`)
        )
        assert.deepStrictEqual(
          yield* timesOf(throttled),
          [`delivered 0, ${2 * hourMs}`, ...Array<string>(3).fill(`delivered ${2 * hourMs}`)]
        )
        assert.deepStrictEqual(
          yield* timesOf(broken),
          ["exhausted 0", "exhausted 0", "exhausted 600000", "delivered 1800000"]
        )
        assert.deepStrictEqual(yield* timesOf(batched), ["delivered 900000"])
        const told = Json.listOf((yield* server.api("GET", "/events?stream=$webhooks"))["data"]).map(payloadOf)
        assert.deepStrictEqual(
          told.toReversed().filter(({ type }) => Json.textOf(type).startsWith("circuit"))
            .map(({ ts, type }) => `${Json.textOf(type)} ${numberOf(ts) - from}`),
          ["circuit.opened 0", "circuit.closed 1800000"]
        )
      }).pipe(Effect.scoped),
    HeadwaterCommand.patienceMs
  )

  it.effect("ends the overlap of a rotated secret, and the lease of a reader", () =>
    Effect.gen(function*() {
      const server = yield* DevClockedServer
      const sink = yield* WebhookSink.make()
      const webhookId = idOf(yield* server.api("POST", "/webhooks", { url: sink.url }))
      const source = yield* server.api("POST", "/sources", { component_code: emitting })
      const consumerId = idOf(
        yield* server.api("POST", "/consumers", { emitter_id: idOf(source), start: "beginning", lease_seconds: 3_600 })
      )
      yield* post(source, { count: 2 })
      yield* advance(server, { by: 0 })
      const signatures = Effect.gen(function*() {
        yield* server.api("POST", `/webhooks/${webhookId}/test`)
        return sink.received.at(-1)!.headers["webhook-signature"]!.split(" ").length
      })
      const read = server.api("GET", `/consumers/${consumerId}/events`)

      yield* server.api("POST", `/webhooks/${webhookId}/secret/rotate`)
      const from = yield* now(server)
      const first = yield* read
      assert.strictEqual(Json.listOf(first["data"]).length, 2)
      yield* advance(server, { by: hourMs - 1 })
      assert.match((yield* Effect.flip(read)).message, new RegExp(`409 .*lease_held.*${from + hourMs}`))
      yield* advance(server, { by: 1 })
      assert.strictEqual(Json.listOf((yield* read)["data"]).length, 2)
      const commit = { lease: Json.textOf(first["lease"]!["id"]), positions: first["positions"] }
      assert.match(
        (yield* Effect.flip(server.api("POST", `/consumers/${consumerId}/commit`, commit))).message,
        /409 .*lease_lost/
      )

      yield* advance(server, { to: from + dayMs - 1 })
      assert.strictEqual(yield* signatures, 2)
      yield* advance(server, { by: 1 })
      assert.strictEqual(yield* signatures, 1)
    }).pipe(Effect.scoped), HeadwaterCommand.patienceMs)

  it.effect("counts a day's quota anew", () =>
    Effect.gen(function*() {
      const server = yield* DevClockedServer
      const midnight = Math.ceil((yield* now(server)) / dayMs) * dayMs
      yield* advance(server, { to: midnight })
      const account = HeadwaterCommand.jsonOf(
        yield* HeadwaterCommand.run(
          "account create eve --email eve@example.com --plan free --daily-invocations-quota 3 --json".split(" "),
          { HEADWATER_DATA_DIR: server.dataDirectory }
        )
      )
      const eve = { ...server, api: server.apiAs(Json.textOf(account["api_key"])) }
      const sourceId = idOf(yield* eve.api("POST", "/sources", { component_code: hourly }))
      const done = yield* advance(eve, { to: midnight + 2 * dayMs })
      Json.assertHolds(done["fired"], { timer: 48 })
      assert.deepStrictEqual(
        (yield* eventsOf(eve, sourceId)).map(({ id }) => (timeOfId(id) - midnight) / hourMs),
        [1, 2, 3, 24, 25, 26, 48]
      )
      yield* eve.api("DELETE", `/sources/${sourceId}`)
    }), HeadwaterCommand.patienceMs)

  it.effect("brings the waits of workflows, and what keeps their runs apart", () =>
    Effect.gen(function*() {
      const server = yield* DevClockedServer
      const workflow = yield* server.api("POST", "/workflows", {
        workflow_code: `export default {
          steps: {
            wait: { run({ $ }) { $.flow.delay(3 * 24 * 3600000) } },
            flaky: { run({ $ }) { if ($.context.run.runs < 3) $.flow.rerun(3600000); return Date.now() } }
          }
        }`,
        rate_limit: { limit: 1, interval_seconds: 7_200 }
      })
      const path = `/workflows/${idOf(workflow)}`
      for (let n = 0; n < 2; n++) yield* server.api("POST", `${path}/invocations`, { event: { n } })
      const from = yield* now(server)
      const done = yield* advance(server, { by: 4 * dayMs })
      Json.assertHolds(done["fired"], { resume: 6, timer: 0 })
      const runs = Json.listOf((yield* server.api("GET", `${path}/runs`))["data"])
      const steps = yield* Effect.forEach(runs, ({ id }) =>
        Effect.map(
          server.api("GET", `${path}/runs/${Json.textOf(id)}`),
          ({ data }) => Json.listOf(data!["steps"]).map((step) => (numberOf(step["started_at_ms"]) - from) / hourMs)
        ))
      assert.sameDeepMembers(steps, [[0, 72, 73, 74], [2, 74, 75, 76]])
    }), HeadwaterCommand.patienceMs)

  it.effect("removes what is beyond its retention", () =>
    Effect.gen(function*() {
      const server = yield* DevClockedServer
      const from = Math.ceil((yield* now(server)) / dayMs) * dayMs
      yield* advance(server, { to: from })
      const sourceId = idOf(yield* server.api("POST", "/sources", { component_code: hourly }))
      const done = yield* advance(server, { by: 40 * dayMs })
      Json.assertHolds(done["fired"], { timer: 960 })
      const kept = yield* eventsOf(server, sourceId)
      const times = kept.map(({ id }) => timeOfId(id))
      assert.deepStrictEqual(times, Array.from({ length: 721 }, (_, index) => from + 10 * dayMs + index * hourMs))
      assert.deepStrictEqual(kept.map((event) => numberOf(payloadOf(event)["date"])), times, "what the code saw")
      yield* server.api("DELETE", `/sources/${sourceId}`)
    }), HeadwaterCommand.patienceMs)

  it.effect("is what component code takes for the time, also while it goes by itself", () =>
    Effect.gen(function*() {
      const server = yield* DevClockedServer
      const source = yield* server.api("POST", "/sources", {
        component_code: `export default {
          props: { http: { type: "$.interface.http", customResponse: true } },
          async run() {
            const first = Date.now()
            await new Promise((resume) => setTimeout(resume, 30))
            this.http.respond({ status: 200, body: JSON.stringify([first, Date.now()]) })
          }
        }`
      })
      const dates = Effect.flatMap(
        post(source, {}),
        (response) => Effect.promise(() => response.json() as Promise<[number, number]>)
      )
      const frozen = yield* now(server)
      assert.deepStrictEqual(yield* dates, [frozen, frozen])
      yield* server.api("DELETE", "/clock")
      const before = yield* now(server)
      const [first, second] = yield* dates
      assert.isTrue(before <= first && first + 25 <= second && second <= (yield* now(server)))
      assert.isAbove(first, Date.now() + dayMs)
      yield* server.api("POST", "/clock/freeze")
      const [stood, still] = yield* dates
      assert.strictEqual(stood, still)
    }), HeadwaterCommand.patienceMs)
})
