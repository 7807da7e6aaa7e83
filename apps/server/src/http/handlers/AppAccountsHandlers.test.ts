import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const component_code = `
const shop = { type: "app", app: "shop" }
export default {
  props: { http: "$.interface.http", shop },
  run() { this.$emit({ token: this.shop.$auth.token }) }
}`

layer(Http.layer, { excludeTestServices: true })("accounts with apps", (it) => {
  it.effect("are changed: runs that begin afterwards have the renewed credentials", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const account = yield* http.created("/v1/accounts", { app: "shop", name: "North", credentials: { token: "old" } })
      const path = `/v1/accounts/${account.id}`
      const source = yield* http.created("/v1/sources", {
        component_code,
        configured_props: { shop: { authProvisionId: account.id } }
      })
      const events = `/v1/sources/${source.id}/event_summaries`
      yield* http.request("POST", Http.endpointOf(source))
      yield* http.summaries(events, 1)

      const renewed = yield* http.request("PUT", path, { body: { credentials: { token: "new" } } })
      assert.strictEqual(renewed.status, 200, renewed.text)
      assert.deepStrictEqual<unknown>(renewed.json["data"], account)
      assert.notInclude(renewed.text, "token")
      yield* http.request("POST", Http.endpointOf(source))
      const emitted = yield* http.summaries(events, 2)
      assert.deepStrictEqual<unknown>(emitted.map(({ event }) => event!["raw_event"]!["token"]), ["new", "old"])

      const renamed = yield* http.request("PUT", `${path}/`, { body: { name: "South" } })
      Json.assertHolds(renamed.json["data"], { id: account.id, app: "shop", name: "South" })
      yield* http.request("POST", Http.endpointOf(source))
      const [last] = yield* http.summaries(events, 3)
      assert.strictEqual<unknown>(last!["event"]!["raw_event"]!["token"], "new")

      Http.assertProblem(yield* stranger.request("PUT", path, { body: { name: "x" } }), 404, "not_found")
      const wrong = yield* http.request("PUT", path, { body: { name: 1, credentials: [] } })
      Http.assertProblem(wrong, 400, "invalid_request")
      assert.deepStrictEqual(Http.issuePaths(wrong), ["name", "credentials"])
      const large = yield* http.request("PUT", path, { body: { credentials: { token: "x".repeat(64 * 1024) } } })
      Http.assertProblem(large, 413, "payload_too_large")
    }))
})
