import { assert, describe, it } from "@effect/vitest"
import { authority, certificate, privateKey } from "@headwater/fixtures/TestCertificate"
import { Effect, Fiber, Result } from "effect"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import { vi } from "vitest"
import * as Client from "../test/Client.ts"
import { listening } from "../test/Listening.ts"
import * as RawHttp from "../test/RawHttp.ts"
import { EgressHttp } from "./EgressHttp.ts"

const client = Client.layer
const { asker, request } = Client

const text = (body: Uint8Array) => Buffer.from(body).toString()

/** Some turns of the loop, in each of which the sockets are read. */
const turns = Effect.repeat(Effect.sleep("1 millis"), { times: 20 })

describe("EgressHttp", () => {
  it.live("a request arrives as it was given, and the answer comes back with its address", () =>
    Effect.gen(function*() {
      const { port } = yield* listening(() =>
        Http.createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () =>
            response.writeHead(201, { "X-Two": ["a", "b"] }).end(
              [request.method, request.url, request.headers.host, request.headers["x-a"], Buffer.concat(chunks)].join(
                " "
              )
            ))
        })
      )
      const answer = yield* request(`http://hooks.example.com:${port}/in?x=1`, {
        headers: { "x-a": "1", "content-type": "application/json" },
        body: `{"ü":1}`
      })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers["x-two"], "a, b")
      assert.strictEqual(text(answer.body), `POST /in?x=1 hooks.example.com:${port} 1 {"ü":1}`)
      assert.strictEqual(answer.address, "127.0.0.1")
      assert.isAbove(answer.durationMs, 0)
    }).pipe(Effect.provide(client())))

  it.live("what each phase took is told, and a kept connection takes none of those before it is sent", () =>
    Effect.gen(function*() {
      const { port } = yield* listening(() =>
        Https.createServer({ key: privateKey, cert: certificate }, (_, response) => {
          setTimeout(() => response.end("ok"), 40)
        })
      )
      const silent = yield* listening(() => Net.createServer())
      const url = `https://hooks.example.com:${port}/`
      const { phases: first } = yield* request(url)
      for (const took of [first.dnsMs, first.connectMs, first.tlsMs]) assert.isAbove(took!, 0)
      assert.isAtLeast(first.firstByteMs!, 35)
      // The connection is free a moment after its answer is told.
      yield* turns
      const { phases: second } = yield* request(url)
      assert.deepStrictEqual([second.connectMs, second.tlsMs], [null, null])
      assert.isAtLeast(second.firstByteMs!, 35)
      // On a busy machine there may be no connection in so short a time.
      const hung = yield* Effect.repeat(
        Effect.flip(request(`https://hooks.example.com:${silent.port}/`, { timeoutMillis: 100 })),
        { until: ({ phases }) => phases.connectMs !== null }
      )
      assert.isAbove(hung.phases.connectMs!, 0)
      assert.deepStrictEqual([hung.phases.tlsMs, hung.phases.firstByteMs], [null, null])
      const unknown = yield* Effect.flip(request("http://nowhere.example.com/"))
      assert.deepStrictEqual(unknown.phases, { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null })
    }).pipe(Effect.provide(client(authority))))

  it.live("a user and a password of the URL are sent, decoded where they can be", () =>
    Effect.gen(function*() {
      const { port } = yield* listening(() =>
        Http.createServer((request, response) => {
          request.resume()
          response.end(request.headers.authorization)
        })
      )
      for (const [given, sent] of [["ann:a%20b", "ann:a b"], ["%zz:%", "%zz:%"]] as const) {
        const answer = yield* request(`http://${given}@hooks.example.com:${port}/`)
        assert.strictEqual(text(answer.body), `Basic ${Buffer.from(sent).toString("base64")}`)
      }
    }).pipe(Effect.provide(client())))

  it.live("a connection is kept for the next request, and replaced if the server has closed it", () =>
    Effect.gen(function*() {
      const { port, sockets } = yield* listening(() => Http.createServer((_, response) => response.end("ok")))
      for (let count = 0; count < 10; count++) yield* request(`http://hooks.example.com:${port}/`)
      // The pool may take a second one while it has not yet seen the first become free.
      assert.isAtMost(sockets.size, 2)
      const kept = sockets.size
      for (const socket of sockets) socket.destroy()
      assert.strictEqual((yield* request(`http://hooks.example.com:${port}/`)).status, 200)
      assert.strictEqual(sockets.size, kept + 1)
    }).pipe(Effect.provide(client())))

  it.live("a request whose answer breaks off is not sent again", () =>
    Effect.gen(function*() {
      let requests = 0
      const { port } = yield* listening(() =>
        Http.createServer((_, response) => {
          requests++
          response.writeHead(200, { "content-length": "10" })
          response.write("half", () => response.destroy())
        })
      )
      const error = yield* Effect.flip(request(`http://hooks.example.com:${port}/`))
      assert.strictEqual(error.reason, "reset")
      assert.strictEqual(requests, 1)
    }).pipe(Effect.provide(client())))

  it.live("a redirect is an answer like any other", () =>
    Effect.gen(function*() {
      let requests = 0
      const { port } = yield* listening(() =>
        Http.createServer((_, response) => {
          requests++
          response.writeHead(302, { location: "/elsewhere" }).end()
        })
      )
      assert.strictEqual((yield* request(`http://hooks.example.com:${port}/`)).status, 302)
      assert.strictEqual(requests, 1)
    }).pipe(Effect.provide(client())))

  it.live("no more of a body is kept than asked for, however long it goes on", () =>
    Effect.gen(function*() {
      const { port } = yield* listening(() =>
        Http.createServer((request, response) => {
          const timer = setInterval(() => response.write("x".repeat(10_000)), 1)
          request.on("close", () => clearInterval(timer))
          response.on("close", () => clearInterval(timer))
        })
      )
      const answer = yield* request(`http://hooks.example.com:${port}/`, { maxBodyBytes: 15_000 })
      assert.strictEqual(answer.body.length, 15_000)
      assert.isTrue(answer.bodyTruncated)
    }).pipe(Effect.provide(client())))

  it.live("an answer whose body comes in much that is no body is cut, and stays what it was", () =>
    Effect.gen(function*() {
      const chunk = `1;${"x".repeat(100)}\r\n.\r\n`
      const { port } = yield* RawHttp.make((socket) => {
        socket.write("HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n")
        const write = () => {
          while (!socket.destroyed && socket.write(chunk.repeat(100)));
        }
        socket.on("drain", write)
        write()
      })
      const answer = yield* request(`http://hooks.example.com:${port}/`, { maxBodyBytes: 100_000 })
      assert.deepStrictEqual([answer.status, answer.bodyTruncated], [201, true])
      assert.match(text(answer.body), /^\.{1000,20000}$/)
    }).pipe(Effect.provide(client())))

  const failures = (what: string, reason: string, url: Effect.Effect<string, never, never>) =>
    it.live(`${what} fails as ${reason}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(request(yield* url, { timeoutMillis: 20_000 }))
        assert.strictEqual(error._tag, "EgressHttpFailed")
        assert.strictEqual(error.reason, reason, error.message)
      }).pipe(Effect.provide(client())))

  failures("a private address", "refused", Effect.succeed("http://10.0.0.1/"))
  failures("a name that resolves to a private address", "refused", Effect.succeed("http://inside.test/"))
  failures("another scheme", "refused", Effect.succeed("ftp://hooks.example.com/"))
  failures("an unknown name", "dns", Effect.succeed("http://unknown.test/"))
  failures("a port where nobody listens", "connect", Effect.succeed("http://127.0.0.1:1/"))

  it.live("a server that does not answer in time fails as timeout, and its connection is closed", () =>
    Effect.gen(function*() {
      const { port, sockets } = yield* listening(() => Net.createServer((socket) => void socket.resume()))
      const error = yield* Effect.flip(request(`http://hooks.example.com:${port}/`, { timeoutMillis: 200 }))
      assert.deepInclude({ ...error }, { reason: "timeout", address: "127.0.0.1" })
      assert.isAtLeast(error.durationMs, 190)
      yield* Effect.repeat(Effect.sleep("2 millis"), { until: () => [...sockets].every((socket) => socket.destroyed) })
    }).pipe(Effect.provide(client())))

  it.live("one that is begun without a fiber calls back once it has returned, and one that is cancelled does not", () =>
    Effect.gen(function*() {
      const { port, sockets } = yield* listening(() =>
        Http.createServer((request, response) => {
          if (request.url === "/silent") return
          response.end("ok")
        })
      )
      const http = yield* EgressHttp
      const asked = (url: string) => ({
        asker,
        method: "GET",
        url,
        headers: {},
        timeoutMillis: 20_000,
        maxBodyBytes: 10
      })
      const told: Array<string> = []
      const start = (url: string) => {
        const begun = http.start(asked(url), (ending) => {
          told.push(Result.isSuccess(ending) ? text(ending.success.body) : ending.failure.reason)
        })
        told.push("begun")
        return begun
      }
      start("http://10.0.0.1/")
      yield* Effect.promise(() => Promise.resolve())
      assert.deepStrictEqual(told.splice(0), ["begun", "refused"])
      start("http://10.0.0.1/").cancel()
      const silent = start(`http://127.0.0.1:${port}/silent`)
      const unresolved = start(`http://hooks.example.com:${port}/`)
      unresolved.cancel()
      const [socket] = yield* Effect.promise(() =>
        vi.waitUntil(() => sockets.size > 0 && [...sockets], { timeout: 60_000 })
      )
      silent.cancel()
      yield* Effect.callback<void>((resume) => void socket!.once("close", () => resume(Effect.void)))
      assert.strictEqual(text((yield* http.request(asked(`http://127.0.0.1:${port}/`))).body), "ok")
      assert.deepStrictEqual(told, ["begun", "begun", "begun"])
    }).pipe(Effect.provide(client())))

  it.live("each of many under way at once ends by its own deadline", () =>
    Effect.gen(function*() {
      const { port } = yield* listening(() => Net.createServer((socket) => void socket.resume()))
      const slow = yield* Effect.forkChild(Effect.flip(request(`http://127.0.0.1:${port}/`, { timeoutMillis: 400 })))
      const errors = yield* Effect.forEach([100, 200, 100], (timeoutMillis) =>
        Effect.flip(request(`http://127.0.0.1:${port}/`, { timeoutMillis })), { concurrency: "unbounded" })
      const took = [...errors, yield* Fiber.join(slow)].map(({ durationMs }) =>
        durationMs
      )
      for (const [i, least] of [100, 200, 100, 400].entries()) {
        assert.isAtLeast(took[i]!, least)
        assert.isBelow(took[i]!, least + 20_000)
      }
    }).pipe(Effect.provide(client())))

  it.live("what is not HTTP fails as protocol, and a connection cut in the answer as reset", () =>
    Effect.gen(function*() {
      const strange = yield* listening(() => Net.createServer((socket) => socket.end("SSH-2.0-x\r\n")))
      const cut = yield* listening(() =>
        Net.createServer((socket) =>
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", () => socket.destroy())
        )
      )
      for (const [{ port }, reason] of [[strange, "protocol"], [cut, "reset"]] as const) {
        const error = yield* Effect.flip(request(`http://hooks.example.com:${port}/`))
        assert.strictEqual(error.reason, reason, error.message)
      }
    }).pipe(Effect.provide(client())))

  const secure = listening(() =>
    Https.createServer(
      { key: privateKey, cert: certificate },
      (request, response) => response.end(String(Reflect.get(request.socket, "servername")))
    )
  )

  it.live("TLS is verified against the extra authority, with the host as server name", () =>
    Effect.gen(function*() {
      const { port } = yield* secure
      const answer = yield* request(`https://hooks.example.com:${port}/`)
      assert.strictEqual(text(answer.body), "hooks.example.com")
      assert.strictEqual((yield* request(`https://127.0.0.1:${port}/`)).status, 200)
      const wrongName = yield* Effect.flip(request(`https://other.example.com:${port}/`))
      assert.strictEqual(wrongName.reason, "certificate", wrongName.message)
    }).pipe(Effect.provide(client(authority))))

  it.live("a certificate of an unknown authority fails as certificate, and a server without TLS as tls", () =>
    Effect.gen(function*() {
      const { port } = yield* secure
      assert.strictEqual((yield* Effect.flip(request(`https://hooks.example.com:${port}/`))).reason, "certificate")
      const plain = yield* listening(() => Http.createServer((_, response) => response.end()))
      assert.strictEqual((yield* Effect.flip(request(`https://hooks.example.com:${plain.port}/`))).reason, "tls")
    }).pipe(Effect.provide(client())))
})
