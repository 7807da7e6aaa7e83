import { assert, layer } from "@effect/vitest"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import { NeededScope } from "@headwater/api/NeededScope"
import { covers, KeyScope } from "@headwater/domain/ApiKey"
import * as Json from "@headwater/fixtures/Json"
import { Context, Effect } from "effect"
import { HttpApi } from "effect/http-api"
import * as Http from "../../../test/HttpAppFixture.ts"

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly needed: KeyScope
}

const endpoints: ReadonlyArray<Endpoint> = (() => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(HeadwaterApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { annotations, method, path } }) =>
      found.push({ method, path, needed: Context.get(annotations, NeededScope) })
  })
  return found
})()

layer(Http.layer, { excludeTestServices: true })("a key's scope", (it) => {
  it.effect(
    "lets a key do what it includes, and refuses everything else before it looks at the request",
    () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        for (const scope of KeyScope.literals) {
          const { key } = yield* http.created("/v1/users/me/keys", { scope })
          for (const { method, needed, path } of endpoints) {
            const name = `${scope}: ${method} ${path}`
            // A tail that is not refused does not end.
            const url = path.replaceAll(/:\w+/g, "nothing") + (path.endsWith("/sse") ? "?after=x" : "")
            const body = method === "POST" || method === "PUT" ? { body: {} } : {}
            const answer = yield* http.request(method, url, { key: Json.textOf(key), ...body })
            if (covers(scope, needed)) {
              assert.notStrictEqual(answer.status, 403, name)
              assert.isBelow(answer.status, 500, name)
            } else {
              Http.assertProblem(answer, 403, "insufficient_scope")
              assert.deepStrictEqual<unknown>(answer.json["details"], { scope, needed_scope: needed }, name)
            }
          }
        }
      })
  )

  it.effect("is shown in lists and kept by a rotation", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const made = yield* http.created("/v1/users/me/keys", { name: "dashboard", scope: "read" })
      const rotated = yield* http.created(`/v1/users/me/keys/${made.id}/rotate`, {})
      for (const key of [made, rotated]) Json.assertHolds(key, { name: "dashboard", scope: "read" })
      const { json } = yield* http.request("GET", "/v1/users/me/keys", { key: Json.textOf(rotated["key"]) })
      const shown = Json.listOf(json["data"]).map(({ name, scope }) => [Json.textOf(name), Json.textOf(scope)])
      assert.deepStrictEqual(shown, [["dashboard", "read"], ["dashboard", "read"], ["first", "write"]])
    }))
})
