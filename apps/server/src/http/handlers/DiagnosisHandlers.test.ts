import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("diagnosis", (it) => {
  it.effect("says of each thing that the server stands on how it is, and the versions of all", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { json, status } = yield* http.request("GET", "/v1/diagnosis")
      assert.strictEqual(status, 200)
      const data = json["data"]!
      assert.match(Json.textOf(data["versions"]!["postgres"]), /^\d+(\.\d+)*$/)
      assert.match(Json.textOf(data["versions"]!["deno"]), /^\d+\.\d+\.\d+/)
      assert.strictEqual(Json.textOf(data["versions"]!["node"]), process.versions.node)
      const findings = Object.fromEntries(Json.listOf(data["findings"]).map((one) => [Json.textOf(one["name"]), one]))
      assert.hasAllKeys(findings, ["database", "clock", "disk", "sandbox", "egress"])
      Json.assertHolds(findings["clock"], {
        state: "ok",
        message: "The database's clock agrees with this one.",
        todo: null
      })
      for (const name of ["database", "sandbox", "egress"]) {
        assert.include(["ok", "warning"], Json.textOf(findings[name]!["state"]), JSON.stringify(findings[name]))
      }
      assert.match(Json.textOf(findings["sandbox"]!["message"]), /^A component was loaded within \d+ ms\.$/)
      assert.match(Json.textOf(findings["egress"]!["message"]), /^127\.0\.0\.1:\d+ answers with \d+\.$/)
      const again = yield* http.request("GET", "/v1/diagnosis")
      assert.deepStrictEqual<unknown>(again.json["data"], data)
    }))
})
