import { assert, layer } from "@effect/vitest"
import { entryBytes, partBytes } from "@headwater/domain/RunFile"
import { EngineLimits } from "@headwater/engine/testing/EngineLimits"
import * as Json from "@headwater/fixtures/Json"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { createHash } from "node:crypto"
import * as NodeHttp from "node:http"
import * as Http from "../../../test/HttpAppFixture.ts"

const mostBytes = 3_000_000

const limits = Layer.succeed(EngineLimits, { ...EngineLimits.defaultValue(), filesOfAccount: mostBytes })

const at = (path: string) => `/v1/files/content?path=${path}`

layer(Layer.provide(Http.layer, limits), { excludeTestServices: true })("files over the API", (it) => {
  it.effect("are kept byte for byte, with their type, also without a length", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { address } = yield* HttpServer.HttpServer
      const bytes = Buffer.alloc(3 * partBytes + 7)
      for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 7919) % 251
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      const read = () =>
        Effect.promise(async () => {
          const answer = await fetch(`${HttpServer.formatAddress(address)}${at("a")}`, {
            headers: { authorization: `Bearer ${http.key}` }
          })
          return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
        })
      for (const declared of [true, false]) {
        const written = yield* Effect.promise(() =>
          fetch(`${HttpServer.formatAddress(address)}${at("a")}`, {
            method: "PUT",
            headers: { authorization: `Bearer ${http.key}`, "content-type": "image/x; q=\"1\"" },
            ...declared
              ? { body: bytes }
              : { body: new Blob([bytes]).stream(), duplex: "half" }
          } as RequestInit).then((answer) => answer.text())
        )
        Json.assertHolds(Json.parse(written)["data"], { size: bytes.length, sha256, content_type: "image/x; q=\"1\"" })
        const found = yield* read()
        assert.isTrue(found.bytes.equals(bytes))
        assert.strictEqual(found.answer.headers.get("content-type"), "image/x; q=\"1\"")
        // A page among the files has no part in the console's session.
        assert.match(found.answer.headers.get("content-security-policy") ?? "", /^sandbox /)
        assert.match(found.answer.headers.get("content-disposition") ?? "", /^attachment/)
        yield* http.request("DELETE", at("a"))
      }
      assert.strictEqual(yield* (yield* StoredFiles).bytesOf(http.accountId), 0)
    }))

  it.effect("are refused where the account has no room for them, declared or not, and leave what was there", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      yield* http.request("PUT", at("a"), { raw: "first" })
      const refused = yield* http.request("PUT", at("a"), { raw: new Uint8Array(mostBytes) })
      Http.assertProblem(refused, 413, "payload_too_large")
      Json.assertHolds(refused.json["details"], { limit_bytes: mostBytes })
      yield* http.request("PUT", at("b"), { raw: new Uint8Array(mostBytes / 2) })
      Http.assertProblem(
        yield* http.request("PUT", at("c"), { raw: new Uint8Array(mostBytes / 2) }),
        413,
        "payload_too_large"
      )
      assert.strictEqual((yield* http.request("GET", at("a"))).text, "first")
      const listed = yield* http.request("GET", "/v1/files")
      assert.deepStrictEqual(Json.listOf(listed.json["data"]).map(({ path }) => Json.textOf(path)), ["b", "a"])
    }))

  it.effect("are none where the request breaks off", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { address } = yield* HttpServer.HttpServer
      const files = yield* StoredFiles
      yield* Effect.callback<void>((resume) => {
        const request = NodeHttp.request(`${HttpServer.formatAddress(address)}${at("a")}`, {
          method: "PUT",
          headers: { authorization: `Bearer ${http.key}`, "content-length": 2 * partBytes }
        })
        request.on("error", () => resume(Effect.void))
        request.write(Buffer.alloc(partBytes + 1), () => request.destroy(new Error("gone")))
      })
      // The server has read as much as it will once another request is through.
      yield* http.request("PUT", at("b"), { raw: "x" })
      Http.assertProblem(yield* http.request("GET", at("a")), 404, "not_found")
      yield* files.removeStray(Number.MAX_SAFE_INTEGER / 2)
      assert.isAtMost(yield* files.bytesOf(http.accountId), partBytes + 2 * entryBytes + 1)
    }))

  it.effect("are written and removed by keys that may change things, told of in the audit log by their paths", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      yield* http.request("PUT", at("a"), { raw: "x" })
      for (const scope of ["read", "run"]) {
        const key = yield* http.created("/v1/users/me/keys", { name: scope, scope })
        const as = { key: Json.textOf(key["key"]) }
        assert.strictEqual((yield* http.request("GET", at("a"), as)).text, "x")
        Http.assertProblem(yield* http.request("PUT", at("a"), { ...as, raw: "y" }), 403, "insufficient_scope")
        Http.assertProblem(yield* http.request("DELETE", at("a"), as), 403, "insufficient_scope")
      }
      yield* http.request("DELETE", at("a"))
      const [removed] = yield* http.summaries("/v1/audit?operation=files.delete", 3)
      Json.assertHolds(removed, { resource_id: "a", status: 204 })
    }))
})
