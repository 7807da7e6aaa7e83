import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

const code = `export default { props: { http: "$.interface.http" }, run(event) { this.$emit({ n: 1 }) } }`

it.live(
  "an event is told of in a line for its run and one for its delivery, and in metrics, traces and logs to a collector",
  () =>
    Effect.gen(function*() {
      const collector = yield* WebhookSink.make(() => ({ status: 200 }))
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const server = yield* ServerOnTestDatabase.make
      const lines = (message: string): ReadonlyArray<Json.Json> =>
        server.output().split("\n").filter((line) => line.includes(`"message":"${message}"`)).map(Json.parse)
      yield* server.startWith({
        OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
        OTEL_EXPORTER_OTLP_TIMEOUT: "30000"
      })
      const { data: source } = yield* server.api("POST", "/sources", { component_code: code })
      const { data: webhook } = yield* server.api("POST", `/webhooks?url=${encodeURIComponent(sink.url)}`)
      const { data: subscription } = yield* server.api(
        "POST",
        `/subscriptions?emitter_id=${Json.textOf(source!["id"])}&listener_id=${Json.textOf(webhook!["id"])}`
      )
      yield* Effect.promise(() =>
        fetch(Json.textOf(source!["configured_props"]!["http"]!["endpoint_url"]), { method: "POST", body: "x" })
      )
      yield* Effect.sync(() => Math.min(lines("run").length, lines("delivery").length)).pipe(
        Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced("20 millis") })
      )
      const [run] = lines("run")
      Json.assertHolds(run, {
        level: "INFO",
        source_id: source!["id"],
        component_id: source!["component_id"],
        input: "HTTP",
        outcome: "success",
        emits: 1,
        events: 1
      })
      const [delivery] = lines("delivery")
      Json.assertHolds(delivery, {
        webhook_id: webhook!["id"],
        subscription_id: subscription!["id"],
        emitter_id: source!["id"],
        emit_id: sink.received[0]!.headers["webhook-id"],
        attempt: 1,
        outcome: "delivered",
        status: 200
      })
      const metrics = yield* Effect.promise(async () => (await fetch(`${server.url}/metrics`)).text())
      assert.match(metrics, /^headwater_runs_total\{[^}]*outcome="success"[^}]*\} 1$/m)
      assert.match(metrics, /^headwater_deliveries_total\{[^}]*outcome="delivered"[^}]*\} 1$/m)
      assert.match(metrics, /^headwater_sandbox_processes\{[^}]*state="idle"[^}]*\} \d+$/m)
      assert.match(metrics, /^headwater_oldest_snapshot_seconds\{[^}]*holder="session"[^}]*\} \d/m)
      assert.match(metrics, /^headwater_sandbox_waiting(\{[^}]*\})? \d+$/m)
      assert.strictEqual(yield* server.stop, 0)
      const sent = (path: string) =>
        collector.received.filter((request) => request.path === path).map(({ body }) => body).join("\n")
      for (const path of ["/v1/traces", "/v1/logs", "/v1/metrics"]) assert.include(sent(path), `"headwater"`, path)
      assert.include(sent("/v1/traces"), `"name":"POST"`)
      assert.include(sent("/v1/logs"), Json.textOf(delivery!["delivery_id"]))
      assert.include(sent("/v1/metrics"), "headwater_runs_total")
    }),
  120_000
)
