import { assert, describe, it } from "@effect/vitest"
import * as Other from "@headwater/fixtures/OtherCertificates"
import { authority, certificate, privateKey } from "@headwater/fixtures/TestCertificate"
import { Effect, Fiber, Redacted } from "effect"
import * as Http2 from "node:http2"
import * as Https from "node:https"
import * as Tls from "node:tls"
import { vi } from "vitest"
import * as Client from "../test/Client.ts"
import { listening, openOf } from "../test/Listening.ts"
import { EgressHttp } from "./EgressHttp.ts"
import * as TlsSettings from "./TlsSettings.ts"

const text = (body: Uint8Array) => Buffer.from(body).toString()

/** Asks clients for a certificate of the second authority, and answers with its name. */
const mutual = listening(() =>
  Https.createServer(
    { key: privateKey, cert: certificate, ca: Other.otherAuthority, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      request.resume()
      response.end((request.socket as Tls.TLSSocket).getPeerCertificate().subject?.CN)
    }
  )
)

const secure = { key: privateKey, cert: certificate, allowHTTP1: true }

const identity = TlsSettings.make({ certificate: Other.clientCertificate, key: Redacted.make(Other.otherKey) })

const until = (done: () => boolean) => Effect.promise(() => vi.waitUntil(done, { timeout: 60_000, interval: 5 }))

/** Some turns of the loop, in each of which the sockets are read. */
const turns = Effect.repeat(Effect.sleep("1 millis"), { times: 20 })

describe("TLS settings", () => {
  it.live("an authority of one's own is trusted in place of the others", () =>
    Effect.gen(function*() {
      const other = yield* listening(() =>
        Https.createServer({ key: Other.otherKey, cert: Other.otherCertificate }, (_, response) => response.end("ok"))
      )
      const url = `https://hooks.example.com:${other.port}/`
      const tls = TlsSettings.make({ ca: Other.otherAuthority })
      assert.strictEqual((yield* Effect.flip(Client.request(url))).reason, "certificate")
      assert.strictEqual((yield* Client.request(url, { tls })).status, 200)
      // Not even over the connection that is open.
      assert.strictEqual((yield* Effect.flip(Client.request(url))).reason, "certificate")
      const { port } = yield* mutual
      const known = `https://hooks.example.com:${port}/`
      assert.strictEqual((yield* Client.request(known)).status, 200)
      assert.strictEqual((yield* Effect.flip(Client.request(known, { tls }))).reason, "certificate")
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("a certificate of one's own is shown on connections of these settings alone", () =>
    Effect.gen(function*() {
      const { port, sockets } = yield* mutual
      const url = `https://hooks.example.com:${port}/`
      const names = []
      for (const tls of [undefined, identity, undefined, identity]) {
        names.push(text((yield* Client.request(url, { tls })).body))
        // The connection is free a moment after its answer is told.
        yield* turns
      }
      assert.deepStrictEqual(names, ["", "headwater", "", "headwater"])
      assert.strictEqual(sockets.size, 2)
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("connections of settings that are forgotten close once their requests are over, and others stay", () =>
    Effect.gen(function*() {
      const answers: Array<() => void> = []
      const { port, sockets } = yield* listening(() =>
        Https.createServer({ key: privateKey, cert: certificate }, (request, response) => {
          request.resume()
          if (request.url === "/held") answers.push(() => response.end("late"))
          else response.end("ok")
        })
      )
      const http = yield* EgressHttp
      const url = `https://hooks.example.com:${port}/`
      yield* Client.request(url)
      const held = yield* Effect.forkChild(Client.request(`${url}held`, { tls: identity }))
      yield* until(() => answers.length === 1)
      assert.lengthOf(openOf(sockets), 2)
      http.forget(identity)
      answers[0]!()
      assert.strictEqual(text((yield* Fiber.join(held)).body), "late")
      yield* until(() => openOf(sockets).length === 1)
      assert.strictEqual((yield* Client.request(url)).status, 200)
      assert.strictEqual(sockets.size, 2)
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("a connection of settings that are forgotten serves who waits for it, also once it speaks HTTP/2", () =>
    Effect.gen(function*() {
      let held: Tls.TLSSocket | undefined
      const h2 = yield* listening(() => {
        const server = Http2.createSecureServer(secure, (request, response) => {
          request.resume()
          response.end("ok")
        })
        return server
      })
      const { port } = yield* listening(() =>
        Tls.createServer({ ...secure, ALPNProtocols: ["h2"] }, (socket) => {
          held = socket.on("error", () => {})
        })
      )
      const http = yield* EgressHttp
      const waiting = yield* Effect.forkChild(
        Client.request(`https://hooks.example.com:${port}/`, { tls: identity, timeoutMillis: 60_000 })
      )
      yield* until(() => held !== undefined)
      // It is open, and has not said yet how many requests it takes.
      http.forget(identity)
      h2.server.emit("secureConnection", held)
      const { body, status } = yield* Fiber.join(waiting)
      assert.deepStrictEqual([status, text(body)], [200, "ok"])
      yield* until(() => held!.destroyed)
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("connections of many settings are bounded: the ones used longest ago close", () =>
    Effect.gen(function*() {
      const { port, sockets } = yield* listening(() =>
        Https.createServer({ keepAliveTimeout: 60_000, key: privateKey, cert: certificate }, (request, response) => {
          request.resume()
          response.end("ok")
        })
      )
      yield* Effect.forEach(Array.from({ length: 560 }, (_, i) => i), (i) =>
        Client.request(`https://hooks.example.com:${port}/`, {
          tls: TlsSettings.make({ ca: authority + " ".repeat(i) }),
          timeoutMillis: 20_000
        }), { concurrency: 8 })
      yield* until(() =>
        openOf(sockets).length <= 512
      )
      assert.strictEqual(sockets.size, 560)
    }).pipe(Effect.provide(Client.layer(authority))))

  it("what can't be used is told by its field", () => {
    const key = Redacted.make(Other.otherKey)
    const good = { ca: Other.otherAuthority + authority, certificate: Other.clientCertificate, key }
    assert.deepStrictEqual(TlsSettings.faultsOf(good), [])
    const paths = (given: TlsSettings.GivenTls) => TlsSettings.faultsOf(given).map(({ path }) => path)
    const broken = Other.clientCertificate.replace(/MII.{20}/, "MIIx")
    for (const ca of ["", "text", Other.otherKey, broken, `${authority}${Other.otherKey}`, `# mine\n${authority}`]) {
      assert.deepStrictEqual(paths({ ca }), ["ca"], ca)
    }
    assert.deepStrictEqual(paths({ certificate: broken, key }), ["certificate"])
    assert.deepStrictEqual(paths({ certificate: Other.clientCertificate }), ["key"])
    assert.deepStrictEqual(paths({ key }), ["certificate"])
    assert.deepStrictEqual(paths({ certificate: Other.clientCertificate, key: Redacted.make("k") }), ["key"])
    const [strange] = TlsSettings.faultsOf({ certificate: Other.clientCertificate, key: Redacted.make(privateKey) })
    assert.deepStrictEqual({ ...strange }, { path: "key", message: "is not the key of the first certificate" })
    const sealed = Redacted.make(Other.otherKey.replaceAll("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"))
    assert.match(TlsSettings.faultsOf({ certificate: Other.clientCertificate, key: sealed })[0]!.message, /encrypted/)
  })
})

describe("HTTP/2", () => {
  it.live("is spoken where the endpoint offers it, with many requests on one connection", () =>
    Effect.gen(function*() {
      const { port, sockets } = yield* listening(() =>
        Http2.createSecureServer(secure, (request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { headers, httpVersion, method, url } = request
            response.writeHead(201, { "x-two": ["a", "b"], "set-cookie": ["c=1", "d=2"] })
            setTimeout(() =>
              response.end(
                [httpVersion, method, url, headers[":authority"], headers["x-a"], Buffer.concat(chunks)].join(" ")
              ), 20)
          })
        })
      )
      const url = `https://hooks.example.com:${port}/in?x=1`
      const answers = yield* Effect.forEach(Array.from({ length: 50 }), () =>
        Client.request(url, { headers: { "x-a": "1" }, body: `{"ü":1}` }), { concurrency: 20 })
      for (const { address, body, headers, status } of answers) {
        assert.strictEqual(text(body), `2.0 POST /in?x=1 hooks.example.com:${port} 1 {"ü":1}`)
        assert.deepStrictEqual([status, address], [201, "127.0.0.1"])
        assert.deepInclude(headers, { "x-two": "a, b", "set-cookie": "c=1, d=2" })
      }
      assert.strictEqual(sockets.size, 1)
      const [first, ...others] = answers
      assert.isAbove(first!.phases.tlsMs!, 0)
      assert.isNull(others.at(-1)!.phases.tlsMs)
      assert.isAtLeast(others.at(-1)!.phases.firstByteMs!, 0)
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("after a time-out the next request has a new connection, and the old one closes when its others are over", () =>
    Effect.gen(function*() {
      const answers: Array<() => void> = []
      const { port, sockets } = yield* listening(() =>
        Http2.createSecureServer(secure, (request, response) => {
          request.resume()
          if (request.url === "/held") answers.push(() => response.end("late"))
          else if (request.url !== "/silent") response.end("ok")
        })
      )
      const url = `https://hooks.example.com:${port}/`
      yield* Client.request(url)
      const held = Client.request(`${url}held`, { timeoutMillis: 60_000 })
      const { body } = (yield* Effect.all([
        held,
        Effect.gen(function*() {
          yield* until(() => answers.length === 1)
          const error = yield* Effect.flip(Client.request(`${url}silent`, { timeoutMillis: 100 }))
          assert.strictEqual(error.reason, "timeout")
          assert.strictEqual((yield* Client.request(url)).status, 200)
          assert.lengthOf(openOf(sockets), 2)
          answers[0]!()
        })
      ], { concurrency: 2 }))[0]
      assert.strictEqual(text(body), "late")
      yield* until(() => openOf(sockets).length === 1)
    }).pipe(Effect.provide(Client.layer(authority))))

  it.live("an endpoint that takes no streams, and one that resets them, hold no connection", () =>
    Effect.gen(function*() {
      const none = yield* listening(() =>
        Http2.createSecureServer({ ...secure, settings: { maxConcurrentStreams: 0 } })
      )
      const resetting = yield* listening(() => {
        const server = Http2.createSecureServer(secure)
        server.on("stream", (stream) => stream.on("error", () => {}).close(Http2.constants.NGHTTP2_INTERNAL_ERROR))
        return server
      })
      const reasons = yield* Effect.forEach(
        [[none, 300], [none, 300], [resetting, 20_000]] as const,
        ([{ port }, timeoutMillis]) =>
          Effect.map(
            Effect.flip(Client.request(`https://hooks.example.com:${port}/`, { timeoutMillis })),
            ({ reason }) => reason
          )
      )
      assert.deepStrictEqual(reasons, ["timeout", "timeout", "reset"])
      yield* until(() => openOf(none.sockets).length === 0)
    }).pipe(Effect.provide(Client.layer(authority))))
})
