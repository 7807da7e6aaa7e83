import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Clock, Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const day = 24 * 60 * 60

layer(Http.layer, { excludeTestServices: true })("keys", (it) => {
  const statusUnder = (http: Http.Tenant, key: string) =>
    Effect.map(http.request("GET", "/v1/users/me/sources", { key }), ({ status }) => status)

  it.effect("are created with or without a name, shown once, and listed without the key", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const named = yield* http.created("/v1/users/me/keys", { name: "Ünï 😀" })
      assert.hasAllKeys(named, ["id", "name", "scope", "key", "created_at", "expires_at"])
      Json.assertHolds(named, { name: "Ünï 😀", scope: "write", expires_at: null })
      assert.match(named.id, /^key_[0-9A-Za-z]{20}$/)
      assert.match(Json.textOf(named["key"]), /^hw_[0-9A-Za-z]{40}$/)
      const { json: { data: plain } } = yield* http.request("POST", "/v1/users/me/keys/?exclude=created_at")
      assert.hasAllKeys(plain, ["id", "name", "scope", "key", "expires_at"])
      for (const { key } of [named, plain!]) assert.strictEqual(yield* statusUnder(http, Json.textOf(key)), 200)
      const page = yield* http.request("GET", "/v1/users/me/keys?limit=2")
      Json.assertHolds(page.json["page_info"], { total_count: 3, count: 2 })
      const [second, first] = Json.listOf(page.json["data"])
      Json.assertHolds(second, { id: plain!["id"], name: "" })
      assert.deepStrictEqual<unknown>(first, {
        id: named.id,
        name: "Ünï 😀",
        scope: "write",
        created_at: named["created_at"],
        expires_at: null
      })
      const end = Json.textOf(page.json["page_info"]!["end_cursor"])
      const rest = yield* http.request("GET", `/v1/users/me/keys?after=${end}`)
      assert.deepStrictEqual(Json.listOf(rest.json["data"]).map(({ name }) => Json.textOf(name)), ["first"])
    }))

  it.effect("of a bad form are refused, naming the field", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { id } = yield* http.created("/v1/users/me/keys", {})
      const rotate = `/v1/users/me/keys/${id}/rotate`
      for (const overlap_seconds of [-1, 1.5, "60", null, 30 * day + 1]) {
        const answer = yield* http.request("POST", rotate, { body: { overlap_seconds } })
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(answer), ["overlap_seconds"])
      }
      for (const name of [1, null, "a\u0000b", "x".repeat(1_001)]) {
        const answer = yield* http.request("POST", "/v1/users/me/keys", { body: { name } })
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(answer), ["name"])
      }
      for (const scope of ["all", "", null, ["read"]]) {
        const answer = yield* http.request("POST", "/v1/users/me/keys", { body: { scope } })
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(answer), ["scope"])
      }
      const form = yield* http.request("POST", "/v1/users/me/keys", {
        raw: "name=a",
        headers: { "content-type": "application/x-www-form-urlencoded" }
      })
      Http.assertProblem(form, 415, "unsupported_media_type")
      const cursor = yield* http.request("GET", "/v1/users/me/keys?after=ZGNfSzB1QWVl")
      Http.assertProblem(cursor, 400, "invalid_request")
    }))

  it.effect("are rotated: the new one counts, the old one until its overlap is over", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const old = yield* http.created("/v1/users/me/keys", { name: "deploy" })
      const before = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const rotated = yield* http.request("POST", `/v1/users/me/keys/${old.id}/rotate`)
      const { data: second } = rotated.json
      Json.assertHolds(second, { name: "deploy", scope: "write", expires_at: null })
      assert.notStrictEqual(Json.textOf(second!["id"]), old.id)
      for (const { key } of [old, second!]) assert.strictEqual(yield* statusUnder(http, Json.textOf(key)), 200)
      const after = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const { json: { data: listed } } = yield* http.request("GET", "/v1/users/me/keys")
      const expiry = Number(Json.listOf(listed).find(({ id }) => Json.textOf(id) === old.id)?.["expires_at"])
      assert.isAtLeast(expiry, before + day)
      assert.isAtMost(expiry, after + day)
      const third = yield* http.created(`/v1/users/me/keys/${old.id}/rotate`, { overlap_seconds: 0, include: "id,key" })
      assert.hasAllKeys(third, ["id", "key"])
      Http.assertProblem(
        yield* http.request("GET", "/v1/users/me", { key: Json.textOf(old["key"]) }),
        401,
        "unauthorized"
      )
      for (const { key } of [second!, third]) assert.strictEqual(yield* statusUnder(http, Json.textOf(key)), 200)
      for (const path of [`${old.id}/rotate`, "key_unknown/rotate"]) {
        Http.assertProblem(yield* http.request("POST", `/v1/users/me/keys/${path}`), 404, "not_found")
      }
    }))

  it.effect("that are revoked are refused at once, also by their own request and as the last one", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { id, key } = yield* http.created("/v1/users/me/keys", {})
      assert.strictEqual(yield* statusUnder(http, Json.textOf(key)), 200)
      const revoked = yield* http.request("DELETE", `/v1/users/me/keys/${id}`, { key: Json.textOf(key) })
      assert.deepStrictEqual([revoked.status, revoked.text], [204, ""])
      const refused = yield* http.request("GET", "/v1/users/me", { key: Json.textOf(key) })
      Http.assertProblem(refused, 401, "unauthorized")
      assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
      Http.assertProblem(yield* http.request("DELETE", `/v1/users/me/keys/${id}`), 404, "not_found")
      const { json } = yield* http.request("GET", "/v1/users/me/keys")
      const [last] = Json.listOf(json["data"])
      assert.strictEqual((yield* http.request("DELETE", `/v1/users/me/keys/${Json.textOf(last!["id"])}`)).status, 204)
      Http.assertProblem(yield* http.request("GET", "/v1/users/me"), 401, "unauthorized")
    }))

  it.effect("that ask are what the free account shows: a key that was rotated does not learn of its successor", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const shownTo = (key: string) =>
        Effect.map(
          http.request("GET", "/v1/users/me", { key }),
          ({ json }) => Json.textOf(json["data"]!["api_key"])
        )
      const old = yield* http.created("/v1/users/me/keys", { name: "deploy" })
      const successor = yield* http.created(`/v1/users/me/keys/${old.id}/rotate`, { overlap_seconds: 60 })
      for (const key of [http.key, Json.textOf(old["key"]), Json.textOf(successor["key"])]) {
        assert.strictEqual(yield* shownTo(key), key)
      }
    }))
})
