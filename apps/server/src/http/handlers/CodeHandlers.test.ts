import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const counter = Http.httpCode(
  `
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ count, order: event.body.order, greeting: this.greeting }, { id: event.body.order })
    if (event.body.order === "bad") throw new TypeError("no such order")`,
  `key: "counter", dedupe: "unique",
  methods: { later() {} },
  hooks: { async deploy() { this.$emit("deployed") } },`
).replace(`db: "$.service.db"`, `db: "$.service.db", greeting: { type: "string", default: "hi" }`)

const emitted = (answer: Http.Answer) => Json.listOf(answer.json["data"]!["emits"]).map(({ event }) => event as unknown)

layer(Http.layerWith({}, { isApart: true }), { excludeTestServices: true, timeout: "60 seconds" })(
  "code",
  (it) => {
    it.effect("is read as it is deployed, with its props", () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const bob = yield* Http.tenant()
        const source = yield* http.created("/v1/sources", { component_code: counter, name: "Counter" })
        const workflow = yield* http.created("/v1/workflows", { workflow_code: Http.workflowCode, name: "Echo" })
        const ofSource = yield* http.request("GET", "/v1/sources/counter/code")
        Json.assertHolds(ofSource.json["data"]!, { code: counter, key: "counter", name: "counter", url: null })
        assert.deepStrictEqual(
          Json.listOf(ofSource.json["data"]!["configurable_props"]).map(({ name }) => Json.textOf(name)),
          ["http", "db", "greeting"]
        )
        const ofWorkflow = yield* http.request("GET", `/v1/workflows/${workflow.id}/code`)
        Json.assertHolds(ofWorkflow.json["data"]!, { code: Http.workflowCode, configurable_props: [] })
        Http.assertProblem(yield* http.request("GET", "/v1/workflows/counter/code"), 404, "not_found")
        Http.assertProblem(yield* bob.request("GET", `/v1/sources/${source.id}/code`), 404, "not_found")
      }))

    it.effect("is checked: what it is, or what is wrong with it, where, and what to do", () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const check = (body: unknown) =>
          Effect.map(http.request("POST", "/v1/code/check", { body }), (answer) => {
            assert.strictEqual(answer.status, 200, answer.text)
            return answer.json["data"]!
          })
        Json.assertHolds(yield* check({ component_code: counter }), {
          valid: true,
          kind: "source",
          key: "counter",
          name: "counter",
          version: "0.0.0",
          dedupe: "unique",
          configurable_props: [
            { name: "http", type: "$.interface.http" },
            { name: "db", type: "$.service.db" },
            { name: "greeting", type: "string", default: "hi" }
          ],
          hooks: ["deploy"],
          methods: ["later"],
          steps: [],
          errors: []
        })
        Json.assertHolds(yield* check({ workflow_code: Http.workflowCode }), {
          valid: true,
          kind: "workflow",
          steps: ["run"]
        })
        const faults = [
          ["export default {\n  run( {\n}", 2, /syntax/],
          ["\nthrow new Error(\"no\")\nexport default { run() {} }", 2, /top level/],
          ["export const run = 1", 1, /export default/],
          ["export default { dedupe: \"all\", run() {} }", 1, /as the message says/],
          ["import x from \"no-such-package-there\"\nexport default { run() {} }", 1, /package/]
        ] as const
        for (const [component_code, line, advice] of faults) {
          const checked = yield* check({ component_code })
          const [fault] = Json.listOf(checked["errors"])
          Json.assertHolds(checked, { valid: false, configurable_props: [] })
          assert.isNotEmpty(Json.textOf(fault!["message"]))
          Json.assertHolds(fault!, { file: "component.mjs" })
          assert.isAtLeast(Number(fault!["line"]), line, component_code)
          assert.match(Json.textOf(fault!["advice"]), advice, component_code)
        }
        const adding = `export default {
        props: { depth: { type: "integer", optional: true } },
        async additionalProps() {
          if (this.depth > 9) throw new Error("too deep")
          return { floor: { type: "string", label: "Floor " + this.depth } }
        },
        run() {}
      }`
        const added = yield* check({ component_code: adding, configured_props: { depth: 3 } })
        assert.deepStrictEqual<unknown>(Json.listOf(added["configurable_props"])[1], {
          name: "floor",
          type: "string",
          label: "Floor 3"
        })
        const deep = yield* check({ component_code: adding, configured_props: { depth: 10 } })
        Json.assertHolds(Json.listOf(deep["errors"])[0]!, { line: 4, file: "component.mjs" })
        const action = yield* check({ component_code: `export default { type: "action", run({ steps }) {} }` })
        Json.assertHolds(action, { valid: false, type: "action" })
        assert.match(Json.textOf(Json.listOf(action["errors"])[0]!["message"]), /its type is "action"/)
        Http.assertProblem(yield* http.request("POST", "/v1/code/check", { body: {} }), 400, "invalid_request")
        assert.isEmpty(Json.listOf((yield* http.request("GET", "/v1/users/me/components")).json["data"]))
      }))

    it.effect(
      "is tried as it is deployed, with other code and props in its place, and by itself; nothing is kept",
      () =>
        Effect.gen(function*() {
          const http = yield* Http.tenant()
          const source = yield* http.created("/v1/sources", { component_code: counter, name: "Counter" })
          yield* http.request("POST", Http.endpointOf(source), { key: null, body: { order: 1 } })
          yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 2)
          const tried = yield* http.request("POST", `/v1/sources/${source.id}/trial`, { body: { event: { order: 2 } } })
          assert.strictEqual(tried.status, 200, tried.text)
          Json.assertHolds(tried.json["data"]!, {
            outcome: "success",
            trigger: "http",
            error: null,
            db: [{ key: "count", before: 1, after: 2 }],
            duplicates: 0,
            response: null
          })
          assert.deepStrictEqual(emitted(tried), [{ count: 2, order: 2, greeting: "hi" }])
          const hook = yield* http.request("POST", "/v1/sources/counter/trial", { body: { trigger: "deploy" } })
          assert.deepStrictEqual(emitted(hook), ["deployed"])
          const other = yield* http.request("POST", "/v1/code/trial", {
            body: {
              source_id: "counter",
              component_code: counter.replace("+ 1", "+ 100"),
              configured_props: { greeting: "hello" },
              event: { method: "PUT", path: "/x", body: { order: 1 } }
            }
          })
          Json.assertHolds(other.json["data"]!, {
            db: [{ key: "count", before: 1, after: 101 }],
            duplicates: 1,
            emits: []
          })
          Json.assertHolds(other.json["data"]!["event"]!, { method: "PUT", path: "/x" })
          const alone = yield* http.request("POST", "/v1/code/trial", {
            body: { component_code: counter, event: { order: "bad" }, requests: "refuse" }
          })
          Json.assertHolds(alone.json["data"]!, { outcome: "error", db: [{ key: "count", after: 1 }] })
          Json.assertHolds(alone.json["data"]!["error"]!, { name: "TypeError", file: "component.mjs", line: 11 })
          const [event] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 2)
          const stored = yield* http.request("POST", "/v1/code/trial", {
            body: {
              workflow_code:
                "export default { run({ steps, $ }) { $.emit(steps.trigger.event); return steps.trigger.context.hops } }",
              emitter_id: "counter",
              event_id: event!["id"]
            }
          })
          assert.deepStrictEqual(emitted(stored), [{ count: 1, order: 1, greeting: "hi" }])
          assert.deepStrictEqual<unknown>(Json.listOf(stored.json["data"]!["steps"])[0]!["exports"], {
            $return_value: 1
          })
          // What was tried is in no log, and the next run goes on from the one before.
          yield* http.request("POST", Http.endpointOf(source), { key: null, body: { order: 2 } })
          const all = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 3)
          assert.deepStrictEqual<unknown>(all[0]!["event"]!["raw_event"], { count: 2, order: 2, greeting: "hi" })
          assert.strictEqual(all.length, 3)
          assert.lengthOf(Json.listOf((yield* http.request("GET", "/v1/users/me/components")).json["data"]), 1)
        })
    )

    it.effect(
      "is not tried with what does not fit, and with code or props of one's own only by keys that may write",
      () =>
        Effect.gen(function*() {
          const http = yield* Http.tenant()
          const { id } = yield* http.created("/v1/sources", { component_code: counter, name: "Counter" })
          const workflow = yield* http.created("/v1/workflows", { workflow_code: Http.workflowCode, name: "Echo" })
          const attempt = (body: unknown) => http.request("POST", "/v1/code/trial", { body })
          const refusals = [
            [{}, "component_code"],
            [{ source_id: id, configured_props: { greeting: 1 } }, "configured_props.greeting"],
            [{ source_id: id, trigger: "timer" }, "trigger"],
            [{ source_id: id, trigger: "activate" }, "trigger"],
            [{ source_id: id, event_id: "1-0" }, "emitter_id"],
            [{ source_id: id, workflow_code: Http.workflowCode }, "source_id"],
            [{ workflow_id: workflow.id, component_code: counter }, "workflow_id"],
            [{ component_code: counter, workflow_code: Http.workflowCode }, "workflow_code"]
          ] as const
          for (const [body, path] of refusals) {
            const answer = yield* attempt(body)
            Http.assertProblem(answer, 400, "invalid_request")
            assert.deepStrictEqual(Http.issuePaths(answer), [path], JSON.stringify(body))
          }
          Http.assertProblem(yield* attempt({ source_id: "nobody" }), 404, "not_found")
          Http.assertProblem(yield* attempt({ source_id: id, emitter_id: id, event_id: "1-0" }), 404, "not_found")
          Http.assertProblem(yield* attempt({ component_code: "export default {" }), 422, "component_invalid")
          const { key } = yield* http.created("/v1/users/me/keys", { scope: "run" })
          const asRunner = { key: Json.textOf(key), body: { component_code: counter } }
          assert.strictEqual(
            (yield* http.request("POST", `/v1/sources/${id}/trial`, { ...asRunner, body: {} })).status,
            200
          )
          assert.strictEqual((yield* http.request("POST", "/v1/code/check", asRunner)).status, 200)
          Http.assertProblem(yield* http.request("POST", "/v1/code/trial", asRunner), 403, "insufficient_scope")
        })
    )

    it.effect("runs in no process that a source of the account uses, before or after it, whatever asks for it", () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const { key } = yield* http.created("/v1/users/me/keys", { scope: "run" })
        const runner = Json.textOf(key)
        const source = yield* http.created("/v1/sources", {
          component_code: Http.httpCode(
            `globalThis.left ??= "the secret of a source"; this.$emit(globalThis.given ?? "nothing")`
          ),
          name: "Keeper"
        })
        let runs = 0
        const runSource = Effect.gen(function*() {
          yield* http.request("POST", Http.endpointOf(source), { key: null, body: {} })
          runs += 1
          const [last] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, runs)
          return last!["event"]!["raw_event"] as unknown
        })
        // Each time the code says what it finds, and leaves something.
        const prying = (more = "") => `
        const look = () => { globalThis.given = "code that was given"; return globalThis.left ?? "nothing" }
        export default {
          name: look(), key: "prying",
          props: { p: { type: "string", optional: true, async options() { return [look()] } } },
          async additionalProps() { return { added: { type: "string", label: look(), optional: true } } },
          run() { this.$emit(look()) },
          ${more}
        }`
        const given = { component_code: prying() }
        const ways: Readonly<Record<string, readonly [key: string, method: string, path: string, body: object]>> = {
          check: [runner, "POST", "/v1/code/check", given],
          props: [runner, "POST", "/v1/code/check", { ...given, configured_props: { p: "x" } }],
          workflow: [runner, "POST", "/v1/code/check", {
            workflow_code: prying().replace("run()", "run({ $ })").replace("this.$emit", "$.emit")
          }],
          trial: [http.key, "POST", "/v1/code/trial", { ...given, trigger: "http" }],
          save: [http.key, "POST", "/v1/components", given],
          options: [runner, "POST", "/v1/components/prying/configure", { prop_name: "p" }],
          added: [runner, "POST", "/v1/components/prying/configure", { configured_props: { p: "x" } }],
          refused: [http.key, "PUT", `/v1/sources/${source.id}`, { component_code: prying("dedupe: look(),") }]
        }
        assert.strictEqual(yield* runSource, "nothing")
        for (const [way, [key, method, path, body]] of Object.entries(ways)) {
          const answer = yield* http.request(method, path, { key, body })
          assert.notInclude(answer.text, "the secret of a source", way)
          assert.notInclude(answer.text, `"internal_error"`, way)
          assert.strictEqual(yield* runSource, "nothing", way)
        }
      }))

    it.effect("shows about a mebibyte of what it did, and counts the rest", () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const answer = yield* http.request("POST", "/v1/code/trial", {
          body: {
            component_code: `export default { run() { for (let i = 0; i < 30; i++) this.$emit("x".repeat(100_000)) } }`
          }
        })
        assert.strictEqual(answer.status, 200)
        assert.isBelow(answer.text.length, 1_200_000)
        assert.strictEqual(emitted(answer).length + Number(answer.json["data"]!["omitted"]), 30)
      }))
  }
)
