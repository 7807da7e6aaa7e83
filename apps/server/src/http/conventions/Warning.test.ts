import { assert, layer } from "@effect/vitest"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import { takesAnyFields } from "@headwater/api/Warnings"
import * as Json from "@headwater/fixtures/Json"
import { Context, Effect } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import * as Http from "../../../test/HttpAppFixture.ts"

const component_code = Http.code("warned")

const warningsOf = (answer: Http.Answer) => {
  const inHeader: unknown = JSON.parse(answer.headers.get("x-headwater-warnings") ?? "[]")
  if (answer.text !== "") assert.deepStrictEqual<unknown>(answer.json["warnings"] ?? [], inHeader)
  return inHeader
}

const isExtension = ({ annotations }: { readonly annotations: Context.Context<never> }): boolean =>
  "x-headwater-extension" in (Context.getOrUndefined(annotations, OpenApi.Override) ?? {})

layer(Http.layer, { excludeTestServices: true })("warnings", (it) => {
  it.effect("name what an endpoint of the contract does not know, and are not there otherwise", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const body = { component_code, nmae: "Orders", größe: 1 }
      const headers = { "idempotency-key": "one" }
      const created = yield* http.request("POST", "/v1/sources?include=id", { body, headers })
      assert.strictEqual(created.status, 200, created.text)
      const told = [
        { path: "include", message: "There is no such parameter. It takes none" },
        { path: "nmae", message: "There is no such field. Did you mean name?" }
      ]
      const warnings = warningsOf(created) as ReadonlyArray<unknown>
      assert.deepStrictEqual(warnings.slice(0, 2), told)
      Json.assertHolds(created.json["warnings"]![2], { path: "größe" })
      const repeated = yield* http.request("POST", "/v1/sources?include=id", { body, headers })
      assert.deepStrictEqual([repeated.text, warningsOf(repeated)], [created.text, warnings])
      const id = Json.textOf(created.json["data"]!["id"])
      const rightly = yield* http.request("PUT", `/v1/sources/${id}`, { body: { name: "Orders" } })
      assert.deepStrictEqual([Object.keys(rightly.json), warningsOf(rightly)], [["data"], []])

      const hook = yield* http.request("POST", "/v1/webhooks?url=http://127.0.0.1:9/&nam=x", {
        body: { circuit: { failures: 3, cooldown_seconds: 5, cooldown: 5 } }
      })
      assert.deepStrictEqual<unknown>(warningsOf(hook), [
        { path: "nam", message: "There is no such parameter. Did you mean name?" },
        { path: "circuit.cooldown", message: "There is no such field. Did you mean cooldown_seconds?" }
      ])
      const listed = yield* http.request("GET", "/v1/users/me/webhooks?limt=1")
      assert.deepStrictEqual<unknown>(warningsOf(listed), [
        { path: "limt", message: "There is no such parameter. Did you mean limit?" }
      ])

      const long = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${"größe".repeat(20)}${n}`, n]))
      const many = yield* http.request("POST", "/v1/webhooks?url=http://127.0.0.1:9/", { body: long })
      const listedAll = Json.listOf(many.json["warnings"])
      const headed = many.headers.get("x-headwater-warnings")!
      const begun = JSON.parse(headed) as ReadonlyArray<unknown>
      assert.isAtMost(headed.length, 3_000)
      assert.isAbove(begun.length, 1)
      assert.lengthOf(listedAll, 10)
      assert.deepStrictEqual<unknown>(begun, listedAll.slice(0, begun.length))

      const parameters = `emitter_id=${id}&listener_id=${id}&event_name=$error`
      const itself = yield* http.request("POST", `/v1/subscriptions?${parameters}`)
      assert.deepStrictEqual<unknown>(warningsOf(itself), [
        { path: "event_name", message: "Headwater writes no such stream: did you mean $errors?" },
        { path: "listener_id", message: "This is the emitter itself: each event that it emits makes it run again" }
      ])
      const removed = yield* http.request("DELETE", `/v1/subscriptions?${parameters}&evnt_name=x`)
      assert.deepStrictEqual<unknown>([removed.status, removed.text, warningsOf(removed)], [204, "", [
        { path: "evnt_name", message: "There is no such parameter. Did you mean event_name?" }
      ]])
    }))

  it.effect("are refusals at extensions", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const created = yield* http.request("POST", "/v1/sources", { body: { component_code } })
      const id = Json.textOf(created.json["data"]!["id"])
      const hook = yield* http.request("POST", "/v1/webhooks?url=http://127.0.0.1:9/")
      const webhook = `/v1/webhooks/${Json.textOf(hook.json["data"]!["id"])}`
      const refused: ReadonlyArray<readonly [method: string, path: string, body: unknown, detail: RegExp]> = [
        ["POST", "/v1/projects", { name: "Shop", nmae: 1 }, /^nmae: There is no such field\. Did you mean name\?$/],
        ["PUT", webhook, { rate_limit: { limit: 1, interval: 2 } }, /rate_limit\.interval: .* interval_seconds\?/],
        ["POST", `${webhook}/test`, { payloda: 1 }, /^payloda: There is no such field\. Did you mean payload\?$/],
        ["POST", "/v1/consumers", { emitter_id: id, event_name: "$log" }, /^event_name: .* did you mean \$logs\?$/],
        [
          "POST",
          "/v1/subscriptions/preview",
          { emitter_id: id, listener_id: id, event_name: "$error" },
          /^event_name: .* did you mean \$errors\?; listener_id: This is the emitter itself/
        ]
      ]
      for (const [method, path, body, detail] of refused) {
        const answer = yield* http.request(method, path, { body })
        Http.assertProblem(answer, 400, "invalid_request")
        assert.match(Json.textOf(answer.json["detail"]), detail)
      }
      const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, n]))
      const { json } = yield* http.request("POST", "/v1/projects", { body: { name: "Shop", ...many } })
      assert.strictEqual(Json.listOf(json["details"]).length, 10)
    }))

  it("are for just the endpoints of the contract", () => {
    const any = Context.get(takesAnyFields, HttpApi.PayloadParseOptions)
    HttpApi.reflect(HeadwaterApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        if (endpoint.payload.size === 0) return
        const options = Context.getOrUndefined(endpoint.annotations, HttpApi.PayloadParseOptions)
        assert.strictEqual(options === any, !isExtension(endpoint), `${endpoint.method} ${endpoint.path}`)
      }
    })
  })
})
