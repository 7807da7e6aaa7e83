import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect } from "effect"
import * as Http from "../../../apps/server/test/HttpAppFixture.ts"
import { codeOf } from "../test/ComponentCode.ts"
import * as Endpoint from "../test/Endpoint.ts"

layer(Endpoint.layer, { excludeTestServices: true })("alerts", (it) => {
  it.effect("are posted in words where a webhook goes out of service, again where that is not taken at first", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const chat = yield* WebhookSink.make((count) => ({ status: count === 0 ? 500 : 200 }))
      const gone = yield* WebhookSink.make(() => ({ status: 410 }))
      const alerts = yield* http.created("/v1/sources", {
        component_code: yield* codeOf("alerts"),
        configured_props: { url: chat.url, field: "content", fields: { to: "ops" }, types: ["webhook.disabled"] }
      })
      yield* http.created("/v1/subscriptions", {
        emitter_id: http.accountId,
        listener_id: alerts.id,
        event_name: "$webhooks"
      })
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const webhook = yield* http.created("/v1/webhooks", { url: gone.url })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: webhook.id })
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 1 } })
      const [said] = yield* http.summaries(`/v1/sources/${alerts.id}/event_summaries?expand=event`, 1)
      const text = `${gone.url} is switched off: it answered that it is gone.`
      Json.assertHolds(said!["event"]!["raw_event"], {
        type: "webhook.disabled",
        webhook_id: webhook.id,
        text,
        status: 200
      })
      assert.deepStrictEqual(chat.received.map(({ body }) => JSON.parse(body)), [
        { to: "ops", content: text },
        { to: "ops", content: text }
      ])
    }))
})
