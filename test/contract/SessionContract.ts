import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertProblem, ContractServer, type It } from "./ContractServer.ts"

/** What the console needs beside what every client has. */
export const rows = (it: It): void => {
  it.effect("extension: a key is exchanged for a session, which ends when somebody signs out", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const begun = yield* ann.send("POST", "/session", { key: null, body: { api_key: ann.key } })
      assert.strictEqual(begun.status, 201)
      const outline = yield* ann.send("POST", "/session", { key: null, body: { api_key: ann.key, include: "id" } })
      assert.hasAllKeys(outline.json["data"], ["id"])
      const cookie = begun.headers.get("set-cookie")!.split(";", 1)[0]!
      const inSession = { key: null, headers: { cookie, "x-headwater-console": "1" } }
      const shown = yield* ann.send("GET", "/session", inSession)
      assert.deepStrictEqual([shown.status, shown.text], [200, begun.text])
      assertProblem(
        yield* ann.send("DELETE", "/session", { key: null, headers: { cookie } }),
        403,
        "cross_site_request"
      )
      assert.strictEqual((yield* ann.send("DELETE", "/session", inSession)).status, 204)
      assertProblem(yield* ann.send("GET", "/session", inSession), 401, "unauthorized")
      assertProblem(yield* ann.send("POST", "/session", { key: null, body: { api_key: "hw_no" } }), 401, "unauthorized")
    }))

  it.effect("extension: a key does what its scope includes", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const { key, scope } = yield* ann.ok("POST", "/users/me/keys", { scope: "read" })
      assert.strictEqual(Json.textOf(scope), "read")
      assert.strictEqual((yield* ann.send("GET", "/users/me", { key: Json.textOf(key) })).status, 200)
      const refused = yield* ann.send("POST", "/users/me/keys", { key: Json.textOf(key) })
      assertProblem(refused, 403, "insufficient_scope")
      Json.assertHolds(refused.json["details"], { scope: "read", needed_scope: "write" })
    }))

  it.effect("extension: the audit log tells who has changed what", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("audited")
      const webhook = yield* client.ok("POST", "/webhooks?url=http://127.0.0.1:9/")
      const [entry] = yield* client.listed("/audit", 1)
      Json.assertHolds(entry, {
        operation: "webhooks.create",
        method: "POST",
        path: "/v1/webhooks",
        resource_id: webhook["id"],
        status: 200,
        session_id: null
      })
    }))
}
