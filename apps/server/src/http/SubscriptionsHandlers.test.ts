import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/testing/Json"
import { Effect } from "effect"
import * as Http from "../../test/HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("subscriptions", (it) => {
  it.effect("are made once from the query or a body, listed, and removed by their parameters", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { id: source } = yield* http.created("/v1/sources", { component_code: Http.code("feed"), name: "s" })
      const { id: webhook } = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      const first = yield* http.request(
        "POST",
        `/v1/subscriptions?emitter_id=s&listener_id=${webhook}&event_name=default`
      )
      assert.strictEqual(first.status, 200)
      assert.hasAllKeys(first.json["data"], ["id", "emitter_id", "listener_id", "event_name"])
      Json.assertHolds(first.json["data"], {
        emitter_id: source,
        listener_id: webhook,
        event_name: "default"
      })
      assert.match(Json.textOf(first.json["data"]!["id"]), /^sub_/)
      const again = yield* Effect.all(
        Array.from(
          { length: 4 },
          () => http.created("/v1/subscriptions", { emitter_id: source, listener_id: webhook, event_name: "" })
        ),
        { concurrency: "unbounded" }
      )
      for (const same of again) assert.deepStrictEqual<unknown>(same, first.json["data"])
      const glob = yield* http.created("/v1/subscriptions/", {
        emitter_id: "dc_*",
        listener_id: "s",
        event_name: "$errors"
      })
      Json.assertHolds(glob, { emitter_id: "dc_*", listener_id: source, event_name: "$errors" })
      const list = yield* http.request("GET", "/v1/users/me/subscriptions/")
      assert.sameDeepMembers(Json.listOf(list.json["data"]), [glob, first.json["data"]!])
      assert.hasAllKeys(list.json, ["data"])
      const removed = yield* http.request("DELETE", `/v1/subscriptions?emitter_id=s&listener_id=${webhook}&event_name=`)
      assert.deepStrictEqual([removed.status, removed.text], [204, ""])
      const byBody = yield* http.request("DELETE", "/v1/subscriptions", {
        body: { emitter_id: "dc_*", listener_id: source, event_name: "$errors" }
      })
      assert.strictEqual(byBody.status, 204)
      assert.deepStrictEqual<unknown>((yield* http.request("GET", "/v1/users/me/subscriptions")).json, { data: [] })
    }))

  it.effect("of parties that the account does not have are 404, as is the removal of one that is not there", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const { id: source } = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const { id: webhook } = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      const { id: foreignSource } = yield* stranger.created("/v1/sources", { component_code: Http.code("feed") })
      const { id: foreignWebhook } = yield* stranger.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      const unknown = [
        [foreignSource, webhook],
        ["dc_unknown", webhook],
        ["p_unknown", webhook],
        [webhook, source],
        [stranger.accountId, source],
        [source, foreignWebhook],
        [source, foreignSource],
        [source, "wh_unknown"],
        [source, "dc_*"],
        ["dc_*", "wh_unknown"],
        [source, http.accountId]
      ] as const
      for (const [emitter_id, listener_id] of unknown) {
        const answer = yield* http.request("POST", "/v1/subscriptions", { body: { emitter_id, listener_id } })
        Http.assertProblem(answer, 404, "not_found")
      }
      const foreign = yield* stranger.created("/v1/subscriptions", {
        emitter_id: foreignSource,
        listener_id: foreignWebhook
      })
      for (const [emitterId, listenerId] of [[source, webhook], [foreignSource, foreignWebhook]]) {
        const answer = yield* http.request(
          "DELETE",
          `/v1/subscriptions?emitter_id=${emitterId}&listener_id=${listenerId}&event_name=`
        )
        Http.assertProblem(answer, 404, "not_found")
      }
      assert.deepStrictEqual<unknown>((yield* stranger.request("GET", "/v1/users/me/subscriptions")).json, {
        data: [foreign]
      })
    }))

  it.effect("bring events of existing and later emitters to a listening source, its own left out", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const listening =
        "export default { props: { db: \"$.service.db\" }, run(event) { this.$emit({ heard: event }) } }"
      const emitting = Http.httpCode("this.$emit(event.body)")
      const early = yield* http.created("/v1/sources", { component_code: emitting, name: "early" })
      yield* http.request("POST", Http.endpointOf(early), { body: "before" })
      yield* http.summaries("/v1/sources/early/event_summaries", 1)
      yield* http.created("/v1/sources", { component_code: listening, name: "listener" })
      yield* http.created("/v1/subscriptions", { emitter_id: "dc_*", listener_id: "listener" })
      const late = yield* http.created("/v1/sources", { component_code: emitting, name: "late" })
      yield* http.request("POST", Http.endpointOf(early), { body: 1 })
      yield* http.request("POST", Http.endpointOf(early), { body: 2 })
      yield* http.summaries("/v1/sources/listener/event_summaries", 2)
      yield* http.request("POST", Http.endpointOf(late), { body: 3 })
      const heard = yield* http.summaries("/v1/sources/listener/event_summaries", 3)
      assert.deepStrictEqual<unknown>(heard.map((summary) => summary["event"]!["raw_event"]).toReversed(), [
        { heard: 1 },
        { heard: 2 },
        { heard: 3 }
      ])
    }))
})
