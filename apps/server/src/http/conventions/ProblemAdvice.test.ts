import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

/** What a newcomer sends, and what the answer must say is to be done. */
const met: ReadonlyArray<readonly [method: string, path: string, body: unknown, advice: RegExp]> = [
  ["GET", "/users/me", undefined, /Did you mean \/v1\/users\/me\?$/],
  ["GET", "/favourites", undefined, /The API is below \/v1, and \/llms\.txt lists its documentation\.$/],
  ["GET", "/v1/orders", undefined, /\/docs shows what there is\.$/],
  ["GET", "/v1/sources", undefined, /The list is at \/v1\/users\/me\/sources\.$/],
  ["GET", "/v1/sources/orders", undefined, /GET \/v1\/users\/me\/sources lists yours\.$/],
  ["GET", "/v1/webhooks/wh_1", undefined, /GET \/v1\/users\/me\/webhooks lists yours\.$/],
  ["GET", "/v1/events/1-0/journey", undefined, /GET \/v1\/events lists those that are kept\.$/],
  ["POST", "/v1/sources", {}, /one of component_id, component_code, component_url and key is required$/],
  ["POST", "/v1/sources", { key: "nothing" }, /GET \/v1\/registry\/components lists them\.$/],
  ["POST", "/v1/sources", { component_code: "const a = 1" }, /write `export default \{ … \}`$/],
  ["POST", "/v1/sources", { component_code: "import a from \"./a.mjs\"; export default {}" }, /`headwater deploy`/],
  [
    "POST",
    "/v1/sources",
    { component_code: "export default { steps: { a: { run() {} } } }" },
    /send it as workflow_code/
  ],
  [
    "POST",
    "/v1/sources",
    {
      component_code: "export default { props: { timer: \"$.interface.timer\" }, run() {} }",
      configured_props: { timer: { cron: "daily" } }
    },
    /Give five fields, or six with the seconds first, such as "0 9 \* \* 1-5"$/
  ],
  [
    "POST",
    "/v1/sources",
    {
      component_code: "export default { props: { shop: { type: \"app\", app: \"shop\" } }, run() {} }",
      configured_props: { shop: "mine" }
    },
    /POST \/v1\/accounts and `headwater credentials create` make one$/
  ],
  ["POST", "/v1/sources", { component_code: `//${"x".repeat(1024 * 1024)}` }, /raise HEADWATER_MAX_CODE\.$/],
  ["POST", "/v1/webhooks", { url: "example.com" }, /such as https:\/\/example\.com\/events$/],
  ["POST", "/v1/webhooks", { url: "http://10.0.0.1/" }, /allow it with HEADWATER_EGRESS_ALLOW$/],
  ["POST", "/v1/subscriptions", { emitter_id: "a", listener_id: "b" }, /GET \/v1\/users\/me\/workflows list yours\.$/],
  ["POST", "/http/nothing", {}, /show its endpoint_url\.$/]
]

layer(Http.layer, { excludeTestServices: true })("problems", (it) => {
  it.effect("say what to do next where a newcomer goes wrong", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (const [method, path, body, advice] of met) {
        const { json } = yield* http.request(method, path, body === undefined ? {} : { body })
        assert.match(Json.textOf(json["detail"]), advice, `${method} ${path}`)
      }
      const broken = yield* http.request("POST", "/v1/sources", {
        raw: "{\"component_code\": ",
        headers: { "content-type": "application/json" }
      })
      assert.match(
        Json.textOf(broken.json["detail"]),
        /quotes and commas are right, and that no shell has taken quotes/
      )
      for (const key of [null, "hw_unknown"]) {
        const { json } = yield* http.request("GET", "/v1/users/me", { key })
        assert.match(Json.textOf(json["detail"]), /An operator makes one with `headwater key create`\.$/)
      }
      const { json } = yield* http.request("POST", "/v1/users/me/keys", { body: { name: "r", scope: "read" } })
      const key = Json.textOf(json["data"]!["key"])
      const refused = yield* http.request("POST", "/v1/webhooks", { key, body: { url: "https://example.com" } })
      assert.match(Json.textOf(refused.json["detail"]), /`headwater key create <account> --scope write`\.$/)
    }))
})
