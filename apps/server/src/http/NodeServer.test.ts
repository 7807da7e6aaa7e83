import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { connect } from "node:net"
import * as NodeServer from "./NodeServer.ts"

/** Sends bytes as they are and answers what came back until the server closed. */
const exchange = (bytes: string) =>
  Effect.acquireUseRelease(
    Effect.callback<ReturnType<typeof NodeServer.make>>((resume) => {
      const server = NodeServer.make()
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<string>((resume) => {
        let answer = ""
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
        socket.on("data", (chunk) => {
          answer += chunk.toString()
        })
        socket.on("close", () => resume(Effect.succeed(answer)))
      }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
      })
  )

it.live("bytes that are no HTTP get a problem, and so do headers that are too large", () =>
  Effect.gen(function*() {
    const malformed = yield* exchange("GET /v1 NONSENSE\r\n\r\n")
    assert.match(malformed, /^HTTP\/1\.1 400 /)
    assert.strictEqual(JSON.parse(malformed.split("\r\n\r\n")[1]!).code, "invalid_request")
    const large = yield* exchange(`GET /v1 HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(100_000)}\r\n\r\n`)
    assert.match(large, /^HTTP\/1\.1 431 /)
    assert.strictEqual(JSON.parse(large.split("\r\n\r\n")[1]!).status, 431)
  }))

it.live("a request that comes while nothing serves it yet gets a 503, and is not left waiting", () =>
  Effect.gen(function*() {
    const answer = yield* exchange("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    assert.match(answer, /^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/i)
    assert.strictEqual(JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)).code, "unavailable")
  }))

it.live("a client that reads nothing of its answer is cut off, one that waits for it is not, and one that asks no more is let go", () =>
  Effect.gen(function*() {
    const unreadMs = 300
    const bytes = 32 * 1024 * 1024
    const server = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof NodeServer.make>>((resume) => {
        const made = NodeServer.make({ unreadMs })
        made.on("request", (request, response) => {
          if (request.url === "/late") setTimeout(() => response.end("at last"), 3 * unreadMs)
          else response.end(Buffer.alloc(bytes))
        })
        // Node adds a second to it.
        made.keepAliveTimeout = 1
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) => Effect.promise(() => new Promise((resolve) => made.close(resolve)))
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    yield* Effect.callback<void>((resume) => {
      server.once("connection", (socket) => socket.once("close", () => resume(Effect.void)))
      const client = connect(port, "127.0.0.1", () => client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
      // It never reads, so that it is not told either.
      client.on("error", () => client.destroy())
    })
    const isClosed = yield* Deferred.make<void>()
    server.once("connection", (socket) => socket.once("close", () => Deferred.doneUnsafe(isClosed, Effect.void)))
    const late = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/late`).then((answer) => answer.text()))
    assert.strictEqual(late, "at last")
    yield* Deferred.await(isClosed)
  }).pipe(Effect.scoped))

it.live("a client that asks no more is let go also where all it asked was answered before those who listen", () =>
  Effect.gen(function*() {
    const server = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof NodeServer.make>>((resume) => {
        const made = NodeServer.make()
        made.first = (request, response) => {
          request.resume()
          response.end("ok")
          return true
        }
        // Node adds a second to it.
        made.keepAliveTimeout = 1
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.promise(() => {
          made.closeAllConnections()
          return new Promise((resolve) => made.close(resolve))
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    yield* Effect.callback<void>((resume) => {
      const client = connect(port, "127.0.0.1", () => client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
      client.on("close", () => resume(Effect.void))
      client.resume()
    })
  }).pipe(Effect.scoped))
