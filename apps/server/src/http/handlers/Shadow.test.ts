import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Accounting } from "@headwater/log/work/Accounting"
import { Effect, Schedule } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

/** The deliveries of an account, oldest first, once they are in these states. */
const deliveriesOnce = (http: Http.Tenant, states: ReadonlyArray<string>) =>
  http.request("GET", "/v1/deliveries?limit=100").pipe(
    Effect.map(({ json }) => Json.listOf(json["data"]).toReversed()),
    Effect.repeat({
      until: (found) => found.map(({ state }) => Json.textOf(state)).toSorted().join() === states.toSorted().join(),
      schedule: Schedule.spaced("10 millis")
    }),
    Effect.timeout("60 seconds")
  )

const balances = Effect.flatMap(
  Accounting,
  ({ imbalances }) => Effect.map(imbalances, (found) => assert.deepStrictEqual(found, []))
)

const methodsOf = (sink: WebhookSink.WebhookSink) => sink.received.map(({ method }) => method)

const stepsOf = (run: Json.Json) =>
  Json.listOf(run["steps"]).map(({ name, status }) => `${Json.textOf(name)} ${Json.textOf(status)}`)

layer(Http.layer, { excludeTestServices: true })("a workflow in shadow", (it) => {
  it.effect("reads, sends nothing, and ends at the first step that would write, whatever that catches", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const workflow = yield* http.created("/v1/workflows", {
        shadow: true,
        workflow_code: `export default {
          props: { db: "$.service.db" },
          steps: {
            read: { async run() { return (await fetch("${sink.url}")).status } },
            tell: { async run({ $ }) { await $.send.http({ method: "POST", url: "${sink.url}", data: 1 }); $.emit("told") } },
            write: { async run({ $ }) {
              this.db.set("written", true)
              $.emit("writing")
              try { await fetch("${sink.url}/orders?key=k", { method: "POST", body: "x" }) } catch {}
              return "went on"
            } },
            after: { run({ $ }) { $.emit("after " + this.db.get("written")) } }
          }
        }`
      })
      Json.assertHolds(workflow, { shadow: true, active: true })
      const webhook = yield* http.created("/v1/webhooks", { url: sink.url })
      yield* http.created("/v1/subscriptions", { emitter_id: workflow.id, listener_id: webhook.id })
      const run = yield* http.ran(workflow.id, {})
      Json.assertHolds(run, {
        status: "success",
        shadow: true,
        exit_reason: `held in shadow: POST ${sink.url}/orders`,
        error: null
      })
      assert.deepStrictEqual(stepsOf(run), ["read success", "tell success", "write error"])
      const held = yield* deliveriesOnce(http, ["dropped", "dropped"])
      for (const delivery of held) Json.assertHolds(delivery, { error_class: "held", attempt_count: 0 })
      assert.deepStrictEqual(methodsOf(sink), ["GET"])
      yield* balances

      const live = yield* http.request("PUT", `/v1/workflows/${workflow.id}`, { body: { shadow: false } })
      assert.notProperty(live.json["data"], "shadow")
      const bulk = yield* http.request("POST", "/v1/bulk_actions", {
        body: { action: "retry", filter: { error_class: "held", since: 0 } }
      })
      assert.strictEqual(bulk.status, 202, bulk.text)
      yield* deliveriesOnce(http, ["delivered", "delivered"])
      assert.deepStrictEqual(methodsOf(sink), ["GET", "POST", "POST"])
      const again = yield* http.request("POST", `/v1/workflows/${workflow.id}/runs/${Json.textOf(run["id"])}/rerun`, {
        body: { from_step: "write" }
      })
      assert.strictEqual(again.status, 202, again.text)
      yield* deliveriesOnce(http, ["delivered", "delivered", "delivered", "delivered"])
      assert.deepStrictEqual(methodsOf(sink).toSorted(), ["GET", ...Array<string>(5).fill("POST")])
      const summaries = yield* http.summaries(`/v1/workflows/${workflow.id}/event_summaries`, 3)
      assert.deepStrictEqual<unknown>(
        summaries.map((summary) => summary["event"]!["raw_event"]).toReversed(),
        ["told", "writing", "after true"]
      )
      yield* balances
    }))

  it.effect("ends a run with branches at the same time once one of them would write", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const workflow = yield* http.created("/v1/workflows", {
        shadow: true,
        workflow_code: `export default { steps: {
          both: { parallel: {
            one: { write: { async run() { await fetch("${sink.url}", { method: "PUT" }) } } },
            other: { later: { run({ $ }) { $.flow.delay(60_000) } }, never: { run() {} } }
          } },
          after: { run() {} }
        } }`
      })
      const run = yield* http.ran(workflow.id, {})
      Json.assertHolds(run, { status: "success", exit_reason: `held in shadow: PUT ${sink.url}` })
      assert.notIncludeMembers(stepsOf(run), ["after success", "never success"])
      assert.deepStrictEqual(sink.received, [])
    }))

  it.effect("asks anything of the hosts that it only reads from", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const { hostname, port } = new URL(sink.url)
      const workflow = yield* http.created("/v1/workflows", {
        shadow: true,
        shadow_reads: [hostname],
        workflow_code: `import net from "node:net"
          export default { async run({ $ }) {
            const { status } = await fetch("${sink.url}", { method: "POST", body: "query" })
            await new Promise((done) => net.connect(${port}, "${hostname}", done).on("error", done)).finally()
            return status + " " + $.context.shadow.reads
          } }`
      })
      const run = yield* http.ran(workflow.id, {})
      Json.assertHolds(run, { shadow: true, exit_reason: null })
      assert.strictEqual(Json.textOf(Json.listOf(run["steps"])[0]!["result"]!["$return_value"]), `200 ${hostname}`)
      const changed = yield* http.request("PUT", `/v1/workflows/${workflow.id}`, { body: { shadow_reads: [] } })
      assert.deepStrictEqual<unknown>(changed.json["data"]!["shadow_reads"], [])
      assert.match(Json.textOf((yield* http.ran(workflow.id, {}))["exit_reason"]), /^held in shadow: POST/)
      const wrong = yield* http.request("PUT", `/v1/workflows/${workflow.id}`, {
        body: { shadow_reads: ["https://x"] }
      })
      Http.assertProblem(wrong, 400, "invalid_request")
    }))

  for (
    const [name, code] of [
      [
        "a request of node:http",
        `await new Promise((done) => {
        const request = require("node:http").request("URL", { method: "DELETE" }, done)
        request.on("error", done).flushHeaders()
      })`
      ],
      [
        "a connection of another protocol",
        `await new Promise((done) => {
        require("node:net").connect(PORT, "127.0.0.1", done).on("error", done)
      })`
      ],
      [
        "a web socket",
        `await new Promise((done) => {
        new WebSocket("ws://127.0.0.1:PORT").addEventListener("error", done)
      })`
      ]
    ] as const
  ) {
    it.effect(`holds ${name}`, () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const sink = yield* WebhookSink.make(() => ({ status: 200 }))
        const body = code.replace("URL", sink.url).replace("PORT", new URL(sink.url).port)
        const workflow = yield* http.created("/v1/workflows", {
          shadow: true,
          workflow_code: `import { createRequire } from "node:module"
            const require = createRequire(import.meta.url)
            export default { async run({ $ }) { ${body}; return "went on" } }`
        })
        const run = yield* http.ran(workflow.id, {})
        assert.match(Json.textOf(run["exit_reason"]), /^held in shadow: /, JSON.stringify(run))
        assert.deepStrictEqual(sink.received, [])
      }))
  }

  it.effect("makes a run over its event one in shadow, also of a workflow that is not, and one that it has run", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const send = `await $.send.http({ method: "POST", url: "${sink.url}" })`
      const third = yield* http.created("/v1/workflows", {
        name: "third",
        workflow_code: `export default { async run({ $ }) { ${send} } }`
      })
      const second = yield* http.created("/v1/workflows", {
        workflow_code: `export default { async run({ $ }) { ${send}; await $.flow.trigger("third", 1) } }`
      })
      const source = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("this.$emit(event.body)"),
        shadow: true
      })
      Json.assertHolds(source, { shadow: true })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: second.id })
      yield* http.request("POST", Http.endpointOf(source), { body: 1 })
      yield* deliveriesOnce(http, ["dropped", "dropped"])
      for (const { id } of [second, third]) {
        const { json } = yield* http.request("GET", `/v1/workflows/${id}/runs`)
        Json.assertHolds(Json.listOf(json["data"])[0], { shadow: true })
      }
      assert.deepStrictEqual(sink.received, [])

      yield* http.request("PUT", `/v1/sources/${source.id}`, { body: { shadow: false } })
      yield* http.request("POST", Http.endpointOf(source), { body: 2 })
      yield* deliveriesOnce(http, ["delivered", "delivered", "dropped", "dropped"])
      yield* balances
    }))

  it.effect("leaves shadow without its hooks, which may lose it what comes between them", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", {
        shadow: true,
        component_code: `export default {
          props: { http: "$.interface.http" },
          hooks: { activate() { this.$emit("activate") }, deactivate() { this.$emit("deactivate") } },
          run() { this.$emit("ran") }
        }`
      })
      yield* http.request("PUT", `/v1/sources/${source.id}`, { body: { shadow: false } })
      yield* http.request("POST", Http.endpointOf(source))
      const summaries = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 2)
      assert.deepStrictEqual<unknown>(
        summaries.map((summary) => summary["event"]!["raw_event"]).toReversed(),
        ["activate", "ran"]
      )
    }))
})
