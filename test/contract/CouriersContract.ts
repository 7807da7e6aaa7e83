import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, assertRecent, ContractServer, type It } from "./ContractServer.ts"

/** api.md, "Couriers". */
export const rows = (it: It): void => {
  it.effect("extension: couriers are created, listed and deleted", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("couriers")
      const store = yield* client.ok("POST", "/data_stores", { name: "customers" })
      const created = yield* client.ok("POST", "/couriers", {
        stores: { ds_A1: "customers" },
        variables: ["TOKEN", "TOKEN"],
        expires_in_seconds: 600
      })
      const { token, url, ...courier } = created
      assert.match(Json.textOf(token), /^hwc_[0-9A-Za-z]{40}$/)
      assert.match(Json.textOf(url), /\/courier$/)
      assert.hasAllKeys(courier, [
        "id",
        "stores",
        "variables",
        "files",
        "project_id",
        "created_at",
        "expires_at",
        "arrived"
      ])
      Json.assertHolds(courier, { variables: ["TOKEN"], files: false, project_id: null, arrived: [] })
      assert.deepStrictEqual<unknown>(courier["stores"], { ds_A1: store["id"] })
      assertRecent(courier["created_at"])
      assert.strictEqual(Number(courier["expires_at"]) - Number(courier["created_at"]), 600)
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/couriers"), [courier])
      for (
        const [body, path] of [
          [{ variables: ["1A"] }, "variables.0"],
          [{ files: true, expires_in_seconds: 59 }, "expires_in_seconds"],
          [{ files: true, expires_in_seconds: 604_801 }, "expires_in_seconds"]
        ] as const
      ) assertInvalid(yield* client.send("POST", "/couriers", { body }), path)
      const unknown = { body: { stores: { ds_A1: "none" } } }
      assertProblem(yield* client.send("POST", "/couriers", unknown), 404, "not_found")
      const path = `/couriers/${Json.textOf(courier["id"])}`
      assert.strictEqual((yield* client.send("DELETE", path)).status, 204)
      assertProblem(yield* client.send("DELETE", path), 404, "not_found")
    }))
}
