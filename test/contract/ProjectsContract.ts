import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, assertRecent, ContractServer, type It } from "./ContractServer.ts"

const workflow_code = `export default { run() {} }`
const component_code = `export default { name: "Feed", props: { http: "$.interface.http" }, run() {} }`

/** api.md, "Projects". */
export const rows = (it: It): void => {
  it.effect("extension: projects are created, listed, renamed and deleted", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("projects")
      const created = yield* client.ok("POST", "/projects", { name: "Web shop" })
      assert.hasAllKeys(created, ["id", "name", "name_slug", "created_at", "updated_at"])
      Json.assertHolds(created, { name: "Web shop", name_slug: "web-shop" })
      assert.match(Json.textOf(created["id"]), /^proj_/)
      assertRecent(created["created_at"])
      const path = `/projects/${Json.textOf(created["id"])}`
      for (const at of [path, "/projects/web-shop", "/projects/Web%20shop"]) {
        assert.deepStrictEqual<unknown>(yield* client.ok("GET", at), created)
      }
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/projects"), [created])
      assertProblem(yield* client.send("POST", "/projects", { body: { name: "Web shop" } }), 409, "name_taken")
      const other = yield* client.ok("POST", "/projects", { name: "WEB SHOP" })
      Json.assertHolds(other, { name_slug: "web-shop-2" })
      assertProblem(yield* client.send("PUT", path, { body: { name: "WEB SHOP" } }), 409, "name_taken")
      Json.assertHolds(yield* client.ok("PUT", path, { name: "Store" }), {
        id: created["id"],
        name: "Store",
        name_slug: "store"
      })
      assertInvalid(yield* client.send("POST", "/projects", { body: { name: "" } }), "name")
      assert.strictEqual((yield* client.send("DELETE", "/projects/store")).status, 204)
      for (const [method, body] of [["GET"], ["PUT", { name: "Other" }], ["DELETE"]] as const) {
        assertProblem(yield* client.send(method, path, body === undefined ? {} : { body }), 404, "not_found")
      }
    }))

  it.effect("extension: sources and workflows belong to a project, which can't be deleted then", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("members")
      const { id } = yield* client.ok("POST", "/projects", { name: "Shop" })
      const programs = [
        ["/sources", "/users/me/sources", { component_code }],
        ["/workflows", "/users/me/workflows", { workflow_code }]
      ] as const
      for (const [path, list, body] of programs) {
        const outside = yield* client.ok("POST", path, body)
        assert.notProperty(outside, "project_id")
        const inside = yield* client.ok("POST", path, { ...body, project_id: "Shop" })
        Json.assertHolds(inside, { project_id: id })
        const at = `${path}/${Json.textOf(inside["id"])}`
        Json.assertHolds(yield* client.ok("GET", at), { project_id: id })
        const { json } = yield* client.send("GET", `${list}?project_id=shop`)
        Json.assertHolds(json["page_info"], { total_count: 1 })
        assert.deepStrictEqual(Json.listOf(json["data"]).map((item) => item["id"]), [inside["id"]])
        Json.assertHolds(yield* client.ok("PUT", at, { name: "Renamed" }), { project_id: id })
        assertProblem(yield* client.send("DELETE", "/projects/shop"), 409, "project_in_use")
        assert.notProperty(yield* client.ok("PUT", at, { project_id: null }), "project_id")
        assert.notProperty(yield* client.ok("GET", at), "project_id")
        for (const method of ["POST", "PUT"]) {
          const unknown = { body: { ...body, project_id: "none" } }
          assertProblem(yield* client.send(method, method === "POST" ? path : at, unknown), 404, "not_found")
        }
        assertProblem(yield* client.send("GET", `${list}?project_id=none`), 404, "not_found")
      }
      assert.strictEqual((yield* client.send("DELETE", "/projects/shop")).status, 204)
    }))
}
