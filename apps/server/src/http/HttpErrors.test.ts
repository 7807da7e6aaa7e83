import { assert, describe, it } from "@effect/vitest"
import { ApiKeys } from "@headwater/log/ApiKeys"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "./HttpAppFixture.ts"

const assertProblem = (
  answer: Effect.Success<ReturnType<typeof Http.request>>,
  status: number,
  code: string
) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/)
  assert.hasAllKeys(answer.json, ["type", "title", "status", "detail", "error", "code", "details"])
  assert.deepInclude(answer.json, { status, code, error: answer.json["detail"] } as never)
  assert.isNotEmpty(answer.json["detail"])
  assert.isNotEmpty(answer.headers.get("x-request-id"))
}

const paths = (answer: Effect.Success<ReturnType<typeof Http.request>>) =>
  (answer.json["details"] as unknown as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path)

describe("every error", () => {
  it.live("of a missing, malformed, unknown or revoked key is 401 with how to authenticate", () =>
    Effect.gen(function*() {
      const { accountId } = yield* Http.Tenants
      const keys = yield* ApiKeys
      const revoked = yield* keys.create(accountId, "revoked")
      yield* keys.revoke(accountId, revoked.id)
      const wrong = [
        "",
        "Bearer",
        "Bearer  ",
        "Basic aHc6aHc=",
        "Bearer hw_unknown",
        "Bearer nonsense",
        `Bearer ${Redacted.value(revoked.key)}`
      ]
      for (const authorization of wrong) {
        const answer = yield* Http.request("GET", "/v1/users/me", {
          key: null,
          headers: authorization === "" ? {} : { authorization }
        })
        assertProblem(answer, 401, "unauthorized")
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
      }
    }).pipe(Effect.provide(Http.layer)))

  it.live("of an unknown path is 404, and of a known path's other methods 405 with those it has", () =>
    Effect.gen(function*() {
      for (const path of ["/", "/v1", "/v1/nothing", "/v1/sources/a/b/c", "/V1/users/me", "/http"]) {
        assertProblem(yield* Http.request("GET", path), 404, "not_found")
      }
      const wrongMethod = yield* Http.request("DELETE", "/v1/users/me/sources/")
      assertProblem(wrongMethod, 405, "method_not_allowed")
      assert.strictEqual(wrongMethod.headers.get("allow"), "GET, HEAD, OPTIONS")
      const source = yield* Http.request("POST", "/v1/sources/dc_1", { body: {} })
      assert.strictEqual(source.headers.get("allow"), "DELETE, GET, HEAD, OPTIONS, PUT")
    }).pipe(Effect.provide(Http.layer)))

  it.live("of an unknown id is 404, also where the id can't be one", () =>
    Effect.gen(function*() {
      const requests = [
        ["GET", "/v1/components/sc_unknown"],
        ["GET", "/v1/components/%00"],
        ["GET", "/v1/sources/dc_unknown"],
        ["GET", "/v1/sources/%00"],
        ["GET", "/v1/sources/%"],
        ["GET", "/v1/sources/%E0%A4%A"],
        ["GET", "/v1/sources/%ED%A0%80"],
        ["GET", `/v1/sources/${"x".repeat(1_500)}`],
        ["GET", `/v1/sources/${"x".repeat(5_000)}`],
        ["GET", "/v1//sources/a"],
        ["POST", "/http/%00/a"],
        ["POST", "/http/%/a"],
        ["DELETE", "/v1/sources/dc_unknown"],
        ["GET", "/v1/sources/dc_unknown/event_summaries"],
        ["GET", "/v1/sources/dc_unknown/$errors/event_summaries"],
        ["GET", "/v1/workflows/p_unknown/event_summaries"],
        ["GET", "/v1/workflows/p_unknown/$errors/event_summaries"],
        ["GET", "/v1/webhooks/wh_unknown"],
        ["DELETE", "/v1/webhooks/wh_unknown"],
        ["GET", "/v1/webhooks/wh_unknown/secret"],
        ["POST", "/v1/webhooks/wh_unknown/secret/rotate"],
        ["POST", "/v1/subscriptions?emitter_id=dc_unknown&listener_id=wh_1"],
        ["DELETE", "/v1/subscriptions?emitter_id=dc_1&listener_id=wh_1&event_name="]
      ] as const
      for (const [method, path] of requests) assertProblem(yield* Http.request(method, path), 404, "not_found")
      assertProblem(yield* Http.request("PUT", "/v1/sources/dc_unknown", { body: {} }), 404, "not_found")
      assertProblem(yield* Http.request("PUT", "/v1/webhooks/wh_unknown", { body: {} }), 404, "not_found")
    }).pipe(Effect.provide(Http.layer)))

  it.live("of a body that is no JSON, or too deep, is 400", () =>
    Effect.gen(function*() {
      const headers = { "content-type": "application/json" }
      for (const raw of ["{", "nope", "[".repeat(200_000), `{"component_code":"x"`]) {
        assertProblem(yield* Http.request("POST", "/v1/components", { raw, headers }), 400, "invalid_request")
      }
      for (const raw of ["[]", "null", "\"x\"", "1"]) {
        assertProblem(yield* Http.request("POST", "/v1/components", { raw, headers }), 400, "invalid_request")
      }
    }).pipe(Effect.provide(Http.layer)))

  it.live("of a missing or mistyped field is 400 and names each", () =>
    Effect.gen(function*() {
      const expected: ReadonlyArray<readonly [string, string, unknown, ReadonlyArray<string>]> = [
        ["POST", "/v1/components", {}, ["component_code"]],
        ["POST", "/v1/components", { component_code: 1, include: 2 }, ["component_code", "include"]],
        ["POST", "/v1/components", { component_code: "a\u0000b" }, ["component_code"]],
        ["POST", "/v1/sources", {}, ["component_id"]],
        ["POST", "/v1/sources", { component_id: 1, configured_props: [] }, ["component_id", "configured_props"]],
        ["POST", "/v1/sources", { component_code: "{}", name: "a\u0000b" }, ["name"]],
        ["PUT", "/v1/sources/dc_1", { active: "no" }, ["active"]],
        ["POST", "/v1/webhooks", undefined, ["url"]],
        ["POST", "/v1/webhooks", { url: "ftp://example.com" }, ["url"]],
        ["POST", "/v1/webhooks?url=example.com/x", undefined, ["url"]],
        ["POST", "/v1/webhooks?url=http://127.0.0.1/x", undefined, ["url"]],
        ["POST", "/v1/webhooks?url=http://0x7f.1/x", undefined, ["url"]],
        ["POST", "/v1/subscriptions", undefined, ["emitter_id", "listener_id"]],
        ["POST", "/v1/subscriptions?emitter_id=dc_1", undefined, ["listener_id"]],
        ["POST", "/v1/subscriptions", { emitter_id: 1, listener_id: "wh_1" }, ["emitter_id"]],
        ["POST", "/v1/subscriptions?emitter_id=dc_1&listener_id=wh_1&event_name=$requests", undefined, ["event_name"]],
        ["GET", "/v1/users/me/sources?limit=0", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=101", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=ten", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=1.5", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=1&limit=2", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?after=nonsense", undefined, ["after"]],
        ["GET", "/v1/users/me/webhooks?before=ZGNfSzB1QWVl", undefined, ["before"]],
        ["GET", "/v1/sources/dc_1/event_summaries?after=yesterday", undefined, ["after"]],
        ["GET", "/v1/sources/dc_1/event_summaries?expand=all", undefined, ["expand"]]
      ]
      for (const [method, path, body, fields] of expected) {
        const answer = yield* Http.request(method, path, body === undefined ? {} : { body })
        assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(paths(answer), fields, `${method} ${path}: ${answer.text}`)
      }
    }).pipe(Effect.provide(Http.layer)))

  it.live("of a body in another media type is 415", () =>
    Effect.gen(function*() {
      const raw = new TextEncoder().encode(`{"component_code":"x"}`)
      for (
        const headers of [{}, { "content-type": "text/plain" }, { "content-type": "application/x-www-form-urlencoded" }]
      ) {
        assertProblem(yield* Http.request("POST", "/v1/components", { raw, headers }), 415, "unsupported_media_type")
      }
      const withCharset = yield* Http.request("POST", "/v1/components", {
        raw: `{"component_code":"{\\"hooks\\":[],\\"props\\":[]}"}`,
        headers: { "content-type": "application/json; charset=utf-8" }
      })
      assert.strictEqual(withCharset.status, 200)
    }).pipe(Effect.provide(Http.layer)))

  it.live("of something too large is 413", () =>
    Effect.gen(function*() {
      const code = yield* Http.request("POST", "/v1/components", {
        body: { component_code: "x".repeat(1024 * 1024 + 1) }
      })
      assertProblem(code, 413, "payload_too_large")
      const body = yield* Http.request("POST", "/v1/components", {
        body: { component_code: "x".repeat(9 * 1024 * 1024) }
      })
      assertProblem(body, 413, "payload_too_large")
      const component_code = JSON.stringify({ hooks: [], props: [{ name: "x", type: "string" }] })
      const prop = yield* Http.request("POST", "/v1/sources", {
        body: { component_code, configured_props: { x: "x".repeat(64 * 1024) } }
      })
      assertProblem(prop, 413, "payload_too_large")
    }).pipe(Effect.provide(Http.layer)))

  it.live("of code that does not load, or a hook that throws, is 422 with the place, and leaves nothing behind", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const invalid = yield* Http.request("POST", "/v1/components", { body: { component_code: "throws" } })
      assertProblem(invalid, 422, "component_invalid")
      assert.deepStrictEqual(invalid.json["details"] as unknown, {
        message: "Unexpected token",
        file: "component.mjs",
        line: 3,
        column: 7
      })
      const failing = yield* Http.request("POST", "/v1/sources", {
        body: { component_code: JSON.stringify({ name: "failing", hooks: ["deploy"], props: [] }) }
      })
      assertProblem(failing, 422, "hook_failed")
      assert.deepInclude(failing.json["details"], { hook: "deploy", message: "no", line: 2 } as never)
      const left = yield* sql`SELECT id FROM components UNION ALL SELECT id FROM sources`
      assert.deepStrictEqual(left, [])
    }).pipe(Effect.provide(Http.layer)))

  it.live("of an engine that is away is 503 with when to try again", () =>
    Effect.gen(function*() {
      const body = { component_code: JSON.stringify({ hooks: [], props: [] }), name: Http.unavailableName }
      const engine = yield* Http.request("POST", "/v1/sources", { body })
      assertProblem(engine, 503, "unavailable")
      assert.strictEqual(engine.headers.get("retry-after"), "7")
      const endpoint = yield* Http.request("POST", `/http/${Http.endpointKey}/${Http.unavailableName}`)
      assertProblem(endpoint, 503, "unavailable")
      assert.strictEqual(endpoint.headers.get("retry-after"), "7")
    }).pipe(Effect.provide(Http.layer)))

  it.live("of our own making is 500 and tells nothing of the cause", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE webhooks RENAME TO away`
      const answer = yield* Http.request("GET", "/v1/users/me/webhooks")
      assertProblem(answer, 500, "internal_error")
      assert.notInclude(answer.text, "webhooks")
      assertProblem(yield* Http.request("GET", "/v1/webhooks/wh_1"), 500, "internal_error")
    }).pipe(Effect.provide(Http.layer)))
})

describe("every response", () => {
  it.live("carries a request id, the client's own where it sent one that is safe to repeat", () =>
    Effect.gen(function*() {
      const given = yield* Http.request("GET", "/v1/users/me", { headers: { "x-request-id": "mine-1" } })
      assert.strictEqual(given.headers.get("x-request-id"), "mine-1")
      const unsafe = yield* Http.request("GET", "/nothing", { headers: { "x-request-id": "a b<script>" } })
      assert.match(unsafe.headers.get("x-request-id") ?? "", /^[0-9A-Za-z]+$/)
      const endpoint = yield* Http.request("GET", "/http/unknown")
      assert.isNotNull(endpoint.headers.get("x-request-id"))
    }).pipe(Effect.provide(Http.layer)))

  it.live("lets pages of any origin use the API, and answers their preflight without a key", () =>
    Effect.gen(function*() {
      const preflight = yield* Http.request("OPTIONS", "/v1/sources/dc_1", { key: null })
      assert.strictEqual(preflight.status, 204)
      assert.strictEqual(preflight.headers.get("access-control-allow-origin"), "*")
      assert.include(preflight.headers.get("access-control-allow-methods"), "PUT")
      assert.include(preflight.headers.get("access-control-allow-headers"), "Authorization")
      assert.strictEqual(preflight.headers.get("allow"), "DELETE, GET, HEAD, OPTIONS, PUT")
      const refused = yield* Http.request("GET", "/v1/users/me", { key: null })
      assert.strictEqual(refused.headers.get("access-control-allow-origin"), "*")
    }).pipe(Effect.provide(Http.layer)))

  it.live("of a HEAD is that of the GET without its body", () =>
    Effect.gen(function*() {
      const answer = yield* Http.request("HEAD", "/v1/users/me")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.text, "")
    }).pipe(Effect.provide(Http.layer)))
})
