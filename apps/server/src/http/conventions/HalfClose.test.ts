import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import * as Http from "../../../test/HttpAppFixture.ts"

const answering = `export default {
  props: { http: { type: "$.interface.http", customResponse: true } },
  async run() {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await this.http.respond({ status: 201, body: "late" })
  }
}`

layer(Http.layer, { excludeTestServices: true })("a client that ends its side behind its request", (it) => {
  it.effect("is answered, though nothing waits for anything any more", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const late = yield* http.created("/v1/sources", { component_code: answering })
      const consumer = yield* http.created("/v1/consumers", { emitter_id: source.id })
      const { address } = yield* HttpServer.HttpServer
      const exchange = (request: string, headers: string) =>
        Effect.callback<string>((resume) => {
          let answer = ""
          const port = address._tag === "InetAddressV4" ? address.port : 0
          const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
          socket.end(`${request} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${http.key}\r\n${headers}\r\n`)
          socket.on("data", (chunk) => {
            answer += chunk.toString()
          })
          socket.on("close", () => resume(Effect.succeed(answer)))
          socket.on("end", () => socket.destroy())
          return Effect.sync(() => socket.destroy())
        }).pipe(Effect.timeout("60 seconds"))

      const body = "Content-Length: 0\r\n"
      const chunked = "Transfer-Encoding: chunked\r\n\r\n0\r\n"
      const requests: ReadonlyArray<readonly [request: string, headers: string, answer: RegExp]> = [
        [`POST ${Http.endpointOf(source)}`, chunked, /^HTTP\/1\.1 200 /],
        // It is known by then, and answered before the router.
        [`POST ${Http.endpointOf(source)}`, body, /^HTTP\/1\.1 200 /],
        [`POST ${Http.endpointOf(late)}`, chunked, /^HTTP\/1\.1 201 [^]*late$/],
        [`POST ${Http.endpointOf(late)}`, body, /^HTTP\/1\.1 201 [^]*late$/],
        ["GET /v1/users/me", "", new RegExp(`^HTTP/1\\.1 200 [^]*${http.accountId}`)],
        [`GET /v1/consumers/${consumer.id}/events?wait=60`, "", /^HTTP\/1\.1 200 [^]*"data":\[[^]*\]\}$/],
        [`GET /v1/sources/${source.id}/sse`, "", /^HTTP\/1\.1 200 [^]*text\/event-stream/],
        ["GET /v1/events/sse", "", /^HTTP\/1\.1 200 [^]*text\/event-stream/]
      ]
      for (const [request, headers, answer] of requests) {
        assert.match(yield* exchange(request, headers), answer, request)
      }
    }))
})
