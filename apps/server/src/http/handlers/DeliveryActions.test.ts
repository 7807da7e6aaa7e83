import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Accounting } from "@headwater/log/work/Accounting"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Webhook } from "standardwebhooks"
import * as Http from "../../../test/HttpAppFixture.ts"

/** The deliveries of an account, oldest first, once they are as they should be. */
const deliveriesOnce = (http: Http.Tenant, isSo: (states: ReadonlyArray<string>) => boolean) =>
  http.request("GET", "/v1/deliveries?limit=100").pipe(
    Effect.map(({ json }) => Json.listOf(json["data"]).toReversed()),
    Effect.repeat({
      until: (found) => isSo(found.map(({ state }) => Json.textOf(state))),
      schedule: Schedule.spaced("10 millis")
    }),
    Effect.timeout("60 seconds")
  )

const idsOf = (deliveries: ReadonlyArray<Json.Json>) => deliveries.map(({ id }) => Json.textOf(id))

/** A source, and a webhook on a sink that hears it. */
const furnished = Effect.fnUntraced(function*(answer: (count: number) => WebhookSink.Answer | undefined) {
  const http = yield* Http.tenant()
  const sink = yield* WebhookSink.make(answer)
  const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
  const webhook = yield* http.created("/v1/webhooks", { url: sink.url })
  const subscription = yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: webhook.id })
  let emitted = 0
  const emit = Effect.fnUntraced(function*(...bodies: ReadonlyArray<unknown>) {
    for (const body of bodies) {
      emitted += 1
      yield* http.request("POST", Http.endpointOf(source), { body })
      yield* http.summaries(`/v1/sources/${source.id}/event_summaries?limit=100`, emitted)
    }
  })
  return { http, sink, source, webhook, subscription, emit }
})

const balances = Effect.flatMap(
  Accounting,
  ({ imbalances }) => Effect.map(imbalances, (found) => assert.deepStrictEqual(found, []))
)

layer(Http.layer, { excludeTestServices: true })("what is done with deliveries", (it) => {
  it.effect("retries and skips one, and says why not where it can't", () =>
    Effect.gen(function*() {
      const { emit, http, sink, source, webhook } = yield* furnished((count) => ({ status: count < 2 ? 500 : 200 }))
      yield* emit("a", "b")
      const [a, b] = idsOf(yield* deliveriesOnce(http, (states) => states.join() === "pending,pending"))
      const skipped = yield* http.request("POST", `/v1/deliveries/${a}/skip`)
      assert.strictEqual(skipped.status, 200, skipped.text)
      Json.assertHolds(skipped.json["data"], { id: a, state: "dropped", next_attempt_at_ms: null })
      const again = yield* http.request("POST", `/v1/deliveries/${a}/skip`)
      Http.assertProblem(again, 409, "delivery_not_pending")
      assert.deepStrictEqual<unknown>(again.json["details"], { state: "dropped" })
      for (const id of [b, a]) {
        const retried = yield* http.request("POST", `/v1/deliveries/${id}/retry`)
        assert.strictEqual(retried.status, 202, retried.text)
        Json.assertHolds(retried.json["data"], { id })
        yield* deliveriesOnce(http, (states) =>
          states.join() === (id === b ? "dropped,delivered" : "delivered,delivered"))
      }
      assert.deepStrictEqual(
        sink.received.map(({ body }) =>
          body
        ),
        ["\"a\"", "\"b\"", "\"b\"", "\"a\""]
      )
      assert.strictEqual(sink.received[3]!.headers["x-headwater-attempt"], "2")
      yield* balances
      yield* http.request("DELETE", `/v1/subscriptions?emitter_id=${source.id}&listener_id=${webhook.id}`)
      const gone = yield* http.request("POST", `/v1/deliveries/${a}/retry`)
      Http.assertProblem(gone, 409, "delivery_not_repeatable")
      assert.deepStrictEqual<unknown>(gone.json["details"], { reason: "subscription_deleted" })
      for (const action of ["retry", "skip"]) {
        Http.assertProblem(yield* http.request("POST", `/v1/deliveries/dlv_0/${action}`), 404, "not_found")
      }
    }))

  it.effect("sends at once what the lines of a webhook stand on, and leaves what is behind it", () =>
    Effect.gen(function*() {
      const { emit, http, sink, source, webhook } = yield* furnished((count) => ({ status: count < 2 ? 500 : 200 }))
      yield* emit("a", "b")
      yield* deliveriesOnce(http, (states) => states.join() === "pending,pending")
      const force = (body: unknown) => http.request("POST", `/v1/webhooks/${webhook.id}/force-next`, { body })
      const none = yield* force({ emitter_id: http.accountId })
      assert.deepStrictEqual<unknown>([none.status, none.json["data"]], [202, { delivery_count: 0 }])
      const forced = yield* force({ emitter_id: source.id })
      assert.deepStrictEqual<unknown>(forced.json["data"], { delivery_count: 1 })
      yield* deliveriesOnce(http, (states) => states.join() === "delivered,pending")
      assert.deepStrictEqual(sink.received.map(({ body }) => body), ["\"a\"", "\"b\"", "\"a\""])
      assert.deepStrictEqual<unknown>((yield* force({})).json["data"], { delivery_count: 1 })
      yield* deliveriesOnce(http, (states) => states.join() === "delivered,delivered")
      yield* balances
    }))

  it.effect("pauses a webhook, which goes on where it stood or from now", () =>
    Effect.gen(function*() {
      const { emit, http, sink, webhook } = yield* furnished((count) => ({ status: count === 0 ? 500 : 200 }))
      const post = (action: string, body?: unknown) =>
        http.request("POST", `/v1/webhooks/${webhook.id}/${action}`, body === undefined ? {} : { body })
      const receive = (count: number) =>
        Effect.sync(() => sink.received.map(({ body }) => body)).pipe(
          Effect.repeat({ until: (got) => got.length >= count, schedule: Schedule.spaced("10 millis") }),
          Effect.timeout("60 seconds")
        )
      yield* emit(1)
      yield* receive(1)
      Json.assertHolds((yield* post("pause")).json["data"], { id: webhook.id, active: false })
      yield* emit(2)
      Json.assertHolds((yield* post("resume")).json["data"], { active: true })
      // The retry is due as well.
      assert.sameMembers((yield* receive(3)).slice(1), ["1", "2"])
      yield* post("pause")
      yield* emit(3, 4)
      Json.assertHolds((yield* post("resume", { from: "now" })).json["data"], { active: true })
      yield* emit(5)
      assert.deepStrictEqual((yield* receive(4)).slice(3), ["5"])
      yield* balances
      Http.assertProblem(yield* post("resume", { from: "then" }), 400, "invalid_request")
    }))

  it.effect("sends a test, with a sample or a stored event, and keeps nothing of it", () =>
    Effect.gen(function*() {
      const { emit, http, sink, source, webhook } = yield* furnished((count) =>
        count === 0 ? { status: 200 } : { status: 410, body: "no more" }
      )
      yield* emit({ order: 1 })
      yield* deliveriesOnce(http, (states) => states.join() === "delivered")
      const [summary] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 1)
      const event_id = Json.textOf(summary!["id"])
      const { json: { data: secret } } = yield* http.request("GET", `/v1/webhooks/${webhook.id}/secret`)
      const test = (body?: unknown) =>
        http.request("POST", `/v1/webhooks/${webhook.id}/test`, body === undefined ? {} : { body })
      yield* http.request("POST", `/v1/webhooks/${webhook.id}/pause`)
      const samples = [undefined, { payload: { sample: "ü" } }, { emitter_id: source.id, event_id }]
      for (const [index, sample] of samples.entries()) {
        const { json: { data }, status, text } = yield* test(sample)
        assert.strictEqual(status, 200, text)
        Json.assertHolds(data!["attempt"], {
          attempt: 1,
          outcome: "failed",
          error_class: "gone",
          next_attempt_at_ms: null
        })
        Json.assertHolds(data!["attempt"]!["response"], { status: 410, body: "no more" })
        const { body, headers } = sink.received[index + 1]!
        const { "content-length": _, connection: __, ...sent } = headers
        assert.deepStrictEqual<unknown>(data!["attempt"]!["request"]!["headers"], sent)
        assert.strictEqual(headers["webhook-id"], Json.textOf(data!["emit_id"]))
        assert.strictEqual(headers["x-headwater-test"], "true")
        new Webhook(Json.textOf(secret!["secret"])).verify(body, headers)
      }
      const ids = sink.received.map(({ headers }) => headers["webhook-id"])
      assert.strictEqual(new Set(ids).size, 4)
      assert.deepStrictEqual(sink.received.slice(2).map(({ body }) => body), ["{\"sample\":\"ü\"}", "{\"order\":1}"])
      yield* deliveriesOnce(http, (states) => states.join() === "delivered")
      yield* balances
      // The 410 says nothing of the webhook, which can be put in service again.
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual<unknown>(
        yield* sql`SELECT disabled_reason, failing_since FROM webhooks WHERE id = ${webhook.id}`,
        [{ disabled_reason: null, failing_since: null }]
      )
      assert.deepStrictEqual(Http.issuePaths(yield* test({ event_id })), ["emitter_id"])
      assert.deepStrictEqual(Http.issuePaths(yield* test({ emitter_id: source.id })), ["event_id"])
      yield* test({ payload: 1, emitter_id: source.id, event_id })
      assert.strictEqual(sink.received.at(-1)!.body, "1")
      const stranger = yield* Http.tenant()
      Http.assertProblem(yield* test({ emitter_id: stranger.accountId, event_id }), 404, "not_found")
      Http.assertProblem(yield* test({ emitter_id: source.id, event_id: "1-1" }), 404, "not_found")
    }))
})
