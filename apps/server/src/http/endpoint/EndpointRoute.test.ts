import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Accounts } from "@headwater/log/access/Accounts"
import { Effect, Schedule } from "effect"
import { HttpServer } from "effect/http"
import * as NodeHttp from "node:http"
import * as Net from "node:net"
import * as Http from "../../../test/HttpAppFixture.ts"

/** Emits every request as it came. */
const echo = Http.httpCode("this.$emit(event)")

const multipart = [
  "--b",
  `Content-Disposition: form-data; name="n"`,
  "",
  "1",
  "--b",
  `Content-Disposition: form-data; name="n"`,
  "",
  "2",
  "--b",
  `Content-Disposition: form-data; name="f"; filename="ü.bin"`,
  "Content-Type: application/x",
  "",
  "a\r\n\u0000b",
  "--b--",
  ""
].join("\r\n")

/** Answers as the request's JSON body says. */
const answering = `export default {
  props: { http: { type: "$.interface.http", customResponse: true } },
  async run(event) {
    const { answer, bytes, thrown } = event.body
    if (thrown) throw new Error(thrown)
    if (answer) this.http.respond(bytes ? { ...answer, body: new Uint8Array(bytes) } : answer)
    if (answer) this.http.respond({ status: 500, body: "second" })
    this.$emit(event.path)
  }
}`

/** Sends bytes as they are, and gives everything that came back within the time. */
const exchange = Effect.fnUntraced(function*(text: string) {
  const { address } = yield* HttpServer.HttpServer
  const port = Number(new URL(HttpServer.formatAddress(address)).port)
  return yield* Effect.callback<string>((resume) => {
    let received = ""
    const socket = Net.connect(port, "127.0.0.1", () => socket.write(text))
    socket.on("data", (chunk) => {
      received += chunk.toString()
      if (received.includes("\r\n\r\n")) socket.destroy()
    })
    socket.on("error", (error) => resume(Effect.die(error)))
    socket.on("close", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeout("60 seconds"))
})

layer(Http.layer, { excludeTestServices: true })("a source's endpoint", (it) => {
  it.effect("takes any method and path, and hands on the request", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: echo })
      const endpoint = Http.endpointOf(source)
      const taken = Effect.fnUntraced(function*(nth: number) {
        const [newest] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries?expand=event&limit=100`, nth)
        return newest!["event"]!["raw_event"]!
      })
      const answer = yield* http.request("PATCH", `${endpoint}/a%20b/C?x=1&x=2&y=`, {
        key: null,
        raw: `{"a": 1}`,
        headers: { "content-type": "application/json; charset=utf-8", "X-Custom": "v" }
      })
      assert.deepStrictEqual([answer.status, answer.text], [200, ""])
      const event = yield* taken(1)
      assert.hasAllKeys(event, ["method", "path", "query", "headers", "bodyRaw", "body", "client_ip", "url"])
      Json.assertHolds(event, {
        method: "PATCH",
        path: "/a%20b/C",
        query: { x: ["1", "2"], y: "" },
        bodyRaw: `{"a": 1}`,
        body: { a: 1 },
        client_ip: "127.0.0.1",
        url: `${Http.publicUrl}${endpoint}/a%20b/C?x=1&x=2&y=`
      })
      assert.strictEqual(Json.textOf(event["headers"]!["x-custom"]), "v")
      const bodies: ReadonlyArray<readonly [string, string, unknown]> = [
        ["application/vnd.x+json", "[1]", [1]],
        ["application/json", "{", "{"],
        ["application/json", "[".repeat(500), "[".repeat(500)],
        ["application/x-www-form-urlencoded", "a=1&b=x+y&a=2", { a: ["1", "2"], b: "x y" }],
        ["multipart/form-data; boundary=b", multipart, {
          n: ["1", "2"],
          f: {
            url: "a URL",
            filename: "ü.bin",
            mimetype: "application/x",
            content_type: "application/x",
            content: Buffer.from("a\r\n\u0000b").toString("base64")
          }
        }],
        ["multipart/form-data; boundary=c", multipart, multipart],
        ["multipart/form-data; boundary=b", multipart.slice(0, 60), multipart.slice(0, 60)],
        ["multipart/form-data", multipart, multipart],
        ["text/plain", "null\u0000ö😀", "null\u0000ö😀"]
      ]
      let nth = 1
      for (const [contentType, raw, expected] of bodies) {
        yield* http.request("POST", endpoint, { raw, headers: { "content-type": contentType } })
        const event = yield* taken(++nth)
        const body = JSON.parse(JSON.stringify(event["body"]), (name, value: unknown) =>
          name === "url" ? "a URL" : value) as unknown
        assert.deepStrictEqual<unknown>([event["bodyRaw"], body, event["path"]], [raw, expected, "/"])
      }
      assert.strictEqual((yield* http.request("OPTIONS", `${endpoint}/`, { key: null })).status, 200)
      const options = yield* taken(++nth)
      assert.notProperty(options, "body")
      assert.notProperty(options, "bodyRaw")
    }))

  it.effect("answers at once with an empty body of known length, and passes on how far the request has come", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: echo })
      const endpoint = Http.endpointOf(source)
      const answer = yield* http.request("POST", endpoint, { headers: { "x-headwater-hops": "15" } })
      assert.strictEqual(answer.headers.get("content-length"), "0")
      assert.isNull(answer.headers.get("transfer-encoding"))
      assert.isNotNull(answer.headers.get("x-request-id"))
      const [error] = yield* http.summaries(`/v1/sources/${source.id}/$errors/event_summaries`, 1)
      assert.strictEqual(Json.textOf(error!["event"]!["error"]!["code"]), "HopLimit")
    }))

  it.effect("answers as the run responds, once, without headers that are the connection's or can't be sent", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: answering })
      const endpoint = Http.endpointOf(source)
      const ask = (body: unknown) => http.request("POST", endpoint, { body })
      const full = yield* ask({
        answer: {
          status: "201",
          headers: {
            "Content-Type": "text/x-mine",
            "X-Own": 1,
            "Content-Length": "999",
            "bad header": "x",
            "X-Nl": "a\nb"
          },
          body: "döne"
        }
      })
      assert.deepStrictEqual([full.status, full.text], [201, "döne"])
      assert.strictEqual(full.headers.get("content-type"), "text/x-mine")
      assert.strictEqual(full.headers.get("x-own"), "1")
      assert.isNull(full.headers.get("x-nl"))
      const json = yield* ask({ answer: { body: { ok: true } } })
      assert.deepStrictEqual<unknown>([json.status, json.json], [200, { ok: true }])
      const empty = yield* ask({ answer: { status: 404 } })
      assert.deepStrictEqual([empty.status, empty.text, empty.headers.get("content-length")], [404, "", "0"])
      const none = yield* ask({ answer: { status: 204, body: "ignored" } })
      assert.deepStrictEqual([none.status, none.text], [204, ""])
      const binary = yield* ask({ answer: { headers: { "content-type": "image/x" } }, bytes: [0x61, 0, 0x62] })
      assert.deepStrictEqual([binary.text, binary.headers.get("content-type")], ["a\u0000b", "image/x"])
      Http.assertProblem(yield* ask({ answer: { status: 101 } }), 502, "invalid_response")
    }))

  it.effect("keeps an answer's headers with several values apart, and hands on cookies as a list and all else as text", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", {
        component_code: `export default {
          props: { http: { type: "$.interface.http", customResponse: true } },
          async run(event) {
            const cookies = ["a=1", "b=2; HttpOnly"]
            const pairs = [["Set-Cookie", cookies[0]], ["set-cookie", cookies[1]], ["X-Two", "1"], ["x-two", "2"]]
            const headers = new Headers(pairs)
            const kinds = {
              list: { "Set-Cookie": cookies, "X-Two": [1, 2, null], "X-One": ["1"], "X-None": [] },
              pairs,
              headers,
              map: new Map([["Set-Cookie", cookies], ["X-Two", [1, 2]]]),
              spellings: { "Set-Cookie": cookies[0], "set-cookie": cookies[1], "X-Two": "0", "x-two": ["1", "2"] }
            }
            this.http.respond({ status: 200, headers: kinds[event.path.slice(1)], body: "x" })
            this.$emit(event)
          }
        }`
      })
      const endpoint = Http.endpointOf(source)
      const { address } = yield* HttpServer.HttpServer
      const path = new URL(Http.publicUrl + endpoint).pathname
      for (const kind of ["list", "pairs", "headers", "map", "spellings"]) {
        for (const isChunked of [true, false]) {
          const { rawHeaders } = yield* Effect.callback<NodeHttp.IncomingMessage>((resume) => {
            const request = NodeHttp.request(
              `${HttpServer.formatAddress(address)}${endpoint}/${kind}`,
              {
                method: "POST",
                agent: false,
                headers: {
                  ...(isChunked ? { "transfer-encoding": "chunked" } : { "content-length": 1 }),
                  "set-cookie": ["c=1", "d=2, e"],
                  "x-twice": ["1", "2"],
                  cookie: ["f=1", "g=2"]
                }
              },
              (response) => {
                response.resume()
                response.on("end", () => resume(Effect.succeed(response)))
              }
            )
            request.end("x")
          })
          const sent = rawHeaders.flatMap((name, i) => i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1]!]] : [])
          const valuesOf = (name: string) => sent.filter(([each]) => each === name).map(([, value]) => value)
          assert.deepStrictEqual(valuesOf("set-cookie"), [`a=1; Path=${path}`, `b=2; HttpOnly; Path=${path}`], kind)
          // A Headers joins what is no cookie.
          assert.deepStrictEqual(valuesOf("x-two"), kind === "headers" ? ["1, 2"] : ["1", "2"], kind)
          assert.deepStrictEqual(valuesOf("x-one"), kind === "list" ? ["1"] : [])
          assert.deepStrictEqual(valuesOf("x-none"), [])
        }
      }
      const events = yield* http.summaries(`/v1/sources/${source.id}/event_summaries?expand=event`, 10)
      for (const { event } of events) {
        const headers = event!["raw_event"]!["headers"]!
        assert.deepStrictEqual<unknown>(
          [headers["set-cookie"], headers["x-twice"], headers["cookie"]],
          [["c=1", "d=2, e"], "1, 2", "f=1; g=2"]
        )
      }
    }))

  it.effect("says nothing in an answer that holds for more than the endpoint, and tells the code so", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: answering })
      const path = new URL(Http.publicUrl + Http.endpointOf(source)).pathname
      const ofOrigin = [
        "Clear-Site-Data",
        "Strict-Transport-Security",
        "Public-Key-Pins",
        "Expect-CT",
        "Alt-Svc",
        "NEL",
        "Report-To",
        "Accept-CH",
        "Critical-CH",
        "Origin-Agent-Cluster",
        "Service-Worker-Allowed",
        "Set-Login",
        "Sec-Session-Registration",
        "Use-As-Dictionary",
        "X-Accel-Redirect",
        "X-Sendfile",
        "X-Permitted-Cross-Domain-Policies"
      ]
      const kept = {
        "cache-control": "no-cache",
        "content-disposition": "attachment",
        etag: "\"1\"",
        link: "</a>; rel=next",
        "access-control-allow-origin": "*",
        "www-authenticate": "Basic",
        "retry-after": "1",
        vary: "accept",
        "ce-id": "1",
        "webhook-allowed-origin": "*",
        "x-anything": "1"
      }
      const ask = (headers: Record<string, unknown>) =>
        http.request("POST", Http.endpointOf(source), { body: { answer: { headers, body: "x" } } })
      const answer = yield* ask({ ...Object.fromEntries(ofOrigin.map((name) => [name, "1"])), ...kept })
      for (const name of ofOrigin) assert.isNull(answer.headers.get(name), name)
      for (const [name, value] of Object.entries(kept)) assert.strictEqual(answer.headers.get(name), value, name)
      const logs = yield* http.summaries(
        `/v1/sources/${source.id}/$logs/event_summaries?expand=event&limit=100`,
        ofOrigin.length
      )
      const text = JSON.stringify(logs)
      for (const name of ofOrigin) assert.include(text, `the header ${name.toLowerCase()} is not sent`)

      const cookies: ReadonlyArray<readonly [string, string | undefined]> = [
        ["a=1", `a=1; Path=${path}`],
        ["a=1; Path=/", `a=1; Path=${path}`],
        ["a=1;path = / ; Secure", `a=1; Secure; Path=${path}`],
        ["a=1; Path=/http", `a=1; Path=${path}`],
        [`a=1; Path=${path}x`, `a=1; Path=${path}`],
        [`a=1; Path=${path}/b; Path=/`, `a=1; Path=${path}`],
        [`a=1; Path=/; Path=${path}/b`, `a=1; Path=${path}/b`],
        ["a=1; Domain=example.com; Max-Age=5; domain", `a=1; Max-Age=5; Path=${path}`],
        ["a=1; SameSite=None; Partitioned", `a=1; SameSite=None; Partitioned; Path=${path}`],
        ["__Host-a=1; Secure; Path=/", undefined],
        ["__host-a=1; Secure; Path=/", undefined],
        ["headwater_session=hws_mine; Path=/v1", undefined],
        ["", `; Path=${path}`]
      ]
      for (const [given, expected] of cookies) {
        const { headers } = yield* ask({ "set-cookie": given })
        assert.deepStrictEqual(headers.getSetCookie(), expected === undefined ? [] : [expected], given)
      }
    }))

  it.effect("answers 400 where the run ends without responding, or throws before it does", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: answering })
      const endpoint = Http.endpointOf(source)
      for (const body of [{}, { thrown: "no" }]) {
        const answer = yield* http.request("POST", endpoint, { body })
        Http.assertProblem(answer, 400, "no_response")
        assert.match(answer.text, /without responding/)
      }
      const [error] = yield* http.summaries(`/v1/sources/${source.id}/$errors/event_summaries?expand=event`, 1)
      assert.strictEqual(Json.textOf(error!["event"]!["error"]!["message"]), "no")
      assert.lengthOf(yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 1), 1)
    }))

  it.effect("refuses unknown endpoints, and bodies over the limit before they are sent", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: echo })
      const endpoint = Http.endpointOf(source)
      for (const path of ["/http/unknown", "/http/unknown/x", "/http/", `${endpoint};a`, endpoint.toLowerCase()]) {
        Http.assertProblem(yield* http.request("POST", path), 404, "not_found")
      }
      const fits = yield* http.request("POST", endpoint, { raw: "x".repeat(Http.maxBody) })
      assert.strictEqual(fits.status, 200)
      const large = yield* http.request("POST", endpoint, { raw: "x".repeat(Http.maxBody + 1) })
      Http.assertProblem(large, 413, "payload_too_large")
      const chunked = yield* exchange(
        `POST ${endpoint} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `${(Http.maxBody + 1).toString(16)}\r\n${"x".repeat(Http.maxBody + 1)}\r\n0\r\n\r\n`
      )
      assert.match(chunked, /^HTTP\/1\.1 413 /)
      const unread = yield* exchange(
        "POST /http/unknown HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
          `80000\r\n${"x".repeat(0x80000)}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n`
      )
      assert.match(unread, /^HTTP\/1\.1 404 [^{]*\r\nconnection: close\r\n/i, "nobody waits for an answer behind it")
      const declared = yield* exchange(`POST ${endpoint} HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\nx`)
      assert.match(declared, /^HTTP\/1\.1 413 /)
      assert.lengthOf(yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 1), 1)
    }))

  it.effect("refuses what comes when the account's quota is used up, until the day ends or the limit is raised", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const accounts = yield* Accounts
      for (const component_code of [echo, answering]) {
        const endpoint = Http.endpointOf(yield* http.created("/v1/sources", { component_code }))
        const post = http.request("POST", endpoint, { body: { answer: { status: 200 } } })
        yield* accounts.update(http.accountId, { dailyInvocationsQuota: 0 })
        const refused = yield* post.pipe(
          Effect.repeat({ until: ({ status }) => status === 429, schedule: Schedule.spaced("50 millis") }),
          Effect.timeout("60 seconds")
        )
        Http.assertProblem(refused, 429, "quota_exceeded")
        const seconds = Number(refused.headers.get("retry-after"))
        assert.deepStrictEqual<unknown>(refused.json["details"], { retry_after_seconds: seconds })
        const hours = new Date(Date.now() + (seconds + 43_200) * 1_000).getUTCHours()
        assert.include([11, 12], hours, "it is counted anew at midnight")
        assert.include(refused.text, "daily_invocations")
        yield* accounts.update(http.accountId, { dailyInvocationsQuota: null })
        yield* post.pipe(
          Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("50 millis") }),
          Effect.timeout("60 seconds")
        )
      }
    }))

  it.effect("hands on the part of a request that the settings name, and answers as they say", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const code = `export default { props: { http: "$.interface.http" }, run(event) { this.$emit({ event }) } }`
      const source = yield* http.created("/v1/sources", { component_code: code })
      const endpoint = Http.endpointOf(source)
      const set = (settings: unknown) =>
        http.request("PUT", `/v1/sources/${source.id}`, { body: { configured_props: { http: settings } } })
      let sent = 0
      const send = Effect.fnUntraced(function*(raw: string, type: string, headers: Record<string, string> = {}) {
        const answer = yield* http.request("POST", `${endpoint}/p?x=1`, {
          key: null,
          raw,
          headers: { "content-type": type, ...headers }
        })
        return answer
      })
      const event = Effect.fnUntraced(function*() {
        sent += 1
        const summaries = yield* http.summaries(`/v1/sources/${source.id}/event_summaries?expand=event&limit=100`, sent)
        return summaries[0]!["event"]!["raw_event"]!["event"]!
      })
      yield* set({ event: "body", response: { status: 202, headers: { "x-a": "b" }, body: { taken: true } } })
      const first = yield* send(`{"id": 12345678901234567890, "bodyRaw": "{}"}`, "application/json")
      assert.deepStrictEqual([first.status, first.text, first.headers.get("x-a")], [202, `{"taken":true}`, "b"])
      assert.include(first.headers.get("content-type") ?? "", "application/json")
      Json.assertHolds(yield* event(), { id: JSON.parse("12345678901234567890"), bodyRaw: "{}" })
      yield* send("a=1&a=2", "application/x-www-form-urlencoded")
      Json.assertHolds(yield* event(), { a: ["1", "2"] })
      yield* set({ event: "raw" })
      const raw = yield* send(`{"a": 1}`, "application/json", { "set-cookie": "a=1" })
      assert.deepStrictEqual([raw.status, raw.text], [200, ""])
      const whole = yield* event()
      assert.hasAllKeys(whole, ["method", "path", "query", "headers", "body", "client_ip", "url"])
      Json.assertHolds(whole, { method: "POST", path: "/p", query: { x: "1" }, body: `{"a": 1}` })
      assert.strictEqual(Json.textOf(whole["headers"]!["set-cookie"]), "a=1")
    }))

  it.effect("takes requests with the token that the settings name, and no others", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("this.$emit(event.body)"),
        configured_props: { http: { token: "t0ken" } }
      })
      Json.assertHolds(source["configured_props"]!["http"]!, { has_token: true })
      const endpoint = Http.endpointOf(source)
      const send = (headers: Record<string, string>) =>
        http.request("POST", endpoint, { key: null, raw: "x", headers: { "content-type": "text/plain", ...headers } })
      for (const headers of [{}, { authorization: "Bearer other" }, { authorization: "Basic t0ken" }]) {
        const answer = yield* send(headers)
        Http.assertProblem(answer, 401, "unauthorized")
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
      }
      assert.strictEqual((yield* send({ authorization: "bearer t0ken" })).status, 200)
      assert.strictEqual((yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 1)).length, 1)
    }))

  it.effect("answers a request with x-pd-notrigger as any other, and runs nothing over it", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const asked = yield* http.created("/v1/sources", { component_code: answering })
      const send = (endpoint: string, raw: string, headers: Record<string, string> = {}) =>
        http.request("POST", endpoint, { key: null, raw, headers: { "content-type": "text/plain", ...headers } })
      const test = { "x-pd-notrigger": "1" }
      assert.strictEqual((yield* send(Http.endpointOf(source), "test", test)).status, 200)
      Http.assertProblem(yield* send(Http.endpointOf(asked), "test", test), 400, "no_response")
      yield* send(Http.endpointOf(source), "real")
      const [newest] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries?expand=event`, 1)
      assert.strictEqual(Json.textOf(newest!["event"]!["raw_event"]), "real")
    }))
})
