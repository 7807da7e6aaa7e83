import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, assertRecent, ContractServer, emitting, type It } from "./ContractServer.ts"

const fields = ["id", "name", "description", "url", "active", "created_at", "updated_at"]

const idOf = (json: Json.Json): string => Json.textOf(json["id"])

const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString()

/** rest-api.md, "Webhooks". */
export const rows = (it: It): void => {
  it.effect("POST /webhooks takes url, name and description from the query, null where not given", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const url = "http://127.0.0.1:9/hook?a=b&c=d"
      const plain = yield* ann.ok("POST", `/webhooks?${query({ url })}`)
      assert.hasAllKeys(plain, [...fields, "user_id"])
      assert.match(idOf(plain), /^wh_/)
      Json.assertHolds(plain, { user_id: ann.id, name: null, description: null, url, active: true })
      assertRecent(plain["created_at"])
      assertRecent(plain["updated_at"])
      const named = yield* ann.ok("POST", `/webhooks/?${query({ url, name: "Ünï", description: "for orders" })}`)
      Json.assertHolds(named, { name: "Ünï", description: "for orders", url })
      const inBody = yield* ann.ok("POST", `/webhooks?${query({ url, name: "query" })}`, { name: "body" })
      Json.assertHolds(inBody, { name: "body", url })
    }))

  it.effect("POST /webhooks needs a URL with the protocol http or https and a hostname; path and port are allowed", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      for (
        const url of [
          "http://example.com",
          "https://example.com:8443/a/b",
          "HTTPS://EXAMPLE.com",
          "http://[2606:4700::1]/"
        ]
      ) {
        Json.assertHolds(yield* ann.ok("POST", `/webhooks?${query({ url })}`), { url })
      }
      const wrong = [
        "example.com",
        "//example.com/",
        "ftp://example.com/",
        "http://",
        "http:///path",
        "https:example.com",
        "http://a b/",
        ""
      ]
      for (const url of wrong) {
        assertInvalid(yield* ann.send("POST", `/webhooks?${query({ url })}`), "url")
        assertInvalid(yield* ann.send("POST", "/webhooks", { body: { url } }), "url")
      }
      assertInvalid(yield* ann.send("POST", "/webhooks"), "url")
      assertInvalid(yield* ann.send("POST", "/webhooks?name=n"), "url")
      assertInvalid(yield* ann.send("POST", "/webhooks", { body: { url: 1, name: {} } }), "url", "name")
      assertInvalid(yield* ann.send("POST", `/webhooks?url=http://a/&name=${"x".repeat(1_001)}`), "name")
    }))

  it.effect("GET /users/me/webhooks lists them, newest first, without what only the creation answers", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const { user_id: _, ...created } = yield* ann.ok("POST", "/webhooks?url=http://127.0.0.1:9/")
      const { json } = yield* ann.send("GET", "/users/me/webhooks/?limit=1")
      assert.hasAllKeys(json, ["page_info", "data"])
      assert.deepStrictEqual<unknown>(json["data"], [created])
      const others = yield* bob.listed("/users/me/webhooks?limit=100", 0)
      assert.notInclude(others.map(idOf), idOf(created as Json.Json))
    }))

  it.effect("extension: a webhook is read, changed and deleted by its own account", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const { user_id: _, ...created } = yield* ann.ok("POST", "/webhooks?url=http://127.0.0.1:9/&name=n")
      const path = `/webhooks/${Json.textOf(created["id"])}`
      Json.assertHolds(yield* ann.ok("GET", path), created)
      Json.assertHolds(yield* ann.ok("PUT", path, { active: false, name: null }), { active: false, name: null })
      Json.assertHolds(yield* ann.ok("PUT", path, { url: "https://example.com/" }), {
        active: true,
        url: "https://example.com/"
      })
      assertInvalid(yield* ann.send("PUT", path, { body: { url: "example.com", active: 1 } }), "url", "active")
      const { secret } = yield* ann.ok("GET", `${path}/secret`)
      assert.match(Json.textOf(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
      const rotated = yield* ann.ok("POST", `${path}/secret/rotate`)
      assert.notStrictEqual(Json.textOf(rotated["secret"]), Json.textOf(secret))
      assert.deepStrictEqual(yield* ann.ok("GET", `${path}/secret`), rotated)
      const { public_key } = yield* ann.ok("GET", `${path}/public_key`)
      assert.match(Json.textOf(public_key), /^whpk_[A-Za-z0-9+/]{43}=$/)
      const newKey = yield* ann.ok("POST", `${path}/public_key/rotate`)
      assert.notStrictEqual(Json.textOf(newKey["public_key"]), Json.textOf(public_key))
      assert.deepStrictEqual(yield* ann.ok("GET", `${path}/public_key`), newKey)
      const requests = [
        ["GET", path],
        ["PUT", path],
        ["DELETE", path],
        ["GET", `${path}/secret`],
        ["POST", `${path}/secret/rotate`],
        ["GET", `${path}/public_key`],
        ["POST", `${path}/public_key/rotate`]
      ] as const
      for (const [method, place] of requests) {
        const options = method === "PUT" ? { body: {} } : {}
        assertProblem(yield* bob.send(method, place, options), 404, "not_found")
      }
      const deleted = yield* ann.send("DELETE", path)
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      for (const [method, place] of requests) {
        const options = method === "PUT" ? { body: {} } : {}
        assertProblem(yield* ann.send(method, place, options), 404, "not_found")
      }
    }))

  it.effect("extension: a webhook has settings, which only it shows, and which stay unless they are given", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const defaults = {
        ordering: "ordered",
        concurrency: 16,
        rate_limit: null,
        retry_schedule: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
        timeout_ms: 15_000,
        circuit: null,
        circuit_state: { state: "closed", until_ms: null, failures: 0 },
        failing_since_ms: null,
        throttled_until_ms: null,
        disabled_reason: null
      }
      const plain = yield* ann.ok("POST", "/webhooks?url=http://127.0.0.1:9/")
      Json.assertHolds(yield* ann.ok("GET", `/webhooks/${idOf(plain)}`), defaults)
      const given = {
        ordering: "strict",
        concurrency: 2,
        rate_limit: { limit: 5, interval_seconds: 60 },
        retry_schedule: [],
        timeout_ms: 1_000,
        circuit: { failures: 3, cooldown_seconds: 10 }
      }
      const created = yield* ann.ok("POST", "/webhooks", { url: "http://127.0.0.1:9/", ...given })
      assert.hasAllKeys(created, [...fields, "user_id"])
      const path = `/webhooks/${idOf(created)}`
      const shown = { ...given, rate_limit: { limit: 5, interval_seconds: 60, burst: 1 } }
      Json.assertHolds(yield* ann.ok("GET", path), shown)
      Json.assertHolds(yield* ann.ok("PUT", path, { name: "n" }), { name: "n", ...shown })
      Json.assertHolds(yield* ann.ok("PUT", path, { ordering: "none", circuit: null, retry_schedule: null }), {
        ...shown,
        ordering: "none",
        circuit: null,
        retry_schedule: defaults.retry_schedule
      })
      const wrong = {
        ordering: "loose",
        concurrency: 0,
        rate_limit: { limit: 1 },
        retry_schedule: [0],
        timeout_ms: 30_001,
        circuit: {}
      }
      for (const [method, at] of [["POST", "/webhooks?url=http://127.0.0.1:9/"], ["PUT", path]] as const) {
        assertInvalid(
          yield* ann.send(method, at, { body: wrong }),
          "ordering",
          "concurrency",
          "rate_limit.interval_seconds",
          "retry_schedule.0",
          "timeout_ms",
          "circuit.failures",
          "circuit.cooldown_seconds"
        )
      }
    }))

  it.effect("extension: how a webhook's requests are made is given in the body, and shown without its secrets", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const given = {
        signature: "both",
        max_bytes: 1_000,
        http2: false,
        headers: { "X-A": "1" },
        secret_headers: { "x-b": "2" }
      }
      const shown = {
        signature: "both",
        max_bytes: 1_000,
        http2: false,
        headers: { "x-a": "1" },
        secret_headers: { "x-b": "***" }
      }
      const created = yield* ann.ok("POST", "/webhooks", { url: "http://127.0.0.1:9/", ...given })
      assert.hasAllKeys(created, [...fields, "user_id"])
      const path = `/webhooks/${idOf(created)}`
      Json.assertHolds(yield* ann.ok("GET", path), shown)
      Json.assertHolds(yield* ann.ok("PUT", path, { name: "n", ...shown }), shown)
      const plain = yield* ann.ok("PUT", path, {
        signature: null,
        max_bytes: null,
        http2: null,
        headers: null,
        secret_headers: null,
        tls: null
      })
      Json.assertHolds(plain, {
        signature: "hmac",
        max_bytes: null,
        http2: true,
        headers: {},
        secret_headers: {},
        tls: null
      })
      assertInvalid(
        yield* ann.send("PUT", path, { body: { headers: { host: "x", "webhook-id": "x" }, max_bytes: 0 } }),
        "max_bytes"
      )
      assertInvalid(
        yield* ann.send("PUT", path, { body: { headers: { host: "x", "webhook-id": "x" } } }),
        "headers.host",
        "headers.webhook-id"
      )
      assertInvalid(
        yield* ann.send("PUT", path, { body: { tls: { ca: "x", key: "x" } } }),
        "tls.ca",
        "tls.key",
        "tls.certificate"
      )
    }))

  it.effect("extension: what became of an event on its way to a webhook is listed, and shown with each attempt", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const source = yield* ann.ok("POST", "/sources", { component_code: emitting })
      const webhook = yield* ann.ok("POST", "/webhooks?url=http://127.0.0.1:9/")
      yield* ann.ok("POST", "/subscriptions", { emitter_id: idOf(source), listener_id: idOf(webhook) })
      const path = `/webhooks/${idOf(webhook)}/deliveries`
      yield* Effect.promise(() =>
        fetch(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"]), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ emit: 1, meta: { summary: `order 1001 ${"x".repeat(600)}` }, count: 1 })
        })
      )
      const [second, listed] = yield* ann.listed(path, 2)
      Json.assertHolds(listed, {
        webhook_id: idOf(webhook),
        emitter_id: idOf(source),
        error_class: "connect",
        status: null
      })
      const shown = yield* ann.ok("GET", `/deliveries/${idOf(listed!)}`)
      Json.assertHolds(Json.listOf(shown["attempts"])[0], { attempt: 1, outcome: "failed", response: null })
      for (const place of [path, `/deliveries/${idOf(listed!)}`]) {
        assertProblem(yield* bob.send("GET", place), 404, "not_found")
      }
      const [summarized, without] = yield* ann.listed(`${path}?expand=summary`, 2)
      Json.assertHolds(summarized, { id: idOf(second!), summary: `order 1001 ${"x".repeat(489)}` })
      Json.assertHolds(without, { id: idOf(listed!), summary: null })
      const oldest = yield* ann.send("GET", `${path}?sort=oldest&limit=1`)
      assert.deepStrictEqual(Json.listOf(oldest.json["data"]).map(idOf), [idOf(listed!)])
      const cursor = Json.textOf(oldest.json["page_info"]!["end_cursor"])
      const [next] = yield* ann.listed(`${path}?sort=oldest&limit=1&after=${cursor}`, 1)
      assert.strictEqual(idOf(next!), idOf(second!))
      assertInvalid(
        yield* ann.send("GET", "/deliveries?status=9xx&state=lost&sort=name&expand=event"),
        "expand",
        "sort",
        "state",
        "status"
      )
    }))
}
