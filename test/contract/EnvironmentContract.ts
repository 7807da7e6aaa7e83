import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, assertRecent, ContractServer, type It } from "./ContractServer.ts"

const workflow_code = `export default { run({ $ }) { $.emit(process.env.SHOP) } }`

/** api.md, "Environment variables". */
export const rows = (it: It): void => {
  it.effect("extension: environment variables are set, listed, read and removed, of an account, a project and a program", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("environment")
      const path = "/environment_variables"
      const { id } = yield* client.ok("POST", "/workflows", { workflow_code, name: "Shop" })
      const set = yield* client.ok("PUT", `${path}/SHOP`, { value: "north" })
      assert.hasAllKeys(set, ["name", "value", "secret", "program_id", "project_id", "updated_at"])
      Json.assertHolds(set, { name: "SHOP", value: "north", secret: false, program_id: null })
      assertRecent(set["updated_at"])
      assert.deepStrictEqual(yield* client.ok("GET", `${path}/SHOP/`), set)
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", path), [set])
      const secret = yield* client.ok("PUT", `${path}/TOKEN`, { value: "t0ken", secret: true, program_id: "shop" })
      Json.assertHolds(secret, { value: null, secret: true, program_id: id })
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", `${path}?program_id=${Json.textOf(id)}`), [secret])
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", `${path}/SHOP?include=value`), { value: "north" })
      for (const method of ["GET", "DELETE"]) {
        assertProblem(yield* client.send(method, `${path}/TOKEN`), 404, "not_found")
      }
      const project = yield* client.ok("POST", "/projects", { name: "Web" })
      const shared = yield* client.ok("PUT", `${path}/TOKEN`, { value: "s", project_id: "web" })
      Json.assertHolds(shared, { value: "s", program_id: null, project_id: project["id"] })
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", `${path}?project_id=Web`), [shared])
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", `${path}/TOKEN?project_id=web`), shared)
      assert.strictEqual((yield* client.send("DELETE", `${path}/TOKEN?project_id=web`)).status, 204)
      assertInvalid(yield* client.send("GET", `${path}?project_id=web&program_id=shop`), "project_id")
      assertProblem(yield* client.send("GET", `${path}?project_id=none`), 404, "not_found")
      assertProblem(yield* client.send("GET", `${path}?program_id=none`), 404, "not_found")
      const missing = { value: "v", program_id: "none" }
      assertProblem(yield* client.send("PUT", `${path}/SHOP`, { body: missing }), 404, "not_found")
      assertInvalid(yield* client.send("PUT", `${path}/1A`, { body: { value: "v" } }), "name")
      assertInvalid(yield* client.send("PUT", `${path}/SHOP`, { body: { secret: 1 } }), "value", "secret")
      const large = { body: { value: "x".repeat(64 * 1024 + 1) } }
      assertProblem(yield* client.send("PUT", `${path}/SHOP`, large), 413, "payload_too_large")
      assert.strictEqual((yield* client.send("DELETE", `${path}/TOKEN?program_id=shop`)).status, 204)
      assert.strictEqual((yield* client.send("DELETE", `${path}/SHOP`)).status, 204)
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", path), [])
    }))
}
