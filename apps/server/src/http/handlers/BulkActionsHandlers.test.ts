import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Accounting } from "@headwater/log/work/Accounting"
import { Effect, Schedule } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const until = <A, R>(read: Effect.Effect<A, never, R>, isSo: (found: A) => boolean) =>
  read.pipe(
    Effect.repeat({ until: isSo, schedule: Schedule.spaced("10 millis") }),
    Effect.timeout("60 seconds")
  )

const ended = (http: Http.Tenant, answer: Http.Answer) =>
  until(
    Effect.map(http.request("GET", `/v1/bulk_actions/${Json.textOf(answer.json["data"]!["id"])}`), ({ json }) =>
      json["data"]!),
    ({ ended_at_ms }) =>
      ended_at_ms !== null
  )

const post = (http: Http.Tenant, body: unknown, path = "/v1/bulk_actions") =>
  Effect.tap(
    http.request("POST", path, { body }),
    ({ status, text }) => Effect.sync(() => assert.strictEqual(status, 202, text))
  )

layer(Http.layer, { excludeTestServices: true })("bulk actions", (it) => {
  it.effect("send again what failed at any webhook, replay a log, and tell how far they have come", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const sinks = yield* Effect.forEach(
        [1, 2],
        () => WebhookSink.make((count) => ({ status: count < 3 ? 500 : 200 }))
      )
      const webhooks = yield* Effect.forEach(sinks, ({ url }) => http.created("/v1/webhooks", { url }))
      for (const { id } of webhooks) {
        yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: id })
      }
      for (const n of [1, 2, 3]) yield* http.request("POST", Http.endpointOf(source), { body: n })
      const list = http.request("GET", "/v1/deliveries?state=pending&limit=100")
      yield* until(list, ({ json }) => Json.listOf(json["data"]).length === 6)

      const filter = { state: "pending", emitter_id: Json.textOf(source["name_slug"]) }
      const dry = yield* ended(http, yield* post(http, { action: "retry", filter, dry_run: true }))
      Json.assertHolds(dry, { state: "done", dry_run: true, matched: 6, done: 0, left: 6 })
      assert.deepStrictEqual<unknown>(dry["filter"], { state: "pending", emitter_id: source.id })
      const last_attempt_since = Number(dry["created_at_ms"]) + 3_600_000
      for (const action of ["retry", "replay"]) {
        const none = yield* ended(http, yield* post(http, { action, filter: { last_attempt_since }, dry_run: true }))
        Json.assertHolds(none, { matched: 0, filter: { last_attempt_since } })
      }
      const cancelled = yield* ended(
        http,
        yield* post(http, { action: "cancel", filter: { webhook_id: webhooks[0]!.id } })
      )
      Json.assertHolds(cancelled, { matched: 3, done: 3, left: 0 })
      const retried = yield* ended(http, yield* post(http, { action: "retry", filter: {}, rate_limit: 1_000 }))
      Json.assertHolds(retried, { state: "done", matched: 6, done: 6, failed: 0, skipped: 0, left: 0, place_ms: null })
      assert.deepStrictEqual<unknown>(retried["webhooks"], { total: 2, ended: 2 })
      for (const sink of sinks) assert.deepStrictEqual(sink.received.slice(3).map(({ body }) => body), ["1", "2", "3"])

      const replay = `/v1/webhooks/${webhooks[0]!.id}/replay`
      const [, second] = (yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 3)).toReversed()
      const from = Json.textOf(second!["id"])
      const replayed = yield* ended(http, yield* post(http, { emitter_id: source.id, from }, replay))
      Json.assertHolds(replayed, { action: "replay", matched: 2, done: 2 })
      assert.deepStrictEqual(sinks[0]!.received.slice(6).map(({ body }) => body), ["2", "3"])
      const ids = sinks[0]!.received.map(({ headers }) => headers["webhook-id"])
      assert.deepStrictEqual(ids.slice(6), ids.slice(1, 3))
      const span = yield* ended(http, yield* post(http, { since: 0 }, replay))
      Json.assertHolds(span, { matched: 3, done: 3 })
      assert.deepStrictEqual(yield* Effect.flatMap(Accounting, ({ imbalances }) => imbalances), [])

      const all = yield* http.request("GET", "/v1/bulk_actions?limit=3")
      Json.assertHolds(all.json["page_info"], { count: 3, has_more: true })
      const shown = Json.listOf(all.json["data"]).map(({ id }) => Json.textOf(id))
      assert.deepStrictEqual(shown, [span, replayed, retried].map(({ id }) => Json.textOf(id)))
      for (const action of ["pause", "cancel"]) {
        const refused = yield* http.request("POST", `/v1/bulk_actions/${shown[0]}/${action}`)
        Http.assertProblem(refused, 409, "bulk_action_ended")
      }
    }))

  it.effect("are paused, slowed down, resumed and cancelled, and hold up nothing that is new", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const webhook = yield* http.created("/v1/webhooks", { url: sink.url })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: webhook.id })
      const emit = (body: unknown) => http.request("POST", Http.endpointOf(source), { body })
      const received = Effect.sync(() => sink.received.map(({ body }) => body))
      for (let n = 0; n < 20; n++) yield* emit(n)
      yield* until(received, ({ length }) => length === 20)
      const begun = yield* post(http, { since: 0, rate_limit: 1 }, `/v1/webhooks/${webhook.id}/replay`)
      const path = `/v1/bulk_actions/${Json.textOf(begun.json["data"]!["id"])}`
      yield* until(received, ({ length }) => length > 20)
      yield* emit("new")
      assert.include(yield* until(received, ({ length }) => length > 21), "\"new\"")
      Json.assertHolds((yield* http.request("POST", `${path}/pause`)).json["data"], { state: "paused" })
      const slow = yield* http.request("GET", path)
      // What is found is a page at a time, of a slow one a small page.
      Json.assertHolds(slow.json["data"], { matched: 10, failed: 0, ended_at_ms: null })
      assert.isAbove(Number(slow.json["data"]!["left"]), 5)
      Json.assertHolds((yield* http.request("PUT", path, { body: { rate_limit: 30 } })).json["data"], {
        rate_limit: 30
      })
      Json.assertHolds((yield* http.request("POST", `${path}/resume`)).json["data"], { state: "running" })
      yield* until(received, ({ length }) => length > 34)
      Json.assertHolds((yield* http.request("POST", `${path}/cancel`)).json["data"], { state: "cancelled" })
      const over = yield* ended(http, begun)
      const counted = Number(over["done"]) + Number(over["left"])
      assert.deepStrictEqual<unknown>([counted, over["failed"], over["state"]], [over["matched"], 0, "cancelled"])
      Http.assertProblem(yield* http.request("POST", `${path}/resume`), 409, "bulk_action_ended")
    }))

  it.effect("say what is wrong with them, and are not begun without end", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const webhook = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      const wrong = (body: unknown, path = "/v1/bulk_actions") =>
        Effect.map(http.request("POST", path, { body }), (answer) => {
          Http.assertProblem(answer, 400, "invalid_request")
          return Http.issuePaths(answer)
        })
      assert.deepStrictEqual(yield* wrong({ action: "retry", filter: { from: "1-1" } }), ["filter.emitter_id"])
      assert.deepStrictEqual(yield* wrong({ action: "skip", filter: { state: "delivered" } }), ["filter.state"])
      assert.deepStrictEqual(yield* wrong({ action: "retry", filter: { run_status: "error" } }), ["filter.run_status"])
      assert.deepStrictEqual(yield* wrong({ action: "rerun", filter: { state: "pending" } }), ["filter.state"])
      assert.deepStrictEqual(yield* wrong({ action: "rerun", filter: { run_status: "waiting" } }), [
        "filter.run_status"
      ])
      assert.deepStrictEqual(yield* wrong({ action: "retry", filter: {}, rerun: { from: "start" } }), ["rerun"])
      assert.deepStrictEqual(yield* wrong({ action: "retry", filter: {}, rate_limit: 0 }), ["rate_limit"])
      assert.deepStrictEqual(yield* wrong({ from: "1-1" }, `/v1/webhooks/${webhook.id}/replay`), ["emitter_id"])
      const foreign = yield* stranger.request("POST", "/v1/bulk_actions", {
        body: { action: "retry", filter: { webhook_id: webhook.id } }
      })
      Http.assertProblem(foreign, 404, "not_found")
    }))

  it.effect("hold a place while they are at work, and none while they count or wait for who paused the webhook", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const webhook = yield* http.created("/v1/webhooks", { url: sink.url })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: webhook.id })
      for (let n = 0; n < 60; n++) yield* http.request("POST", Http.endpointOf(source), { body: n })
      yield* until(Effect.sync(() => sink.received), ({ length }) => length === 60)
      const replay = http.request("POST", `/v1/webhooks/${webhook.id}/replay`, { body: { since: 0, rate_limit: 1 } })
      for (let n = 0; n < 20; n++) assert.strictEqual((yield* replay).status, 202)
      Http.assertProblem(yield* replay, 409, "bulk_actions_full")
      const count = { action: "retry", filter: {}, dry_run: true }
      assert.strictEqual((yield* http.request("POST", "/v1/bulk_actions", { body: count })).status, 202)
      yield* http.request("POST", `/v1/webhooks/${webhook.id}/pause`)
      const waits = yield* replay
      assert.strictEqual(waits.status, 202)
      assert.deepStrictEqual<unknown>(waits.json["data"]!["waits_at"], [webhook.id])
      // What was to be done at a webhook ends with it.
      yield* http.request("DELETE", `/v1/webhooks/${webhook.id}`)
      const { json } = yield* http.request("GET", "/v1/bulk_actions?limit=100")
      for (const { state } of Json.listOf(json["data"])) assert.strictEqual<unknown>(state, "done")
    }))
})
