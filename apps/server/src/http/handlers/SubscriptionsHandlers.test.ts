import { assert, layer } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import { EngineLimits } from "@headwater/engine/testing/EngineLimits"
import * as Json from "@headwater/fixtures/Json"
import { Accounting } from "@headwater/log/work/Accounting"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const limits = Layer.succeed(EngineLimits, { ...EngineLimits.defaultValue(), filterWork: 100_000 })

layer(Http.layer.pipe(Layer.provide(limits)), { excludeTestServices: true })("subscriptions", (it) => {
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

  it.effect("have batches that are checked, shown and changed, copied from auto-subscriptions, and told of in traces and lists", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const asked = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      for (const path of ["/v1/subscriptions", "/v1/auto_subscriptions"]) {
        for (const [name, value] of [["max_events", 0], ["max_wait_ms", 3_600_001], ["max_bytes", 1_023]] as const) {
          const body = { emitter_id: "dc_*", listener_id: asked.id, batch: { [name]: value } }
          const refused = yield* http.request("POST", path, { body })
          Http.assertProblem(refused, 400, "invalid_request")
          assert.deepStrictEqual<unknown>(Json.listOf(refused.json["details"]).map(({ path }) => path), [
            `batch.${name}`
          ])
        }
      }
      const auto = yield* http.created("/v1/auto_subscriptions", { listener_id: asked.id, batch: { max_wait_ms: 200 } })
      const batch = { max_events: 100, max_wait_ms: 200, max_bytes: 1_048_576 }
      Json.assertHolds(auto, { batch })
      const emitting = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("this.$emit(1); this.$emit(2); this.$emit(3)"),
        name: "s"
      })
      const list = yield* http.request("GET", "/v1/users/me/subscriptions")
      Json.assertHolds(Json.listOf(list.json["data"])[0]!, { batch, emitter_id: emitting.id })
      const parameters = { emitter_id: "s", listener_id: asked.id }
      const change = (batch: object | null | undefined) =>
        http.request("PUT", "/v1/subscriptions", { body: { ...parameters, batch } })
      Json.assertHolds((yield* change(undefined)).json["data"], { batch })
      Json.assertHolds((yield* change({ max_events: 2 })).json["data"], {
        batch: { max_events: 2, max_wait_ms: 1_000, max_bytes: 1_048_576 }
      })
      yield* change({ max_events: 2, max_wait_ms: 60_000 })
      yield* http.request("POST", Http.endpointOf(emitting), { body: {} })
      const events = (yield* http.summaries("/v1/sources/s/event_summaries", 3)).map(({ id }) => Json.textOf(id))
      const went = { first_event_id: events[2], last_event_id: events[1], event_count: 2 }
      const deliveries = Effect.map(
        http.request("GET", `/v1/deliveries?emitter_id=s&event_id=${events[1]}`),
        ({ json }) => Json.listOf(json["data"])
      )
      const [delivery] = yield* Effect.repeat(deliveries, { until: (found) => found.length > 0 })
      Json.assertHolds(delivery!, { event_id: events[2]!, batch: went, state: "pending" })
      for (const [event, batch] of [[events[2], went], [events[1], went]] as const) {
        const { json } = yield* http.request("GET", `/v1/sources/s/events/${event}/trace`)
        const [traced = {}] = Json.listOf(json["data"]!["subscriptions"])
        Json.assertHolds(traced, { state: "pending", batch })
      }
      const { json } = yield* http.request("GET", `/v1/sources/s/events/${events[0]}/trace`)
      Json.assertHolds(Json.listOf(json["data"]!["subscriptions"])[0]!, { state: "waiting", waiting_for: "batch" })
      assert.notProperty((yield* change(null)).json["data"], "batch")
    }))

  it.effect("have a filter that is checked, shown, previewed, changed, and told of in traces", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const emitting = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("this.$emit(event.body, { summary: event.body.kind })"),
        name: "s"
      })
      const listening = "export default { run(event) { this.$emit({ heard: event.amount }) } }"
      yield* http.created("/v1/sources", { component_code: listening, name: "listener" })
      const parameters = { emitter_id: "s", listener_id: "listener" }
      for (const path of ["/v1/subscriptions", "/v1/subscriptions/preview"]) {
        const filter = { data: { amount: { $gtt: 1 } }, $metadata: { kind: "x" } }
        const malformed = yield* http.request("POST", path, { body: { ...parameters, filter } })
        Http.assertProblem(malformed, 400, "invalid_request")
        assert.deepStrictEqual<unknown>(Json.listOf(malformed.json["details"]).map(({ path }) => path), [
          "filter.data.amount.$gtt",
          "filter.$metadata.kind"
        ])
      }
      const filter = { amount: { $gt: 5 }, $metadata: { summary: "order" } }
      const made = yield* http.created("/v1/subscriptions", { ...parameters, filter })
      Json.assertHolds(made, { filter })
      const id = made.id
      assert.deepStrictEqual<unknown>(
        yield* http.created("/v1/subscriptions", { ...parameters, filter: { other: 1 } }),
        made
      )
      for (const [amount, kind] of [[9, "order"], [3, "order"], [8, "refund"], [7, "order"]] as const) {
        yield* http.request("POST", Http.endpointOf(emitting), { body: { amount, kind } })
      }
      const heard = yield* http.summaries("/v1/sources/listener/event_summaries", 2)
      assert.deepStrictEqual<unknown>(heard.map((one) => one["event"]!["raw_event"]), [{ heard: 7 }, { heard: 9 }])
      const previewed = Effect.fnUntraced(function*(filter: object) {
        const { json } = yield* http.request("POST", "/v1/subscriptions/preview", { body: { ...parameters, filter } })
        return Json.listOf(json["data"]!["events"]).map((one) => [one["reason"], one["clause"]])
      })
      assert.deepStrictEqual<unknown>(yield* previewed({ amount: { $in: [3, 7] } }), [
        [null, undefined],
        ["filtered", "filter.amount.$in"],
        [null, undefined],
        ["filtered", "filter.amount.$in"]
      ])
      const emitted = yield* http.summaries("/v1/sources/s/event_summaries", 4)
      const traced = Effect.fnUntraced(function*(event: Json.Json) {
        const { json } = yield* http.request("GET", `/v1/sources/s/events/${Json.textOf(event["id"])}/trace`)
        const [{ clause, matched, reason, state } = {}] = Json.listOf(json["data"]!["subscriptions"])
        return [matched, reason, clause, state]
      })
      assert.deepStrictEqual<unknown>(yield* Effect.forEach(emitted, traced), [
        [true, null, undefined, "delivered"],
        [false, "filtered", "filter.$metadata.summary", null],
        [false, "filtered", "filter.amount.$gt", null],
        [true, null, undefined, "delivered"]
      ])
      const change = (filter: object | null | undefined, client = http) =>
        client.request("PUT", "/v1/subscriptions", { body: { ...parameters, filter } })
      Http.assertProblem(yield* change({ amount: { $gt: [] } }), 400, "invalid_request")
      Json.assertHolds((yield* change(undefined)).json["data"], { filter })
      Http.assertProblem(yield* change({}, stranger), 404, "not_found")
      const changed = yield* change({ amount: { $lt: 5 } })
      Json.assertHolds(changed.json["data"], { id, filter: { amount: { $lt: 5 } } })
      yield* http.request("POST", Http.endpointOf(emitting), { body: { amount: 1, kind: "" } })
      yield* http.request("POST", Http.endpointOf(emitting), { body: { amount: 6, kind: "order" } })
      yield* http.summaries("/v1/sources/s/event_summaries", 6)
      assert.notProperty((yield* change(null)).json["data"], "filter")
      yield* http.request("POST", Http.endpointOf(emitting), { body: { amount: 2, kind: "" } })
      const all = yield* http.summaries("/v1/sources/listener/event_summaries", 4)
      assert.deepInclude<unknown>(all.map((one) => one["event"]!["raw_event"]), { heard: 1 })
    }))

  it.effect("drop an event that it takes too much work to judge by their filter, say so everywhere, and go on", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const code = Http.httpCode(`
        const { count, last } = event.body
        const a = Array.from({ length: count }, (_, n) => ({ v: "a" + n }))
        this.$emit({ a, b: a.map((_, n) => n === count - 1 ? "a" + last : "b" + n), last })
      `)
      const emitting = yield* http.created("/v1/sources", { component_code: code, name: "s" })
      const listening = "export default { run(event) { this.$emit({ heard: event.last }) } }"
      yield* http.created("/v1/sources", { component_code: listening, name: "listener" })
      const parameters = { emitter_id: "s", listener_id: "listener" }
      const filter = { a: { v: { $in: { $ref: "b" } } } }
      const { id } = yield* http.created("/v1/subscriptions", { ...parameters, filter })
      const consumer = yield* http.created("/v1/consumers", { emitter_id: emitting.id, filter })
      // The second is judged by more than a hundred thousand comparisons.
      for (const [count, last] of [[10, 0], [400, 399], [10, 10], [10, 9]] as const) {
        yield* http.request("POST", Http.endpointOf(emitting), { body: { count, last } })
      }
      const heard = yield* http.summaries("/v1/sources/listener/event_summaries", 2)
      assert.deepStrictEqual<unknown>(heard.map((one) => one["event"]!["raw_event"]), [{ heard: 9 }, { heard: 0 }])
      const preview = yield* http.request("POST", "/v1/subscriptions/preview", { body: { ...parameters, filter } })
      const previewed = Json.listOf(preview.json["data"]!["events"]).map(({ matched, reason }) => [matched, reason])
      assert.deepStrictEqual<unknown>(previewed, [
        [true, null],
        [false, "filtered"],
        [false, "filter_too_costly"],
        [true, null]
      ])
      const [, , costly] = yield* http.summaries("/v1/sources/s/event_summaries", 4)
      const path = `/v1/sources/s/events/${Json.textOf(costly!["id"])}`
      const trace = yield* http.request("GET", `${path}/trace`)
      const traced = Json.listOf(trace.json["data"]!["subscriptions"]).find((one) =>
        Json.textOf(one["subscription_id"]) === id
      )
      Json.assertHolds(traced, { matched: false, reason: "filter_too_costly", state: "dropped" })
      const journey = yield* http.request(
        "GET",
        `/v1/events/${Json.textOf(costly!["id"])}/journey?emitter=${emitting.id}`
      )
      const edges = Json.listOf(journey.json["data"]!["edges"]).filter((one) =>
        one["subscription_id"] !== null && Json.textOf(one["subscription_id"]) === id
      )
      assert.deepStrictEqual<unknown>(edges.map(({ reason }) => reason), ["filter_too_costly"])
      const listed = yield* http.request("GET", "/v1/users/me/subscriptions")
      Json.assertHolds(Json.listOf(listed.json["data"])[0], { id, filter_too_costly: 1 })

      const page = yield* http.request("GET", `/v1/consumers/${consumer.id}/events?wait=10`)
      assert.lengthOf(Json.listOf(page.json["data"]), 2)
      const { lease, positions } = page.json as Record<string, Json.Json>
      const body = { lease: lease!["id"], positions }
      assert.strictEqual((yield* http.request("POST", `/v1/consumers/${consumer.id}/commit`, { body })).status, 200)
      const stands = yield* http.request("GET", `/v1/consumers/${consumer.id}/positions`)
      Json.assertHolds(Json.listOf(stands.json["data"])[0], {
        waiting: 0,
        delivered: 2,
        filtered: 1,
        dropped: 1,
        filter_too_costly: 1
      })
      assert.deepStrictEqual(yield* (yield* Accounting).imbalances, [])
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

  it.effect("start at an event or at the beginning where that is asked for, and stay where they are after that", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const listening =
        "export default { props: { db: \"$.service.db\" }, run(event) { this.$emit({ heard: event }) } }"
      const source = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("this.$emit(event.body)"),
        name: "s"
      })
      const emit = Effect.fnUntraced(function*(body: number) {
        yield* http.request("POST", Http.endpointOf(source), { body })
        return yield* http.summaries("/v1/sources/s/event_summaries", body)
      })
      for (const name of ["all", "some", "new"]) {
        yield* http.created("/v1/sources", { component_code: listening, name })
      }
      yield* emit(1)
      yield* emit(2)
      const [, second] = yield* emit(3)
      const subscribe = (listener: string, from: string) =>
        http.request("POST", `/v1/subscriptions?emitter_id=s&listener_id=${listener}${from}`)
      const heardBy = Effect.fnUntraced(function*(listener: string, count: number) {
        const heard = yield* http.summaries(`/v1/sources/${listener}/event_summaries`, count)
        return heard.map((summary) => summary["event"]!["raw_event"]!["heard"]).toReversed()
      })
      const glob = { emitter_id: "dc_*", listener_id: "all", from: "beginning" }
      yield* http.created("/v1/subscriptions", glob)
      // Before the others say anything, which the glob matches too.
      assert.deepStrictEqual<unknown>(yield* heardBy("all", 3), [1, 2, 3])
      const some = yield* subscribe("some", `&from=${Json.textOf(second!["id"])}`)
      const plain = yield* subscribe("new", "")
      assert.deepStrictEqual<unknown>(yield* heardBy("some", 2), [2, 3])
      assert.deepStrictEqual((yield* subscribe("some", "&from=beginning")).json, some.json)
      assert.deepStrictEqual((yield* subscribe("new", "&from=beginning")).json, plain.json)
      yield* emit(4)
      assert.deepStrictEqual<unknown>(yield* heardBy("new", 1), [4])
      assert.deepStrictEqual<unknown>(yield* heardBy("some", 3), [2, 3, 4])
      for (const from of ["", "end", "1", "1-", "2024-01-01", "Beginning"]) {
        const answer = yield* subscribe("new", `&from=${from}`)
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(answer), ["from"])
      }
      const inBody = yield* http.request("POST", "/v1/subscriptions", { body: { ...glob, from: 5 } })
      assert.deepStrictEqual(Http.issuePaths(inBody), ["from"])
    }))

  it.effect("from the beginning bring what has long been in the log", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      // Not by an emit, of which the router would tell for a while.
      yield* sql`
        INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, payload)
        VALUES (${id}, '', ${EventId.make(1_700_000_000_000, 0)}, 1, 'e', 1, '"old"')`
      yield* sql`UPDATE heads_folded SET last_id = ${
        EventId.make(1_700_000_000_000, 0)
      }, streams = '{"": 1}' WHERE emitter_id = ${id}`
      yield* http.created("/v1/sources", {
        component_code: "export default { run(event) { this.$emit({ heard: event }) } }",
        name: "listener"
      })
      yield* http.created("/v1/subscriptions", { emitter_id: id, listener_id: "listener", from: "beginning" })
      const [heard] = yield* http.summaries("/v1/sources/listener/event_summaries", 1)
      assert.deepStrictEqual<unknown>(heard!["event"], { raw_event: { heard: "old" } })
    }))

  it.effect("are refused or gone when their listener is deleted at the same time", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stays = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const subscribe = (listener_id: string) =>
        Effect.map(
          http.request("POST", "/v1/subscriptions", { body: { emitter_id: stays["id"], listener_id } }),
          ({ status }) => status
        )
      for (let round = 0; round < 15; round++) {
        const { id } = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
        const [status, removal] = yield* Effect.all([subscribe(id), http.request("DELETE", `/v1/webhooks/${id}`)], {
          concurrency: "unbounded"
        })
        assert.include([200, 404], status)
        assert.strictEqual(removal.status, 204)
      }
      const { json } = yield* http.request("GET", "/v1/users/me/subscriptions")
      assert.deepStrictEqual<unknown>(json, { data: [] })
    }))
})
