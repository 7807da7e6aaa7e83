import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const thrown = `Object.assign(new AggregateError([new RangeError("too late"), "odd"], "both failed"), { cause: null })`

const code = (where: string) =>
  `${where === "load" ? `throw ${thrown}` : ""}
export default {
  name: "Failing", key: "failing", version: "1.0.0", type: "source",
  props: { http: "$.interface.http" },
  hooks: { deploy() { if (${where === "deploy"}) throw ${thrown} } },
  run() { throw ${thrown} }
}`

const causes = ["[cause]: null", "[errors.0]: RangeError: too late", "[errors.1]: odd"]

const causesIn = (text: string) => text.split("\n").filter((line) => line.startsWith("["))

layer(Http.layer, { excludeTestServices: true })("the causes of an error", (it) => {
  const http = Http.tenant()

  it.effect("are in the event on $errors and in a trial of a source", () =>
    Effect.gen(function*() {
      const { created, request, summaries } = yield* http
      const source = yield* created("/v1/sources", { component_code: code("run") })
      assert.strictEqual((yield* request("POST", Http.endpointOf(source))).status, 200)
      const [told] = yield* summaries(`/v1/sources/${source.id}/$errors/event_summaries?expand=event`, 1)
      const { message, stack } = told!["event"]!["error"]!
      assert.strictEqual<unknown>(message, "both failed")
      assert.deepStrictEqual(causesIn(Json.textOf(stack)), causes)
      const trial = yield* request("POST", `/v1/sources/${source.id}/trial`, { body: { event: {} } })
      assert.deepStrictEqual(causesIn(Json.textOf(trial.json["data"]!["error"]!["stack"])), causes)
    }))

  it.effect("are in the run of a workflow, in its step, and in the event on $errors", () =>
    Effect.gen(function*() {
      const { created, request, summaries } = yield* http
      const workflow = yield* created("/v1/workflows", {
        workflow_code: `export default { run() { throw ${thrown} } }`
      })
      const path = `/v1/workflows/${workflow.id}`
      const started = yield* request("POST", `${path}/invocations`, { body: { event: {} } })
      const run = yield* request("GET", `${path}/runs/${Json.textOf(started.json["data"]!["id"])}`).pipe(
        Effect.repeat({
          until: ({ json }) => json["data"] !== undefined && Json.textOf(json["data"]["status"]) === "error",
          schedule: Schedule.spaced("10 millis")
        }),
        Effect.timeout("60 seconds"),
        Effect.map(({ json }) => json["data"]!)
      )
      const [step] = Json.listOf(run["steps"])
      const [told] = yield* summaries(`${path}/$errors/event_summaries?expand=event`, 1)
      for (const error of [run["error"], step!["error"], told!["event"]!["error"]]) {
        assert.deepStrictEqual(causesIn(Json.textOf(error!["stack"])), causes)
      }
    }))

  it.effect("are in the message that refuses a source whose code or hook throws", () =>
    Effect.gen(function*() {
      const { request } = yield* http
      for (const [where, error] of [["load", "component_invalid"], ["deploy", "hook_failed"]] as const) {
        const answer = yield* request("POST", "/v1/sources", { body: { component_code: code(where) } })
        Http.assertProblem(answer, 422, error)
        assert.deepStrictEqual(causesIn(Json.textOf(answer.json["details"]!["message"])), causes, where)
      }
    }))
})
