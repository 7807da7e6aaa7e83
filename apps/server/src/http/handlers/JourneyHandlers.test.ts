import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const echo = Http.httpCode(`
    console.log("heard")
    if (event.body?.fail || event.fail) throw new TypeError("no")
    this.$emit(event.body ?? { again: event })`)

const nodesOf = (journey: Json.Json, type: string) =>
  Json.listOf(journey["nodes"]).filter((node) => Json.textOf(node["type"]) === type)

layer(Http.layer, { excludeTestServices: true })("a journey", (it) => {
  const setup = Effect.gen(function*() {
    const http = yield* Http.tenant()
    const source = (name: string) => http.created("/v1/sources", { component_code: echo, name })
    const subscribe = (emitter: string, listener: string, filter?: unknown) =>
      http.created("/v1/subscriptions", { emitter_id: emitter, listener_id: listener, ...(filter ? { filter } : {}) })
    const journeyOf = (event: Json.Json | undefined, emitter = Json.textOf(event!["metadata"]!["emitter_id"])) =>
      http.request("GET", `/v1/events/${Json.textOf(event!["id"])}/journey?emitter=${emitter}`)
    const until = (event: Json.Json | undefined, holds: (journey: Json.Json) => boolean) =>
      Effect.map(journeyOf(event), ({ json }) => json["data"]!).pipe(
        Effect.repeat({ until: holds, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds")
      )
    return { http, source, subscribe, journeyOf, until }
  })

  it.effect("goes from the request over sources and workflows to the webhook, and says where it ends and why", () =>
    Effect.gen(function*() {
      const { http, source, subscribe, until } = yield* setup
      const failing = yield* WebhookSink.make(() => ({ status: 500 }))
      const first = yield* source("first")
      const workflow = yield* http.created("/v1/workflows", { workflow_code: Http.workflowCode })
      const last = yield* source("last")
      const webhook = yield* http.created("/v1/webhooks", { url: failing.url, name: "shop" })
      const picky = yield* http.created("/v1/webhooks", { url: failing.url })
      yield* subscribe(first.id, workflow.id)
      yield* subscribe(workflow.id, last.id)
      const sent = yield* subscribe(last.id, webhook.id)
      yield* subscribe(first.id, picky.id, { order: { $gt: 5 } })
      yield* http.request("POST", Http.endpointOf(first), { body: { order: 1 } })
      const [event] = yield* http.summaries(`/v1/sources/${first.id}/events`, 1)
      const isWhole = (journey: Json.Json) => nodesOf(journey, "delivery").some(({ attempts }) => Number(attempts) > 0)
      const forth = yield* until(event, isWhole)
      assert.strictEqual(String(forth["truncated"]), "false")

      const edges = Json.listOf(forth["edges"])
      const arrows = (from: string, to: string) =>
        edges.filter((edge) => Json.textOf(edge["from"]) === from && Json.textOf(edge["to"]) === to)
      const only = (type: string, field: string, value: string) => {
        const found = nodesOf(forth, type).filter((node) => Json.textOf(node[field]) === value)
        assert.strictEqual(found.length, 1, `${type} ${value}`)
        return found[0]!
      }
      const events = [first, workflow, last].map(({ id }) => only("event", "emitter_id", id))
      const runs = [first, workflow, last].map(({ id }) => only("run", "listener_id", id))
      const [request] = nodesOf(forth, "request")
      Json.assertHolds(request, { emitter_id: first.id, emitter_name: "first", kind: "http" })
      const delivery = only("delivery", "webhook_id", webhook.id)
      const path = [request, runs[0], events[0], runs[1], events[1], runs[2], events[2], delivery]
      for (const [index, node] of path.slice(1).entries()) {
        const edge = arrows(Json.textOf(path[index]!["id"]), Json.textOf(node!["id"]))
        assert.strictEqual(edge.length, 1)
        Json.assertHolds(edge[0], { matched: true, reason: null })
      }
      for (const run of runs) Json.assertHolds(run, { state: "ended" })
      Json.assertHolds(runs[0], { logs: 1, run_id: null })
      assert.match(Json.textOf(runs[1]!["run_id"]), /^run_/)
      Json.assertHolds(delivery, { state: "pending", attempts: 1, webhook_name: "shop" })
      Json.assertHolds(delivery["last_attempt"], { status: 500, outcome: "failed" })
      const [toWebhook] = arrows(Json.textOf(events[2]!["id"]), Json.textOf(delivery["id"]))
      Json.assertHolds(toWebhook, { subscription_id: sent.id })
      const refused = only("listener", "listener_id", picky.id)
      const [filtered] = arrows(Json.textOf(events[0]!["id"]), Json.textOf(refused["id"]))
      Json.assertHolds(filtered, { matched: false, reason: "filtered", clause: "filter.order.$gt" })

      // From its other end it is the same way; the branches off it are not part of that.
      const [end] = yield* http.summaries(`/v1/sources/${last.id}/events`, 1)
      const back = yield* until(end, isWhole)
      const ids = (journey: Json.Json) => new Set(Json.listOf(journey["nodes"]).map(({ id }) => Json.textOf(id)))
      assert.deepStrictEqual(ids(back), new Set(path.map((node) => Json.textOf(node!["id"]))))
    }))

  it.effect("shows a run that failed with the error that it left, and who hears that", () =>
    Effect.gen(function*() {
      const { http, source, subscribe, until } = yield* setup
      const [first, second] = [yield* source("one"), yield* source("two")]
      yield* subscribe(first.id, second.id)
      // What a source's glob would bring back to itself is none of its journey.
      yield* subscribe("dc_*", first.id, { order: { $exist: true } })
      yield* http.request("POST", Http.endpointOf(first), { body: { fail: 0, order: 1 } })
      yield* http.request("POST", Http.endpointOf(second), { body: { fail: true } })
      const [event] = yield* http.summaries(`/v1/sources/${first.id}/events`, 1)
      const journey = yield* until(event, (found) => nodesOf(found, "run").length > 1)
      assert.isTrue(Json.listOf(journey["edges"]).some((edge) => JSON.stringify(edge["reason"]) === "\"own_event\""))
      const [error] = yield* http.summaries(`/v1/sources/${second.id}/$errors/event_summaries`, 1)
      const failed = yield* until(error, (found) => nodesOf(found, "run").length > 0)
      Json.assertHolds(nodesOf(failed, "run")[0], { listener_id: second.id, state: "failed", logs: 1 })
      Json.assertHolds(nodesOf(failed, "request")[0], { kind: "http" })
    }))

  it.effect("shows a request that a workflow sends as the workflow's own and no webhook's", () =>
    Effect.gen(function*() {
      const { http, source, subscribe, until } = yield* setup
      const sink = yield* WebhookSink.make()
      const first = yield* source("first")
      const workflow = yield* http.created("/v1/workflows", {
        workflow_code: `export default { steps: {
          ask: { run({ $, steps }) { $.send.http({ method: "PUT", url: "${sink.url}", data: steps.trigger.event }) } } } }`
      })
      yield* subscribe(first.id, workflow.id)
      yield* http.request("POST", Http.endpointOf(first), { body: { order: 1 } })
      const [event] = yield* http.summaries(`/v1/sources/${first.id}/events`, 1)
      const journey = yield* until(
        event,
        (found) => nodesOf(found, "delivery").some(({ state }) => Json.textOf(state) === "delivered")
      )
      Json.assertHolds(nodesOf(journey, "delivery")[0], { webhook_id: null, webhook_name: null, attempts: 1 })
    }))

  it.effect("is bounded where an event comes to very much, and has an emitter named where several have such an event", () =>
    Effect.gen(function*() {
      const { http, source, subscribe, until } = yield* setup
      const many = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("for (let i = 0; i < 400; i++) this.$emit({ i })")
      })
      const first = yield* source("first")
      yield* subscribe(first.id, many.id)
      yield* http.request("POST", Http.endpointOf(first), { body: { order: 1 } })
      const [event] = yield* http.summaries(`/v1/sources/${first.id}/events`, 1)
      const journey = yield* until(event, (found) => String(found["truncated"]) === "true")
      assert.strictEqual(Json.listOf(journey["nodes"]).length, 200)
      const other = yield* Http.tenant()
      const id = Json.textOf(event!["id"])
      Http.assertProblem(yield* other.request("GET", `/v1/events/${id}/journey`), 404, "not_found")
      Http.assertProblem(yield* other.request("GET", `/v1/events/${id}/journey?emitter=${first.id}`), 404, "not_found")
      assert.strictEqual((yield* http.request("GET", `/v1/events/${id}/journey`)).status, 200)
      assert.strictEqual((yield* http.request("GET", "/v1/events/x/journey")).status, 404)
    }))
})
