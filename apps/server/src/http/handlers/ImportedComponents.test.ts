import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as Json from "@headwater/fixtures/Json"
import * as PackageRegistry from "@headwater/fixtures/PackageRegistry"
import { Components } from "@headwater/log/resources/Components"
import { Effect, Option } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

type Tenant = Effect.Success<ReturnType<typeof Http.tenant>>

/** An action that returns its text in the manner of a version. */
const action = (version: string, manner: string) =>
  `export default {
    key: "text-say",
    version: "${version}",
    type: "action",
    props: { text: "string" },
    async run({ $ }) {
      $.export("$summary", "said")
      return this.text.${manner}
    }
  }`

const workflowOf = (specifier: string, more = "") =>
  `import say from "${specifier}"
  ${more}
  export default { steps: { say } }`

const props = { "say.text": "{{ steps.trigger.event.name }}" }

const deploy = (http: Tenant, workflow_code: string) =>
  http.request("POST", "/v1/workflows", { body: { workflow_code, configured_props: props } })

/** The result of the step of a workflow. */
const resultOf = Effect.fnUntraced(function*(http: Tenant, workflow_code: string) {
  const answer = yield* deploy(http, workflow_code)
  assert.strictEqual(answer.status, 200, answer.text)
  const id = Json.textOf(answer.json["data"]!["id"])
  const run = yield* http.ran(id, { name: "Ann" })
  return { id, result: Json.listOf(run["steps"])[0]!["result"] }
})

const again = Effect.fnUntraced(function*(http: Tenant, id: string, workflow_code: string) {
  const { status, text } = yield* http.request("PUT", `/v1/workflows/${id}`, { body: { workflow_code } })
  assert.strictEqual(status, 200, text)
  const run = yield* http.ran(id, { name: "Ann" })
  return Json.listOf(run["steps"])[0]!["result"]
})

layer(Http.layer, { excludeTestServices: true })("a component that a workflow imports by its key", (it) => {
  it.effect("is a step, in its newest version or in the one that the import names", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (const component_code of [action("0.0.1", "toUpperCase()"), action("0.0.2", "repeat(2)")]) {
        yield* http.created("/v1/components", { component_code })
      }
      const newest = yield* resultOf(http, workflowOf("registry:text-say"))
      assert.deepStrictEqual<unknown>(newest.result, { $summary: "said", $return_value: "AnnAnn" })
      const first = yield* resultOf(http, workflowOf("registry:text-say@0.0.1"))
      assert.deepStrictEqual<unknown>(first.result, { $summary: "said", $return_value: "ANN" })
    }))

  it.effect("keeps its version in later code of the workflow, until that names another", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      yield* http.created("/v1/components", { component_code: action("0.0.1", "toUpperCase()") })
      const { id } = yield* resultOf(http, workflowOf("registry:text-say"))
      yield* http.created("/v1/components", { component_code: action("0.0.2", "repeat(2)") })
      const upper = { $summary: "said", $return_value: "ANN" }
      assert.deepStrictEqual<unknown>(yield* again(http, id, workflowOf("registry:text-say")), upper)
      assert.deepStrictEqual<unknown>(yield* again(http, id, workflowOf("registry:text-say", "// changed")), upper)
      assert.deepStrictEqual<unknown>(
        yield* again(http, id, workflowOf("registry:text-say@0.0.2")),
        { $summary: "said", $return_value: "AnnAnn" }
      )
    }))

  it.effect("brings its own packages, beside those of the workflow", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const registry = yield* PackageRegistry.PackageRegistry
      registry.publish({ name: "which-is", version: "1.0.0", files: { "index.js": "module.exports = 'this'" } })
      yield* http.created("/v1/components", {
        component_code: `import which from "which-is"
        export default { key: "text-say", type: "action", props: { text: "string" }, run() { return [this.text, which] } }`
      })
      const code = workflowOf("registry:text-say", `import which from "which-is"; if (!which) throw new Error("none")`)
      const { result } = yield* resultOf(http, code)
      assert.deepStrictEqual<unknown>(result, { $return_value: ["Ann", "this"] })
    }))

  it.effect("comes from the registry of the server where the account has none of the key, and never from another account", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const other = yield* Http.tenant()
      yield* other.created("/v1/components", { component_code: action("0.0.1", "toUpperCase()") })
      const refused = yield* deploy(http, workflowOf("registry:text-say"))
      assert.strictEqual(refused.status, 422, refused.text)
      assert.deepStrictEqual<unknown>(refused.json["details"], {
        message: `"registry:text-say" is neither a component of the account nor one in the registry`,
        file: "component.mjs",
        line: 1,
        column: 17
      })
      const components = yield* Components
      const [own] = Json.listOf((yield* other.request("GET", "/v1/users/me/components")).json["data"])
      const saved = Option.getOrThrow(yield* components.getById(Id.ComponentId.make(Json.textOf(own!["id"]))))
      yield* components.publish({
        ...saved,
        id: Id.ComponentId.make(`sc_${"0".repeat(20)}`),
        accountId: null,
        key: "text-say"
      })
      const { result } = yield* resultOf(http, workflowOf("registry:text-say"))
      assert.deepStrictEqual<unknown>(result, { $summary: "said", $return_value: "ANN" })
    }))
})
