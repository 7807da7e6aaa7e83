import { assert, layer } from "@effect/vitest"
import { MailServer } from "@headwater/engine/MailServer"
import * as Json from "@headwater/fixtures/Json"
import { Accounts } from "@headwater/log/access/Accounts"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const none = { daily_compute_time: null, daily_invocations: null, billing_period_invocations: null }

const settingsOf = (http: Http.Tenant) =>
  Effect.map(http.request("GET", "/v1/users/me/settings"), ({ json }) => json["data"]!)

const change = (http: Http.Tenant, body: unknown, key?: string) =>
  http.request("PATCH", "/v1/users/me", { body, ...(key === undefined ? {} : { key }) })

const until = <R>(status: number, sending: Effect.Effect<Http.Answer, never, R>) =>
  sending.pipe(
    Effect.repeat({ until: (answer) => answer.status === status, schedule: Schedule.spaced("50 millis") }),
    Effect.timeout("60 seconds")
  )

layer(Http.layer, { excludeTestServices: true })("the own account", (it) => {
  it.effect("stops at its own limit as at the operator's, and goes on when it takes the limit away", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const other = yield* Http.tenant()
      const before = yield* settingsOf(other)
      yield* (yield* Accounts).update(http.accountId, { dailyInvocationsQuota: 1_000 })
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const post = http.request("POST", Http.endpointOf(source), { body: 1 })
      const limited = yield* change(http, { own_limits: { daily_invocations: 0 } })
      assert.deepStrictEqual<unknown>(limited.json["data"]!["limits"], { ...none, daily_invocations: 0 })
      const refused = yield* until(429, post)
      Http.assertProblem(refused, 429, "quota_exceeded")
      assert.include(refused.text, "The account's daily_invocations quota of 0 is used up.")
      const { json: { data: me } } = yield* http.request("GET", "/v1/users/me")
      Json.assertHolds(me, { daily_invocations_quota: 0, daily_compute_time_quota: -1 })
      assert.deepStrictEqual<unknown>(yield* settingsOf(other), before)
      const freed = yield* change(http, { own_limits: { daily_invocations: null } })
      assert.deepStrictEqual<unknown>(freed.json["data"]!["limits"], { ...none, daily_invocations: 1_000 })
      yield* until(200, post)
    }))

  it.effect("keeps its limits at or below the operator's, which hold where they are lowered later", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant("paid")
      const accounts = yield* Accounts
      const operator_limits = { daily_compute_time: 60_000, daily_invocations: 10, billing_period_invocations: null }
      yield* accounts.update(http.accountId, { dailyComputeTimeQuotaMs: 60_000, dailyInvocationsQuota: 10 })
      const own_limits = { daily_compute_time: 60_000, daily_invocations: 9, billing_period_invocations: 2 ** 40 }
      yield* change(http, { own_limits })
      const refused = yield* change(http, {
        email: "other@example.com",
        own_limits: { daily_compute_time: 60_001, daily_invocations: 11, billing_period_invocations: 5 }
      })
      Http.assertProblem(refused, 400, "invalid_request")
      assert.deepStrictEqual(Http.issuePaths(refused), [
        "own_limits.daily_compute_time",
        "own_limits.daily_invocations"
      ])
      assert.include(refused.text, "must be at most 10, the operator's limit")
      for (const value of [-1, 1.5, "5", true]) {
        const malformed = yield* change(http, { own_limits: { daily_invocations: value } })
        assert.deepStrictEqual(Http.issuePaths(malformed), ["own_limits.daily_invocations"], String(value))
      }
      yield* accounts.update(http.accountId, { dailyInvocationsQuota: 4 })
      Json.assertHolds(yield* settingsOf(http), {
        email: "ann@example.com",
        own_limits,
        operator_limits: { ...operator_limits, daily_invocations: 4 },
        limits: { ...own_limits, daily_invocations: 4 }
      })
      // A limit that has come to lie above the operator's is no obstacle to other changes.
      assert.strictEqual((yield* change(http, { own_limits: { billing_period_invocations: 7 } })).status, 200)
      Json.assertHolds((yield* settingsOf(http))["own_limits"], { ...own_limits, billing_period_invocations: 7 })
    }))

  it.effect("changes its username and e-mail address, by the rules of the operator's commands", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const other = yield* Http.tenant()
      const username = `eve-${http.accountId.slice(2)}`
      const changed = yield* change(http, { username, email: "eve@example.com" })
      Json.assertHolds(changed.json["data"], { id: http.accountId, username, email: "eve@example.com" })
      const { json: { data: me } } = yield* http.request("GET", "/v1/users/me")
      Json.assertHolds(me, { username, email: "eve@example.com" })
      Http.assertProblem(yield* change(other, { username }), 409, "name_taken")
      for (
        const [field, values] of Object.entries({
          username: ["", "a b", "x".repeat(101), "a\u0000", http.accountId, null],
          email: ["", "eve", "eve@", "@b", "a@b@c", "e ve@b", `${"x".repeat(254)}@b`, null]
        })
      ) {
        for (const value of values) {
          const refused = yield* change(other, { [field]: value })
          Http.assertProblem(refused, 400, "invalid_request")
          assert.deepStrictEqual(Http.issuePaths(refused), [field], JSON.stringify(value))
        }
      }
      // Names of before can be taken twice.
      yield* (yield* SqlClient.SqlClient)`UPDATE accounts SET username = ${username} WHERE id = ${other.accountId}`
      assert.strictEqual((yield* change(other, { username, email: "ann@example.org" })).status, 200)
      Json.assertHolds(yield* settingsOf(other), { username, email: "ann@example.org" })
    }))

  it.effect("is shown to every key and changed by those that may do everything, as the audit log tells", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (const scope of ["read", "run"]) {
        const { key } = yield* http.created("/v1/users/me/keys", { scope })
        const shown = yield* http.request("GET", "/v1/users/me/settings", { key: Json.textOf(key) })
        assert.strictEqual(shown.status, 200)
        const refused = yield* change(http, { own_limits: { daily_invocations: 1 } }, Json.textOf(key))
        Http.assertProblem(refused, 403, "insufficient_scope")
      }
      assert.deepStrictEqual<unknown>((yield* settingsOf(http))["own_limits"], none)
      assert.strictEqual((yield* change(http, { own_limits: { daily_invocations: 1 } })).status, 200)
      const entries = yield* http.summaries("/v1/audit?operation=users.update", 3)
      assert.deepStrictEqual<unknown>(entries.map(({ status }) => status), [200, 403, 403])
      Json.assertHolds(entries[0], { method: "PATCH", path: "/v1/users/me", resource_id: http.accountId })
    }))
})

const sending = Layer.succeed(MailServer, { send: () => Effect.die("nothing is sent") })

layer(Http.layer.pipe(Layer.provide(sending)), { excludeTestServices: true })("a server that sends e-mail", (it) => {
  it.effect("lets no account choose to whom", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const refused = yield* change(http, { email: "anybody@example.com" })
      Http.assertProblem(refused, 400, "invalid_request")
      assert.deepStrictEqual(Http.issuePaths(refused), ["email"])
      assert.strictEqual((yield* change(http, { email: "ann@example.com" })).status, 200)
    }))
})
