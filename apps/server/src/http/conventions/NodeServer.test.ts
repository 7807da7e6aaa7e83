import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import type { ConnectionTimes } from "./Connections.ts"
import * as NodeServer from "./NodeServer.ts"

const listening = (
  answer?: (request: IncomingMessage, response: ServerResponse) => void,
  times: Partial<ConnectionTimes> = {}
) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof NodeServer.make>>((resume) => {
      const server = NodeServer.make(times)
      if (answer !== undefined) server.on("request", answer)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise((resolve) => server.close(resolve))
      })
  )

const portOf = (server: ReturnType<typeof NodeServer.make>): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** A client that says what has come, and waits for what is to come. */
class Client {
  received = ""
  private readonly changed = new Set<() => void>()
  readonly socket: Socket

  constructor(port: number) {
    // As half a connection lasts: it ends by its own word alone.
    this.socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    this.socket.on("data", (chunk) => {
      this.received += chunk.toString("latin1")
      this.tell()
    })
    for (const event of ["connect", "end", "close", "error"]) this.socket.on(event, () => this.tell())
  }

  until(holds: (client: Client) => boolean): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const look = () => {
        if (!holds(this)) return
        this.changed.delete(look)
        resume(Effect.void)
      }
      this.changed.add(look)
      look()
    })
  }

  get hasEnded(): boolean {
    return this.socket.readableEnded || this.socket.destroyed
  }

  private tell(): void {
    for (const look of this.changed) look()
  }
}

const clientOf = (server: ReturnType<typeof NodeServer.make>) =>
  Effect.acquireRelease(
    Effect.sync(() => new Client(portOf(server))),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

/** Sends bytes as they are and answers what came back until the server closed. */
const exchange = (bytes: string) =>
  Effect.gen(function*() {
    const client = yield* clientOf(yield* listening())
    client.socket.write(bytes)
    yield* client.until(({ hasEnded }) => hasEnded)
    return client.received
  }).pipe(Effect.scoped)

const get = (path = "/", headers = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

const ok = (request: IncomingMessage, response: ServerResponse) => {
  request.resume()
  response.end("ok")
}

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

it.live("a client that reads nothing of its answer is cut off, and one that waits for it is not", () =>
  Effect.gen(function*() {
    const unreadMs = 300
    const server = yield* listening((request, response) => {
      if (request.url === "/late") setTimeout(() => response.end("at last"), 3 * unreadMs)
      else response.end(Buffer.alloc(32 * 1024 * 1024))
    }, { unreadMs })
    const isCut = yield* Deferred.make<void>()
    server.once("connection", (socket) => socket.once("close", () => Deferred.doneUnsafe(isCut, Effect.void)))
    // It never reads, so that it is not told either.
    const idle = connect(portOf(server), "127.0.0.1", () => idle.write(get()))
    idle.on("error", () => idle.destroy())
    yield* Deferred.await(isCut)
    const patient = yield* clientOf(server)
    patient.socket.write(get("/late", "Expect: 100-continue\r\n"))
    yield* patient.until(({ received }) => received.endsWith("at last"))
  }).pipe(Effect.scoped))

for (const before of [false, true]) {
  it.live(`a connection without a request is kept for its time, answered ${before ? "before" : "by"} those who listen`, () =>
    Effect.gen(function*() {
      // A second is Node's own addition.
      const times = { keepAliveMs: 1_500, unreadMs: 100 }
      const server = yield* listening(before ? undefined : ok, times)
      if (before) {
        server.first = (request, response) => {
          ok(request, response)
          return true
        }
      }
      const client = yield* clientOf(server)
      const started = performance.now()
      client.socket.write(get())
      yield* client.until(({ received }) => received.endsWith("ok"))
      assert.include(client.received, "Keep-Alive: timeout=1\r\n")
      // It has Node forget that the connection has been answered (RFC 9112, 2.2).
      client.socket.write("\r\n")
      yield* client.until(({ hasEnded }) => hasEnded)
      assert.isAtLeast(performance.now() - started, times.keepAliveMs)
    }).pipe(Effect.scoped))
}

it.live("a connection is kept for longer than the usual proxies keep theirs", () =>
  Effect.gen(function*() {
    const server = yield* listening(ok)
    const client = yield* clientOf(server)
    client.socket.write(get())
    yield* client.until(({ received }) => received.includes("Keep-Alive: timeout=75\r\n"))
    // Of one that has asked nothing yet it is this.
    assert.isAtLeast(server.headersTimeout, 75_000)
  }).pipe(Effect.scoped))

it.live("a connection that nobody has used is ended without a word", () =>
  Effect.gen(function*() {
    const server = yield* listening(ok)
    const client = yield* clientOf(server)
    const accepted = yield* Effect.callback<Socket>((resume) => {
      server.once("connection", (socket) => resume(Effect.succeed(socket)))
    })
    // As Node does when it finds that the headers have taken too long, which it looks for every 30 seconds.
    server.emit("clientError", Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), accepted)
    yield* client.until(({ hasEnded }) => hasEnded)
    assert.strictEqual(client.received, "")
  }).pipe(Effect.scoped))

it.live("a client that ends its side behind its requests gets every answer, also late and large ones", () =>
  Effect.gen(function*() {
    const large = "x".repeat(4 * 1024 * 1024)
    const server = yield* listening((request, response) => {
      request.resume()
      if (request.url === "/late") setTimeout(() => response.end("at last"), 100)
      else response.end(request.url === "/large" ? large : "ok")
    })
    for (const [paths, ending] of [[["/"], "ok"], [["/late"], "at last"], [["/", "/late", "/large"], large]] as const) {
      const client = yield* clientOf(server)
      client.socket.end(paths.map((path) => get(path)).join(""))
      yield* client.until(({ hasEnded }) => hasEnded)
      assert.strictEqual(client.received.split("HTTP/1.1 200 OK").length, paths.length + 1)
      assert.isTrue(client.received.endsWith(ending))
    }
    const unfinished = yield* clientOf(server)
    unfinished.socket.end("GET / HTTP/1.1\r\nHost:")
    yield* unfinished.until(({ hasEnded }) => hasEnded)
    assert.match(unfinished.received, /^HTTP\/1\.1 400 /)
  }).pipe(Effect.scoped))

it.live("closing waits for answers that are under way, and for no connection that could have another request", () =>
  Effect.gen(function*() {
    const arrived = yield* Deferred.make<ServerResponse>()
    const server = yield* listening((request, response) => {
      if (request.url === "/held") Deferred.doneUnsafe(arrived, Effect.succeed(response))
      else ok(request, response)
    }, { closingMs: 200 })
    const [unused, used, held, beginning] = yield* Effect.all(
      [clientOf(server), clientOf(server), clientOf(server), clientOf(server)]
    )
    yield* unused.until(({ socket }) => !socket.connecting)
    used.socket.write(get())
    held.socket.write(get("/held"))
    beginning.socket.write("GET / HTTP/1.1\r\nHo")
    yield* used.until(({ received }) => received.endsWith("ok"))
    const response = yield* Deferred.await(arrived)
    const closed = yield* Deferred.make<void>()
    server.close(() => Deferred.doneUnsafe(closed, Effect.void))
    for (const client of [unused, used, beginning]) yield* client.until(({ hasEnded }) => hasEnded)
    assert.isFalse(held.hasEnded)
    response.end("at last")
    yield* held.until(({ hasEnded }) => hasEnded)
    assert.match(held.received, /\r\nConnection: close\r\n[^]*at last$/)
    yield* Deferred.await(closed)
  }).pipe(Effect.scoped, Effect.timeout("20 seconds")))
