import { assert, layer } from "@effect/vitest"
import { ChangesNothing } from "@headwater/api/ChangesNothing"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Context, Effect } from "effect"
import { HttpServer } from "effect/http"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { createConnection } from "node:net"
import * as Http from "../../../test/HttpAppFixture.ts"

const operations = (() => {
  const found: Array<
    { readonly id: string; readonly method: string; readonly path: string; readonly changes: boolean }
  > = []
  HttpApi.reflect(HeadwaterApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { annotations, identifier, method, path }, group }) =>
      found.push({
        id: `${group.identifier}.${identifier}`,
        method,
        path,
        changes: method !== "GET" && !Context.get(annotations, ChangesNothing)
      })
  })
  return found
})()

/** The fields of entries that a test tells the requests by. */
const outline = (entry: Json.Json) => ({
  operation: Json.textOf(entry["operation"]),
  status: Number(entry["status"]),
  resource: entry["resource_id"] === null ? null : Json.textOf(entry["resource_id"])
})

layer(Http.layer, { excludeTestServices: true })("the audit log", (it) => {
  it("leaves out previews, what code is asked about, and what a reader commits, and nothing else that is no GET", () => {
    const leftOut = operations.filter(({ changes, method }) => method !== "GET" && !changes).map(({ id }) => id)
    assert.sameMembers(leftOut, ["subscriptions.preview", "consumers.commit", "code.check", "components.configure"])
  })

  it.effect("tells of each request that was to change something: done, refused by its scope, or failed", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const webhook = yield* http.created("/v1/webhooks", { url: "http://ann:s3cret@127.0.0.1:9/" })
      yield* http.request("POST", `/v1/webhooks/${webhook.id}/pause?exclude=s3cret`)
      yield* http.request("DELETE", "/v1/sources/dc_nothing")
      yield* http.request("POST", "/v1/sources", { body: { component_code: "s3cret" } })
      const { id, key } = yield* http.created("/v1/users/me/keys", { name: "dashboard", scope: "read" })
      const reader = Json.textOf(key)
      yield* http.request("DELETE", `/v1/webhooks/${webhook.id}`, { key: reader })
      // Nothing of these: they read, or are in nobody's name.
      yield* http.request("GET", "/v1/users/me/sources")
      yield* http.request("POST", "/v1/subscriptions/preview", { body: { emitter_id: "*", listener_id: webhook.id } })
      yield* http.request("DELETE", `/v1/webhooks/${webhook.id}`, { key: "hw_unknown" })
      const entries = yield* http.summaries("/v1/audit", 6)
      assert.deepStrictEqual(entries.map(outline), [
        { operation: "webhooks.delete", status: 403, resource: webhook.id },
        { operation: "keys.create", status: 200, resource: id },
        { operation: "sources.create", status: 422, resource: null },
        { operation: "sources.delete", status: 404, resource: "dc_nothing" },
        { operation: "webhooks.pause", status: 200, resource: webhook.id },
        { operation: "webhooks.create", status: 200, resource: webhook.id }
      ])
      const [refused, , , , paused] = entries
      assert.hasAllKeys(refused, [
        "id",
        "at",
        "operation",
        "method",
        "path",
        "resource_id",
        "status",
        "key",
        "session_id",
        "client_ip"
      ])
      assert.deepStrictEqual<unknown>(refused!["key"], { id, name: "dashboard" })
      Json.assertHolds(paused, {
        method: "POST",
        path: `/v1/webhooks/${webhook.id}/pause`,
        session_id: null,
        client_ip: "127.0.0.1"
      })
      const sql = yield* SqlClient.SqlClient
      for (const secret of ["s3cret", http.key.slice(3), reader.slice(3)]) {
        assert.deepStrictEqual(yield* sql`SELECT 1 FROM audit_log a WHERE a::text LIKE ${`%${secret}%`}`, [])
      }
    }))

  it.effect("tells of what was done in a session, from signing in to signing out, and filters", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      yield* http.request("POST", "/v1/users/me/keys")
      const signedIn = yield* http.request("POST", "/v1/session", { key: null, body: { api_key: http.key } })
      const session = Json.textOf(signedIn.json["data"]!["id"])
      const cookie = signedIn.headers.get("set-cookie")!.split(";", 1)[0]!
      const inSession = { key: null, headers: { cookie, "x-headwater-console": "1" } }
      yield* http.request("POST", "/v1/users/me/keys", inSession)
      yield* http.request("DELETE", "/v1/session", inSession)
      yield* http.summaries("/v1/audit", 4)
      const listed = (query: string) =>
        Effect.map(
          http.request("GET", `/v1/audit?${query}`),
          ({ json }) => Json.listOf(json["data"]).map(({ operation }) => Json.textOf(operation))
        )
      assert.deepStrictEqual(yield* listed(`session=${session}`), ["session.delete", "keys.create", "session.create"])
      assert.deepStrictEqual(yield* listed(`session=${session}&operation=keys.create`), ["keys.create"])
      assert.lengthOf(yield* listed(`key=${Json.textOf(signedIn.json["data"]!["key"]!["id"])}`), 4)
      const now = Math.floor(Date.now() / 1_000)
      assert.lengthOf(yield* listed(`from=${now - 60}&to=${now + 60}`), 4)
      for (const query of [`from=${now + 60}`, `to=${now - 60}`, "key=key_nothing", "session=ses_nothing"]) {
        assert.deepStrictEqual(yield* listed(query), [], query)
      }
      const first = yield* http.request("GET", "/v1/audit?limit=3")
      Json.assertHolds(first.json["page_info"], { count: 3, has_more: true })
      const end = Json.textOf(first.json["page_info"]!["end_cursor"])
      const rest = yield* http.request("GET", `/v1/audit?limit=3&after=${end}`)
      Json.assertHolds(rest.json["page_info"], { count: 1, has_more: false })
    }))

  it.effect("tells of a request whose client did not wait, and where it came from", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const server = yield* HttpServer.HttpServer
      let mayEnd = false
      const asked = yield* WebhookSink.make(() => ({ status: mayEnd ? 200 : 503 }))
      const component_code = `export default {
        hooks: {
          async deploy() {
            while ((await fetch("${asked.url}")).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50))
          }
        },
        async run() {}
      }`
      const { hostname, port } = new URL(HttpServer.formatAddress(server.address))
      const body = JSON.stringify({ component_code })
      const client = createConnection(Number(port), hostname)
      client.write([
        "POST /v1/sources HTTP/1.1",
        "Host: localhost",
        `Authorization: Bearer ${http.key}`,
        "Content-Type: application/json",
        `Content-Length: ${Buffer.byteLength(body)}`,
        "",
        body
      ].join("\r\n"))
      yield* Effect.repeat(Effect.sleep("5 millis"), {
        until: () => asked.received.length > 0
      })
      // A client that only ended its side may still wait for the answer.
      client.resetAndDestroy()
      // The server is told of that in one of the next turns of the loop.
      yield* Effect.repeat(Effect.sleep("1 millis"), { times: 20 })
      mayEnd = true
      const [entry] = yield* http.summaries("/v1/audit", 1)
      Json.assertHolds(entry, { operation: "sources.create", status: 499, client_ip: "127.0.0.1" })
    }))

  it.effect("leaves out no operation that changes something, and has none that reads", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const named = operations.filter(({ path }) => path !== "/v1/session")
      for (const { method, path } of named) {
        const body = method === "POST" || method === "PUT" ? { body: {} } : {}
        // A tail that is not refused does not end.
        const query = path.endsWith("/sse") ? "?after=x" : ""
        yield* http.request(method, path.replaceAll(/:\w+/g, "nothing") + query, body)
      }
      const changing = named.filter(({ changes }) => changes).map(({ id }) => id)
      assert.isAbove(changing.length, 40)
      const entries = yield* http.summaries("/v1/audit?limit=100", changing.length)
      assert.sameMembers(entries.map(({ operation }) => Json.textOf(operation)), changing)
    }))
})
