import { assert, it, layer } from "@effect/vitest"
import { Draining } from "@headwater/engine/Draining"
import * as Json from "@headwater/fixtures/Json"
import { ApiKeys } from "@headwater/log/access/ApiKeys"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import * as NodeHttp from "node:http"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import * as Http from "../../../test/HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("every error", (it) => {
  it.effect("of a missing, malformed, unknown or revoked key is 401 with how to authenticate", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const keys = yield* ApiKeys
      const revoked = yield* keys.create(http.accountId, "revoked")
      yield* keys.revoke(http.accountId, revoked.id)
      const wrong = [
        "",
        "Bearer",
        "Bearer  ",
        "Basic aHc6aHc=",
        "Bearer hw_unknown",
        "Bearer nonsense",
        http.key,
        `Bearer ${http.key}x`,
        `Bearer ${Redacted.value(revoked.key)}`
      ]
      for (const authorization of wrong) {
        for (const [method, path] of [["GET", "/v1/users/me"], ["DELETE", "/v1/sources/dc_1?limit=x"]] as const) {
          const answer = yield* http.request(method, path, {
            key: null,
            headers: authorization === "" ? {} : { authorization }
          })
          Http.assertProblem(answer, 401, "unauthorized")
          const isMissing = !/Bearer \S/.test(authorization)
          assert.match(answer.text, isMissing ? /The request has no API key/ : /is unknown, expired or revoked/)
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        }
      }
      const broken = yield* http.request("POST", "/v1/components", { key: null, raw: "{" })
      Http.assertProblem(broken, 401, "unauthorized")
    }))

  it.effect("of an unknown path is 404, and of a known path's other methods 405 with those it has", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const unknown = [
        "/",
        "/v1",
        "/v1/nothing",
        "/v1/sources/a/b/c",
        "/v1/sources/a/$requests/event_summaries",
        "/V1/users/me",
        "/v1/users/me;x",
        "/http"
      ]
      for (const path of unknown) Http.assertProblem(yield* http.request("GET", path), 404, "not_found")
      const wrongMethod = yield* http.request("DELETE", "/v1/users/me/sources/")
      Http.assertProblem(wrongMethod, 405, "method_not_allowed")
      assert.strictEqual(wrongMethod.headers.get("allow"), "GET, HEAD, OPTIONS")
      const list = yield* http.request("GET", "/v1/sources?limit=1")
      Http.assertProblem(list, 405, "method_not_allowed")
      assert.match(list.text, /does not accept GET\. The list is at \/v1\/users\/me\/sources\./)
      const keys = yield* http.request("GET", "/v1/keys")
      assert.match(keys.text, /There is nothing at \/v1\/keys\. The list is at \/v1\/users\/me\/keys\./)
      const source = yield* http.request("POST", "/v1/sources/dc_1", { body: {} })
      assert.strictEqual(source.headers.get("allow"), "DELETE, GET, HEAD, OPTIONS, PUT")
    }))

  it.effect("of two hosts, or of a version of HTTP that this is not, is 400", () =>
    Effect.gen(function*() {
      const { address } = yield* HttpServer.HttpServer
      const exchange = (lines: ReadonlyArray<string>) =>
        Effect.callback<string>((resume) => {
          let answer = ""
          const port = address._tag === "InetAddressV4" ? address.port : 0
          const socket = connect(port, "127.0.0.1", () => socket.write([...lines, "", ""].join("\r\n")))
          socket.on("data", (chunk) => {
            answer += chunk.toString()
            if (answer.includes("}")) socket.destroy()
          })
          socket.on("close", () => resume(Effect.succeed(answer)))
        })
      for (const path of ["/v1/users/me", "/http/unknown"]) {
        const refused = [
          [`GET ${path} HTTP/1.1`, "Host: a.example", "Host: b.example"],
          [`GET ${path} HTTP/1.1`, "Host: a.example", "hOST: a.example"],
          [`GET ${path} HTTP/1.0`, "Host: a.example", "Host: b.example"],
          [`GET ${path} HTTP/2.0`, "Host: a.example"],
          [`GET ${path} HTTP/1.1`]
        ]
        for (const lines of refused) {
          const answer = yield* exchange(lines)
          assert.match(answer, /^HTTP\/1\.1 400 /, lines.join(", "))
          assert.include(answer, `"code":"invalid_request"`)
        }
      }
    }))

  it.effect("of a parameter that an endpoint beside the contract does not know is 400, and names the one that is meant", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const requests = [
        ["GET", "/v1/deliveries?webook_id=x", "webook_id", /Did you mean webhook_id\?/],
        ["GET", "/v1/deliveries?state=pending&zzz=1", "zzz", /There are: .*state/],
        ["GET", "/v1/users/me/settings?limit=1", "limit", /There is no such parameter/],
        ["POST", "/v1/bulk_actions?include=count", "include", /There is no such parameter/]
      ] as const
      for (const [method, path, name, message] of requests) {
        const body = { action: "retry", filter: {}, dry_run: true }
        const answer = yield* http.request(method, path, method === "POST" ? { body } : {})
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(answer), [name])
        assert.match(answer.text, message)
      }
      for (const path of ["users/me/sources", "users/me", "users/me/subscriptions", "accounts"]) {
        assert.strictEqual((yield* http.request("GET", `/v1/${path}?include_credentials=true`)).status, 200, path)
      }
    }))

  it.effect("of an unknown id is 404, also where the id can't be one", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const requests = [
        ["GET", "/v1/components/sc_unknown"],
        ["GET", "/v1/components/%00"],
        ["GET", "/v1/components/a%2Fb"],
        ["GET", "/v1/sources/dc_unknown"],
        ["GET", "/v1/consumers//?zzz=1"],
        ["GET", "/v1/sources/%00"],
        ["GET", "/v1/sources/%"],
        ["GET", "/v1/sources/%E0%A4%A"],
        ["GET", "/v1/sources/%ED%A0%80"],
        ["GET", "/v1/sources/%2e%2e"],
        ["GET", "/v1/sources/a;b"],
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
        ["GET", "/v1/webhooks/%00"],
        ["DELETE", "/v1/webhooks/wh_unknown"],
        ["GET", "/v1/webhooks/wh_unknown/secret"],
        ["POST", "/v1/webhooks/wh_unknown/secret/rotate"]
      ] as const
      for (const [method, path] of requests) {
        Http.assertProblem(yield* http.request(method, path), 404, "not_found")
      }
      const changes: ReadonlyArray<readonly [string, string, unknown]> = [
        ["PUT", "/v1/sources/dc_unknown", {}],
        ["PUT", "/v1/webhooks/wh_unknown", {}],
        ["POST", "/v1/sources", { component_id: "sc_unknown" }],
        ["POST", "/v1/sources", { component_id: "sc_unknown", component_code: Http.code("feed") }]
      ]
      for (const [method, path, body] of changes) {
        Http.assertProblem(yield* http.request(method, path, { body }), 404, "not_found")
      }
    }))

  it.effect("of a body that is no JSON, no object, or too deep, is 400", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const headers = { "content-type": "application/json" }
      const wrong = ["", "{", "nope", "[".repeat(200_000), `{"component_code":"x"`, "[]", "null", `"x"`, "1", "{}{}"]
      for (const raw of wrong) {
        for (const path of ["/v1/components", "/v1/sources"]) {
          Http.assertProblem(yield* http.request("POST", path, { raw, headers }), 400, "invalid_request")
        }
      }
    }))

  it.effect("of a missing or mistyped field is 400 and names each", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { id } = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const events = `/v1/sources/${id}/event_summaries`
      const expected: ReadonlyArray<readonly [string, string, unknown, ReadonlyArray<string>]> = [
        ["POST", "/v1/components", {}, ["component_code"]],
        ["POST", "/v1/components", { component_code: 1, include: 2 }, ["component_code", "include"]],
        ["POST", "/v1/components", { component_code: null }, ["component_code"]],
        ["POST", "/v1/components", { component_code: "a\u0000b" }, ["component_code"]],
        ["POST", "/v1/components", { component_code: "a\ud800b" }, ["component_code"]],
        ["POST", "/v1/components", { component_code: Http.code("a"), component_url: "\u0000" }, ["component_url"]],
        ["POST", "/v1/components", { component_code: Http.code("a"), exclude: "a.".repeat(5_000) }, ["exclude"]],
        ["POST", "/v1/sources", {}, ["component_id"]],
        ["POST", "/v1/sources", { component_id: "\u0000" }, ["component_id"]],
        ["POST", "/v1/sources", { component_id: 1, configured_props: [] }, ["component_id", "configured_props"]],
        ["POST", "/v1/sources", { component_code: "{}", name: "a\u0000b" }, ["name"]],
        ["POST", "/v1/sources", { component_code: "{}", name: "x".repeat(1_001) }, ["name"]],
        ["PUT", `/v1/sources/${id}`, { active: "no" }, ["active"]],
        ["PUT", `/v1/sources/${id}`, { active: null, name: 5 }, ["active", "name"]],
        ["POST", "/v1/webhooks", undefined, ["url"]],
        ["POST", "/v1/webhooks", { url: null }, ["url"]],
        ["POST", "/v1/webhooks", { url: "ftp://example.com" }, ["url"]],
        ["POST", "/v1/webhooks", { url: "http://127.0.0.1/\ud800" }, ["url"]],
        ["POST", "/v1/webhooks", { url: "http://127.0.0.1/", name: "\ud800" }, ["name"]],
        ["POST", "/v1/webhooks?url=example.com/x", undefined, ["url"]],
        ["POST", "/v1/webhooks?url=http://10.0.0.1/x", undefined, ["url"]],
        ["POST", "/v1/webhooks?url=http://0xa.1/x", undefined, ["url"]],
        ["POST", "/v1/webhooks?url=http://169.254.169.254/", undefined, ["url"]],
        ["POST", "/v1/webhooks?url=http://127.0.0.1/&name=a&name=b", undefined, ["name"]],
        ["POST", "/v1/webhooks?url=http://127.0.0.1/&name=%00", undefined, ["name"]],
        ["POST", "/v1/subscriptions", undefined, ["emitter_id", "listener_id"]],
        ["POST", `/v1/subscriptions?emitter_id=${id}`, undefined, ["listener_id"]],
        ["DELETE", "/v1/subscriptions", undefined, ["emitter_id", "listener_id"]],
        ["POST", "/v1/subscriptions", { emitter_id: 1, listener_id: id }, ["emitter_id"]],
        ["POST", "/v1/subscriptions", { emitter_id: `${"漢".repeat(900)}*`, listener_id: id }, ["emitter_id"]],
        ["POST", "/v1/subscriptions", { emitter_id: id, listener_id: id, event_name: "\ud800" }, ["event_name"]],
        ["POST", `/v1/subscriptions?emitter_id=${id}&listener_id=${id}&event_name=$requests`, undefined, [
          "event_name"
        ]],
        ["GET", "/v1/users/me/sources?limit=0", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=101", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=ten", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=1.5", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?limit=1&limit=2", undefined, ["limit"]],
        ["GET", "/v1/users/me/sources?after=nonsense", undefined, ["after"]],
        ["GET", "/v1/users/me/sources?after=&before=ZGNf", undefined, ["after", "before"]],
        ["GET", "/v1/users/me/sources?include=id&include=name", undefined, ["include"]],
        ["GET", "/v1/users/me/webhooks?before=ZGNfSzB1QWVl", undefined, ["before"]],
        ["GET", `${events}?after=yesterday`, undefined, ["after"]],
        ["GET", `${events}?before=1700000000000-1048576`, undefined, ["before"]],
        ["GET", `${events}?limit=1000&expand=all`, undefined, ["expand", "limit"]],
        ["GET", `${events}?event_name=$requests`, undefined, ["event_name"]]
      ]
      for (const [method, path, body, fields] of expected) {
        const answer = yield* http.request(method, path, body === undefined ? {} : { body })
        Http.assertProblem(answer, 400, "invalid_request")
        assert.sameMembers([...Http.issuePaths(answer)], [...fields], `${method} ${path}: ${answer.text}`)
      }
    }))

  it.effect("of a parameter that is given several times is 400 and says so", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const cases = [
        ["GET", "/v1/users/me/sources?limit=1&limit=2&limit=3", "limit", "is given 3 times: give it once"],
        ["GET", "/v1/users/me?include=id&include=email", "include", "is given 2 times: give it once"],
        [
          "POST",
          "/v1/webhooks?url=http://127.0.0.1:9/&url=http://127.0.0.1:9/",
          "url",
          "is given 2 times: give it once"
        ]
      ] as const
      for (const [method, path, parameter, message] of cases) {
        const answer = yield* http.request(method, path)
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual<unknown>(answer.json["details"], [{ path: parameter, message }])
        assert.strictEqual<unknown>(answer.json["detail"], `${parameter}: ${message}`)
      }
    }))

  it.effect("of a body that is encoded, or in another charset, is 415 that says so, and of one that is not UTF-8 400", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const json = { "content-type": "application/json" }
      const body = JSON.stringify({ name: "ü" })
      const keys = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
        http.request("POST", "/v1/users/me/keys", { raw, headers: { ...json, ...headers } })
      const encoded = ["gzip", "br", "compress", "identity, zstd"]
      for (const coding of encoded) {
        for (const size of [0, 20_000]) {
          const raw = new Uint8Array([...gzipSync(body), ...new Uint8Array(size)])
          const answer = yield* keys(raw, { "content-encoding": coding })
          Http.assertProblem(answer, 415, "unsupported_media_type")
          assert.include(answer.text, coding)
        }
      }
      const latin1 = yield* keys(Uint8Array.from(Buffer.from(body, "latin1")), {
        "content-type": "application/json; charset=iso-8859-1"
      })
      Http.assertProblem(latin1, 415, "unsupported_media_type")
      assert.include(latin1.text, "iso-8859-1")
      for (const padding of ["", " ".repeat(20_000)]) {
        const bytes = Uint8Array.from(Buffer.from(body + padding, "latin1"))
        Http.assertProblem(yield* keys(bytes, {}), 400, "invalid_request")
      }
      for (
        const headers of [{ "content-encoding": "identity" }, { "content-type": "application/json; charset=UTF-8" }]
      ) {
        assert.strictEqual((yield* keys(body, headers)).status, 200)
      }
      assert.lengthOf(Json.listOf((yield* http.request("GET", "/v1/users/me/keys")).json["data"]), 3)
    }))

  it.effect("of a body in another media type is 415, where the body is asked for also without one", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const raw = new TextEncoder().encode(`{"component_code":"x"}`)
      for (const contentType of [undefined, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
        const headers = contentType === undefined ? {} : { "content-type": contentType }
        for (const [method, path] of [["POST", "/v1/components"], ["PUT", "/v1/sources/a"]] as const) {
          Http.assertProblem(yield* http.request(method, path, { raw, headers }), 415, "unsupported_media_type")
          Http.assertProblem(yield* http.request(method, path, { headers }), 415, "unsupported_media_type")
        }
        const optional = yield* http.request("POST", "/v1/webhooks?url=http://127.0.0.1/", { raw, headers })
        Http.assertProblem(optional, 415, "unsupported_media_type")
      }
      const withCharset = yield* http.request("POST", "/v1/components", {
        raw: JSON.stringify({ component_code: Http.code("feed") }),
        headers: { "content-type": "Application/JSON; charset=utf-8" }
      })
      assert.strictEqual(withCharset.status, 200)
    }))

  it.effect("of something too large is 413", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const code = yield* http.request("POST", "/v1/components", {
        body: { component_code: "ö".repeat(512 * 1024 + 1) }
      })
      Http.assertProblem(code, 413, "payload_too_large")
      const body = yield* http.request("POST", "/v1/components", {
        body: { component_code: "x".repeat(9 * 1024 * 1024) }
      })
      Http.assertProblem(body, 413, "payload_too_large")
      const event = yield* http.request("POST", "/v1/workflows/none/invocations", {
        body: { event: "x".repeat(512 * 1024) }
      })
      Http.assertProblem(event, 413, "payload_too_large")
      const structure = yield* http.request("POST", "/v1/components", {
        body: { component_code: "x", ignored: Array.from({ length: 270 * 1024 }, () => 1) }
      })
      Http.assertProblem(structure, 413, "payload_too_large")
      const prop = yield* http.request("POST", "/v1/sources", {
        body: { component_code: Http.code("feed", { x: "string" }), configured_props: { x: "x".repeat(64 * 1024) } }
      })
      Http.assertProblem(prop, 413, "payload_too_large")
    }))

  it.effect("and large bodies of one account are read with rests while another is there", () =>
    Effect.gen(function*() {
      const [http, other] = [yield* Http.tenant(), yield* Http.tenant()]
      yield* other.request("GET", "/v1/users/me")
      yield* Effect.forkChild(
        Effect.forever(Effect.andThen(Effect.sleep("100 millis"), other.request("GET", "/v1/users/me")))
      )
      const from = performance.now()
      const large = http.request("POST", "/v1/workflows/none/invocations", { body: { event: "x".repeat(500_000) } })
      const answers = yield* Effect.all([large, large, large, large, large], { concurrency: "unbounded" })
      for (const answer of answers) Http.assertProblem(answer, 404, "not_found")
      assert.isAtLeast(performance.now() - from, 4 * 90)
    }))

  it.effect("and a body of unknown length waits for none that is on its way", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { address } = yield* HttpServer.HttpServer
      const port = address._tag === "InetAddressV4" ? address.port : 0
      const chunked = Effect.acquireRelease(
        Effect.sync(() =>
          NodeHttp.request(`http://127.0.0.1:${port}/v1/components`, {
            method: "POST",
            agent: false,
            headers: {
              authorization: `Bearer ${http.key}`,
              "content-type": "application/json",
              "transfer-encoding": "chunked"
            }
          }).on("error", () => {})
        ),
        (request) => Effect.sync(() => request.destroy())
      )
      const unfinished = yield* chunked
      const hasBegun = new Promise((resolve) => unfinished.write("{", resolve))
      yield* Effect.promise(() => hasBegun)
      const small = yield* chunked
      const answered = Effect.callback<number | undefined>((resume) => {
        small.on("response", ({ statusCode }) => resume(Effect.succeed(statusCode))).end("{}")
      })
      assert.strictEqual(yield* Effect.timeout(answered, "60 seconds"), 400)
    }))

  it.effect("of our own making is 500 and tells nothing of the cause", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sql = yield* SqlClient.SqlClient
      yield* Effect.acquireRelease(
        sql`ALTER TABLE webhooks RENAME TO away`,
        () => Effect.orDie(sql`ALTER TABLE away RENAME TO webhooks`)
      )
      const answer = yield* http.request("GET", "/v1/users/me/webhooks")
      Http.assertProblem(answer, 500, "internal_error")
      assert.notInclude(answer.text, "webhooks")
      Http.assertProblem(yield* http.request("GET", "/v1/webhooks/wh_1"), 500, "internal_error")
    }))
})

it.live("a server that is shutting down answers 503 with when to try again", () =>
  Effect.gen(function*() {
    const http = yield* Http.tenant()
    const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(1)") })
    yield* (yield* Draining).begin
    const answer = yield* http.request("POST", Http.endpointOf(source))
    Http.assertProblem(answer, 503, "unavailable")
    assert.strictEqual(answer.headers.get("retry-after"), "1")
    assert.deepStrictEqual<unknown>(answer.json["details"], { retry_after_seconds: 1 })
    Http.assertProblem(yield* http.request("GET", "/readyz"), 503, "unavailable")
    assert.strictEqual((yield* http.request("GET", "/healthz")).status, 200)
  }).pipe(Effect.provide(Http.layer)))
