import { assert, layer } from "@effect/vitest"
import { entryBytes, partBytes } from "@headwater/domain/RunFile"
import { EngineLimits } from "@headwater/engine/testing/EngineLimits"
import * as Json from "@headwater/fixtures/Json"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Clock, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as NodeHttp from "node:http"
import * as Http from "../../../test/HttpAppFixture.ts"

/** Emits every request as it came. */
const echo = Http.httpCode("this.$emit(event)")

const mostBytes = 4 * partBytes

const limits = Layer.succeed(EngineLimits, { ...EngineLimits.defaultValue(), filesOfAccount: mostBytes })

/** A source, and what becomes of requests to it. */
const source = Effect.fnUntraced(function*(http: Http.Tenant, settings: unknown = {}) {
  const created = yield* http.created("/v1/sources", { component_code: echo, configured_props: { http: settings } })
  const files = yield* StoredFiles
  return {
    id: created.id,
    endpoint: Http.endpointOf(created),
    event: Effect.fnUntraced(function*(nth: number) {
      const [newest] = yield* http.summaries(`/v1/sources/${created.id}/event_summaries?expand=event`, nth)
      return newest!["event"]!["raw_event"]!
    }),
    bytes: files.bytesOf(http.accountId),
    read: (url: unknown) =>
      http.request("GET", Json.textOf(url as Json.Json).slice(Http.publicUrl.length), { key: null })
  }
})

const form = (files: ReadonlyArray<string>): string =>
  `${
    files.map((text, nth) =>
      [
        "--b",
        `Content-Disposition: form-data; name="file"; filename="../${nth}.txt"`,
        "Content-Type: text/plain",
        "",
        text,
        ""
      ].join("\r\n")
    ).join("")
  }--b--\r\n`

const multipart = { "content-type": "multipart/form-data; boundary=b" }

layer(Http.layer.pipe(Layer.provide(limits)), { excludeTestServices: true })("the files of a request", (it) => {
  it.effect("are its body where it asks for that, however much larger than other bodies", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { bytes, endpoint, event, read } = yield* source(http)
      const raw = Buffer.alloc(2 * partBytes + 5, "a")
      const answer = yield* http.request("POST", `${endpoint}/in/a.csv?pipedream_upload_body=1&x=2`, {
        key: null,
        raw,
        headers: { "content-type": "text/csv" }
      })
      assert.deepStrictEqual([answer.status, answer.text], [200, ""])
      const uploaded = yield* event(1)
      assert.hasAllKeys(uploaded, ["method", "path", "query", "headers", "body", "client_ip", "url"])
      assert.hasAllKeys(uploaded["body"], ["raw_body_url"])
      const found = yield* read(uploaded["body"]!["raw_body_url"])
      assert.deepStrictEqual([found.status, found.text === raw.toString()], [200, true])
      assert.strictEqual(found.headers.get("content-type"), "text/csv")
      assert.include(found.headers.get("content-disposition") ?? "", "a.csv")
      yield* http.request("POST", endpoint, { key: null, raw: "small", headers: { "x-pd-upload-body": "1" } })
      assert.strictEqual((yield* read((yield* event(2))["body"]!["raw_body_url"])).text, "small")
      assert.strictEqual(yield* bytes, raw.length + 5 + 2 * entryBytes)
    }))

  it.effect("are the body alone and the raw body where the settings name these", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (const form of ["body", "raw"]) {
        const { endpoint, event } = yield* source(http, { event: form })
        yield* http.request("POST", `${endpoint}?pipedream_upload_body=1`, { key: null, raw: "text" })
        const shaped = yield* event(1)
        assert.isString((form === "body" ? shaped : shaped["body"]!)["raw_body_url"])
      }
    }))

  it.effect("have a URL beside their content where they come in a form, while the account has room for them", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { bytes, endpoint, event, read } = yield* source(http)
      const send = (texts: ReadonlyArray<string>) =>
        http.request("POST", endpoint, { key: null, raw: form(texts), headers: multipart })
      yield* send(["one", "two"])
      const files = (yield* event(1))["body"]!["file"] as unknown as ReadonlyArray<Record<string, Json.Json>>
      assert.strictEqual(files.length, 2)
      for (const [nth, { url, ...file }] of files.entries()) {
        const text = ["one", "two"][nth]!
        assert.deepStrictEqual<unknown>(file, {
          filename: `../${nth}.txt`,
          mimetype: "text/plain",
          content_type: "text/plain",
          content: Buffer.from(text).toString("base64")
        })
        assert.strictEqual((yield* read(url)).text, text)
      }
      const upload = {
        key: null,
        raw: Buffer.alloc(mostBytes - 3 * entryBytes - 6),
        headers: { "x-pd-upload-body": "1" }
      }
      assert.strictEqual((yield* http.request("POST", endpoint, upload)).status, 200)
      const full = yield* bytes
      Http.assertProblem(yield* http.request("POST", endpoint, upload), 413, "payload_too_large")
      assert.strictEqual((yield* send(["three"])).status, 200)
      const last = (yield* event(3))["body"]!["file"]!
      Json.assertHolds(last, { url: null, content: Buffer.from("three").toString("base64") })
      assert.strictEqual(yield* bytes, full)
    }))

  it.effect("are kept as they come where they make a form larger than other bodies", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { bytes, endpoint, event, read } = yield* source(http)
      const texts = ["a".repeat(2 * partBytes + 5), "", "b".repeat(3_000)]
      const note = (text: string) => `--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${text}\r\n`
      const raw = note("ünï") + note("second") + form(texts)
      const answer = yield* http.request("POST", `${endpoint}?x=1`, { key: null, raw, headers: multipart })
      assert.deepStrictEqual([answer.status, answer.text], [200, ""])
      const whole = yield* event(1)
      assert.hasAllKeys(whole, ["method", "path", "query", "headers", "body", "client_ip", "url"])
      const { file, note: notes } = whole["body"] as unknown as Record<string, ReadonlyArray<Record<string, Json.Json>>>
      assert.deepStrictEqual<unknown>(notes, ["ünï", "second"])
      for (const [nth, { url, ...rest }] of file!.entries()) {
        assert.deepStrictEqual<unknown>(rest, {
          filename: `../${nth}.txt`,
          mimetype: "text/plain",
          content_type: "text/plain"
        })
        assert.isTrue((yield* read(url)).text === texts[nth])
      }
      assert.strictEqual(yield* bytes, texts.join("").length + 3 * entryBytes)
    }))

  it.effect("are not kept of a large form that is refused", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { bytes, endpoint, id } = yield* source(http, { token: "t0ken" })
      const authorization = "Bearer t0ken"
      const large = "a".repeat(2 * partBytes)
      const field = `--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${"a".repeat(Http.maxBody)}\r\n`
      const send = (raw: string, headers: Record<string, string> = { authorization }) =>
        http.request("POST", endpoint, { key: null, raw, headers: { ...multipart, ...headers } })
      const whole = form([large])
      const refused = [
        yield* send(whole, {}),
        yield* send(whole, { authorization, "x-pd-notrigger": "1" }),
        yield* send(form([large, large])),
        yield* send(form([large, large.repeat(2)])),
        yield* send(whole.replace(/--b--\r\n$/, field + "--b--\r\n")),
        yield* send(whole.slice(0, -7)),
        yield* send(whole.replaceAll("name=", "nome=")),
        yield* send(whole, { authorization, "content-type": "multipart/form-data" }),
        yield* send(field.replace("note", "n").replace(/a{9,}/, "").repeat(1_001) + form([]))
      ]
      assert.deepStrictEqual(refused.map(({ status }) => status), [401, 200, 413, 413, 413, 400, 400, 400, 400])
      yield* Effect.repeat(bytes, { until: (kept) => kept === 0 })
      const { json } = yield* http.request("GET", `/v1/sources/${id}/event_summaries`)
      assert.deepStrictEqual<unknown>(json["data"], [])
    }))

  it.effect("are not kept of a large form whose sender goes before its end", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { bytes, endpoint, id } = yield* source(http)
      const { address } = yield* HttpServer.HttpServer
      const request = NodeHttp.request(`${HttpServer.formatAddress(address)}${endpoint}`, {
        method: "POST",
        headers: { ...multipart, "content-length": String(4 * partBytes - entryBytes) }
      })
      request.on("error", () => {})
      request.write(form(["first", "a".repeat(2 * partBytes)]).replace(/--b--\r\n$/, ""))
      yield* Effect.repeat(bytes, { until: (kept) => kept >= 2 * partBytes })
      request.destroy()
      yield* Effect.repeat(bytes, { until: (kept) => kept === 0 })
      const { json } = yield* http.request("GET", `/v1/sources/${id}/event_summaries`)
      assert.deepStrictEqual<unknown>(json["data"], [])
    }))

  it.effect("are not kept of a request that is refused or only tries the endpoint", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { bytes, endpoint } = yield* source(http, { token: "t0ken" })
      const upload = (headers: Record<string, string>) =>
        http.request("POST", endpoint, {
          key: null,
          raw: Buffer.alloc(2 * partBytes),
          headers: { "x-pd-upload-body": "1", ...headers }
        })
      const ofForm = (headers: Record<string, string>) =>
        http.request("POST", endpoint, { key: null, raw: form(["one"]), headers: { ...multipart, ...headers } })
      const authorization = "Bearer t0ken"
      const answers = [
        yield* upload({}),
        yield* ofForm({}),
        yield* upload({ authorization, "x-pd-notrigger": "1" }),
        yield* ofForm({ authorization, "x-pd-notrigger": "1" })
      ]
      assert.deepStrictEqual(answers.map(({ status }) => status), [401, 401, 200, 200])
      yield* Effect.repeat(bytes, { until: (kept) => kept === 0 })
    }))

  it.effect("are not kept of a body whose sender goes before its end", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { bytes, endpoint, id } = yield* source(http)
      const { address } = yield* HttpServer.HttpServer
      const request = NodeHttp.request(`${HttpServer.formatAddress(address)}${endpoint}`, {
        method: "POST",
        headers: { "x-pd-upload-body": "1" }
      })
      request.on("error", () => {})
      request.write(Buffer.alloc(2 * partBytes))
      yield* Effect.repeat(bytes, { until: (kept) => kept >= 2 * partBytes })
      request.destroy()
      yield* Effect.repeat(bytes, { until: (kept) => kept === 0 })
      const { json } = yield* http.request("GET", `/v1/sources/${id}/event_summaries`)
      assert.deepStrictEqual<unknown>(json["data"], [])
    }))

  it.effect("are written by nobody else", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const answer = yield* http.request("PUT", "/v1/files/content?path=$events/a", { raw: "text" })
      Http.assertProblem(answer, 400, "invalid_request")
      assert.deepStrictEqual(Http.issuePaths(answer), ["path"])
    }))

  it.effect("go with the retention of the account, and with the source", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { bytes, endpoint, event, id, read } = yield* source(http)
      const files = yield* StoredFiles
      yield* http.request("POST", endpoint, { key: null, raw: "text", headers: { "x-pd-upload-body": "1" } })
      const url = (yield* event(1))["body"]!["raw_body_url"]
      const now = yield* Clock.currentTimeMillis
      yield* files.expire({ now: now + 86_000_000, defaultDays: 1 })
      assert.strictEqual((yield* read(url)).status, 200)
      yield* files.expire({ now: now + 2 * 86_400_000, defaultDays: 1 })
      assert.strictEqual((yield* read(url)).status, 404)
      assert.strictEqual(yield* bytes, 0)
      yield* http.request("POST", endpoint, { key: null, raw: "text", headers: { "x-pd-upload-body": "1" } })
      yield* event(2)
      assert.isAbove(yield* bytes, 0)
      yield* http.request("DELETE", `/v1/sources/${id}`)
      yield* Effect.repeat(bytes, { until: (kept) => kept === 0 })
    }))
})
