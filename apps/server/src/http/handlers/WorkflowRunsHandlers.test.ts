import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const workflow_code = `export default {
  steps: {
    ask: { run({ steps, $ }) { if (steps.trigger.event?.wait === true) $.flow.delay(3_600_000) } },
    go: { run({ steps, $ }) { $.emit(steps.trigger.event) } }
  }
}`

layer(Http.layer, { excludeTestServices: true })("runs of a workflow", (it) => {
  const setup = Effect.gen(function*() {
    const http = yield* Http.tenant()
    const { id } = yield* http.created("/v1/workflows", { workflow_code })
    const path = `/v1/workflows/${id}`
    const runIn = (run: string, status: string) =>
      http.request("GET", `${path}/runs/${run}`).pipe(
        Effect.repeat({
          until: ({ json }) => json["data"] !== undefined && Json.textOf(json["data"]["status"]) === status,
          schedule: Schedule.spaced("10 millis")
        }),
        Effect.timeout("60 seconds"),
        Effect.map(({ json }) => json["data"]!)
      )
    return { http, path, runIn }
  })

  it.effect("that wait are cancelled for good, and no others", () =>
    Effect.gen(function*() {
      const { http, path, runIn } = yield* setup
      const stranger = yield* Http.tenant()
      const started = yield* http.request("POST", `${path}/invocations`, { body: { event: { wait: true } } })
      const id = Json.textOf(started.json["data"]!["id"])
      const waiting = yield* runIn(id, "waiting")
      assert.isNumber(waiting["due_at_ms"])
      Http.assertProblem(yield* stranger.request("POST", `${path}/runs/${id}/cancel`), 404, "not_found")
      const cancelled = yield* http.request("POST", `${path}/runs/${id}/cancel`)
      assert.strictEqual(cancelled.status, 200, cancelled.text)
      Json.assertHolds(cancelled.json["data"], { id, status: "cancelled", due_at_ms: null, error: null })
      assert.isNumber(cancelled.json["data"]!["ended_at_ms"])
      const again = yield* http.request("POST", `${path}/runs/${id}/cancel`)
      assert.deepStrictEqual(again.json["data"], cancelled.json["data"])
      const list = yield* http.request("GET", `${path}/runs?status=cancelled`)
      assert.deepStrictEqual(Json.listOf(list.json["data"]).map((run) => Json.textOf(run["id"])), [id])

      const done = yield* http.request("POST", `${path}/invocations`, { body: { event: { n: 1 } } })
      const ended = Json.textOf(done.json["data"]!["id"])
      yield* runIn(ended, "success")
      const refused = yield* http.request("POST", `${path}/runs/${ended}/cancel`)
      Http.assertProblem(refused, 409, "run_not_waiting")
      assert.deepStrictEqual<unknown>(refused.json["details"], { status: "success" })
      Http.assertProblem(
        yield* http.request("POST", `${path}/runs/run_0Uz7N5cVwQ2KpXs9TzLd/cancel`),
        404,
        "not_found"
      )
    }))

  it.effect("begin, and are repeated, by a request without a body", () =>
    Effect.gen(function*() {
      const { http, path, runIn } = yield* setup
      const started = yield* http.request("POST", `${path}/invocations`)
      assert.strictEqual(started.status, 202, started.text)
      const id = Json.textOf(started.json["data"]!["id"])
      assert.isNull((yield* runIn(id, "success"))["event"])
      const rerun = yield* http.request("POST", `${path}/runs/${id}/rerun`)
      assert.strictEqual(rerun.status, 202, rerun.text)
      const repeated = yield* runIn(Json.textOf(rerun.json["data"]!["id"]), "success")
      assert.strictEqual<unknown>(repeated["trigger"]!["rerun_of"], id)
    }))

  it.effect("run again with another event in the place of theirs, which names it, and the books come out", () =>
    Effect.gen(function*() {
      const { http, path, runIn } = yield* setup
      const started = yield* http.request("POST", `${path}/invocations`, { body: { event: { n: 1 } } })
      const id = Json.textOf(started.json["data"]!["id"])
      yield* runIn(id, "success")
      const rerun = (body: unknown) => http.request("POST", `${path}/runs/${id}/rerun`, { body })
      const both = yield* rerun({ event: { n: 2 }, code: "own" })
      Http.assertProblem(both, 400, "invalid_request")
      assert.deepStrictEqual(Http.issuePaths(both), ["code"])
      const other = yield* rerun({ event: { n: 2 } })
      assert.strictEqual(other.status, 202, other.text)
      const changed = yield* runIn(Json.textOf(other.json["data"]!["id"]), "success")
      assert.deepStrictEqual<unknown>(changed["event"], { n: 2 })
      const { instead_of, rerun_of, source_type } = changed["trigger"]!
      assert.deepStrictEqual<unknown>([rerun_of, source_type, instead_of!["id"]], [id, "INVOCATION", id])
      const own = yield* rerun({ from: "failed_step", code: "own" })
      yield* runIn(Json.textOf(own.json["data"]!["id"]), "success")
      const books = yield* http.request("GET", path.replace("/workflows/", "/run_books/"))
      Json.assertHolds(books.json["data"], { received: 3, done: 3, failed: 0, cancelled: 0, waiting: 0, at_work: 0 })
    }))

  it.effect("are shown with their event from when they were asked for, also before their turn", () =>
    Effect.gen(function*() {
      const { http } = yield* setup
      const sql = yield* SqlClient.SqlClient
      const rate_limit = { limit: 1, interval_seconds: 3_600 }
      const { id: workflow } = yield* http.created("/v1/workflows", { workflow_code, rate_limit })
      const path = `/v1/workflows/${workflow}`
      const invoke = (event: unknown) =>
        Effect.map(
          http.request("POST", `${path}/invocations`, { body: { event } }),
          ({ json }) => Json.textOf(json["data"]!["id"])
        )
      const first = yield* invoke({ n: 1 })
      yield* http.request("GET", `${path}/runs/${first}`).pipe(
        Effect.repeat({ until: ({ json }) => json["data"]?.["ended_at_ms"] as unknown !== null })
      )
      const second = yield* invoke({ n: 2 })
      const { json: shown } = yield* http.request("GET", `${path}/runs/${second}`)
      Json.assertHolds(shown["data"], { id: second, status: "running", event: { n: 2 }, steps: [], ended_at_ms: null })
      Json.assertHolds(shown["data"]!["trigger"], { source_type: "INVOCATION", id: second, rerun_of: null })
      const part = yield* http.request("GET", `${path}/runs/${second}?include=event.n,status`)
      assert.deepStrictEqual<unknown>(part.json["data"], { status: "running", event: { n: 2 } })

      // The clock of the node that was asked was ahead, or behind.
      for (const aheadMs of [40_000, -300_000]) {
        const elsewhere = Id.of("run", Id.timeOf(second) + aheadMs, new Uint8Array(Id.randomLength))
        yield* sql`UPDATE events SET emit_id = ${elsewhere} WHERE emitter_id = ${workflow} AND emit_id LIKE 'run_%'
          AND payload LIKE '%"n":2%'`
        const { json } = yield* http.request("GET", `${path}/runs/${elsewhere}`)
        Json.assertHolds(json["data"], { status: "running", event: { n: 2 } })
      }
      yield* sql`UPDATE events SET emit_id = ${second} WHERE emitter_id = ${workflow} AND payload LIKE '%"n":2%'`

      const rerun = yield* http.request("POST", `${path}/runs/${first}/rerun`)
      const { json: again } = yield* http.request("GET", `${path}/runs/${rerun.json["data"]!["id"]}`)
      Json.assertHolds(again["data"], { status: "running", event: { n: 1 }, steps: [] })
      Json.assertHolds(again["data"]!["trigger"], { rerun_of: first })

      Http.assertProblem(yield* http.request("POST", `${path}/runs/${second}/cancel`), 409, "run_not_waiting")
      const { id: other } = yield* http.created("/v1/workflows", { workflow_code })
      Http.assertProblem(yield* http.request("GET", `/v1/workflows/${other}/runs/${second}`), 404, "not_found")
    }))
})
