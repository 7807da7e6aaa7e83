import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

/** Tells on its deploy, and of each request. */
const telling = Http.httpCode(
  "this.$emit(event.body)",
  "hooks: { async deploy() { this.$emit(\"deployed\") } },"
)
const listening = "export default { props: { db: \"$.service.db\" }, run(event) { this.$emit({ heard: event }) } }"

layer(Http.layer, { excludeTestServices: true })("auto-subscriptions", (it) => {
  it.effect("are made once from the query or a body, listed newest first, and removed by id", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const { id: source } = yield* http.created("/v1/sources", { component_code: Http.code("feed"), name: "s" })
      const { id: webhook } = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      const first = yield* http.request("POST", `/v1/auto_subscriptions?listener_id=${webhook}&event_name=default`)
      assert.strictEqual(first.status, 200)
      const { data: made } = first.json
      assert.hasAllKeys(made, ["id", "listener_id", "event_name", "created_at"])
      Json.assertHolds(made, { listener_id: webhook, event_name: "default" })
      assert.match(Json.textOf(made!["id"]), /^as_/)
      const again = yield* http.created("/v1/auto_subscriptions/", { listener_id: webhook, event_name: "" })
      assert.deepStrictEqual<unknown>(again, made)
      const bySlug = yield* http.created("/v1/auto_subscriptions", { listener_id: "s", event_name: "$errors" })
      Json.assertHolds(bySlug, { listener_id: source, event_name: "$errors" })
      const unnamed = yield* http.created("/v1/auto_subscriptions?listener_id=nobody", { listener_id: "s" })
      Json.assertHolds(unnamed, { listener_id: source, event_name: "" })
      const list = yield* http.request("GET", "/v1/users/me/auto_subscriptions?limit=2")
      assert.deepStrictEqual<unknown>(list.json["data"], [unnamed, bySlug])
      Json.assertHolds(list.json["page_info"], { total_count: 3, count: 2 })
      Http.assertProblem(yield* stranger.request("DELETE", `/v1/auto_subscriptions/${bySlug.id}`), 404, "not_found")
      const removed = yield* http.request("DELETE", `/v1/auto_subscriptions/${bySlug.id}`)
      assert.deepStrictEqual([removed.status, removed.text], [204, ""])
      Http.assertProblem(yield* http.request("DELETE", `/v1/auto_subscriptions/${bySlug.id}`), 404, "not_found")
      const { json: { data: left } } = yield* http.request("GET", "/v1/users/me/auto_subscriptions")
      assert.deepStrictEqual<unknown>(left, [unnamed, made])
    }))

  it.effect("need a listener that the account has", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const { id: foreignSource } = yield* stranger.created("/v1/sources", { component_code: Http.code("feed") })
      const { id: foreignWebhook } = yield* stranger.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      for (const listener of [foreignSource, foreignWebhook, "wh_unknown", "p_unknown", "dc_*", http.accountId]) {
        const answer = yield* http.request("POST", `/v1/auto_subscriptions?listener_id=${listener}`)
        Http.assertProblem(answer, 404, "not_found")
      }
      for (const query of ["", "?listener_id=", "?event_name=default"]) {
        const answer = yield* http.request("POST", `/v1/auto_subscriptions${query}`)
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(answer), ["listener_id"])
      }
      const internal = yield* http.request("POST", `/v1/auto_subscriptions?listener_id=x&event_name=$requests`)
      Http.assertProblem(internal, 400, "invalid_request")
    }))

  it.effect("subscribe the listener to what is created afterwards, from what its deploy emits on", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const early = yield* http.created("/v1/sources", { component_code: telling, name: "early" })
      const listener = yield* http.created("/v1/sources", { component_code: listening, name: "listener" })
      const auto = yield* http.created("/v1/auto_subscriptions", { listener_id: "listener" })
      const late = yield* http.created("/v1/sources", { component_code: telling, name: "late" })
      yield* http.request("POST", Http.endpointOf(early), { body: "from the early one" })
      yield* http.request("DELETE", `/v1/auto_subscriptions/${auto.id}`)
      yield* http.created("/v1/sources", { component_code: telling, name: "later" })
      yield* http.request("POST", Http.endpointOf(late), { body: "from the late one" })
      const heard = yield* http.summaries("/v1/sources/listener/event_summaries", 2)
      assert.deepStrictEqual<unknown>(heard.map((summary) => summary["event"]!["raw_event"]).toReversed(), [
        { heard: "deployed" },
        { heard: "from the late one" }
      ])
      const { json: { data: subscriptions } } = yield* http.request("GET", "/v1/users/me/subscriptions")
      assert.deepStrictEqual<unknown>(
        Json.listOf(subscriptions).map(({ emitter_id, event_name, listener_id }) => [
          emitter_id,
          listener_id,
          event_name
        ]),
        [[late["id"], listener["id"], ""]]
      )
    }))

  it.effect("leave nothing of a source whose creation fails, and go with their listener", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sql = yield* SqlClient.SqlClient
      const { id: webhook } = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      yield* http.created("/v1/sources", { component_code: listening, name: "listener" })
      yield* http.created("/v1/auto_subscriptions", { listener_id: webhook })
      yield* http.created("/v1/auto_subscriptions", { listener_id: "listener" })
      const failing = "export default { hooks: { async deploy() { throw new Error(\"no\") } }, run() {} }"
      const answer = yield* http.request("POST", "/v1/sources", { body: { component_code: failing } })
      Http.assertProblem(answer, 422, "hook_failed")
      const subscriptions = sql`SELECT FROM subscriptions WHERE account_id = ${http.accountId}`
      assert.lengthOf(yield* subscriptions, 0)
      yield* http.request("DELETE", `/v1/webhooks/${webhook}`)
      const { json: { data: left } } = yield* http.request("GET", "/v1/users/me/auto_subscriptions")
      assert.lengthOf(Json.listOf(left), 1)
      yield* http.request("DELETE", "/v1/sources/listener")
      const { json } = yield* http.request("GET", "/v1/users/me/auto_subscriptions")
      assert.deepStrictEqual<unknown>(json, {
        page_info: { total_count: 0, count: 0, start_cursor: "", end_cursor: "" },
        data: []
      })
      yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      assert.lengthOf(yield* subscriptions, 0)
    }))

  it.effect("affect a source by whether it was there first, however many are created at once", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { id: webhook } = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      const { id: component_id } = yield* http.created("/v1/components", { component_code: Http.code("feed") })
      const answered: Array<string> = []
      const later: Array<string> = []
      let existing: ReadonlyArray<string> = []
      let isMade = false
      let named = 0
      const createSome = Effect.gen(function*() {
        while (later.length < 12) {
          const ids = isMade ? later : answered
          // Each by a name of its own: none waits for others to choose their slugs.
          ids.push((yield* http.created("/v1/sources", { component_id, name: `feed ${++named}` })).id)
        }
      })
      const createMany = Effect.all(Array.from({ length: 6 }, () => createSome), { concurrency: "unbounded" })
      const createAuto = Effect.gen(function*() {
        while (answered.length < 8) yield* Effect.sleep("2 millis")
        existing = [...answered]
        yield* http.created("/v1/auto_subscriptions", { listener_id: webhook })
        isMade = true
      })
      yield* Effect.all([createMany, createAuto], { concurrency: "unbounded" })
      const { json: { data } } = yield* http.request("GET", "/v1/users/me/subscriptions")
      const subscribed = Json.listOf(data).map(({ emitter_id }) => Json.textOf(emitter_id))
      assert.isNotEmpty(later)
      assert.includeMembers(subscribed, later)
      for (const id of existing) assert.notInclude(subscribed, id)
    }))
})
