import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, assertRecent, ContractServer, type It } from "./ContractServer.ts"

const daily = [
  "daily_compute_time_quota",
  "daily_compute_time_used",
  "daily_invocations_quota",
  "daily_invocations_used"
]

const period = ["billing_period_start_ts", "billing_period_end_ts", "billing_period_invocations"]

const assertIntegers = (user: Json.Json, names: ReadonlyArray<string>) => {
  for (const name of names) assert.isTrue(Number.isInteger(user[name]), `${name}: ${String(user[name])}`)
}

/** rest-api.md, "Users" and "Authentication"; decisions.md, keys. */
export const rows = (it: It): void => {
  it.effect("GET /users/me answers with the fields of the account's plan", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const free = yield* ann.ok("GET", "/users/me")
      assert.hasAllKeys(free, ["id", "username", "email", "api_key", ...daily])
      assert.match(Json.textOf(free["id"]), /^u_/)
      assert.strictEqual(Json.textOf(free["api_key"]), ann.key)
      assertIntegers(free, daily)
      const paid = yield* bob.ok("GET", "/users/me/")
      assert.hasAllKeys(paid, ["id", "username", "email", ...period])
      Json.assertHolds(paid, { id: bob.id, username: "bob", email: "bob@example.com" })
      assertIntegers(paid, period)
      const now = Date.now() / 1000
      assert.isAtMost(Number(paid["billing_period_start_ts"]), now)
      assert.isAbove(Number(paid["billing_period_end_ts"]), now)
      assert.deepStrictEqual<unknown>(yield* ann.ok("GET", "/users/me?include=id,email&exclude=email"), { id: ann.id })
    }))

  it.effect("usage counts what components ran", () =>
    Effect.gen(function*() {
      const { bob } = yield* ContractServer
      const before = Number((yield* bob.ok("GET", "/users/me"))["billing_period_invocations"])
      const component_code = `export default { props: { http: "$.interface.http" }, run() { this.$emit(1) } }`
      const source = yield* bob.ok("POST", "/sources", { component_code })
      yield* Effect.promise(() => fetch(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])))
      yield* bob.listed(`/sources/${Json.textOf(source["id"])}/event_summaries`, 1)
      const after = Number((yield* bob.ok("GET", "/users/me"))["billing_period_invocations"])
      assert.isAbove(after, before)
    }))

  it.effect("extension: the account's settings are shown and changed", () =>
    Effect.gen(function*() {
      const { ann, fresh } = yield* ContractServer
      const client = yield* fresh("settings")
      const shown = yield* client.ok("GET", "/users/me/settings")
      assert.hasAllKeys(shown, ["id", "username", "email", "own_limits", "operator_limits", "limits", "used"])
      const quotas = ["daily_compute_time", "daily_invocations", "billing_period_invocations"]
      for (const limits of ["own_limits", "operator_limits", "limits", "used"]) assert.hasAllKeys(shown[limits], quotas)
      assertIntegers(shown["used"]!, quotas)
      const changed = yield* client.ok("PATCH", "/users/me", {
        username: "settings-2",
        email: "two@example.com",
        own_limits: { daily_compute_time: 60_000, daily_invocations: 5 }
      })
      Json.assertHolds(changed, { id: client.id, username: "settings-2", email: "two@example.com" })
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/users/me/settings"), changed)
      Json.assertHolds(yield* client.ok("GET", "/users/me"), {
        username: "settings-2",
        daily_compute_time_quota: 60_000,
        daily_invocations_quota: 5
      })
      const taken = yield* client.ok("PATCH", "/users/me", { own_limits: { daily_compute_time: null } })
      Json.assertHolds(taken["own_limits"], { daily_compute_time: null, daily_invocations: 5 })
      assertProblem(yield* ann.send("PATCH", "/users/me", { body: { username: "settings-2" } }), 409, "name_taken")
      for (const body of [{ username: "a b" }, { email: "a" }, { own_limits: { daily_invocations: -1 } }]) {
        const [[field, value]] = Object.entries(body) as [[string, unknown]]
        const path = typeof value === "string" ? field : `${field}.daily_invocations`
        assertInvalid(yield* client.send("PATCH", "/users/me", { body }), path)
      }
    }))

  it.effect("extension: keys are created, listed, rotated and revoked, each good for the whole account", () =>
    Effect.gen(function*() {
      const { ann: client, bob } = yield* ContractServer
      const created = yield* client.ok("POST", "/users/me/keys", { name: "deploy" })
      assert.hasAllKeys(created, ["id", "name", "scope", "key", "created_at", "expires_at"])
      assertRecent(created["created_at"])
      const key = Json.textOf(created["key"])
      assert.match(key, /^hw_/)
      const { id: me } = (yield* client.send("GET", "/users/me", { key })).json["data"]!
      assert.strictEqual(Json.textOf(me), client.id)
      const list = yield* client.listed("/users/me/keys", 0)
      assert.strictEqual(Json.textOf(list[0]!["id"]), Json.textOf(created["id"]))
      for (const shown of list) assert.hasAllKeys(shown, ["id", "name", "scope", "created_at", "expires_at"])
      const path = `/users/me/keys/${Json.textOf(created["id"])}`
      assertInvalid(yield* client.send("POST", `${path}/rotate`, { body: { overlap_seconds: -1 } }), "overlap_seconds")
      const rotated = yield* client.ok("POST", `${path}/rotate`, { overlap_seconds: 3_600 })
      Json.assertHolds(rotated, { name: "deploy", scope: "write", expires_at: null })
      const next = Json.textOf(rotated["key"])
      for (const live of [key, next]) {
        assert.strictEqual((yield* client.send("GET", "/users/me", { key: live })).status, 200)
      }
      for (const [method, place] of [["POST", `${path}/rotate`], ["DELETE", path]] as const) {
        assertProblem(yield* bob.send(method, place), 404, "not_found")
      }
      assert.strictEqual((yield* client.send("DELETE", path)).status, 204)
      const refused = yield* client.send("GET", "/users/me", { key })
      assertProblem(refused, 401, "unauthorized")
      assertProblem(yield* client.send("DELETE", path), 404, "not_found")
      assert.strictEqual((yield* client.send("GET", "/users/me", { key: next })).status, 200)
      assertInvalid(yield* client.send("POST", "/users/me/keys", { body: { name: 1 } }), "name")
    }))

  it.effect("extension: a POST under an Idempotency-Key is done once and conflicts with another", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const headers = { "idempotency-key": "contract-1" }
      const create = (name: string) =>
        ann.send("POST", "/webhooks", { body: { url: "http://127.0.0.1:9/", name }, headers })
      const first = yield* create("once")
      const again = yield* create("once")
      assert.deepStrictEqual([again.status, again.text], [first.status, first.text])
      assert.deepStrictEqual(
        [first, again].map((answer) => answer.headers.get("idempotency-replayed")),
        [null, "true"]
      )
      assertProblem(yield* create("twice"), 409, "idempotency_conflict")
      const malformed = yield* ann.send("POST", "/webhooks", { headers: { "idempotency-key": "x".repeat(256) } })
      assert.strictEqual(malformed.status, 400)
    }))
}
