import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { slowly } from "@headwater/fixtures/PythonSteps"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { WheelIndex } from "@headwater/fixtures/WheelIndex"
import { Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const workflowOf = (python: string) =>
  `export default { steps: {
  count: { lang: "python", code: ${JSON.stringify(python)}, props: { by: "integer", db: "$.service.db" } },
  tell: { run({ steps, $ }) { return [steps.count.$return_value, steps.count.$summary] } }
} }`

const counting = (end = "") =>
  `# pipedream add-package counters<2
import counters
def handler(pd):
    db = pd.inputs["db"]
    db.set("n", db.get("n", 0) + pd.inputs["by"] + pd.steps["trigger"]["event"]["n"])
    pd.export("$summary", f"counted by {counters.version}")
    return db.get("n")${end}
`

layer(Http.layer, { excludeTestServices: true, timeout: slowly })("steps in Python", (it) => {
  it.effect(
    "find the files that are attached to their workflow, and leave to later steps what they make of them",
    () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const stored = yield* http.request("PUT", "/v1/files/content?path=in/letter", { raw: "Dear" })
        assert.strictEqual(stored.status, 200, stored.text)
        const code = `
def handler(pd):
    path = pd.steps["trigger"]["context"]["attachments"]["letter"]
    with open(path, "a") as letter:
        letter.write(" " + pd.steps["trigger"]["event"]["name"])
    with open(path) as letter:
        return letter.read()`
        const workflow = yield* http.created("/v1/workflows", {
          workflow_code: `import { readFileSync } from "node:fs"
            export default { steps: {
              write: { lang: "python", code: ${JSON.stringify(code)} },
              read: { run({ steps }) { return readFileSync(steps.trigger.context.attachments.letter, "utf8") } }
            } }`,
          attachments: { letter: "in/letter" }
        })
        for (const name of ["Ann", "Ben"]) {
          const ran = yield* http.ran(workflow.id, { name })
          assert.deepStrictEqual<unknown>(Json.listOf(ran["steps"]).map(({ result }) => result), [
            { $return_value: `Dear ${name}` },
            { $return_value: `Dear ${name}` }
          ])
        }
      }),
    slowly
  )

  it.effect(
    "are held in shadow at their first request that does not only read",
    () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const sink = yield* WebhookSink.make(() => ({ status: 200 }))
        const code = `
import requests
def handler(pd):
    requests.get("${sink.url}")
    try:
        requests.post("${sink.url}", data="x")
    except Exception:
        pass
    return "went on"`
        const workflow = yield* http.created("/v1/workflows", {
          shadow: true,
          workflow_code: `export default { steps: { write: { lang: "python", code: ${JSON.stringify(code)} } } }`
        })
        const ran = yield* http.ran(workflow.id, {})
        assert.strictEqual(Json.textOf(ran["exit_reason"]), `held in shadow: POST ${sink.url}`)
        assert.deepStrictEqual(sink.received.map(({ method }) => method), ["GET"])
      }),
    slowly
  )

  it.effect(
    "are deployed with their packages, keep data, and give to steps in JavaScript",
    () =>
      Effect.gen(function*() {
        const { publish } = yield* WheelIndex
        const counters = (version: string) =>
          publish({ name: "counters", version, files: { "counters.py": `version = "${version}"\n` } })
        counters("1.0")
        const http = yield* Http.tenant()
        const configured_props = { "count.by": "{{ 1 + 1 }}" }
        const workflow = yield* http.created("/v1/workflows", {
          workflow_code: workflowOf(counting()),
          configured_props
        })
        const path = `/v1/workflows/${workflow.id}`
        assert.deepStrictEqual<unknown>(
          Json.listOf((yield* http.request("GET", path)).json["data"]!["steps"]).map(({ lang, name }) => [name, lang]),
          [["count", "python"], ["tell", undefined]]
        )
        const run = (n: number) =>
          Effect.map(http.ran(workflow.id, { n }), (ran) => Json.listOf(ran["steps"]).at(-1)!["result"])
        assert.deepStrictEqual<unknown>(yield* run(5), { $return_value: [7, "counted by 1.0"] })
        assert.deepStrictEqual<unknown>(yield* run(1), { $return_value: [10, "counted by 1.0"] })
        // New code keeps the packages that the code before it had.
        counters("1.1")
        const changed = yield* http.request("PUT", path, { body: { workflow_code: workflowOf(counting(" * 10")) } })
        assert.strictEqual(changed.status, 200, changed.text)
        assert.deepStrictEqual<unknown>(yield* run(0), { $return_value: [120, "counted by 1.0"] })
        const other = yield* http.request("PUT", path, {
          body: { workflow_code: workflowOf(counting().replace("counters<2", "counters>1.0")) }
        })
        assert.strictEqual(other.status, 200, other.text)
        assert.deepStrictEqual<unknown>(yield* run(0), { $return_value: [14, "counted by 1.1"] })
      }),
    slowly
  )

  it.effect("are refused with the line of the Python that is wrong", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const refused = Effect.fnUntraced(function*(python: string) {
        const answer = yield* http.request("POST", "/v1/workflows", { body: { workflow_code: workflowOf(python) } })
        Http.assertProblem(answer, 422, "component_invalid")
        return answer.json["details"]
      })
      assert.deepStrictEqual<unknown>(yield* refused("def handler(pd):\n    return )"), {
        message: "SyntaxError: unmatched ')'",
        file: "count.py",
        line: 2,
        column: 12
      })
      assert.deepStrictEqual<unknown>(yield* refused("import json\nimport nowhere.at.all\ndef handler(pd): pass"), {
        message: "the package nowhere is not in the index",
        file: "count.py",
        line: 2,
        column: 1
      })
    }), slowly)
})
