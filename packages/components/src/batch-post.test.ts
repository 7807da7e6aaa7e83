import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect } from "effect"
import * as Http from "../../../apps/server/test/HttpAppFixture.ts"
import { codeOf } from "../test/ComponentCode.ts"
import * as Endpoint from "../test/Endpoint.ts"

layer(Endpoint.layer, { excludeTestServices: true })("events", (it) => {
  it.effect("are posted together, in order, as the service wants them, again where that is not taken at first", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const table = yield* WebhookSink.make((count) => ({ status: count === 0 ? 500 : 201 }))
      const source = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("for (let n = 0; n < 5; n++) this.$emit({ n })")
      })
      for (const props of [{ wrap: "value", field: "records" }, { format: "ndjson" }]) {
        const sink = yield* http.created("/v1/sources", {
          component_code: yield* codeOf("batch-post"),
          configured_props: { url: table.url, ...props }
        })
        yield* http.created("/v1/subscriptions", {
          emitter_id: source.id,
          listener_id: sink.id,
          batch: { max_events: 5, max_wait_ms: 60_000 }
        })
        yield* http.request("POST", Http.endpointOf(source), { body: {} })
        const [said] = yield* http.summaries(`/v1/sources/${sink.id}/event_summaries?expand=event`, 1)
        Json.assertHolds(said!["event"]!["raw_event"], { events: 5, status: 201 })
        yield* http.request(
          "DELETE",
          `/v1/subscriptions?emitter_id=${source.id}&listener_id=${sink.id}&event_name=`
        )
      }
      const numbers = [0, 1, 2, 3, 4]
      const records = JSON.stringify({ records: numbers.map((n) => ({ value: { n } })) })
      const lines = numbers.map((n) => `{"n":${n}}\n`).join("")
      assert.deepStrictEqual(table.received.map(({ body }) => body), [records, records, lines])
      assert.strictEqual(table.received[2]!.headers["content-type"], "application/x-ndjson")
    }))
})
