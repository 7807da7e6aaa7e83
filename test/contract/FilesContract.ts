import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { assertInvalid, assertProblem, assertRecent, ContractServer, type It } from "./ContractServer.ts"

const at = (path: string) => `/files/content?path=${encodeURIComponent(path)}`

/** api.md, "Files". */
export const rows = (it: It): void => {
  it.effect("extension: files are written, listed, read, told by a URL and deleted", () =>
    Effect.gen(function*() {
      const { fresh, url } = yield* ContractServer
      const client = yield* fresh("files")
      const path = "reports/2026 & 27/ü?.txt"
      const written = yield* client.send("PUT", at(path), { raw: "some ü", headers: { "content-type": "text/plain" } })
      const file = written.json["data"]!
      assert.hasAllKeys(file, ["id", "path", "size", "content_type", "sha256", "created_at", "updated_at"])
      Json.assertHolds(file, {
        path,
        size: 7,
        content_type: "text/plain",
        sha256: createHash("sha256").update("some ü").digest("hex")
      })
      assert.match(Json.textOf(file["id"]), /^fl_/)
      assertRecent(file["updated_at"])
      const read = yield* client.send("GET", at(path))
      assert.strictEqual(read.text, "some ü")
      assert.strictEqual(read.headers.get("content-type"), "text/plain")
      assert.strictEqual(read.headers.get("content-length"), "7")
      const other = yield* client.send("PUT", at("other"), { raw: "" })
      Json.assertHolds(other.json["data"], { size: 0 })
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/files?prefix=reports/"), [file])
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/files?include=path"), [{ path: "other" }, { path }])
      const { json: first } = yield* client.send("GET", "/files?limit=1")
      const after = Json.textOf(first["page_info"]!["end_cursor"])
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", `/files?after=${after}`), [file])
      const anew = yield* client.send("PUT", `${at(path)}&exclude=updated_at`, {
        raw: `{"include":"size"}`,
        headers: { "content-type": "application/json" }
      })
      Json.assertHolds(anew.json["data"], { id: file["id"], size: 18, content_type: "application/json" })
      const told = yield* client.ok("GET", `/files/url?path=${encodeURIComponent(path)}`)
      assert.closeTo(Number(told["expires_at_ms"]) - Date.now(), 30 * 60_000, 60_000)
      const open = yield* Effect.promise(() => fetch(Json.textOf(told["url"]).replace(/^https?:\/\/[^/]+/, url)))
      assert.strictEqual(yield* Effect.promise(() => open.text()), `{"include":"size"}`)
      assert.strictEqual((yield* client.send("DELETE", at(path))).status, 204)
      for (
        const [method, gone] of [["GET", at(path)], ["DELETE", at(path)], ["GET", "/files/url?path=none"]] as const
      ) {
        assertProblem(yield* client.send(method, gone), 404, "not_found")
      }
      for (const wrong of ["", "/a", "a//b", "a/../b", "a/", "x".repeat(2_501)]) {
        assertInvalid(yield* client.send("PUT", at(wrong), { raw: "x" }), "path")
      }
      assertInvalid(yield* client.send("GET", "/files/content"), "path")
      assertProblem(
        yield* client.send("PUT", at("coded"), { raw: "x", headers: { "content-encoding": "gzip" } }),
        415,
        "unsupported_media_type"
      )
    }))

  it.effect("extension: files are attached to a workflow by names, which stay until others are given", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("attachments")
      const workflow_code = `import { readFileSync } from "node:fs"
        export default { run({ steps }) { return readFileSync(steps.trigger.context.attachments["a.txt"], "utf8") } }`
      const attachments = { "a.txt": "in/a.txt" }
      const made = yield* client.ok("POST", "/workflows", { workflow_code, attachments })
      assert.deepStrictEqual<unknown>(made["attachments"], attachments)
      const path = `/workflows/${Json.textOf(made["id"])}`
      for (const name of ["a/b", "", "..", "x".repeat(256)]) {
        assert.strictEqual(
          (yield* client.send("PUT", path, { body: { attachments: { [name]: "a" } } })).status,
          400,
          name
        )
      }
      assertInvalid(yield* client.send("PUT", path, { body: { attachments: { a: "/a" } } }), "attachments.a")
      Json.assertHolds(yield* client.ok("PUT", path, { name: "letters" }), { attachments })
      yield* client.send("PUT", at("in/a.txt"), { raw: "attached" })
      assert.match(JSON.stringify(yield* client.ok("POST", `${path}/trial`, { event: 1 })), /"attached"/)
      assert.deepStrictEqual<unknown>((yield* client.ok("PUT", path, { attachments: {} }))["attachments"], {})
    }))
}
