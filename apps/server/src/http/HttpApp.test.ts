import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../test/HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("the server's HTTP side", (it) => {
  it.effect("cuts each item of data down to include and exclude, from the query or from the body", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const component_code = Http.code("feed", { a: { type: "string", optional: true } })
      const posted = yield* http.created("/v1/components", { component_code, include: "id, name,nope" })
      assert.hasAllKeys(posted, ["id", "name"])
      const { json } = yield* http.request(
        "GET",
        "/v1/components/feed?include=id,name,configurable_props.name&exclude=name"
      )
      assert.deepStrictEqual<unknown>(json["data"], { id: posted.id, configurable_props: [{ name: "a" }] })
      const source = yield* http.created("/v1/sources", { component_id: posted.id, exclude: "configured_props" })
      assert.notProperty(source, "configured_props")
      const list = yield* http.request("GET", "/v1/users/me/sources?include=active")
      assert.deepStrictEqual<unknown>(list.json["data"], [{ active: true }])
      assert.hasAllKeys(list.json["page_info"], ["total_count", "count", "start_cursor", "end_cursor"])
      const changed = yield* http.request("PUT", `/v1/sources/${source.id}`, { body: { include: "name" } })
      assert.deepStrictEqual<unknown>(changed.json["data"], { name: "my-feed" })
      const webhook = yield* http.request("POST", "/v1/webhooks?url=http://127.0.0.1/&include=url")
      assert.deepStrictEqual<unknown>(webhook.json["data"], { url: "http://127.0.0.1/" })
      const failed = yield* http.request("GET", "/v1/sources/unknown?include=id")
      Http.assertProblem(failed, 404, "not_found")
    }))

  it.effect("shows the user with the fields of the account's plan", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO usage_folded (emitter_id, account_id, day, invocations, compute_ms)
        VALUES ('dc_a', ${http.accountId}, ${new Date().toISOString().slice(0, 10)}::text::date, 3, 450)`
      yield* sql`UPDATE accounts SET daily_invocations_quota = 1000 WHERE id = ${http.accountId}`
      const free = yield* http.request("GET", "/v1/users/me")
      assert.deepStrictEqual<unknown>(free.json["data"], {
        id: http.accountId,
        username: http.username,
        email: "ann@example.com",
        api_key: http.key,
        daily_compute_time_quota: -1,
        daily_compute_time_used: 450,
        daily_invocations_quota: 1000,
        daily_invocations_used: 3
      })
      const paid = yield* (yield* Http.tenant("paid")).request("GET", "/v1/users/me/")
      assert.hasAllKeys(paid.json["data"], [
        "id",
        "username",
        "email",
        "billing_period_start_ts",
        "billing_period_end_ts",
        "billing_period_invocations"
      ])
    }))

  it.effect("answers for its health without a key", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (const path of ["/healthz", "/readyz"]) {
        assert.strictEqual((yield* http.request("GET", path, { key: null })).status, 200)
      }
    }))

  it.effect("lets no cache keep what belongs to an account, no browser guess a type, and no page read the metrics", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const key = yield* http.request("POST", "/v1/users/me/keys")
      const webhook = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      const secret = yield* http.request("GET", `/v1/webhooks/${webhook.id}/secret`)
      const refused = yield* http.request("GET", "/v1/users/me", { key: null })
      for (const { headers } of [yield* http.request("GET", "/v1/users/me"), key, secret, refused]) {
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("access-control-allow-origin"), "*")
      }
      const docs = yield* http.request("GET", "/docs", { key: null })
      assert.strictEqual(docs.headers.get("x-content-type-options"), "nosniff")
      for (const path of ["/metrics", "/metrics/", "/metrics?x"]) {
        const { headers, status } = yield* http.request("GET", path, { key: null })
        assert.strictEqual(status, 200)
        assert.isNull(headers.get("access-control-allow-origin"))
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      }
    }))

  it.effect("gives every response a request id, the client's own where it sent one that is safe to repeat", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const given = yield* http.request("GET", "/v1/users/me", { headers: { "x-request-id": "mine-1" } })
      assert.strictEqual(given.headers.get("x-request-id"), "mine-1")
      for (const unsafe of ["a b<script>", "a, b", "x".repeat(129), "ö"]) {
        const answer = yield* http.request("GET", "/nothing", { headers: { "x-request-id": unsafe } })
        assert.match(answer.headers.get("x-request-id") ?? "", /^[0-9A-Za-z]{20}$/)
      }
      const endpoint = yield* http.request("GET", "/http/unknown")
      assert.isNotNull(endpoint.headers.get("x-request-id"))
    }))

  it.effect("lets pages of any origin use the API, and answers their preflight without a key", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (const path of ["/v1/sources/dc_1", "/v1/sources/dc_1/"]) {
        const preflight = yield* http.request("OPTIONS", path, { key: null })
        assert.deepStrictEqual([preflight.status, preflight.text], [204, ""])
        assert.strictEqual(preflight.headers.get("access-control-allow-origin"), "*")
        assert.include(preflight.headers.get("access-control-allow-methods"), "PUT, PATCH")
        assert.include(preflight.headers.get("access-control-allow-headers"), "Authorization")
        assert.strictEqual(preflight.headers.get("allow"), "DELETE, GET, HEAD, OPTIONS, PUT")
      }
      const refused = yield* http.request("GET", "/v1/users/me", { key: null })
      assert.strictEqual(refused.headers.get("access-control-allow-origin"), "*")
    }))

  it.effect("answers a HEAD as the GET, without its body", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const get = yield* http.request("GET", "/v1/users/me")
      const head = yield* http.request("HEAD", "/v1/users/me")
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.strictEqual(head.headers.get("content-length"), get.headers.get("content-length"))
      assert.strictEqual((yield* http.request("HEAD", "/v1/sources/dc_unknown")).status, 404)
      const posted = yield* http.request("HEAD", "/v1/components")
      assert.deepStrictEqual([posted.status, posted.headers.get("allow")], [405, "OPTIONS, POST"])
    }))

  it.effect("takes the scheme of the key in any case", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (const scheme of ["bearer", "BEARER"]) {
        const headers = { authorization: `${scheme} ${http.key}` }
        assert.strictEqual((yield* http.request("GET", "/v1/users/me", { key: null, headers })).status, 200)
      }
    }))
})
