import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { PackageRegistry } from "@headwater/fixtures/PackageRegistry"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "./HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("code", (it) => {
  it.effect("that is as large as a component can be is read again and run, and a larger one is refused by its bytes", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const registry = yield* PackageRegistry
      const publish = (name: string, text: string) =>
        registry.publish({ name, version: "1.0.0", files: { "index.js": `module.exports = ${JSON.stringify(text)}` } })
      // Each of them is two bytes of JSON.
      publish("large", "\"".repeat(10 * 1024 * 1024))
      // Each of them is two characters of code, and four bytes of JSON.
      publish("beyond", "\\".repeat(7 * 1024 * 1024))
      const codeOf = (name: string) =>
        `import text from ${JSON.stringify(name)}\n${Http.httpCode("this.$emit(text.length)", `key: "large",`)}`
      const source = yield* http.created("/v1/sources", { component_code: codeOf("large") })
      yield* http.request("POST", Http.endpointOf(source), { key: null, body: {} })
      const [event] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 1)
      assert.strictEqual<unknown>(event!["event"]!["raw_event"], 10 * 1024 * 1024)
      assert.isAbove(
        (yield* (yield* SqlClient.SqlClient)<{ readonly bytes: number }>`
          SELECT octet_length(linked) AS bytes FROM components WHERE account_id = ${http.accountId}`)[0]!.bytes,
        16 * 1024 * 1024
      )
      const again = yield* http.created("/v1/sources", { component_code: codeOf("large") })
      assert.strictEqual((yield* http.request("GET", `/v1/sources/${again.id}/code`)).status, 200)
      const byKey = yield* http.request("POST", "/v1/components/large/configure", { body: {} })
      assert.strictEqual(byKey.status, 200, byKey.text)
      const refused = yield* http.request("POST", "/v1/components", { body: { component_code: codeOf("beyond") } })
      Http.assertProblem(refused, 413, "payload_too_large")
      Json.assertHolds(refused.json["details"]!, { limit_bytes: 24 * 1024 * 1024 })
    }))
})

layer(Http.layerWith({ maxCode: 2 * 1024 * 1024, maxProp: 100 }), { excludeTestServices: true })(
  "the limits of code and props",
  (it) => {
    it.effect("are those that the operator set, and requests have room for them", () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        // Each of these takes a byte in the code and six in the request.
        const large = (bytes: number) => {
          const code = Http.code("feed", { x: "string" })
          return `${code}//${"\u0001".repeat(bytes - code.length - 2)}`
        }
        const fits = yield* http.request("POST", "/v1/components", {
          body: { component_code: large(2 * 1024 * 1024), exclude: "code" }
        })
        assert.strictEqual(fits.status, 200, fits.text)
        const over = yield* http.request("POST", "/v1/components", {
          body: { component_code: large(2 * 1024 * 1024 + 1) }
        })
        Http.assertProblem(over, 413, "payload_too_large")
        assert.deepStrictEqual<unknown>(over.json["details"], { limit_bytes: 2 * 1024 * 1024 })
        const component_id = fits.json["data"]!["id"]
        for (const [length, status] of [[98, 200], [99, 413]] as const) {
          const prop = yield* http.request("POST", "/v1/sources", {
            body: { component_id, configured_props: { x: "x".repeat(length) } }
          })
          assert.strictEqual(prop.status, status, prop.text)
        }
      }))
  }
)
