import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, assertRecent, ContractServer, type It } from "./ContractServer.ts"

const code = `
const shop = { type: "app", app: "shop", methods: { key() { return this.$auth.api_key ?? "none" } } }
export default {
  props: { http: "$.interface.http", shop },
  run() { this.$emit({ key: this.shop.key(), outside: this.shop.$auth.shop ?? "none" }) }
}`

/** components.md, "Props": app. */
export const rows = (it: It): void => {
  it.effect("extension: accounts with apps are added, listed, read and removed, and never show their credentials", () =>
    Effect.gen(function*() {
      const { bob, fresh } = yield* ContractServer
      const client = yield* fresh("apps")
      const credentials = { api_key: "k-7Yb2secret", shop: "north" }
      const created = yield* client.ok("POST", "/accounts", { app: "shop", name: "North", credentials })
      assert.hasAllKeys(created, ["id", "app", "name", "created_at", "oauth"])
      Json.assertHolds(created, { app: "shop", name: "North" })
      assert.match(Json.textOf(created["id"]), /^apn_/)
      assertRecent(created["created_at"])
      const path = `/accounts/${Json.textOf(created["id"])}`
      assert.deepStrictEqual(yield* client.ok("GET", `${path}/`), created)
      assert.deepStrictEqual(yield* client.listed("/accounts", 0), [created])
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", `${path}?include=app`), { app: "shop" })
      for (const method of ["GET", "DELETE"]) assertProblem(yield* bob.send(method, path), 404, "not_found")
      const renamed = yield* client.ok("PUT", `${path}/`, { name: "South", credentials: { api_key: "k-9Qd4" } })
      Json.assertHolds(renamed, { id: created["id"], app: "shop", name: "South" })
      assert.deepStrictEqual(yield* client.ok("PUT", path, { name: "North" }), created)
      assertProblem(yield* bob.send("PUT", path, { body: { name: "x" } }), 404, "not_found")
      assertInvalid(yield* client.send("PUT", path, { body: { name: 1, credentials: [] } }), "name", "credentials")
      assertInvalid(yield* client.send("POST", "/accounts", { body: { name: 1 } }), "app", "name")
      assertInvalid(
        yield* client.send("POST", "/accounts", { body: { app: "", credentials: [] } }),
        "app",
        "credentials"
      )
      const large = yield* client.send("POST", "/accounts", {
        body: { app: "shop", credentials: { key: "x".repeat(64 * 1024) } }
      })
      assertProblem(large, 413, "payload_too_large")
      assert.strictEqual((yield* client.send("DELETE", path)).status, 204)
      assertProblem(yield* client.send("DELETE", path), 404, "not_found")
      assert.deepStrictEqual(yield* client.listed("/accounts", 0), [])
    }))

  it.effect("extension: an account over OAuth 2 is told by a provider or URLs, shows no secret, and is connected in two steps", () =>
    Effect.gen(function*() {
      const { bob, fresh } = yield* ContractServer
      const client = yield* fresh("oauth")
      const oauth = {
        provider: "gitlab",
        client_id: "north",
        client_secret: "cs-7Yb2secret",
        scopes: ["api", "read_user"],
        parameters: { prompt: "login" }
      }
      const created = yield* client.ok("POST", "/accounts", {
        app: "gitlab",
        credentials: { host: "git.example.com" },
        oauth
      })
      const { client_secret: _, ...shown } = oauth
      Json.assertHolds(created["oauth"], { ...shown, state: "unconnected", renewable: false, error: null })
      const path = `/accounts/${Json.textOf(created["id"])}`
      const begun = yield* client.ok("POST", `${path}/connect`, { return_to: "console" })
      assert.hasAllKeys(begun, ["url", "redirect_uri", "user_code", "confirmation", "interval_seconds", "expires_at"])
      const asked = new URL(Json.textOf(begun["url"]))
      assert.strictEqual(asked.origin + asked.pathname, "https://git.example.com/oauth/authorize")
      const query: Record<string, string> = Object.fromEntries(asked.searchParams)
      assert.deepInclude(query, { client_id: "north", scope: "api read_user", prompt: "login", response_type: "code" })
      assertProblem(yield* bob.send("POST", `${path}/connect`, { body: {} }), 404, "not_found")
      const complete = { body: { confirmation: "nobody's" } }
      assertInvalid(yield* client.send("POST", `${path}/complete_connection`, complete), "confirmation")
      assertProblem(yield* bob.send("POST", `${path}/complete_connection`, complete), 404, "not_found")

      const changed = yield* client.ok("PUT", path, {
        oauth: { scopes: [], device_url: "https://git.example.com/device", client_secret: "cs-7Yb2secret" }
      })
      Json.assertHolds(changed["oauth"], {
        scopes: [],
        device_url: "https://git.example.com/device",
        provider: "gitlab"
      })
      const away = yield* client.send("PUT", path, { body: { oauth: { provider: null } } })
      assertInvalid(away, "oauth.token_url")
      const plain = yield* client.ok("POST", "/accounts", { app: "shop", credentials: {} })
      const byPlain = `/accounts/${Json.textOf(plain["id"])}/connect`
      assertInvalid(yield* client.send("POST", byPlain, { body: {} }), "id")
      assertInvalid(yield* client.send("POST", byPlain, { body: { return_to: "https://a.example" } }), "return_to")
      assert.notInclude((yield* client.send("GET", "/accounts")).text, "7Yb2secret")
    }))

  it.effect("extension: a source's app prop takes the id of an account of that app, and its code gets the credentials", () =>
    Effect.gen(function*() {
      const { bob, fresh } = yield* ContractServer
      const client = yield* fresh("auth")
      const account = Effect.fnUntraced(function*(of: typeof client, app: string) {
        const credentials = { api_key: `key of ${app}`, shop: "north" }
        return Json.textOf((yield* of.ok("POST", "/accounts", { app, credentials }))["id"])
      })
      const authProvisionId = yield* account(client, "shop")
      const deploy = (shop: unknown) =>
        client.send("POST", "/sources", { body: { component_code: code, configured_props: { shop } } })
      const created = yield* deploy({ authProvisionId })
      assert.strictEqual(created.status, 200, created.text)
      const source = created.json["data"]!
      assert.deepStrictEqual<unknown>(source["configured_props"]!["shop"], { authProvisionId })
      const endpoint = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      const summaries = `/sources/${Json.textOf(source["id"])}/event_summaries?expand=event`
      const last = Effect.fnUntraced(function*(count: number) {
        yield* Effect.promise(() => fetch(endpoint, { method: "POST" }))
        const [summary] = yield* client.listed(summaries, count)
        return summary!["event"]!["raw_event"]
      })
      assert.deepStrictEqual<unknown>(yield* last(1), { key: "key of shop", outside: "north" })
      yield* client.send("DELETE", `/accounts/${authProvisionId}`)
      assert.deepStrictEqual<unknown>(yield* last(2), { key: "none", outside: "none" })

      const kept = yield* client.send("PUT", `/sources/${Json.textOf(source["id"])}`, { body: { name: "Kept" } })
      assert.strictEqual(kept.status, 200, "an account that was removed keeps a source from no change")

      const path = "configured_props.shop.authProvisionId"
      for (const id of [authProvisionId, yield* account(bob, "shop"), yield* account(client, "mail")]) {
        assertInvalid(yield* deploy({ authProvisionId: id }), path)
      }
      for (const shop of ["apn_1", {}, { authProvisionId: 1 }, { authProvisionId: "dc_1" }]) {
        assertInvalid(yield* deploy(shop), "configured_props.shop")
      }
      assertInvalid(yield* client.send("POST", "/sources", { body: { component_code: code } }), "configured_props.shop")
    }))
}
