import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("pending deliveries", (it) => {
  it.effect("are counted by when their retries are due", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const dead = yield* WebhookSink.make(() => ({ status: 500 }))
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const webhook = yield* http.created("/v1/webhooks", { url: dead.url, retry_schedule: [100] })
      const slow = yield* http.created("/v1/webhooks", { url: dead.url, retry_schedule: [3_600] })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: webhook.id })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: slow.id })
      for (const n of [1, 2, 3]) yield* http.request("POST", Http.endpointOf(source), { body: { n } })
      yield* http.summaries("/v1/deliveries?state=pending", 6)
      const get = (query: string, tenant = http) =>
        Effect.map(tenant.request("GET", `/v1/deliveries/due?${query}`), ({ json }) => json["data"]!)
      const due = (data: Json.Json, id: string) =>
        Json.listOf(data["webhooks"]).filter((one) => Json.textOf(one["webhook_id"]) === id)
          .map(({ due, later }) => [Json.listOf(due).map(Number), Number(later)])
      // A retry comes within a tenth of its time, earlier or later.
      const minutes = yield* get("steps=3")
      const [[counts, later]] = due(minutes, webhook.id) as [[Array<number>, number]]
      assert.deepStrictEqual([counts.length, counts[0], counts[1]! + counts[2]!, later], [3, 0, 3, 0])
      assert.deepStrictEqual(due(minutes, slow.id), [[[0, 0, 0], 3]])
      assert.deepStrictEqual(due(yield* get("step=7200000&steps=1"), slow.id), [[[3], 0]])
      yield* http.request("POST", `/v1/webhooks/${webhook.id}/pause`, { body: {} })
      assert.deepStrictEqual(due(yield* get("step=7200000&steps=1"), webhook.id), [[[3], 0]])
      assert.deepStrictEqual(Json.listOf((yield* get("", yield* Http.tenant()))["webhooks"]), [])
      for (const query of ["step=1", "steps=501", "step=x"]) {
        Http.assertProblem(yield* http.request("GET", `/v1/deliveries/due?${query}`), 400, "invalid_request")
      }
    }))
})
