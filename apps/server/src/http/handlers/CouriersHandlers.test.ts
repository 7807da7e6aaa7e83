import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import * as Http from "../../../test/HttpAppFixture.ts"

const made = Effect.gen(function*() {
  const http = yield* Http.tenant()
  const store = yield* http.created("/v1/data_stores", { name: "customers" })
  const courier = yield* http.created("/v1/couriers", {
    stores: { ds_A1: "customers" },
    variables: ["TOKEN"],
    files: true
  })
  const key = Json.textOf(courier["token"])
  const bring = (body: unknown) => http.request("POST", "/courier", { body, key })
  const taken = (body: unknown) => Effect.map(bring(body), ({ json, text }) => json["data"]?.["taken"] ?? text)
  const page = (value: unknown, number = 0) => ({ store: "ds_A1", page: number, entries: [{ key: "ann", value }] })
  const value = Effect.map(
    http.request("GET", `/v1/data_stores/${store.id}/entry?key=ann`),
    ({ json }): unknown => json["data"]?.["value"]
  )
  const arrived = Effect.map(
    http.request("GET", "/v1/couriers"),
    ({ json }) => Json.listOf(Json.listOf(json["data"])[0]!["arrived"])
  )
  return { http, store, courier, key, bring, taken, page, value, arrived }
})

layer(Http.layer, { excludeTestServices: true })("couriers", (it) => {
  it.effect("bring each page once, also where what it brought has changed here since", () =>
    Effect.gen(function*() {
      const { arrived, courier, http, page, store, taken, value } = yield* made
      assert.match(Json.textOf(courier["url"]), /\/courier$/)
      assert.strictEqual<unknown>(yield* taken(page(1)), true)
      yield* http.request("PUT", `/v1/data_stores/${store.id}/entry`, { body: { key: "ann", value: "here" } })
      assert.strictEqual<unknown>(yield* taken(page(1)), false)
      assert.strictEqual(yield* value, "here")
      // Another content of the same page is another page, and so is the first one after that.
      assert.strictEqual<unknown>(yield* taken(page(2)), true)
      assert.strictEqual(yield* value, 2)
      assert.strictEqual<unknown>(yield* taken(page(1)), true)
      assert.strictEqual<unknown>(yield* taken(page({ deep: [null] }, 1)), true)
      assert.strictEqual<unknown>(yield* taken({ variables: { TOKEN: "t-0123456789" } }), true)
      assert.strictEqual<unknown>(yield* taken({ variables: { TOKEN: "t-0123456789" } }), false)
      const { json } = yield* http.request("GET", "/v1/environment_variables/TOKEN")
      Json.assertHolds(json["data"], { value: null, secret: true })
      assert.deepStrictEqual(
        (yield* arrived).map(({ items, kind, name, pages }): ReadonlyArray<unknown> => [kind, name, pages, items]),
        [["data_store", "ds_A1", 2, 2], ["variables", "", 1, 1]]
      )
    }))

  it.effect("bring files, which are written once", () =>
    Effect.gen(function*() {
      const { arrived, http, key } = yield* made
      const sha256 = createHash("sha256").update("hello").digest("hex")
      const put = (query: string) => http.request("PUT", `/courier?${query}`, { raw: "hello", key })
      Json.assertHolds((yield* put(`path=a/b.txt&sha256=${sha256}`)).json["data"], { taken: true })
      yield* http.request("PUT", "/v1/files/content?path=a/b.txt", { raw: "changed here" })
      Json.assertHolds((yield* put(`path=a/b.txt&sha256=${sha256}`)).json["data"], { taken: false })
      assert.strictEqual((yield* http.request("GET", "/v1/files/content?path=a/b.txt")).text, "changed here")
      for (const path of ["", "../a", "/a", "$events/a"]) {
        assert.deepStrictEqual(Http.issuePaths(yield* put(`path=${encodeURIComponent(path)}`)), ["path"], path)
      }
      Json.assertHolds((yield* arrived)[0], { kind: "files", name: "", items: 1, bytes: 5 })
    }))

  it.effect("bring nothing but what is named, and nothing of another form", () =>
    Effect.gen(function*() {
      const { arrived, bring, http, page } = yield* made
      const paths = (body: unknown) => Effect.map(bring(body), Http.issuePaths)
      assert.deepStrictEqual(yield* paths({ ...page(1), store: "ds_B2" }), ["store"])
      assert.deepStrictEqual(yield* paths({ ...page(1), store: "__proto__" }), ["store"])
      assert.deepStrictEqual(yield* paths({ variables: { TOKEN: "a", OTHER: "b" } }), ["variables"])
      assert.deepStrictEqual(yield* paths({ variables: { TOKEN: 1 } }), ["variables.TOKEN"])
      assert.deepStrictEqual(yield* paths({ ...page(1), page: -1 }), ["page"])
      assert.deepStrictEqual(yield* paths({ ...page(1), entries: [{ key: "a\0", value: 1 }] }), ["entries.0.key"])
      assert.deepStrictEqual(yield* paths({ ...page(1), entries: [{ key: "a" }] }), ["entries.0.value"])
      assert.deepStrictEqual(yield* paths([]), [""])
      Http.assertProblem(yield* bring(page("x".repeat(2_000_000))), 413, "payload_too_large")
      assert.deepStrictEqual(yield* arrived, [])
      assert.deepStrictEqual(Http.issuePaths(yield* http.request("POST", "/v1/couriers", { body: {} })), [""])
      const only = yield* http.created("/v1/couriers", { variables: ["A"] })
      const key = Json.textOf(only["token"])
      assert.deepStrictEqual(Http.issuePaths(yield* http.request("PUT", "/courier?path=a", { raw: "a", key })), [
        "path"
      ])
      assert.deepStrictEqual(Http.issuePaths(yield* http.request("POST", "/courier", { body: page(1), key })), [
        "store"
      ])
    }))

  it.effect("need a live token, which opens nothing else", () =>
    Effect.gen(function*() {
      const { courier, http, key, page } = yield* made
      const bring = (key: string | null) => http.request("POST", "/courier", { body: page(1), key })
      for (const dead of [null, "hwc_none", key.slice(0, -1), "hw_none"]) {
        const answer = yield* bring(dead)
        Http.assertProblem(answer, 401, "unauthorized")
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
      }
      Http.assertProblem(yield* http.request("GET", "/v1/users/me", { key }), 401, "unauthorized")
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT id FROM couriers WHERE couriers::text LIKE ${`%${key}%`}`, [])
      yield* sql`UPDATE couriers SET expires_at = 1 WHERE id = ${courier.id}`
      Http.assertProblem(yield* bring(key), 401, "unauthorized")
      const other = yield* http.created("/v1/couriers", { stores: { ds_A1: "customers" } })
      assert.strictEqual((yield* bring(Json.textOf(other["token"]))).status, 200)
      assert.strictEqual((yield* http.request("DELETE", `/v1/couriers/${other.id}`)).status, 204)
      Http.assertProblem(yield* bring(Json.textOf(other["token"])), 401, "unauthorized")
    }))

  it.effect("bring variables for a project, and go with it", () =>
    Effect.gen(function*() {
      const { http } = yield* made
      const project = yield* http.created("/v1/projects", { name: "Shop" })
      const courier = yield* http.created("/v1/couriers", { variables: ["A"], project_id: "shop" })
      Json.assertHolds(courier, { project_id: project.id })
      const key = Json.textOf(courier["token"])
      const body = { variables: { A: "b" } }
      assert.strictEqual((yield* http.request("POST", "/courier", { body, key })).status, 200)
      const { json } = yield* http.request("GET", "/v1/environment_variables?project_id=shop")
      assert.deepStrictEqual(Json.listOf(json["data"]).map(({ name }) => Json.textOf(name)), ["A"])
      assert.strictEqual((yield* http.request("DELETE", "/v1/projects/shop")).status, 204)
      Http.assertProblem(yield* http.request("POST", "/courier", { body, key }), 401, "unauthorized")
    }))
})
