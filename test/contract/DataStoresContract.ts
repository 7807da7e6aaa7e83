import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, assertRecent, ContractServer, type It } from "./ContractServer.ts"

/** api.md, "Data stores". */
export const rows = (it: It): void => {
  it.effect("extension: data stores are created, listed, renamed and deleted", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("data-stores")
      const created = yield* client.ok("POST", "/data_stores", { name: "customers" })
      assert.hasAllKeys(created, ["id", "name", "created_at"])
      assert.match(Json.textOf(created["id"]), /^ds_/)
      assertRecent(created["created_at"])
      const path = `/data_stores/${Json.textOf(created["id"])}`
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/data_stores/customers"), { ...created, size: 0 })
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/data_stores"), [created])
      assertProblem(yield* client.send("POST", "/data_stores", { body: { name: "customers" } }), 409, "name_taken")
      yield* client.ok("POST", "/data_stores", { name: "orders" })
      assertProblem(yield* client.send("PUT", path, { body: { name: "orders" } }), 409, "name_taken")
      Json.assertHolds(yield* client.ok("PUT", path, { name: "clients" }), { id: created["id"], name: "clients" })
      assertInvalid(yield* client.send("POST", "/data_stores", { body: { name: "" } }), "name")
      assert.strictEqual((yield* client.send("DELETE", "/data_stores/clients")).status, 204)
      const entry = { key: "k", value: 1 }
      const gone: ReadonlyArray<readonly [method: string, path: string, body?: unknown]> = [
        ["GET", path],
        ["PUT", path, { name: "other" }],
        ["DELETE", path],
        ["GET", `${path}/entries`],
        ["POST", `${path}/entries`, { entries: [entry] }],
        ["DELETE", `${path}/entries`],
        ["GET", `${path}/entry?key=k`],
        ["PUT", `${path}/entry`, entry],
        ["DELETE", `${path}/entry?key=k`]
      ]
      for (const [method, path, body] of gone) {
        assertProblem(yield* client.send(method, path, body === undefined ? {} : { body }), 404, "not_found")
      }
    }))

  it.effect("extension: entries of a data store are set, listed, read and removed", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("data-store-entries")
      yield* client.ok("POST", "/data_stores", { name: "visits" })
      const path = "/data_stores/visits"
      const set = yield* client.ok("PUT", `${path}/entry`, { key: "a/..?&", value: { visits: 3 } })
      assert.deepStrictEqual<unknown>(set, { key: "a/..?&", value: { visits: 3 }, expires_at_ms: null })
      const byKey = `${path}/entry?key=${encodeURIComponent("a/..?&")}`
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", byKey), set)
      const raw = `{"key":"","value":[12345678901234567890,1.50,"\\u0000"],"ttl":60}`
      const exact = yield* client.send("PUT", `${path}/entry`, {
        raw,
        headers: { "content-type": "application/json" }
      })
      assert.match(exact.text, /"value":\[12345678901234567890,1.50?,"\\u0000"\]/)
      assert.closeTo(Number(exact.json["data"]!["expires_at_ms"]) - Date.now(), 60_000, 30_000)
      const entries = ["b1", "b2", "b1"].map((key, index) => ({ key, value: index }))
      assert.deepStrictEqual<unknown>(yield* client.ok("POST", `${path}/entries`, { entries }), { count: 2 })
      const keys: Array<string> = []
      let after = ""
      do {
        const { json } = yield* client.send("GET", `${path}/entries?limit=1${after}`)
        const page = json["page_info"]!
        keys.push(...Json.listOf(json["data"]).map(({ key }) => Json.textOf(key)))
        after = page["has_more"] ? `&after=${Json.textOf(page["end_cursor"])}` : ""
      } while (after !== "")
      assert.deepStrictEqual(keys, ["", "a/..?&", "b1", "b2"])
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", `${path}/entries?prefix=b&exclude=expires_at_ms`), [
        { key: "b1", value: 2 },
        { key: "b2", value: 1 }
      ])
      assert.deepStrictEqual<unknown>((yield* client.ok("GET", path))["size"], 4)
      assert.strictEqual((yield* client.send("DELETE", byKey)).status, 204)
      for (const method of ["GET", "DELETE"]) assertProblem(yield* client.send(method, byKey), 404, "not_found")
      assertInvalid(yield* client.send("GET", `${path}/entry`), "key")
      assertInvalid(yield* client.send("GET", `${path}/entries?after=Yg`), "after")
      assertInvalid(yield* client.send("PUT", `${path}/entry`, { body: { key: "k", ttl: 0 } }), "value", "ttl")
      assertInvalid(
        yield* client.send("POST", `${path}/entries`, { body: { entries: [{ key: 1, value: 1 }] } }),
        "entries.0.key"
      )
      const large = { key: "k", value: "x".repeat(1024 * 1024) }
      for (const [method, at, body] of [["PUT", "entry", large], ["POST", "entries", { entries: [large] }]] as const) {
        assertProblem(yield* client.send(method, `${path}/${at}`, { body }), 413, "payload_too_large")
      }
      assert.strictEqual((yield* client.send("DELETE", `${path}/entries`)).status, 204)
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", `${path}/entries`), [])
    }))
}
