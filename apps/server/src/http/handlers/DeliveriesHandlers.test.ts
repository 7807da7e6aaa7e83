import { assert, layer } from "@effect/vitest"
import { ErrorClass } from "@headwater/domain/ErrorClass"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import { Webhook } from "standardwebhooks"
import * as Http from "../../../test/HttpAppFixture.ts"

const idsOf = (answer: Http.Answer) => Json.listOf(answer.json["data"]).map(({ id }) => Json.textOf(id))

/** Waits until a list of deliveries has so many. */
const listed = (http: Http.Tenant, path: string, count: number) =>
  http.request("GET", path).pipe(
    Effect.repeat({ until: (answer) => idsOf(answer).length >= count, schedule: Schedule.spaced("10 millis") }),
    Effect.timeout("60 seconds")
  )

layer(Http.layer, { excludeTestServices: true })("deliveries", (it) => {
  it.effect("tell why an event did not arrive, with what was sent and what came back", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const sink = yield* WebhookSink.make((count) =>
        count === 0
          ? { status: 500, headers: { "x-why": "no table" }, body: "out of täbles" }
          : { status: 200, body: "thanks" }
      )
      const { host } = new URL(sink.url)
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const webhook = yield* http.created("/v1/webhooks", { url: `http://ann:pAssw0rd@${host}/in` })
      const { id: subscription } = yield* http.created("/v1/subscriptions", {
        emitter_id: source.id,
        listener_id: webhook.id
      })
      for (const n of [1, 2]) {
        yield* http.request("POST", Http.endpointOf(source), { body: { order: `number ${n}` } })
        yield* listed(http, "/v1/deliveries", n)
      }
      const all = yield* listed(http, "/v1/deliveries", 2)
      const [arrived, failed] = Json.listOf(all.json["data"])
      Json.assertHolds(arrived, { state: "delivered", status: 200, error_class: null, next_attempt_at_ms: null })
      Json.assertHolds(failed, {
        state: "pending",
        status: 500,
        error_class: "status",
        attempt_count: 1,
        webhook_id: webhook.id,
        subscription_id: subscription,
        emitter_id: source.id,
        event_name: ""
      })
      assert.notProperty(all.json["page_info"], "total_count")
      Json.assertHolds(all.json["page_info"], { count: 2, has_more: false })

      const path = `/v1/deliveries/${Json.textOf(failed!["id"])}`
      const { json, text } = yield* http.request("GET", path)
      const details = json["data"]!
      const [attempt] = Json.listOf(details["attempts"])
      const [sent] = sink.received
      const { "content-length": _, connection: __, authorization, ...headers } = sent!.headers
      assert.match(authorization ?? "", /^Basic /)
      assert.deepStrictEqual<unknown>(attempt!["request"]!["headers"], { ...headers, authorization: "***" })
      for (const secret of ["pAssw0rd", authorization!.slice(6)]) assert.notInclude(text, secret)
      const { json: { data: secret } } = yield* http.request("GET", `/v1/webhooks/${webhook.id}/secret`)
      const event = yield* http.request("GET", Json.textOf(details["event"]!["path"]))
      const body = JSON.stringify(event.json["data"]!["event"]!["raw_event"])
      assert.deepStrictEqual(
        new Webhook(Json.textOf(secret!["secret"])).verify(body, headers),
        { order: "number 1" }
      )
      Json.assertHolds(attempt, {
        outcome: "failed",
        address: "127.0.0.1",
        error_class: "status",
        next_attempt_at_ms: failed!["next_attempt_at_ms"]
      })
      Json.assertHolds(attempt!["response"], { status: 500, body: "out of täbles", body_encoding: "utf8" })
      Json.assertHolds(attempt!["response"]!["headers"], { "x-why": "no table" })
      const timings = attempt!["timings"]!
      assert.hasAllKeys(timings, ["dns_ms", "connect_ms", "tls_ms", "first_byte_ms", "total_ms"])
      assert.isNull(timings["tls_ms"])
      for (const phase of ["dns_ms", "connect_ms", "first_byte_ms"]) assert.isAtLeast(Number(timings[phase]), 0, phase)
      Json.assertHolds(details["next_attempt"], { at_ms: failed!["next_attempt_at_ms"], reason: "schedule" })
      Http.assertProblem(yield* stranger.request("GET", path), 404, "not_found")

      yield* http.request("PUT", `/v1/webhooks/${webhook.id}`, { body: { active: false } })
      Json.assertHolds((yield* http.request("GET", path)).json["data"]!["next_attempt"], { reason: "inactive" })
      yield* http.request("DELETE", `/v1/subscriptions?emitter_id=${source.id}&listener_id=${webhook.id}`)
      Json.assertHolds((yield* http.request("GET", path)).json["data"], { state: "dropped", next_attempt: null })
    }))

  it.effect("are found by filters that combine, page by page, and never those of another account", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const good = yield* WebhookSink.make()
      const bad = yield* WebhookSink.make(() => ({ status: 404 }))
      const sources = yield* Effect.forEach([1, 2], () =>
        http.created("/v1/sources", {
          component_code: Http.httpCode("this.$emit(event.body); this.$emit(event.body, { name: \"copies\" })")
        }))
      const [to, toBad] = yield* Effect.forEach([good, bad], ({ url }) => http.created("/v1/webhooks", { url }))
      const subscribe = (emitter_id: string, listener_id: string, event_name = "") =>
        http.created("/v1/subscriptions", { emitter_id, listener_id, event_name })
      const subscription = yield* subscribe(sources[0]!.id, to!.id)
      yield* subscribe(sources[1]!.id, to!.id, "copies")
      yield* subscribe("dc_*", toBad!.id)
      for (const source of sources) {
        for (const order of ["first", "second"]) {
          yield* http.request("POST", Http.endpointOf(source), { body: { order, of: "100% müsli" } })
        }
      }
      const all = yield* listed(http, "/v1/deliveries?limit=100", 8)
      const items = Json.listOf(all.json["data"])
      assert.strictEqual(items.length, 8)
      assert.deepStrictEqual(idsOf(all), idsOf(all).toSorted().toReversed())
      const of = (keep: (item: Json.Json) => boolean) => items.filter(keep).map(({ id }) => Json.textOf(id))
      const is = (name: string, value: unknown) => (item: Json.Json) => Object.is(item[name], value)
      const since = Number(items[4]!["started_at_ms"])
      const tried = Number(items[3]!["last_attempt_at_ms"])
      const eventId = Json.textOf(items[3]!["event_id"])
      const cases: ReadonlyArray<readonly [string, (item: Json.Json) => boolean]> = [
        [`webhook_id=${to!.id}`, is("webhook_id", to!.id)],
        [`subscription_id=${subscription.id}`, is("subscription_id", subscription.id)],
        [`emitter_id=${sources[1]!.id}`, is("emitter_id", sources[1]!.id)],
        [`emitter_id=${Json.textOf(sources[1]!["name_slug"])}`, is("emitter_id", sources[1]!.id)],
        ["event_name=copies", is("event_name", "copies")],
        ["event_name=default", is("event_name", "")],
        ["state=delivered", is("state", "delivered")],
        ["state=pending", is("state", "pending")],
        ...ErrorClass.literals.map((kind) => [`error_class=${kind}`, is("error_class", kind)] as const),
        ["status=4xx", is("status", 404)],
        ["status=200", is("status", 200)],
        ["status=201", () => false],
        [`since=${since}`, (item) => Number(item["started_at_ms"]) >= since],
        [`until=${since}`, (item) => Number(item["started_at_ms"]) < since],
        [`last_attempt_since=${tried}`, (item) => Number(item["last_attempt_at_ms"]) >= tried],
        [`event_id=${eventId}`, is("event_id", eventId)],
        [`text=${encodeURIComponent("\"first\",\"of\":\"100% müsli\"")}`, (item) => item["text"] === undefined],
        ["text=nothing", () => false],
        [
          `status=4xx&emitter_id=${sources[0]!.id}`,
          (item) => is("status", 404)(item) && is("emitter_id", sources[0]!.id)(item)
        ],
        [`state=delivered&error_class=status`, () => false]
      ]
      for (const [query, keep] of cases) {
        const found = idsOf(yield* http.request("GET", `/v1/deliveries?limit=100&${query}`))
        if (query.startsWith("text=%22")) assert.strictEqual(found.length, 4, query)
        else assert.deepStrictEqual(found, of(keep), query)
        assert.deepStrictEqual(idsOf(yield* stranger.request("GET", `/v1/deliveries?${query}`)), [], query)
      }
      const ofWebhook = yield* http.request("GET", `/v1/webhooks/${toBad!.id}/deliveries?limit=100`)
      assert.deepStrictEqual(idsOf(ofWebhook), of(is("webhook_id", toBad!.id)))

      const walked: Array<string> = []
      for (let cursor = "", hasMore = true; hasMore;) {
        const page = yield* http.request("GET", `/v1/deliveries?limit=3${cursor === "" ? "" : `&after=${cursor}`}`)
        walked.push(...idsOf(page))
        cursor = Json.textOf(page.json["page_info"]!["end_cursor"])
        hasMore = Boolean(page.json["page_info"]!["has_more"])
      }
      assert.deepStrictEqual(walked, idsOf(all))
      for (
        const query of ["status=7xx", "status=20", "state=lost", "error_class=odd", "since=x", "text=", "event_id=1"]
      ) {
        Http.assertProblem(yield* http.request("GET", `/v1/deliveries?${query}`), 400, "invalid_request")
      }
    }))
})
