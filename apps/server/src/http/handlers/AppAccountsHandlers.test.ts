import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { OAuthServer } from "@headwater/fixtures/OAuthServer"
import { Effect, Schedule } from "effect"
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

  it.effect("over OAuth 2 move in with a refresh token: the server gets the token, renews it and shows none", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const server = yield* OAuthServer.make()
      const { refresh_token } = yield* server.grant
      const account = yield* http.created("/v1/accounts", {
        app: "shop",
        credentials: { shop: "north" },
        oauth: { ...server.oauth, refresh_token }
      })
      assert.strictEqual(server.renewals, 1)
      Json.assertHolds(account["oauth"], {
        provider: null,
        client_id: server.clientId,
        scopes: ["openid"],
        token_url: server.tokenUrl,
        state: "connected",
        renewable: true,
        failing_since: null,
        error: null
      })
      const source = yield* http.created("/v1/sources", {
        component_code: component_code.replace("{ token: this.shop.$auth.token }", "this.shop.$auth"),
        configured_props: { shop: { authProvisionId: account.id } }
      })
      yield* http.request("POST", Http.endpointOf(source))
      const [summary] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 1)
      const auth = summary!["event"]!["raw_event"]!
      Json.assertHolds(auth, { shop: "north", oauth_client_id: server.clientId })
      const api = yield* Effect.promise(() =>
        fetch(server.apiUrl, { headers: { authorization: `Bearer ${Json.textOf(auth["oauth_access_token"])}` } })
      )
      assert.strictEqual(api.status, 200)

      const path = `/v1/accounts/${account.id}`
      const refused = yield* http.request("PUT", path, { body: { oauth: { refresh_token: "nobody's" } } })
      Json.assertHolds(refused.json["data"]!["oauth"], { state: "failing" })
      assert.include(Json.textOf(refused.json["data"]!["oauth"]!["error"]), "invalid_grant")
      const again = yield* server.grant
      const given = { refresh_token: again.refresh_token }
      const connected = yield* http.request("PUT", path, { body: { oauth: given } })
      Json.assertHolds(connected.json["data"]!["oauth"], { state: "connected", error: null })
      for (const { text } of [refused, connected, yield* http.request("GET", "/v1/accounts")]) {
        assert.notInclude(text, server.clientSecret)
        assert.notInclude(text, again.refresh_token)
      }
    }).pipe(Effect.scoped))

  it.effect("over OAuth 2 need a provider or the URL of its tokens", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const post = (body: unknown) => http.request("POST", "/v1/accounts", { body })
      const without = yield* post({ app: "shop", oauth: { client_id: "a" } })
      assert.deepStrictEqual(Http.issuePaths(without), ["oauth.token_url"])
      const unknown = yield* post({ app: "shop", oauth: { client_id: "a", provider: "nobody" } })
      assert.deepStrictEqual(Http.issuePaths(unknown), ["oauth.provider"])
      assert.deepStrictEqual(Http.issuePaths(yield* post({ app: "shop" })), ["credentials"])
      const plain = yield* http.created("/v1/accounts", { app: "shop", credentials: {} })
      const changed = yield* http.request("PUT", `/v1/accounts/${plain.id}`, { body: { oauth: { client_id: "a" } } })
      assert.deepStrictEqual(Http.issuePaths(changed), ["oauth"])
      const known = yield* http.created("/v1/accounts", {
        app: "github",
        oauth: { client_id: "a", provider: "github" }
      })
      Json.assertHolds(known["oauth"], { provider: "github", state: "unconnected", expires_at: null })
    }))

  it.effect("over OAuth 2 take neither the client's secret nor the refresh token along to another place", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const server = yield* OAuthServer.make()
      const { refresh_token } = yield* server.grant
      const own = { ...server.oauth, token_url: server.tokenUrl.replace("127.0.0.1", "localhost"), device_url: null }
      const account = yield* http.created("/v1/accounts", {
        app: "shop",
        oauth: { ...own, refresh_token, access_token: "a", expires_at: 9_007_199_254_740_991 }
      })
      const put = (body: unknown) => http.request("PUT", `/v1/accounts/${account.id}`, { body })
      for (const oauth of [{ token_url: server.tokenUrl }, { device_url: server.deviceUrl }]) {
        assert.deepStrictEqual(Http.issuePaths(yield* put({ oauth })), ["oauth.client_secret"])
      }
      for (const token_url of ["http://10.0.0.1/", "http://127.0.0.1@evil.example/", "http://{host}/token"]) {
        const wrong = yield* put({ oauth: { token_url } })
        assert.deepStrictEqual(Http.issuePaths(wrong), ["oauth.token_url"])
        assert.include(wrong.text, "Expected an https URL, or an http URL of this machine")
      }
      const renamed = yield* put({ name: "x", oauth: { scopes: ["openid", "email"] } })
      Json.assertHolds(renamed.json["data"]!["oauth"], { state: "connected", renewable: true })
      const lists = yield* http.request("GET", "/v1/accounts")
      assert.isBelow(Number(lists.json["data"]![0]!["oauth"]!["expires_at"]), 4_000_000_000)
      const moved = yield* put({ oauth: { token_url: server.tokenUrl, client_secret: server.clientSecret } })
      Json.assertHolds(moved.json["data"]!["oauth"], {
        state: "connected",
        renewable: false,
        token_url: server.tokenUrl
      })
      assert.strictEqual(server.renewals, 0)

      const known = yield* http.created("/v1/accounts", {
        app: "shop",
        credentials: { host: "gitlab.example.com" },
        oauth: { client_id: "a", client_secret: "cs-7Yb2", provider: "gitlab" }
      })
      const changed = (body: unknown) => http.request("PUT", `/v1/accounts/${known.id}`, { body })
      const credentials = { host: "evil.example" }
      assert.deepStrictEqual(Http.issuePaths(yield* changed({ credentials })), ["oauth.client_secret"])
      const given = yield* changed({ credentials, oauth: { client_secret: "cs-8Zc3" } })
      assert.strictEqual(given.status, 200, given.text)
    }).pipe(Effect.scoped))

  it.effect("are connected by an authorization code with PKCE, by who began it and once", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const callback = `${Http.publicUrl}/oauth/callback`
      const server = yield* OAuthServer.make([callback])
      const account = yield* http.created("/v1/accounts", { app: "shop", oauth: server.oauth })
      const path = `/v1/accounts/${account.id}`
      const begin = (body: unknown) => http.request("POST", `${path}/connect`, { body })
      const complete = (confirmation: string, options: Http.RequestOptions = {}) =>
        http.request("POST", `${path}/complete_connection`, { body: { confirmation }, ...options })
      /** Comes back from the provider as the user's browser does. */
      const comeBack = Effect.fnUntraced(function*(begun: Http.Answer) {
        const location = yield* server.authorize(Json.textOf(begun.json["data"]!["url"]))
        assert.isTrue(location.startsWith(`${callback}?`))
        return location.slice(Http.publicUrl.length)
      })

      const begun = yield* begin({ return_to: "console" })
      Json.assertHolds(begun.json["data"], { redirect_uri: callback, user_code: null, confirmation: null })
      const asked = new URL(Json.textOf(begun.json["data"]!["url"])).searchParams
      assert.strictEqual(asked.get("code_challenge_method"), "S256")
      const back = yield* comeBack(begun)
      const returned = yield* http.request("GET", back, { key: null })
      assert.strictEqual(returned.status, 303)
      const target = new URL(returned.headers.get("location")!)
      assert.strictEqual(target.origin + target.pathname, `${Http.publicUrl}/console/accounts/${account.id}`)
      assert.isFalse(target.searchParams.has("code"))
      const confirmation = target.searchParams.get("confirmation")!
      assert.strictEqual((yield* http.request("GET", back, { key: null })).status, 400)

      const other = yield* http.created("/v1/users/me/keys", { name: "other" })
      const byOther = yield* complete(confirmation, { key: Json.textOf(other["key"]) })
      assert.deepStrictEqual(Http.issuePaths(byOther), ["confirmation"])
      const connected = yield* complete(confirmation)
      assert.strictEqual(connected.status, 200, connected.text)
      Json.assertHolds(connected.json["data"]!["oauth"], { state: "connected", renewable: true })
      assert.deepStrictEqual(Http.issuePaths(yield* complete(confirmation)), ["confirmation"])

      const shown = yield* http.request("GET", yield* comeBack(yield* begin({})), { key: null })
      const [, code] = /<code>([^<]+)<\/code>/.exec(shown.text)!
      assert.strictEqual((yield* complete(code!)).status, 200)
      const state = new URL(Json.textOf((yield* begin({})).json["data"]!["url"])).searchParams.get("state")!
      const denied = yield* http.request("GET", `/oauth/callback?error=%3Cb%3E&state=${state}`, { key: null })
      assert.include(denied.text, "The provider says: &lt;b&gt;")
      for (const return_to of ["https://evil.example", "//evil.example", "http://127.0.0.1:1@evil.example/"]) {
        assert.deepStrictEqual(Http.issuePaths(yield* begin({ return_to })), ["return_to"])
      }
    }).pipe(Effect.scoped))

  it.effect("are connected by a device code", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const server = yield* OAuthServer.make()
      const account = yield* http.created("/v1/accounts", { app: "shop", oauth: server.oauth })
      const path = `/v1/accounts/${account.id}`
      const begun = (yield* http.request("POST", `${path}/connect`, { body: { device: true } })).json["data"]!
      Json.assertHolds(begun, { redirect_uri: null, interval_seconds: 5 })
      assert.include(Json.textOf(begun["url"]), server.url)
      const body = { confirmation: begun["confirmation"] }
      const complete = http.request("POST", `${path}/complete_connection`, { body })
      const early = yield* complete
      Http.assertProblem(early, 409, "connection_pending")
      assert.isAtMost(Number(early.json["details"]!["retry_after_seconds"]), 5)
      yield* server.allowDevice(Json.textOf(begun["user_code"]))
      const connected = yield* Effect.repeat(complete, {
        until: ({ status }) => status !== 409,
        schedule: Schedule.spaced("200 millis")
      })
      assert.strictEqual(connected.status, 200, connected.text)
      Json.assertHolds(connected.json["data"]!["oauth"], { state: "connected", renewable: true })
      assert.strictEqual((yield* complete).status, 400)
    }).pipe(Effect.scoped))
})
