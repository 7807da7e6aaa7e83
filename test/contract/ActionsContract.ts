import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, ContractServer, type It } from "./ContractServer.ts"

const component_code = `export default {
  key: "text-shout",
  type: "action",
  props: { text: "string", times: "integer", visits: { type: "data_store", optional: true } },
  async run({ $ }) {
    if (this.text === "") throw new TypeError("nothing to shout")
    console.log("shouting")
    await this.visits?.increment("shouts")
    $.export("$summary", "shouted")
    $.send.http({ method: "POST", url: "http://127.0.0.1:9/", data: "x" })
    return { text: this.text.repeat(this.times), big: JSON.parse("1e21") }
  }
}`

/** workflows.md, "Actions". */
export const rows = (it: It): void => {
  it.effect("extension: an action is run by itself, and keeps what it changes in data stores", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("actions")
      yield* client.ok("POST", "/data_stores", { name: "visits" })
      const props = { text: "a", times: "3", visits: "visits" }
      const run = yield* client.ok("POST", "/actions/run", { component_code, configured_props: props })
      Json.assertHolds(run, {
        outcome: "success",
        error: null,
        return_value: { text: "aaa", big: 1e21 },
        exports: { $summary: "shouted" }
      })
      assert.deepStrictEqual(Json.listOf(run["logs"]).map(({ message }) => Json.textOf(message)), ["shouting"])
      assert.strictEqual(Json.listOf(run["sends"]).length, 1)
      Json.assertHolds(yield* client.ok("GET", "/data_stores/visits/entry?key=shouts"), { value: 1 })
      const failed = yield* client.ok("POST", "/actions/run", {
        component_code,
        configured_props: { ...props, text: "" }
      })
      Json.assertHolds(failed, { outcome: "error", return_value: null })
      Json.assertHolds(failed["error"], {
        name: "TypeError",
        message: "nothing to shout",
        file: "component.mjs",
        line: 6
      })
      const saved = yield* client.ok("POST", "/components", { component_code })
      for (const component_id of [Json.textOf(saved["id"]), "text-shout"]) {
        const again = yield* client.ok("POST", "/actions/run", { component_id, configured_props: props })
        Json.assertHolds(again, { outcome: "success" })
      }
      assertInvalid(yield* client.send("POST", "/actions/run", { body: {} }), "component_code")
      const source = { component_code: "export default { run() {} }" }
      assertInvalid(yield* client.send("POST", "/actions/run", { body: source }), "component_code")
      const wrong = { component_code, configured_props: { text: "a" } }
      assertInvalid(yield* client.send("POST", "/actions/run", { body: wrong }), "configured_props.times")
      assertProblem(yield* client.send("POST", "/actions/run", { body: { component_id: "none" } }), 404, "not_found")
      const broken = { body: { component_code: "export default {" } }
      assertProblem(yield* client.send("POST", "/actions/run", broken), 422, "component_invalid")
    }))
}
