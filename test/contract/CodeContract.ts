import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, ContractServer, type It } from "./ContractServer.ts"

const counting = `export default {
  key: "counting",
  props: { http: "$.interface.http", db: "$.service.db", timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } },
  async run(event) {
    console.log("counted", event.body)
    this.db.set("count", (this.db.get("count") ?? 0) + 1)
    this.$emit({ a: [1, null, "\\u0000"] }, { id: 7, summary: "seven", ts: 1760000000000, name: "odd" })
    this.$emit(1, { delivery_ts: Date.now() + 60_000 })
    this.http.respond({ status: 201, headers: { "x-a": "b" }, body: new Uint8Array([255, 0]) })
    await fetch("http://127.0.0.1:1/").catch(() => {})
    if (event.body === "fail") throw new TypeError("failed")
  }
}`

const stepwise = `export default {
  steps: {
    first: { run({ $ }) { $.export("n", 1); $.flow.delay(1_000); $.send.http({ url: "https://example.com/", data: {} }) } },
    last: { run({ steps, $ }) { $.emit(steps.first); $.flow.exit("over") } }
  }
}`

const nothing = { duplicates: 0, exit_reason: null, omitted: 0, sends: [], steps: [] }

/** Reading, checking and trying code. */
export const rows = (it: It): void => {
  it.effect("extension: the code of a source and of a workflow is read, checked and tried", () =>
    Effect.gen(function*() {
      const { bob, fresh } = yield* ContractServer
      const client = yield* fresh("code")
      const source = yield* client.ok("POST", "/sources", { component_code: counting, name: "Counting" })
      const workflow = yield* client.ok("POST", "/workflows", { workflow_code: stepwise, name: "Stepwise" })
      const ofSource = yield* client.ok("GET", "/sources/counting/code")
      Json.assertHolds(ofSource, { code: counting, key: "counting", name: "counting", version: "0.0.0", url: null })
      Json.assertHolds(yield* client.ok("GET", `/workflows/${Json.textOf(workflow["id"])}/code/`), { code: stepwise })
      assertProblem(yield* bob.send("GET", `/sources/${Json.textOf(source["id"])}/code`), 404, "not_found")

      const checked = yield* client.ok("POST", "/code/check", { workflow_code: stepwise })
      Json.assertHolds(checked, { valid: true, kind: "workflow", steps: ["first", "last"], errors: [] })
      const faulty = yield* client.ok("POST", "/code/check", {
        component_code: "export default {",
        include: "errors"
      })
      assert.hasAllKeys(faulty, ["errors"])
      assert.hasAllKeys(Json.listOf(faulty["errors"])[0], ["message", "file", "line", "column", "advice"])
      assertInvalid(yield* client.send("POST", "/code/check", { body: {} }), "component_code")

      const trial = yield* client.ok("POST", "/sources/counting/trial", { event: "fail" })
      Json.assertHolds(trial, { outcome: "error", trigger: "http", db: [{ key: "count", after: 1 }], ...nothing })
      Json.assertHolds(trial["error"]!, { name: "TypeError", message: "failed", file: "component.mjs", line: 11 })
      const [first, second] = Json.listOf(trial["emits"])
      assert.deepStrictEqual<unknown>(first, {
        step: null,
        event_name: "odd",
        event: { a: [1, null, "\u0000"] },
        id: 7,
        summary: "seven",
        ts: 1760000000000,
        due_at_ms: null
      })
      assert.isAbove(Number(second!["due_at_ms"]), Date.now())
      assert.deepStrictEqual<unknown>(trial["response"], {
        status: 201,
        headers: { "x-a": "b" },
        body: "/wA=",
        base64: true
      })
      assert.lengthOf(Json.listOf(Json.listOf(trial["timers"])[0]!["due_at_ms"]), 3)
      assert.isNotEmpty(Json.textOf(Json.listOf(trial["requests"])[0]!["error"]))

      const steps = yield* client.ok("POST", "/workflows/stepwise/trial")
      Json.assertHolds(steps, { outcome: "success", exit_reason: "over" })
      assert.deepStrictEqual<unknown>(
        Json.listOf(steps["steps"]).map(({ exports, name, wait_ms }) => [name, exports, wait_ms]),
        [["first", { n: 1 }, 1_000], ["last", {}, null]]
      )
      assert.lengthOf(Json.listOf(steps["sends"]), 1)
      const other = yield* client.ok("POST", "/code/trial", {
        component_code: counting,
        source_id: "counting",
        event: { n: 1 },
        requests: "refuse",
        exclude: "logs,response"
      })
      Json.assertHolds(other, { outcome: "success" })
      assert.doesNotHaveAnyKeys(other, ["logs", "response"])
      const attempt = (body: unknown) => client.send("POST", "/code/trial", { body })
      assertInvalid(yield* attempt({}), "component_code")
      assertProblem(yield* attempt({ source_id: "nobody" }), 404, "not_found")
      assertProblem(yield* attempt({ workflow_code: "export default {" }), 422, "component_invalid")
      assertProblem(yield* bob.send("POST", `/sources/${Json.textOf(source["id"])}/trial`), 404, "not_found")
      assert.isEmpty(yield* client.listed("/sources/counting/event_summaries", 0))
    }))
}
