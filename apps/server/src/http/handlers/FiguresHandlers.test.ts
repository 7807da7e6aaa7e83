import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Figures } from "@headwater/log/commit/Figures"
import { Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const minuteMs = 60_000

layer(Http.layer, { excludeTestServices: true })("figures", (it) => {
  it.effect("show what happened to whom, how long it took, and what is owed now, to the account alone", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const [sink, dead] = [yield* WebhookSink.make(), yield* WebhookSink.make(() => ({ status: 500 }))]
      const source = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("if (event.body.fail) throw new Error('no'); this.$emit(event.body)"),
        name: "orders"
      })
      const webhook = yield* http.created("/v1/webhooks", { url: sink.url })
      const failing = yield* http.created("/v1/webhooks", { url: dead.url })
      const paused = yield* http.created("/v1/webhooks", { url: sink.url })
      const subscribe = (listener: string, filter?: unknown) =>
        http.created("/v1/subscriptions", {
          emitter_id: source.id,
          listener_id: listener,
          ...(filter ? { filter } : {})
        })
      yield* subscribe(webhook.id, { n: { $gt: 0 } })
      yield* subscribe(failing.id)
      yield* subscribe(paused.id)
      yield* http.request("POST", `/v1/webhooks/${paused.id}/pause`, { body: {} })
      const before = Date.now()
      for (const body of [{ n: 0 }, { n: 1 }, { n: 2 }, { fail: true }]) {
        yield* http.request("POST", Http.endpointOf(source), { body })
      }
      yield* http.summaries(`/v1/webhooks/${webhook.id}/deliveries?state=delivered`, 2)
      yield* http.summaries(`/v1/webhooks/${failing.id}/deliveries?state=pending`, 3)
      yield* http.summaries(`/v1/sources/${source.id}/$errors/event_summaries`, 1)
      const figures = yield* Figures
      const get = Effect.fnUntraced(function*(query = "") {
        yield* figures.write
        const { json, status, text } = yield* http.request("GET", `/v1/figures?${query}`)
        assert.strictEqual(status, 200, text)
        const series = Json.listOf(json["data"]!["series"])
        const total = (name: string) => series.reduce((sum, step) => sum + Number(step[name]), 0)
        const of = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, total(name)]))
        return { data: json["data"]!, series, of }
      })
      const all = yield* get()
      assert.deepStrictEqual(
        all.of("requests", "events", "errors", "runs", "failed_runs", "attempts", "failed_attempts", "filtered"),
        { requests: 4, events: 3, errors: 1, runs: 4, failed_runs: 1, attempts: 5, failed_attempts: 3, filtered: 1 }
      )
      assert.isAbove(all.of("attempt_ms")["attempt_ms"]!, 0)
      assert.strictEqual(all.series.length, 61)
      const busy = all.series.find((step) => Number(step["attempts"]) > 0)!
      assert.isAtLeast(Number(busy["at_ms"]), before - minuteMs)
      assert.isAbove(Number(busy["p99_ms"]), 0)
      assert.isAtMost(Number(busy["p50_ms"]), Number(busy["p99_ms"]))
      Json.assertHolds(all.data["now"], {
        waiting: 3,
        pending: 3,
        imbalances: 0,
        is_cut: false,
        sources: { total: 1, active: 1 },
        webhooks: { total: 3, active: 2, disabled: 0, failing: 1, throttled: 0, open: 0 }
      })
      assert.closeTo(Number(all.data["now"]!["oldest_at_ms"]), before, 5_000)
      assert.deepStrictEqual((yield* get(`listener=${webhook.id}`)).of("attempts", "filtered", "events"), {
        attempts: 2,
        filtered: 1,
        events: 0
      })
      assert.deepStrictEqual(
        (yield* get(`listener=${failing.id}&emitter=orders`)).of("attempts", "failed_attempts", "events", "runs"),
        { attempts: 3, failed_attempts: 3, events: 3, runs: 0 }
      )
      const days = yield* get(`from=${before - 30 * 24 * 60 * minuteMs}`)
      assert.strictEqual(Number(days.data["step_ms"]), 6 * 60 * minuteMs)
      assert.strictEqual(days.of("runs")["runs"], 4)

      const other = yield* Http.tenant()
      const foreign = yield* other.request("GET", "/v1/figures")
      Json.assertHolds(foreign.json["data"]!["now"], { waiting: 0, pending: 0, oldest_at_ms: null })
      assert.isTrue(Json.listOf(foreign.json["data"]!["series"]).every((step) => Number(step["runs"]) === 0))
      for (const query of [`emitter=${source.id}`, `listener=${webhook.id}`, "listener=nobody"]) {
        Http.assertProblem(yield* other.request("GET", `/v1/figures?${query}`), 404, "not_found")
      }
      for (
        const query of ["from=2&to=1", "step=90001", "step=1", `from=${before - 30 * 60 * minuteMs}&step=60000`]
      ) {
        Http.assertProblem(yield* http.request("GET", `/v1/figures?${query}`), 400, "invalid_request")
      }
    }))
})
