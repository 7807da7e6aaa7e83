import { assert, layer } from "@effect/vitest"
import * as Document from "@headwater/api/Document"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { get as request, type IncomingHttpHeaders } from "node:http"
import { Script } from "node:vm"
import { gunzipSync } from "node:zlib"
import * as Http from "../../../test/HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("DocsRoutes", (it) => {
  it.effect("serves the API's document to anybody, with the server's own address", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (const path of ["/openapi.json", "/openapi.json/"]) {
        const { headers, json, status } = yield* http.request("GET", path, { key: null })
        assert.strictEqual(status, 200)
        assert.match(headers.get("content-type") ?? "", /^application\/json/)
        assert.strictEqual(headers.get("access-control-allow-origin"), "*")
        assert.isNotEmpty(headers.get("x-request-id"))
        assert.deepStrictEqual<unknown>(json, JSON.parse(JSON.stringify(Document.make(Http.publicUrl))))
      }
      const posted = yield* http.request("POST", "/openapi.json", { key: null })
      Http.assertProblem(posted, 405, "method_not_allowed")
      assert.strictEqual(posted.headers.get("allow"), "GET, HEAD, OPTIONS")
    }))

  it.effect("serves a page that holds the document and may load nothing from elsewhere", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { headers, status, text } = yield* http.request("GET", "/docs", { key: null })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
      assert.include(text, "deepLinking: true")
      const policy = headers.get("content-security-policy") ?? ""
      assert.include(policy, "default-src 'none'")
      const hosts = [...policy.matchAll(/https?:\/\/[^ ;]+/g)].map(([host]) => host)
      assert.deepStrictEqual(hosts, [Http.publicUrl])
      const markup = text.replace(/<(script|style)[^>]*>.*?<\/\1>/gs, "")
      assert.notMatch(markup, /(src|href)=/)
      const scripts = [...text.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)]
      const document = scripts.find(([, attributes]) => attributes?.includes("application/json"))
      assert.deepStrictEqual<unknown>(
        JSON.parse(document?.[2] ?? ""),
        JSON.parse(JSON.stringify(Document.make(Http.publicUrl)))
      )
      const code = scripts.filter(([, attributes]) => attributes === "").map(([, , source]) => source ?? "")
      assert.isNotEmpty(code)
      for (const source of code) assert.instanceOf(new Script(source), Script)
    }))

  it.effect("compresses the page and the document for those who take that, and for nobody else", () =>
    Effect.gen(function*() {
      const { address } = yield* HttpServer.HttpServer
      const get = (path: string, accepted: string) =>
        Effect.callback<{ readonly headers: IncomingHttpHeaders; readonly body: Buffer }>((resume) => {
          // Not fetch, which decompresses.
          request(
            `${HttpServer.formatAddress(address)}${path}`,
            { headers: { "accept-encoding": accepted } },
            (response) => {
              const chunks: Array<Buffer> = []
              response.on("data", (chunk: Buffer) => chunks.push(chunk))
              response.on(
                "end",
                () => resume(Effect.succeed({ headers: response.headers, body: Buffer.concat(chunks) }))
              )
            }
          )
        })
      for (const path of ["/docs", "/openapi.json"]) {
        const plain = yield* get(path, "identity")
        assert.isUndefined(plain.headers["content-encoding"])
        assert.strictEqual(plain.headers["vary"], "accept-encoding")
        for (const accepted of ["gzip", "br, GZIP;q=0.5", "*"]) {
          const { body, headers } = yield* get(path, accepted)
          assert.strictEqual(headers["content-encoding"], "gzip")
          assert.strictEqual(headers["content-type"], plain.headers["content-type"])
          assert.strictEqual(headers["content-security-policy"], plain.headers["content-security-policy"])
          assert.isBelow(body.length, plain.body.length / 2)
          assert.isTrue(gunzipSync(body).equals(plain.body))
        }
        for (const accepted of ["gzip;q=0", "br", "gzip;q=0.0, *"]) {
          assert.isUndefined((yield* get(path, accepted)).headers["content-encoding"], accepted)
        }
      }
    }))
})
