import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import * as Http from "./HttpAppFixture.ts"

describe("components", () => {
  it.live("are saved with their hash and found by id, or the newest by key, in their account alone", () =>
    Effect.gen(function*() {
      const { otherKey } = yield* Http.Tenants
      const props = [{ name: "timer", type: "$.interface.timer", default: { intervalSeconds: 60 } }]
      const first = yield* Http.created("/v1/components", { component_code: Http.code("feed", props) })
      assert.hasAllKeys(first, [
        "id",
        "code",
        "code_hash",
        "name",
        "version",
        "configurable_props",
        "created_at",
        "updated_at"
      ])
      assert.deepInclude(first, {
        code: Http.code("feed", props),
        code_hash: createHash("sha256").update(Http.code("feed", props)).digest("hex"),
        name: "My Feed!",
        version: "1.2.3",
        configurable_props: props
      } as never)
      assert.match(first.id, /^sc_/)
      yield* Effect.sleep("2 millis")
      const second = yield* Http.created("/v1/components/", {
        component_code: Http.code("feed"),
        component_url: "https://example.com/feed.mjs"
      })
      assert.deepStrictEqual((yield* Http.request("GET", `/v1/components/${first.id}`)).json["data"], first as never)
      assert.deepStrictEqual((yield* Http.request("GET", "/v1/components/feed/")).json["data"], second as never)
      for (const name of ["feed", first.id]) {
        assert.strictEqual((yield* Http.request("GET", `/v1/components/${name}`, { key: otherKey })).status, 404)
      }
    }).pipe(Effect.provide(Http.layer)))
})

describe("sources", () => {
  it.live("show their props as the reference does, and answer to id and slug", () =>
    Effect.gen(function*() {
      const { accountId, otherKey } = yield* Http.Tenants
      const props = [
        { name: "timer", type: "$.interface.timer" },
        { name: "http", type: "$.interface.http" },
        { name: "url", type: "string" }
      ]
      const { id: component_id } = yield* Http.created("/v1/components", { component_code: Http.code("feed", props) })
      const source = yield* Http.created("/v1/sources/", {
        component_id,
        component_url: "https://example.com",
        configured_props: { timer: { intervalSeconds: 60 }, url: "http://x" }
      })
      assert.hasAllKeys(source, [
        "id",
        "user_id",
        "component_id",
        "configured_props",
        "active",
        "created_at",
        "updated_at",
        "name",
        "name_slug"
      ])
      assert.deepInclude(source, {
        user_id: accountId,
        component_id,
        active: true,
        name: "my-feed",
        name_slug: "my-feed"
      } as never)
      const shown = source["configured_props"]!
      assert.deepStrictEqual(shown["timer"] as unknown, { cron: null, interval_seconds: 60 })
      assert.match(Http.textOf(shown["http"]!["endpoint_url"]), /^https:\/\/events\.example\.com\/http\/[0-9A-Za-z]+$/)
      const { user_id: _, ...later } = source as unknown as Record<string, unknown>
      for (const name of [source.id, "my-feed"]) {
        assert.deepStrictEqual((yield* Http.request("GET", `/v1/sources/${name}`)).json["data"] as unknown, later)
        assert.strictEqual((yield* Http.request("GET", `/v1/sources/${name}`, { key: otherKey })).status, 404)
        assert.strictEqual((yield* Http.request("DELETE", `/v1/sources/${name}`, { key: otherKey })).status, 404)
      }
      const off = yield* Http.request("PUT", "/v1/sources/my-feed", { body: { active: false } })
      assert.deepInclude(off.json["data"], { active: false, id: source.id } as never)
      const on = yield* Http.request("PUT", `/v1/sources/${source.id}/`, { body: { name: "New" } })
      assert.deepInclude(on.json["data"], { active: true, name: "New" } as never)
      const deleted = yield* Http.request("DELETE", "/v1/sources/my-feed")
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      assert.strictEqual((yield* Http.request("GET", "/v1/sources/my-feed")).status, 404)
    }).pipe(Effect.provide(Http.layer)))

  it.live("of a prop that does not fit are refused with its path", () =>
    Effect.gen(function*() {
      const answer = yield* Http.request("POST", "/v1/sources", {
        body: {
          component_code: Http.code("feed", [{ name: "url", type: "string" }]),
          configured_props: { url: 1, x: 2 }
        }
      })
      assert.strictEqual(answer.status, 400)
      assert.deepStrictEqual(answer.json["details"] as unknown, [
        { path: "configured_props.x", message: "the component has no such prop" },
        { path: "configured_props.url", message: "expected a string" }
      ])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT id FROM components`, [])
    }).pipe(Effect.provide(Http.layer)))

  it.live("are listed newest first, page by page, in both directions", () =>
    Effect.gen(function*() {
      const { otherKey } = yield* Http.Tenants
      const { id: component_id } = yield* Http.created("/v1/components", { component_code: Http.code("feed") })
      const ids: Array<string> = []
      for (let i = 0; i < 12; i++) {
        ids.unshift((yield* Http.created("/v1/sources", { component_id })).id)
        yield* Effect.sleep("2 millis")
      }
      const list = Effect.fnUntraced(function*(query: string) {
        const { json } = yield* Http.request("GET", `/v1/users/me/sources/${query}`)
        const data = json["data"] as unknown as ReadonlyArray<{ readonly id: string }>
        return { info: json["page_info"]!, ids: data.map(({ id }) => id) }
      })
      const first = yield* list("")
      assert.deepStrictEqual(first.ids, ids.slice(0, 10))
      assert.deepStrictEqual(first.info as unknown, {
        total_count: 12,
        count: 10,
        start_cursor: Buffer.from(ids[0]!).toString("base64url"),
        end_cursor: Buffer.from(ids[9]!).toString("base64url")
      })
      const second = yield* list(`?after=${Http.textOf(first.info["end_cursor"])}`)
      assert.deepStrictEqual(second.ids, ids.slice(10))
      const back = yield* list(`?limit=4&before=${Http.textOf(second.info["start_cursor"])}`)
      assert.deepStrictEqual(back.ids, ids.slice(6, 10))
      const beyond = yield* list(`?after=${Http.textOf(second.info["end_cursor"])}`)
      assert.deepStrictEqual(beyond.info as unknown, { total_count: 12, count: 0, start_cursor: "", end_cursor: "" })
      const other = yield* Http.request("GET", "/v1/users/me/sources", { key: otherKey })
      assert.strictEqual(other.json["page_info"]!["total_count"] as unknown, 0)
    }).pipe(Effect.provide(Http.layer)))
})

describe("include and exclude", () => {
  it.live("cut each item of data down, from the query or from the body", () =>
    Effect.gen(function*() {
      const props = [{ name: "a", type: "string", optional: true }]
      const posted = yield* Http.created("/v1/components", {
        component_code: Http.code("feed", props),
        include: "id, name,nope"
      })
      assert.hasAllKeys(posted, ["id", "name"])
      const { json } = yield* Http.request(
        "GET",
        "/v1/components/feed?include=id,name,configurable_props.name&exclude=name"
      )
      assert.deepStrictEqual(json["data"] as unknown, { id: posted.id, configurable_props: [{ name: "a" }] })
      yield* Http.created("/v1/sources", { component_id: posted.id })
      const list = yield* Http.request("GET", "/v1/users/me/sources?include=active")
      assert.deepStrictEqual(list.json["data"] as unknown, [{ active: true }])
      assert.hasAllKeys(list.json["page_info"], ["total_count", "count", "start_cursor", "end_cursor"])
      const webhook = yield* Http.request("POST", "/v1/webhooks?url=http://example.com/&include=url")
      assert.deepStrictEqual(webhook.json["data"] as unknown, { url: "http://example.com/" })
    }).pipe(Effect.provide(Http.layer)))
})

describe("subscriptions", () => {
  it.live("are made once from the query or a body, listed, and removed by their parameters", () =>
    Effect.gen(function*() {
      const { id: source } = yield* Http.created("/v1/sources", { component_code: Http.code("feed"), name: "s" })
      const first = yield* Http.request("POST", `/v1/subscriptions?emitter_id=s&listener_id=wh_1&event_name=default`)
      assert.strictEqual(first.status, 200)
      assert.hasAllKeys(first.json["data"], ["id", "emitter_id", "listener_id", "event_name"])
      assert.deepInclude(first.json["data"], {
        emitter_id: source,
        listener_id: "wh_1",
        event_name: "default"
      } as never)
      const again = yield* Http.created("/v1/subscriptions", { emitter_id: source, listener_id: "wh_1" })
      assert.deepStrictEqual(again, first.json["data"] as never)
      const glob = yield* Http.created("/v1/subscriptions/", {
        emitter_id: "dc_*",
        listener_id: "wh_1",
        event_name: "$errors"
      })
      const list = yield* Http.request("GET", "/v1/users/me/subscriptions")
      assert.sameDeepMembers(list.json["data"] as never, [glob, again] as never)
      assert.notProperty(list.json, "page_info")
      const removed = yield* Http.request("DELETE", `/v1/subscriptions?emitter_id=s&listener_id=wh_1&event_name=`)
      assert.strictEqual(removed.status, 204)
      const byBody = yield* Http.request("DELETE", "/v1/subscriptions", {
        body: { emitter_id: "dc_*", listener_id: "wh_1", event_name: "$errors" }
      })
      assert.strictEqual(byBody.status, 204)
      assert.deepStrictEqual((yield* Http.request("GET", "/v1/users/me/subscriptions")).json as unknown, { data: [] })
    }).pipe(Effect.provide(Http.layer)))
})

describe("webhooks", () => {
  it.live("are created from the query or a body, changed, and deleted", () =>
    Effect.gen(function*() {
      const { accountId, otherKey } = yield* Http.Tenants
      const { json: { data: plain } } = yield* Http.request("POST", "/v1/webhooks?url=https://example.com:8443/a?b=c")
      assert.deepInclude(plain, {
        user_id: accountId,
        name: null,
        description: null,
        url: "https://example.com:8443/a?b=c",
        active: true
      } as never)
      assert.hasAllKeys(plain, ["id", "user_id", "name", "description", "url", "active", "created_at", "updated_at"])
      const named = yield* Http.created("/v1/webhooks", { url: "http://example.com", name: "n", description: "d" })
      const changed = yield* Http.request("PUT", `/v1/webhooks/${named.id}`, { body: { name: null, active: false } })
      assert.deepInclude(changed.json["data"], { name: null, description: "d", active: false } as never)
      assert.strictEqual((yield* Http.request("GET", `/v1/webhooks/${named.id}`, { key: otherKey })).status, 404)
      const list = yield* Http.request("GET", "/v1/users/me/webhooks?limit=1")
      assert.deepInclude(list.json["page_info"], { total_count: 2, count: 1 } as never)
      assert.strictEqual((yield* Http.request("DELETE", `/v1/webhooks/${named.id}`)).status, 204)
      assert.strictEqual((yield* Http.request("GET", `/v1/webhooks/${named.id}`)).status, 404)
    }).pipe(Effect.provide(Http.layer)))

  it.live("show their secret, and rotate it", () =>
    Effect.gen(function*() {
      const { otherKey } = yield* Http.Tenants
      const { id } = yield* Http.created("/v1/webhooks", { url: "http://example.com" })
      const before = yield* Http.request("GET", `/v1/webhooks/${id}/secret`)
      assert.match(Http.textOf(before.json["data"]!["secret"]), /^whsec_[A-Za-z0-9+/]{43}=$/)
      const rotated = yield* Http.request("POST", `/v1/webhooks/${id}/secret/rotate`)
      assert.notStrictEqual(rotated.json["data"]!["secret"], before.json["data"]!["secret"])
      assert.deepStrictEqual((yield* Http.request("GET", `/v1/webhooks/${id}/secret`)).json, rotated.json)
      assert.strictEqual((yield* Http.request("GET", `/v1/webhooks/${id}/secret`, { key: otherKey })).status, 404)
    }).pipe(Effect.provide(Http.layer)))
})

describe("users/me", () => {
  it.live("answers with the fields of the account's plan", () =>
    Effect.gen(function*() {
      const { accountId, key, otherKey } = yield* Http.Tenants
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO usage (emitter_id, account_id, day, invocations, compute_ms)
        VALUES ('dc_a', ${accountId}, ${new Date().toISOString().slice(0, 10)}::text::date, 3, 450)`
      yield* sql`UPDATE accounts SET daily_invocations_quota = 1000 WHERE id = ${accountId}`
      const free = yield* Http.request("GET", "/v1/users/me")
      assert.deepStrictEqual(free.json["data"] as unknown, {
        id: accountId,
        username: "ann",
        email: "ann@example.com",
        api_key: key,
        daily_compute_time_quota: Number.MAX_SAFE_INTEGER,
        daily_compute_time_used: 450,
        daily_invocations_quota: 1000,
        daily_invocations_used: 3
      })
      const paid = yield* Http.request("GET", "/v1/users/me/", { key: otherKey })
      assert.hasAllKeys(paid.json["data"], [
        "id",
        "username",
        "email",
        "billing_period_start_ts",
        "billing_period_end_ts",
        "billing_period_invocations"
      ])
    }).pipe(Effect.provide(Http.layer)))
})

describe("health", () => {
  it.live("is answered without a key", () =>
    Effect.gen(function*() {
      for (const path of ["/healthz", "/readyz"]) {
        assert.strictEqual((yield* Http.request("GET", path, { key: null })).status, 200)
      }
    }).pipe(Effect.provide(Http.layer)))
})
