import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Layer, Logger } from "effect"
import { HttpServer } from "effect/http"
import * as NodeHttp from "node:http"
import * as Http from "../../../test/HttpAppFixture.ts"

/** Emits every request as it came. */
const echo = Http.httpCode("this.$emit(event)")

const deepJson = "[".repeat(101) + "]".repeat(101)

const requests: ReadonlyArray<{ readonly type: string; readonly body: string | Buffer; readonly path?: string }> = [
  { type: "application/json", body: `{"a":1,"a":2,"__proto__":{"b":"\\u0000"}}` },
  { type: "Application/Cloud+JSON; charset=utf-8", body: " [1.0, null ]\n" },
  { type: "application/json", body: "null" },
  { type: "application/json", body: "{not json" },
  { type: "application/json", body: deepJson },
  { type: "application/json", body: "" },
  { type: "application/json", body: Buffer.from([0xef, 0xbb, 0xbf, 0x31]) },
  { type: "application/x-www-form-urlencoded", body: "a=1&a=2&b=%20" },
  {
    type: "multipart/form-data; boundary=b",
    body: `--b\r\nContent-Disposition: form-data; name="n"\r\n\r\n1\r\n--b--\r\n`
  },
  { type: "multipart/form-data; boundary=b", body: "--b\r\n" },
  { type: "text/plain", body: "ü \ud83d\ude00" },
  { type: "application/octet-stream", body: Buffer.from([0, 255, 10]) },
  { type: "application/json", body: "1", path: "/a%20b/C?x=1&x=2&y=" },
  { type: "application/json", body: "1", path: "?x=%zz" },
  // A form that ends before it begins.
  {
    type: "multipart/form-data; boundary=b",
    body: `--b--\r\nContent-Disposition: form-data; name="n"\r\n\r\n1\r\n--b--\r\n`
  }
]

const post = (url: string, { body, type }: typeof requests[number], chunked: boolean) =>
  Effect.callback<{ readonly status: number; readonly headers: ReadonlyArray<string>; readonly body: string }>(
    (resume) => {
      const bytes = Buffer.from(body)
      const headers = {
        "content-type": type,
        "x-twice": ["a", "b"],
        "set-cookie": ["c=1", "d=2"],
        ...(chunked ? { "transfer-encoding": "chunked" } : { "content-length": bytes.length })
      }
      const request = NodeHttp.request(url, { method: "POST", headers, agent: false }, (response) => {
        let answer = ""
        response.on("data", (chunk) => {
          answer += chunk
        })
        response.on("end", () =>
          resume(Effect.succeed({
            status: response.statusCode ?? 0,
            headers: Object.keys(response.headers).toSorted(),
            body: answer
          })))
      })
      request.end(bytes)
    }
  )

const isOfFraming = (name: string) => ["content-length", "transfer-encoding", "connection"].includes(name)

layer(Http.layer, { excludeTestServices: true })("a request to an endpoint", (it) => {
  it.effect("is answered and handed on the same, whether it goes through the router or before it", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: echo })
      const { address } = yield* HttpServer.HttpServer
      const endpoint = HttpServer.formatAddress(address) + Http.endpointOf(source)
      // What has no known length goes through the router. It comes first, since it makes the endpoint known.
      for (const request of requests) {
        const [throughRouter, before] = [
          yield* post(endpoint + (request.path ?? "/"), request, true),
          yield* post(endpoint + (request.path ?? "/"), request, false)
        ]
        assert.deepStrictEqual(before, throughRouter)
        assert.strictEqual(before.status, 200)
      }
      const path = `/v1/sources/${source.id}/event_summaries?expand=event&limit=100`
      const found = (yield* http.summaries(path, 2 * requests.length)).toReversed()
      const events = found.map((each) => {
        const event = each["event"]!["raw_event"]!
        const headers = Object.entries(event["headers"]!).filter(([name]) => !isOfFraming(name))
        return { ...(event as object), headers: Object.fromEntries(headers) }
      })
      for (const index of requests.keys()) assert.deepStrictEqual(events[2 * index + 1], events[2 * index])
      const bodies = events.filter((_, index) => index % 2 === 1).map((event) =>
        Json.parse(JSON.stringify(event))["body"]
      )
      assert.deepStrictEqual(bodies.slice(0, 5), [
        JSON.parse(`{"a":2,"__proto__":{"b":"\\u0000"}}`),
        [1, null],
        null,
        "{not json",
        deepJson
      ])
      assert.deepStrictEqual<unknown>(bodies.slice(7, 9), [{ a: ["1", "2"], b: " " }, { n: "1" }])
    }))
})

const largestBody = 8 * 1024 * 1024

/** A client that has sent the beginning of a body, and goes. */
const leaveAmidBody = (url: string, headers: NodeHttp.OutgoingHttpHeaders) =>
  Effect.callback<void>((resume) => {
    const request = NodeHttp.request(url, { method: "POST", headers, agent: false })
    request.on("error", () => resume(Effect.void))
    request.write("the beginning", () => request.destroy(new Error("gone")))
  })

const logged: Array<unknown> = []

const logger = Logger.layer([Logger.make(({ message }) => void logged.push(message))])

layer(Http.layerWith({ maxBody: largestBody }).pipe(Layer.provide(logger)), { excludeTestServices: true })(
  "a client that goes amid its body",
  (it) => {
    it.effect("leaves neither room taken nor an error, whichever door it came in by", () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const source = yield* http.created("/v1/sources", { component_code: echo })
        const { address } = yield* HttpServer.HttpServer
        const endpoint = `${HttpServer.formatAddress(address) + Http.endpointOf(source)}/`
        const length = { "content-length": String(largestBody) }
        for (const headers of [length, { "transfer-encoding": "chunked" }, { ...length, "content-encoding": "gzip" }]) {
          yield* leaveAmidBody(endpoint, headers)
          // A body of unknown length takes all of the account's room.
          const { status } = yield* post(endpoint, { type: "text/plain", body: "a" }, true)
          assert.strictEqual(status, 200)
        }
        assert.deepStrictEqual(logged.flat().filter((message) => message === "A request failed"), [])
      }))
  }
)
