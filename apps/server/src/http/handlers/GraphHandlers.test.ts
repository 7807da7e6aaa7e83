import { assert, layer } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Figures } from "@headwater/log/commit/Figures"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { Clock, Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("the graph", (it) => {
  it.effect("has every emitter and listener with how it is, and who listens to whom, in pages", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const [sink, dead] = [yield* WebhookSink.make(), yield* WebhookSink.make(() => ({ status: 500 }))]
      const code = Http.httpCode("if (event.body.fail) throw new Error('no'); this.$emit(event.body)")
      const good = yield* http.created("/v1/sources", { component_code: code, name: "good" })
      const bad = yield* http.created("/v1/sources", { component_code: code, name: "bad" })
      const workflow = yield* http.created("/v1/workflows", { workflow_code: Http.workflowCode })
      const ok = yield* http.created("/v1/webhooks", { url: sink.url, name: "shop" })
      const failing = yield* http.created("/v1/webhooks", { url: dead.url })
      const paused = yield* http.created("/v1/webhooks", { url: sink.url })
      const subscribe = (emitter: string, listener: string, filter?: unknown) =>
        http.created("/v1/subscriptions", { emitter_id: emitter, listener_id: listener, ...(filter ? { filter } : {}) })
      const glob = yield* subscribe("dc_*", failing.id)
      const literal = yield* subscribe(good.id, ok.id, { n: 1 })
      const waiting = yield* subscribe(good.id, paused.id)
      const consumer = yield* http.created("/v1/consumers", { emitter_id: good.id, start: "beginning" })
      const old = yield* http.created("/v1/sources", { component_code: code, name: "old" })
      const late = yield* http.created("/v1/consumers", { emitter_id: old.id, start: "beginning" })
      const id = EventId.firstAt((yield* Clock.currentTimeMillis) - 6_000)
      const event = { emitterId: old.id, stream: "", id, n: 1, emitId: "old", hops: 0, meta: {}, payload: "1" }
      yield* (yield* EventLog).append([event])
      yield* (yield* Heads).move([{ emitterId: old.id, to: { lastId: id, streams: { "": 1 } }, used: undefined }])
      yield* http.request("POST", `/v1/webhooks/${paused.id}/pause`, { body: {} })
      yield* http.request("POST", Http.endpointOf(good), { body: { n: 1 } })
      yield* http.request("POST", Http.endpointOf(bad), { body: { fail: true } })
      yield* http.summaries(`/v1/webhooks/${ok.id}/deliveries?state=delivered`, 1)
      yield* http.summaries(`/v1/webhooks/${failing.id}/deliveries?state=pending`, 1)
      yield* http.summaries(`/v1/sources/${bad.id}/$errors/event_summaries`, 1)
      yield* (yield* Figures).write
      const get = (query = "") => Effect.map(http.request("GET", `/v1/graph?${query}`), ({ json }) => json["data"]!)
      const graph = yield* get()
      const nodes = Json.listOf(graph["nodes"])
      const ids = nodes.map(({ id }) => Json.textOf(id))
      assert.deepStrictEqual(
        ids,
        [good, bad, workflow, ok, failing, paused, consumer, old, late].map(({ id }) => id).concat(http.accountId)
          .toSorted()
      )
      const node = (id: string) => nodes[ids.indexOf(id)]
      Json.assertHolds(node(good.id), { type: "source", name: "good", state: "ok", failed: 0, pending: 0 })
      assert.isAbove(Number(node(good.id)!["emitted"]), 0)
      Json.assertHolds(node(bad.id), { state: "failing" })
      Json.assertHolds(node(workflow.id), { type: "workflow", state: "ok", done: 0 })
      Json.assertHolds(node(ok.id), { type: "webhook", name: "shop", state: "ok", waiting: 0 })
      Json.assertHolds(node(failing.id), { state: "failing", pending: 1 })
      Json.assertHolds(node(paused.id), { state: "paused", active: false, waiting: 1 })
      Json.assertHolds(node(consumer.id), { type: "consumer", state: "ok", waiting: 1 })
      Json.assertHolds(node(late.id), { type: "consumer", state: "waiting", waiting: 1 })
      Json.assertHolds(node(http.accountId), { type: "account" })
      const edge = (id: string) => Json.listOf(graph["edges"]).find((one) => Json.textOf(one["subscription_id"]) === id)
      Json.assertHolds(edge(glob.id), {
        emitter_id: "dc_*",
        is_glob: true,
        listener_id: failing.id,
        is_filtered: false
      })
      Json.assertHolds(edge(literal.id), { emitter_id: good.id, is_glob: false, is_filtered: true })
      Json.assertHolds(edge(waiting.id), { waiting: 1 })
      assert.strictEqual(Json.listOf(graph["edges"]).length, 5)

      const paged: Array<Json.Json> = []
      const edges: Array<Json.Json> = []
      let page = yield* get("limit=3")
      while (true) {
        paged.push(...Json.listOf(page["nodes"]))
        edges.push(...Json.listOf(page["edges"]))
        if (String(page["has_more"]) !== "true") break
        page = yield* get(`limit=3&after=${Json.textOf(page["end_cursor"])}`)
      }
      assert.deepStrictEqual(paged.map(({ id }) => Json.textOf(id)), ids)
      assert.strictEqual(edges.length, 5)

      const alone = yield* get(`node=${failing.id}`)
      const ofAlone = Json.listOf(alone["nodes"])
      // A rate falls with each second of the minutes that it is of.
      const { done: _done, failed: _failed, ...steady } = node(failing.id)!
      assert.strictEqual(ofAlone.length, 1)
      Json.assertHolds(ofAlone[0], steady)
      assert.deepStrictEqual(Json.listOf(alone["edges"]), [edge(glob.id)])

      const { expanded } = yield* get(`expand=${glob.id}`)
      Json.assertHolds(expanded, { subscription_id: glob.id, is_cut: false })
      const heard = Json.listOf(expanded!["emitters"])
      assert.deepStrictEqual(heard.map((one) => Json.textOf(one["emitter_id"])), [good.id, bad.id, old.id].toSorted())
      Json.assertHolds(heard.find((one) => Json.textOf(one["emitter_id"]) === good.id), { pending: 1, waiting: 0 })
      const other = yield* Http.tenant()
      Http.assertProblem(yield* other.request("GET", `/v1/graph?expand=${glob.id}`), 404, "not_found")
      Http.assertProblem(yield* other.request("GET", `/v1/graph?node=${good.id}`), 404, "not_found")
      const foreign = (yield* other.request("GET", "/v1/graph")).json["data"]!
      assert.deepStrictEqual(Json.listOf(foreign["nodes"]).map(({ id }) => Json.textOf(id)), [other.accountId])
    }))
})
