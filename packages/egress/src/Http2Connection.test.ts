import { assert, describe, it } from "@effect/vitest"
import { authority, certificate, privateKey } from "@headwater/fixtures/TestCertificate"
import { Effect, Fiber, Result } from "effect"
import * as Http from "node:http"
import * as Http2 from "node:http2"
import * as Tls from "node:tls"
import * as Client from "../test/Client.ts"
import { listening, openOf } from "../test/Listening.ts"
import { EgressHttp } from "./EgressHttp.ts"
import { Http2Connection } from "./Http2Connection.ts"

const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_HTTP_1_1_REQUIRED, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } =
  Http2.constants

const secure = { key: privateKey, cert: certificate, allowHTTP1: true }

const urlOf = ({ port }: { readonly port: number }) => `https://hooks.example.com:${port}/`

const text = (body: Uint8Array) => Buffer.from(body).toString()

const until = (holds: () => boolean) => Effect.repeat(Effect.sleep("2 millis"), { until: holds })

type Handler = (stream: Http2.ServerHttp2Stream, count: number) => void

/** Speaks both versions: over HTTP/2 `handle` answers, over HTTP/1.1 the answer is `1.1`. */
const both = (handle: Handler) => {
  let http1 = 0
  let http2 = 0
  return Effect.map(
    listening(() => {
      const server = Http2.createSecureServer(secure)
      server.on("session", (session) => session.on("error", () => {}))
      server.on("stream", (stream) => {
        http2 += 1
        handle(stream.on("error", () => {}), http2)
      })
      server.on("request", (request: Http2.Http2ServerRequest | Http.IncomingMessage, response) => {
        if (!(request instanceof Http.IncomingMessage)) return
        http1 += 1
        request.resume()
        response.end("1.1")
      })
      return server
    }),
    (endpoint) => ({ ...endpoint, counts: () => ({ http1, http2 }) })
  )
}

/** The bytes of a frame (RFC 9113, section 4.1). */
const frame = (type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()) => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const endStream = 1
const endHeaders = 4
/** `:status: 200` and `:status: 103` (RFC 7541). */
const status200 = Uint8Array.of(0x88)
const status103 = Buffer.concat([Uint8Array.of(0x08, 3), Buffer.from("103")])

const headersFrame = (stream: number, block: Uint8Array, flags = 0) => frame(1, endHeaders | flags, stream, block)
const dataFrame = (stream: number, data: string) => frame(0, endStream, stream, Buffer.from(data))
const goAwayFrame = (lastStream: number, code: number) => {
  const payload = Buffer.alloc(8)
  payload.writeUInt32BE(lastStream, 0)
  payload.writeUInt32BE(code, 4)
  return frame(7, 0, 0, payload)
}

/** Speaks HTTP/2 by frames: `answer` is called with the ids of the streams once so many have asked, `hear` with each frame. */
const frames = (
  asked: number,
  answer: (socket: Tls.TLSSocket, streams: ReadonlyArray<number>) => void,
  hear: (socket: Tls.TLSSocket, type: number, stream: number) => void = () => {}
) =>
  listening(() =>
    Tls.createServer({ ...secure, ALPNProtocols: ["h2"] }, (socket) => {
      socket.on("error", () => {})
      socket.write(frame(4, 0, 0))
      let received = Buffer.alloc(0)
      /** Of the connection's preface. */
      let toSkip = 24
      const streams: Array<number> = []
      socket.on("data", (chunk) => {
        received = Buffer.concat([received, chunk])
        const skipped = Math.min(toSkip, received.length)
        toSkip -= skipped
        received = received.subarray(skipped)
        while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
          const [type, flags, stream] = [received[3]!, received[4]!, received.readUInt32BE(5)]
          received = received.subarray(9 + received.readUIntBE(0, 3))
          hear(socket, type, stream)
          if ((type === 0 || type === 1) && (flags & endStream) !== 0) streams.push(stream)
          if (streams.length === asked) answer(socket, streams.splice(0))
        }
      })
    })
  )

describe("HTTP_1_1_REQUIRED", () => {
  it.live("has the request sent over HTTP/1.1, and all after it to that place", () =>
    Effect.gen(function*() {
      const endpoint = yield* both((stream) => stream.close(NGHTTP2_HTTP_1_1_REQUIRED))
      const first = yield* Client.request(urlOf(endpoint))
      assert.deepStrictEqual([first.status, text(first.body)], [200, "1.1"])
      assert.strictEqual(first.earlier?.reason, "protocol")
      assert.match(first.earlier!.message, /HTTP_1_1_REQUIRED/)
      for (const path of ["", "other"]) {
        const next = yield* Client.request(urlOf(endpoint) + path)
        assert.deepStrictEqual([text(next.body), next.earlier], ["1.1", undefined])
      }
      const asker = { ...Client.asker, accountId: "u_2" }
      assert.isUndefined((yield* Client.request(urlOf(endpoint), { asker })).earlier)
      assert.deepStrictEqual(endpoint.counts(), { http1: 4, http2: 1 })
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("counts for all requests under way where the whole connection is told so", () =>
    Effect.gen(function*() {
      const endpoint = yield* both((stream, count) => {
        if (count === 1) return stream.respond({ ":status": 200 }, { endStream: true })
        if (count === 6) stream.session!.goaway(NGHTTP2_HTTP_1_1_REQUIRED)
      })
      yield* Client.request(urlOf(endpoint))
      const answers = yield* Effect.forEach([1, 2, 3, 4, 5], () => Client.request(urlOf(endpoint)), {
        concurrency: "unbounded"
      })
      for (const { body, earlier } of answers) {
        assert.deepStrictEqual([text(body), earlier?.reason], ["1.1", "protocol"])
      }
      assert.deepStrictEqual(endpoint.counts(), { http1: 5, http2: 6 })
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("is the second request of an attempt, after which there is no third", () =>
    Effect.gen(function*() {
      const endpoint = yield* listening(() => {
        const server = Http2.createSecureServer(secure)
        server.on("stream", (stream) => stream.on("error", () => {}).close(NGHTTP2_HTTP_1_1_REQUIRED))
        server.on("request", (request) => {
          if (request instanceof Http.IncomingMessage) request.socket.destroy()
        })
        return server
      })
      const { earlier, reason } = yield* Effect.flip(Client.request(urlOf(endpoint)))
      assert.deepStrictEqual([reason, earlier?.reason], ["reset", "protocol"])
      assert.strictEqual(endpoint.sockets.size, 2)
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("need not be heard where HTTP/2 is not to be spoken", () =>
    Effect.gen(function*() {
      const endpoint = yield* both((stream) => stream.respond({ ":status": 204 }, { endStream: true }))
      assert.strictEqual((yield* Client.request(urlOf(endpoint))).status, 204)
      const { body, earlier } = yield* Client.request(urlOf(endpoint), { http2: false })
      assert.deepStrictEqual([text(body), earlier], ["1.1", undefined])
      assert.strictEqual((yield* Client.request(urlOf(endpoint))).status, 204)
      assert.deepStrictEqual(endpoint.counts(), { http1: 1, http2: 2 })
    }).pipe(Effect.provide(Client.layer(authority))))
})

describe("a stream that is refused", () => {
  it.live("is one request, and its connection goes on", () =>
    Effect.gen(function*() {
      const endpoint = yield* both((stream, count) => {
        if (count === 1) stream.respond({ ":status": 200 }, { endStream: true })
        else stream.close(NGHTTP2_REFUSED_STREAM)
      })
      yield* Client.request(urlOf(endpoint))
      const { earlier, reason } = yield* Effect.flip(Client.request(urlOf(endpoint)))
      assert.deepStrictEqual([reason, earlier], ["reset", undefined])
      assert.strictEqual(endpoint.counts().http2, 2)
      assert.strictEqual(endpoint.sockets.size, 1)
    }).pipe(Effect.provide(Client.layer(authority))))
})

describe("GOAWAY", () => {
  const several = (url: string, count: number) =>
    Effect.forEach(Array.from({ length: count }), () => Effect.result(Client.request(url)), {
      concurrency: "unbounded"
    })

  for (const [name, code] of [["graceful", NGHTTP2_NO_ERROR], ["an error", NGHTTP2_ENHANCE_YOUR_CALM]] as const) {
    for (const body of ["ok", ""]) {
      for (const place of ["before", "behind"] as const) {
        it.live(`that is ${name} and comes right ${place} answers of ${body.length} bytes leaves them what they are`, () =>
          Effect.gen(function*() {
            const endpoint = yield* frames(20, (socket, streams) => {
              const answers = streams.map((stream) =>
                body === ""
                  ? headersFrame(stream, status200, endStream)
                  : Buffer.concat([headersFrame(stream, status200), dataFrame(stream, body)])
              )
              const goAway = goAwayFrame(streams.at(-1)!, code)
              socket.end(Buffer.concat(place === "before" ? [goAway, ...answers] : [...answers, goAway]))
            })
            for (let round = 0; round < 5; round++) {
              const answers = yield* several(urlOf(endpoint), 20)
              for (const answer of answers) {
                if (Result.isFailure(answer)) assert.fail(`${answer.failure.reason}: ${answer.failure.message}`)
                assert.deepStrictEqual([answer.success.status, text(answer.success.body)], [200, body])
              }
            }
            assert.strictEqual(endpoint.sockets.size, 5)
          }).pipe(Effect.provide(Client.layer(authority))))
      }
    }
  }

  it.live("of a server that closes every so often turns no answer into a failure, and no request into two", () =>
    Effect.gen(function*() {
      let answered = 0
      const endpoint = yield* both((stream, count) => {
        setTimeout(() => {
          if (stream.destroyed) return
          answered += 1
          stream.respond({ ":status": 200 })
          stream.end("x".repeat(3_000))
          if (count % 10 === 0) stream.session?.close()
        }, 3)
      })
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => Effect.result(Client.request(urlOf(endpoint))),
        { concurrency: 32 }
      )
      for (const answer of answers) if (Result.isFailure(answer)) assert.fail(answer.failure.message)
      assert.strictEqual(answered, 200)
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("ends what it did not take, and a second request is sent where the connection had served", () =>
    Effect.gen(function*() {
      let count = 0
      const endpoint = yield* frames(1, (socket, [stream]) => {
        count += 1
        if (count === 2) socket.end(goAwayFrame(0, NGHTTP2_NO_ERROR))
        else socket.write(headersFrame(stream!, status200, endStream))
      })
      yield* Client.request(urlOf(endpoint))
      const { earlier, status } = yield* Client.request(urlOf(endpoint))
      assert.deepStrictEqual([status, earlier?.reason, count], [200, "reset", 3])
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("of a server that answers at once has what it did not take sent again, and nothing twice", () =>
    Effect.gen(function*() {
      let answered = 0
      const endpoint = yield* both((stream, count) => {
        stream.respond({ ":status": 200 }, { endStream: true })
        answered += 1
        if (count % 10 === 0) stream.session?.close()
      })
      const answers = yield* several(urlOf(endpoint), 20)
      assert.isTrue(answers.every(Result.isSuccess))
      assert.strictEqual(answered, 20)
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("on a new connection is the end of the attempt", () =>
    Effect.gen(function*() {
      let count = 0
      const endpoint = yield* frames(1, (socket) => {
        count += 1
        socket.end(goAwayFrame(0, NGHTTP2_NO_ERROR))
      })
      const { earlier, reason } = yield* Effect.flip(Client.request(urlOf(endpoint)))
      assert.deepStrictEqual([reason, earlier, count], ["reset", undefined, 1])
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("in the middle of an answer's body is no whole answer", () =>
    Effect.gen(function*() {
      const endpoint = yield* frames(1, (socket, [stream]) => {
        const part = frame(0, 0, stream!, Buffer.from("half"))
        socket.end(
          Buffer.concat([headersFrame(stream!, status200), part, goAwayFrame(stream!, NGHTTP2_ENHANCE_YOUR_CALM)])
        )
      })
      const { earlier, reason } = yield* Effect.flip(Client.request(urlOf(endpoint)))
      assert.deepStrictEqual([reason, earlier], ["reset", undefined])
    }).pipe(Effect.provide(Client.layer(authority))))
})

describe("what comes before the final status over HTTP/2", () => {
  it.live("is skipped where it is an interim answer", () =>
    Effect.gen(function*() {
      const endpoint = yield* both((stream) => {
        stream.additionalHeaders({ ":status": 100 })
        stream.additionalHeaders({ ":status": 103, link: "</a.css>" })
        stream.respond({ ":status": 200 })
        stream.end("ok")
      })
      const { body, headers, status } = yield* Client.request(urlOf(endpoint))
      assert.deepStrictEqual([status, text(body)], [200, "ok"])
      assert.notProperty(headers, "link")
    }).pipe(Effect.provide(Client.layer(authority))))

  const ping = frame(6, 0, 0, new Uint8Array(8))
  const floods: ReadonlyArray<readonly [name: string, of: (stream: number) => Buffer]> = [
    ["interim answers", (stream) => headersFrame(stream, status103)],
    ["pings", () => ping],
    ["settings", () => frame(4, 0, 0)],
    ["frames of a kind that nobody knows", () => frame(0xfa, 0, 0, new Uint8Array(1_000))],
    ["windows", (stream) => frame(8, 0, stream, Uint8Array.of(0, 0, 0, 1))]
  ]
  for (const [name, of] of floods) {
    it.live(`is bounded where it is ${name} without end`, () =>
      Effect.gen(function*() {
        const endpoint = yield* frames(1, (socket, [stream]) => {
          const one = of(stream!)
          const piece = Buffer.concat(Array.from({ length: Math.ceil(65_536 / one.length) }, () => one))
          const write = () => {
            while (!socket.destroyed && socket.write(piece));
          }
          socket.on("drain", write)
          write()
        })
        const { earlier, reason } = yield* Effect.flip(Client.request(urlOf(endpoint)))
        assert.include(["protocol", "reset"], reason)
        assert.isUndefined(earlier)
        yield* until(() => openOf(endpoint.sockets).length === 0)
      }).pipe(Effect.provide(Client.layer(authority))))
  }
})

describe("an answer over HTTP/2 that comes before the request is read", () => {
  it.live("ends the request and its connection, so that none behind it waits for the rest to be read", () =>
    Effect.gen(function*() {
      const endpoint = yield* both((stream) => stream.respond({ ":status": 202 }, { endStream: true }))
      for (let sent = 1; sent <= 3; sent++) {
        const { status } = yield* Client.request(urlOf(endpoint), { body: "x".repeat(4_000_000) })
        assert.deepStrictEqual([status, endpoint.sockets.size], [202, sent])
      }
      yield* until(() => openOf(endpoint.sockets).length === 0)
    }).pipe(Effect.provide(Client.layer(authority))))
})

it.live("a request that is answered before it is read is reset while others of its connection are under way", () =>
  Effect.gen(function*() {
    const asked: Array<number> = []
    const reset: Array<number> = []
    let answer = () => {}
    const endpoint = yield* frames(Infinity, () => {}, (socket, type, stream) => {
      if (type === 3) reset.push(stream)
      if (type !== 1) return
      asked.push(stream)
      const answered = headersFrame(stream, status200, endStream)
      if (asked.length === 1) answer = () => void socket.write(answered)
      else socket.write(answered)
    })
    const held = yield* Effect.forkChild(Client.request(urlOf(endpoint)))
    yield* until(() => asked.length === 1)
    yield* Client.request(urlOf(endpoint), { body: "x".repeat(4_000_000) })
    yield* until(() => reset.length > 0)
    assert.deepStrictEqual(reset, [asked[1]])
    answer()
    assert.strictEqual((yield* Fiber.join(held)).status, 200)
  }).pipe(Effect.provide(Client.layer(authority))))

it.live("a connection that is destroyed while it connects is over without a word", () =>
  Effect.gen(function*() {
    const endpoint = yield* both(() => {})
    const socket = Tls.connect({ port: endpoint.port, ALPNProtocols: ["h2"], rejectUnauthorized: false })
    yield* until(() => socket.authorizationError !== undefined)
    const told: Array<string> = []
    const connection = new Http2Connection(socket, urlOf(endpoint), { connectedAt: 0, connectMs: 0, tlsMs: 0 }, {
      onFree: () => told.push("free"),
      onRetired: () => told.push("retired"),
      onClosed: () => told.push("closed")
    })
    connection.destroy()
    yield* until(() => openOf(endpoint.sockets).length === 0)
    assert.deepStrictEqual([...new Set(told)], ["retired", "closed"])
  }))

it.live("a connection that is given up holds nothing once its layer is over", () =>
  Effect.gen(function*() {
    const endpoint = yield* both(() => {})
    yield* Effect.gen(function*() {
      const http = yield* EgressHttp
      http.start({
        asker: Client.asker,
        method: "POST",
        url: urlOf(endpoint),
        headers: {},
        timeoutMillis: 60_000,
        maxBodyBytes: 10
      }, () => {})
      yield* until(() => endpoint.counts().http2 === 1)
    }).pipe(Effect.provide(Client.layer(authority)))
    yield* until(() => openOf(endpoint.sockets).length === 0)
  }))
