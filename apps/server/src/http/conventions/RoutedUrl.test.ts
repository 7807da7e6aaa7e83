import { assert, it, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as fc from "fast-check"
import * as Http from "../../../test/HttpAppFixture.ts"
import * as RoutedUrl from "./RoutedUrl.ts"

const escapedAt = (path: string, isEscaped: ReadonlyArray<boolean>): string =>
  [...path].map((character, index) =>
    isEscaped[index] === true && character !== "/"
      ? `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`
      : character
  ).join("")

it("a path is the same however many of its letters, digits and marks are escaped", () => {
  const mask = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 })
  const path = fc.stringMatching(/^\/(?:[\w.~-]{1,12}\/){0,3}[\w.~-]{0,12}$/)
  fc.assert(fc.property(path, mask, fc.constantFrom("", "?a=%41&b=/x"), (path, isEscaped, query) => {
    fc.pre(!path.startsWith("/http/"))
    assert.strictEqual(RoutedUrl.of(escapedAt(path, isEscaped) + query), path + query)
  }))
})

it("what stands for itself is left as it is, and so is what comes behind an endpoint", () => {
  assert.strictEqual(RoutedUrl.of("/v1/a%2Fb%25%3F%C3%BC%2"), "/v1/a%2Fb%25%3F%C3%BC%2")
  assert.strictEqual(RoutedUrl.of("/v1/sources/%24errors;x#y?z;#"), "/v1/sources/$errors%3Bx%23y?z;#")
  assert.strictEqual(RoutedUrl.of("/http/key/%61;b?%61"), "/http/key/%61;b?%61")
  assert.strictEqual(RoutedUrl.of("/h%74tp/%6bey/%61;b?%61"), "/http/key/%61;b?%61")
  assert.strictEqual(RoutedUrl.of("/http/%6bey?%61"), "/http/key?%61")
})

layer(Http.layer, { excludeTestServices: true })("a request", (it) => {
  it.effect("is answered with the same headers and by the same rules however its path is escaped", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event)") })
      const { address } = yield* HttpServer.HttpServer
      const asked = Effect.fnUntraced(function*(method: string, path: string, headers: Record<string, string> = {}) {
        const response = yield* Effect.promise(() =>
          fetch(HttpServer.formatAddress(address) + path, { method, headers, redirect: "manual" })
        )
        yield* Effect.promise(() => response.arrayBuffer())
        const own = [...response.headers].filter(([name]) => !["date", "x-request-id"].includes(name))
        return { status: response.status, headers: Object.fromEntries(own) }
      })
      const authorization = { authorization: `Bearer ${http.key}` }
      const escapes = (path: string) => [
        path.replace(/^\/./, (start) => escapedAt(start, [false, true])),
        path.replace(/[a-z0-9]/g, (one) => escapedAt(one, [true]).toUpperCase())
      ]
      const paths = ["/v1/users/me", "/v1/nothing", "/v1/sources", "/metrics", "/console", "/console/", "/docs/api.md"]
      for (const path of [...paths, "/docs", "/healthz", "/AGENTS.md", "/users/me", Http.endpointOf(source)]) {
        for (const method of ["GET", "OPTIONS"]) {
          const plain = yield* asked(method, path, authorization)
          for (const escaped of escapes(path)) {
            const { headers, status } = yield* asked(method, escaped, authorization)
            assert.deepStrictEqual([escaped, status], [escaped, plain.status])
            // How long metrics and what names its path are differs.
            assert.deepStrictEqual(
              { ...headers, "content-length": "" },
              { ...plain.headers, "content-length": "" },
              escaped
            )
          }
        }
      }
      assert.strictEqual((yield* asked("GET", "/%76%31/users/me", authorization)).headers["cache-control"], "no-store")
      assert.notProperty((yield* asked("GET", "/%6detrics")).headers, "access-control-allow-origin")
      const metrics = yield* asked("GET", "/metrics%23")
      assert.strictEqual(metrics.status, 404)

      const [event] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries?expand=event&limit=1`, 1)
      Json.assertHolds(event!["event"]!["raw_event"], { path: "/" })
    }))
})
