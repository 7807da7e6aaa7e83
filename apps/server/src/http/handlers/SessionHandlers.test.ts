import { assert, layer } from "@effect/vitest"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Json from "@headwater/fixtures/Json"
import { Accounts } from "@headwater/log/access/Accounts"
import { Effect, Layer, Logger, References, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const console = { "x-headwater-console": "1" }

/** Signs in with a key, and sends requests with nothing but the session's cookie. */
const signIn = Effect.fnUntraced(function*(
  http: Http.Tenant,
  key: string = http.key,
  headers: Record<string, string> = {}
) {
  const answer = yield* http.request("POST", "/v1/session", { key: null, body: { api_key: key }, headers })
  const setCookie = answer.headers.get("set-cookie") ?? ""
  const cookie = setCookie.split(";", 1)[0]!
  return {
    answer,
    setCookie,
    cookie,
    token: cookie.slice(cookie.indexOf("=") + 1),
    request: (method: string, path: string, options: Http.RequestOptions = {}) =>
      http.request(method, path, { key: null, ...options, headers: { cookie, ...options.headers } })
  }
})

const endpoints = (() => {
  const found: Array<{ readonly method: string; readonly path: string }> = []
  HttpApi.reflect(HeadwaterApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => found.push({ method, path })
  })
  return found
})()

const untilStatus = <R>(request: Effect.Effect<Http.Answer, never, R>, status: number) =>
  request.pipe(
    Effect.repeat({ until: (answer) => answer.status === status, schedule: Schedule.spaced("50 millis") }),
    Effect.timeout("60 seconds")
  )

/** A tail, and what waits for its end. */
const tailed = Effect.fnUntraced(function*(path: string, cookie: string) {
  const server = yield* HttpServer.HttpServer
  const response = yield* Effect.promise(() =>
    fetch(HttpServer.formatAddress(server.address) + path, { headers: { cookie } })
  )
  assert.strictEqual(response.status, 200)
  return { end: Effect.promise(() => response.text()).pipe(Effect.timeout("60 seconds")) }
})

const lines: Array<string> = []

/** With everything that the server logs, however little it matters. */
const logged = Http.layer.pipe(
  Layer.provide([
    Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))]),
    Layer.succeed(References.MinimumLogLevel, "Trace")
  ])
)

layer(logged, { excludeTestServices: true })("a session", (it) => {
  it.effect("begins with a key, shows whose it is, and ends when somebody signs out", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const session = yield* signIn(http)
      assert.strictEqual(session.answer.status, 201)
      assert.match(
        session.setCookie,
        /^headwater_session=hws_[0-9A-Za-z]{40}; Max-Age=43200; Path=\/v1; HttpOnly; SameSite=Strict$/
      )
      const { data } = session.answer.json
      assert.hasAllKeys(data, ["id", "account", "key", "is_read_only", "created_at", "expires_at", "idle_expires_at"])
      Json.assertHolds(data!["account"], { id: http.accountId, username: http.username, email: "ann@example.com" })
      Json.assertHolds(data!["key"], { name: "first", scope: "write" })
      const created = Number(data!["created_at"])
      Json.assertHolds(data, { expires_at: created + 12 * 3_600, idle_expires_at: created + 3_600 })
      assert.deepStrictEqual((yield* session.request("GET", "/v1/session")).json, session.answer.json)
      const { json: { data: me } } = yield* session.request("GET", "/v1/users/me")
      assert.strictEqual(Json.textOf(me!["id"]), http.accountId)
      assert.notProperty(me, "api_key")
      const ended = yield* session.request("DELETE", "/v1/session", { headers: console })
      assert.strictEqual(ended.status, 204)
      assert.match(ended.headers.get("set-cookie") ?? "", /^headwater_session=; Max-Age=0; Path=\/v1; HttpOnly/)
      Http.assertProblem(yield* session.request("GET", "/v1/session"), 401, "unauthorized")
      Http.assertProblem(yield* session.request("GET", "/v1/users/me"), 401, "unauthorized")
    }))

  it.effect("is not there for an unknown key, a request without a cookie, or one with a key alone", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { answer, setCookie } = yield* signIn(http, "hw_unknown")
      Http.assertProblem(answer, 401, "unauthorized")
      assert.strictEqual(setCookie, "")
      for (const body of [{}, { api_key: 1 }, []]) {
        Http.assertProblem(yield* http.request("POST", "/v1/session", { key: null, body }), 400, "invalid_request")
      }
      const form = { raw: `api_key=${http.key}`, headers: { "content-type": "application/x-www-form-urlencoded" } }
      Http.assertProblem(yield* http.request("POST", "/v1/session", form), 415, "unsupported_media_type")
      for (const [method, key] of [["GET", null], ["GET", http.key], ["DELETE", http.key]] as const) {
        Http.assertProblem(yield* http.request(method, "/v1/session", { key }), 401, "unauthorized")
      }
    }))

  it.effect(
    "changes nothing without the console's header, and does with it what its key may do",
    () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const { key } = yield* http.created("/v1/users/me/keys", { scope: "run" })
        const session = yield* signIn(http, Json.textOf(key))
        for (const { method, path } of endpoints.filter(({ path }) => path !== "/v1/session")) {
          // A tail that is not refused does not end.
          const url = path.replaceAll(/:\w+/g, "nothing") + (path.endsWith("/sse") ? "?after=x" : "")
          const body = method === "POST" || method === "PUT" ? { body: {} } : {}
          const bare = yield* session.request(method, url, body)
          const whole = yield* session.request(method, url, { ...body, headers: console })
          const byKey = yield* http.request(method, url, { ...body, key: Json.textOf(key) })
          assert.deepStrictEqual(
            [whole.status, whole.json["code"]],
            [byKey.status, byKey.json["code"]],
            `${method} ${url}`
          )
          if (method === "GET") assert.strictEqual(bare.status, whole.status)
          else Http.assertProblem(bare, 403, "cross_site_request")
        }
        for (const value of ["0", "", "true"]) {
          const given = { headers: { "x-headwater-console": value } }
          Http.assertProblem(yield* session.request("DELETE", "/v1/session", given), 403, "cross_site_request")
        }
        assert.strictEqual((yield* session.request("HEAD", "/v1/users/me")).status, 200)
      })
  )

  it.effect("is for no page of another site, and signs nobody in for one", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const session = yield* signIn(http)
      const own = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
      const foreign: ReadonlyArray<Record<string, string>> = [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "cross-site", origin: own },
        { origin: "https://evil.example.com" },
        { origin: "http://127.0.0.1:1" },
        { origin: "null" }
      ]
      for (const headers of foreign) {
        for (const method of ["GET", "DELETE"]) {
          const answer = yield* session.request(method, "/v1/session", { headers: { ...console, ...headers } })
          Http.assertProblem(answer, 403, "cross_site_request")
        }
        Http.assertProblem((yield* signIn(http, http.key, headers)).answer, 403, "cross_site_request")
        assert.strictEqual((yield* http.request("GET", "/v1/users/me", { headers })).status, 200)
      }
      const ours: ReadonlyArray<Record<string, string>> = [
        { "sec-fetch-site": "same-origin", origin: own },
        { "sec-fetch-site": "none" },
        { origin: own },
        { origin: Http.publicUrl }
      ]
      for (const headers of ours) {
        assert.strictEqual((yield* session.request("GET", "/v1/session", { headers })).status, 200)
      }
      const preflight = yield* http.request("OPTIONS", "/v1/users/me/keys", { key: null })
      assert.notInclude(preflight.headers.get("access-control-allow-headers")?.toLowerCase(), "x-headwater-console")
      assert.isNull(preflight.headers.get("access-control-allow-credentials"))
    }))

  it.effect("gives way to a key that comes with it, also to one that is refused", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const other = yield* Http.tenant()
      const session = yield* signIn(http)
      const { json } = yield* session.request("GET", "/v1/users/me", { key: other.key })
      Json.assertHolds(json["data"], { id: other.accountId, api_key: other.key })
      assert.strictEqual((yield* session.request("POST", "/v1/users/me/keys", { key: http.key })).status, 200)
      const refused = yield* session.request("GET", "/v1/users/me", { key: "hw_unknown" })
      Http.assertProblem(refused, 401, "unauthorized")
    }))

  it.effect("ends with its key, and takes its tails along, within about a second", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("") })
      const key = yield* http.created("/v1/users/me/keys", {})
      const byKey = yield* signIn(http, Json.textOf(key["key"]))
      const signedOut = yield* signIn(http)
      const tails = yield* Effect.forEach(
        [byKey, signedOut],
        ({ cookie }) => tailed(`/v1/sources/${source.id}/sse`, cookie)
      )
      yield* http.request("DELETE", `/v1/users/me/keys/${key.id}`)
      yield* signedOut.request("DELETE", "/v1/session", { headers: console })
      yield* Effect.forEach(tails, ({ end }) => end, { concurrency: "unbounded" })
      yield* untilStatus(byKey.request("GET", "/v1/session"), 401)
    }))

  it.effect("of a suspended account is refused, and none begins", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const session = yield* signIn(http)
      yield* (yield* Accounts).suspend(http.accountId)
      const refused = yield* untilStatus(session.request("GET", "/v1/users/me"), 403)
      Http.assertProblem(refused, 403, "account_suspended")
      Http.assertProblem((yield* signIn(http)).answer, 403, "account_suspended")
    }))

  it.effect("has a cookie for https alone where the page came by https", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { setCookie } = yield* signIn(http, http.key, { origin: Http.publicUrl })
      assert.include(setCookie, "; Secure")
      // Nobody has said that this proxy is to be believed.
      const forwarded = yield* signIn(http, http.key, { "x-forwarded-proto": "https" })
      assert.notInclude(forwarded.setCookie, "Secure")
    }))

  it.effect("is not for the pages of components: they have an origin of their own, and can't replace it", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", {
        component_code: Http.httpCode(`this.http.respond({
          status: 200,
          headers: {
            "content-type": "text/html",
            "Content-Security-Policy": "img-src 'none'",
            "set-cookie": "headwater_session=hws_mine; Path=/v1"
          },
          body: "<script src=x></script>"
        })`).replace("\"$.interface.http\"", "{ type: \"$.interface.http\", customResponse: true }")
      })
      const page = yield* http.request("GET", Http.endpointOf(source), { key: null })
      assert.strictEqual(page.text, "<script src=x></script>")
      assert.match(page.headers.get("content-security-policy") ?? "", /^img-src 'none', sandbox /)
      assert.notInclude(page.headers.get("content-security-policy"), "allow-same-origin")
      assert.isNull(page.headers.get("set-cookie"))
    }))

  it.effect("and its key are in no line of the log and in no row of the database", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const session = yield* signIn(http)
      yield* session.request("POST", "/v1/users/me/keys", { headers: console })
      yield* session.request("POST", "/v1/session", { body: { api_key: [http.key] } })
      yield* session.request("GET", "/v1/sources/nothing")
      yield* session.request("DELETE", "/v1/session", { headers: console })
      assert.isNotEmpty(lines)
      for (const secret of [session.token.slice(4), http.key.slice(3)]) {
        assert.notInclude(lines.join("\n"), secret)
        const sql = yield* SqlClient.SqlClient
        const tables = yield* sql<{ readonly name: string }>`
          SELECT table_name AS name FROM information_schema.tables
          WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
        for (const { name } of tables) {
          const found = yield* sql`SELECT 1 FROM ${sql(name)} AS t WHERE t::text LIKE ${`%${secret}%`} LIMIT 1`
          assert.deepStrictEqual(found, [], name)
        }
      }
    }))
})
