import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const sending = `export default {
  async run({ steps, $ }) {
    const { line, url } = steps.trigger.event
    await $.send.s3(line)
    $.send.http({ url, data: { sent: true } })
  }
}`

layer(Http.layer, { excludeTestServices: true })("$.send.s3", (it) => {
  it.effect("leaves a line that waits for others, which holds up no request, and fails the step where it can be none", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const { id } = yield* http.created("/v1/workflows", { workflow_code: sending })
      const line = { bucket: "orders", prefix: "/a/b/", payload: { order: 17 } }
      yield* http.ran(id, { line, url: sink.url })
      const [summary] = yield* http.summaries(`/v1/workflows/${id}/event_summaries?event_name=$s3&expand=event`, 1)
      assert.deepStrictEqual<unknown>(summary!["event"]!["raw_event"], { s3: { ...line, prefix: "a/b" } })
      yield* Effect.sync(() => sink.received.length).pipe(
        Effect.repeat({ until: (count) => count === 1, schedule: Schedule.spaced("10 millis") }),
        Effect.timeout("30 seconds")
      )
      const trace = yield* http.request("GET", `/v1/workflows/${id}/events/${Json.textOf(summary!["id"]!)}/trace`)
      assert.include(trace.text, `"waiting_for":"batch"`)
      for (const wrong of [{ payload: 1 }, { bucket: "orders" }, { bucket: "a/b", payload: 1 }, undefined]) {
        const run = yield* http.ran(id, { line: wrong, url: sink.url })
        assert.match(Json.textOf(run["error"]!["message"]), /^\$\.send\.s3 needs/)
      }
      for (const prefix of ["../two", "a/../../two", "/./", "a/..", "\ud800", "é".repeat(451)]) {
        const run = yield* http.ran(id, { line: { ...line, prefix }, url: sink.url })
        assert.match(Json.textOf(run["error"]!["message"]), /^\$\.send\.s3 can't take the prefix: a prefix has/)
      }
      assert.strictEqual(sink.received.length, 1)
    }))

  it.effect("is heard from a workflow that a node of an older version has created, once it is updated", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* http.created("/v1/workflows", { workflow_code: sending })
      const ofObjects = sql`emitter_id = ${id} AND stream = '$s3'`
      const [made] = yield* sql`DELETE FROM subscriptions WHERE ${ofObjects} RETURNING listener_id, event_name, batch`
      for (const name of ["newer", "newest"]) {
        const { status } = yield* http.request("PUT", `/v1/workflows/${id}`, { body: { name } })
        assert.strictEqual(status, 200)
        const heard = yield* sql`SELECT listener_id, event_name, batch FROM subscriptions WHERE ${ofObjects}`
        assert.deepStrictEqual(heard, [made!])
      }
    }))
})
