import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Accounts } from "@headwater/log/access/Accounts"
import { Clock, Effect, Fiber, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const ticking = `export default {
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } } },
  run() { this.$emit("tick") }
}`

const delayed = `export default {
  steps: {
    ask: { run({ $ }) { $.flow.delay(1_500) } },
    go: { run({ $ }) { $.emit("gone on") } }
  }
}`

layer(Http.layer, { excludeTestServices: true })("an account that is suspended", (it) => {
  const eventually = <A, E, R>(read: Effect.Effect<A, E, R>, holds: (value: A) => boolean) =>
    read.pipe(
      Effect.repeat({ until: holds, schedule: Schedule.spaced("20 millis") }),
      Effect.timeout("60 seconds")
    )

  it.effect(
    "is refused and does nothing more; once it is resumed, all goes on from its place",
    () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const neighbour = yield* Http.tenant()
        const accounts = yield* Accounts
        const sql = yield* SqlClient.SqlClient
        const { address } = yield* HttpServer.HttpServer
        // Asks for a pause after the first delivery, so that there is one to be made while the account is suspended.
        const sink = yield* WebhookSink.make((count) =>
          count === 0 ? { status: 429, headers: { "retry-after": "2" } } : { status: 200 }
        )
        const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
        const timer = yield* http.created("/v1/sources", { component_code: ticking })
        const workflow = yield* http.created("/v1/workflows", { workflow_code: delayed })
        const webhook = yield* http.created("/v1/webhooks", { url: sink.url })
        yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: webhook.id })
        const tail = yield* Effect.promise((signal) =>
          fetch(`${HttpServer.formatAddress(address)}/v1/sources/${source.id}/sse`, {
            headers: { authorization: `Bearer ${http.key}` },
            signal
          })
        ).pipe(Effect.flatMap((response) => Effect.forkChild(Effect.promise(() => response.text()))))
        yield* http.request("POST", Http.endpointOf(source), { body: { n: 1 } })
        yield* eventually(Effect.sync(() => sink.received.length), (count) => count === 1)
        yield* http.request("POST", `/v1/workflows/${workflow.id}/invocations`)
        yield* http.summaries(`/v1/workflows/${workflow.id}/runs?status=waiting`, 1)

        yield* accounts.suspend(http.accountId)
        const refused = yield* eventually(http.request("GET", "/v1/users/me"), ({ status }) => status !== 200)
        Http.assertProblem(refused, 403, "account_suspended")
        Http.assertProblem(yield* http.request("POST", Http.endpointOf(source), { body: { n: 2 } }), 404, "not_found")
        yield* Effect.timeout(Fiber.join(tail), "60 seconds")
        const other = yield* http.request("GET", "/v1/users/me", { key: neighbour.key })
        assert.strictEqual(other.status, 200)
        const noticedAt = yield* Clock.currentTimeMillis
        // A run that was under way may end; everything else is due well within this.
        yield* Effect.sleep("4 seconds")
        const later = yield* sql<{ readonly emitter_id: string }>`
        SELECT e.emitter_id FROM events e JOIN heads h USING (emitter_id)
        WHERE h.account_id = ${http.accountId} AND e.id >= ${BigInt(noticedAt + 1_500) << 20n}`
        assert.deepStrictEqual(later, [])
        assert.lengthOf(sink.received, 1)

        yield* accounts.resume(http.accountId)
        yield* eventually(http.request("GET", "/v1/users/me"), ({ status }) => status === 200)
        yield* eventually(Effect.sync(() => sink.received.length), (count) => count === 2)
        assert.deepStrictEqual(sink.received.map(({ body }) => JSON.parse(body)), [{ n: 1 }, { n: 1 }])
        yield* http.summaries(`/v1/workflows/${workflow.id}/runs?status=success`, 1)
        const [ticked] = yield* http.summaries(`/v1/sources/${timer.id}/event_summaries`, 1)
        yield* eventually(
          Effect.map(
            http.request("GET", `/v1/sources/${timer.id}/event_summaries`),
            ({ json }) => Json.listOf(json["data"])
          ),
          ([newest]) => Json.textOf(newest!["id"]) !== Json.textOf(ticked!["id"])
        )
        assert.strictEqual((yield* http.request("POST", Http.endpointOf(source), { body: { n: 3 } })).status, 200)
      })
  )
})
