import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const workflow_code = `export default {
  steps: {
    ask: { run({ $ }) { $.emit($.flow.suspend()) } },
    tell: { run({ steps, $ }) { $.emit(steps.ask.$resume_data) } }
  }
}`

layer(Http.layer, { excludeTestServices: true })("the URLs of a run that waits", (it) => {
  const setup = Effect.gen(function*() {
    const http = yield* Http.tenant()
    const { id } = yield* http.created("/v1/workflows", { workflow_code })
    const path = `/v1/workflows/${id}`
    const emitted = (count: number) =>
      Effect.map(
        http.summaries(`${path}/event_summaries?expand=event&limit=100`, count),
        ([newest]) => newest!["event"]!["raw_event"]!
      )
    const runIn = (run: string, status: string) =>
      http.request("GET", `${path}/runs/${run}`).pipe(
        Effect.repeat({
          until: ({ json }) => json["data"] !== undefined && Json.textOf(json["data"]["status"]) === status,
          schedule: Schedule.spaced("10 millis")
        }),
        Effect.timeout("60 seconds"),
        Effect.map(({ json }) => json["data"]!)
      )
    let count = 0
    /** A run that waits, and the paths of its URLs. */
    const waiting = Effect.gen(function*() {
      const started = yield* http.request("POST", `${path}/invocations`)
      const run = Json.textOf(started.json["data"]!["id"])
      yield* runIn(run, "waiting")
      const urls = yield* emitted(++count)
      const of = (name: string) => Json.textOf(urls[name]).replace(Http.publicUrl, "")
      return { run, resume: of("resume_url"), cancel: of("cancel_url") }
    })
    const call = (method: string, url: string, rest: object = {}) => http.request(method, url, { key: null, ...rest })
    return { call, http, path, runIn, told: Effect.suspend(() => emitted(++count)), waiting }
  })

  it.effect("need no key, take any request that carries something, and work once", () =>
    Effect.gen(function*() {
      const { call, runIn, told, waiting } = yield* setup
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        const { cancel, resume, run } = yield* waiting
        const answer = yield* call(method, `${resume}?by=ann&by=ben`, {
          ...(method === "GET" ? {} : { raw: `{"approved":true}` }),
          headers: { "content-type": "application/json", "x-custom": "1" }
        })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual<unknown>(answer.json, { run_id: run, status: "resumed" })
        yield* runIn(run, "success")
        const data = yield* told
        Json.assertHolds(data, {
          method,
          path: "/",
          query: { by: ["ann", "ben"] },
          ...(method === "GET" ? {} : { body: { approved: true } })
        })
        assert.strictEqual(Json.textOf(data["headers"]!["x-custom"]), "1")
        for (const url of [resume, cancel]) Http.assertProblem(yield* call(method, url), 404, "not_found")
      }
    }))

  it.effect("end the run for good", () =>
    Effect.gen(function*() {
      const { call, runIn, waiting } = yield* setup
      const { cancel, resume, run } = yield* waiting
      for (const _ of [1, 2]) {
        const answer = yield* call("GET", cancel)
        assert.deepStrictEqual<unknown>([answer.status, answer.json], [200, { run_id: run, status: "cancelled" }])
      }
      yield* runIn(run, "cancelled")
      Http.assertProblem(yield* call("POST", resume), 404, "not_found")
    }))

  it.effect("do nothing for who only looks, guesses, sends too much, or has a key of another kind or run", () =>
    Effect.gen(function*() {
      const { call, runIn, waiting } = yield* setup
      const { cancel, resume, run } = yield* waiting
      const other = yield* waiting
      for (const method of ["OPTIONS", "PROPFIND"]) {
        const answer = yield* call(method, resume)
        assert.strictEqual(answer.status, 405, answer.text)
        assert.strictEqual(answer.headers.get("allow"), "GET, POST, PUT, PATCH, DELETE")
      }
      assert.strictEqual((yield* call("HEAD", resume)).status, 405)
      const [last] = resume.slice(-1)
      for (
        const url of [
          resume.slice(0, -1) + (last === "A" ? "B" : "A"),
          resume.replace(".resume.", ".cancel."),
          resume.replace(".1.", ".2."),
          resume.replace(run, other.run),
          resume.replace(run, "run_0Uz7N5cVwQ2KpXs9TzLd")
        ]
      ) Http.assertProblem(yield* call("POST", url), 404, "not_found")
      const large = yield* call("POST", resume, { raw: "x".repeat(Http.maxBody + 1) })
      Http.assertProblem(large, 413, "payload_too_large")
      yield* runIn(run, "waiting")
      assert.strictEqual((yield* call("DELETE", cancel)).status, 200)
    }))

  it.effect("are not needed by who has a key of the account", () =>
    Effect.gen(function*() {
      const { http, path, runIn, told, waiting } = yield* setup
      const { run } = yield* waiting
      Json.assertHolds(yield* runIn(run, "waiting"), { waits_for: "suspend" })
      const listed = yield* http.request("GET", `${path}/runs?waits_for=suspend`)
      assert.deepStrictEqual(Json.listOf(listed.json["data"]).map(({ id }) => Json.textOf(id)), [run])
      const stranger = yield* Http.tenant()
      Http.assertProblem(yield* stranger.request("POST", `${path}/runs/${run}/resume`), 404, "not_found")
      const resumed = yield* http.request("POST", `${path}/runs/${run}/resume`, { body: { body: { approved: false } } })
      assert.strictEqual(resumed.status, 200, resumed.text)
      assert.isNull(resumed.json["data"]!["waits_for"])
      yield* runIn(run, "success")
      Json.assertHolds(yield* told, { method: "POST", body: { approved: false }, query: {}, headers: {} })
      const again = yield* http.request("POST", `${path}/runs/${run}/resume`)
      Http.assertProblem(again, 409, "run_not_waiting")
    }))
})
