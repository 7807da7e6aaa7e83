import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import * as Client from "../test/Client.ts"
import { openOf } from "../test/Listening.ts"
import * as RawHttp from "../test/RawHttp.ts"

const { ok } = RawHttp

const urlOf = ({ port }: RawHttp.RawHttp) => `http://hooks.example.com:${port}/`

const text = (body: Uint8Array) => Buffer.from(body).toString()

/** Until the connection of an answer that was told is free again. */
const aMoment = Effect.sleep("20 millis")

describe("an attempt is one request", () => {
  it.live("where a new connection ends without an answer", () =>
    Effect.gen(function*() {
      for (const end of ["destroy", "resetAndDestroy", "end"] as const) {
        const endpoint = yield* RawHttp.make((socket) => socket[end]())
        const failures = yield* Effect.forEach([1, 2, 3], () => Effect.flip(Client.request(urlOf(endpoint))))
        for (const { earlier, reason } of failures) assert.deepStrictEqual([reason, earlier], ["reset", undefined])
        assert.strictEqual(endpoint.requests(), 3)
      }
    }).pipe(Effect.provide(Client.layer())))

  it.live("and a second one where a kept connection, that had served, ends without a byte of an answer", () =>
    Effect.gen(function*() {
      const endpoint = yield* RawHttp.make((socket, count) => count === 2 ? socket.destroy() : socket.write(ok))
      assert.isUndefined((yield* Client.request(urlOf(endpoint))).earlier)
      yield* aMoment
      const { earlier, status } = yield* Client.request(urlOf(endpoint))
      assert.strictEqual(status, 200)
      assert.deepInclude({ ...earlier }, { reason: "reset", address: "127.0.0.1" })
      assert.isAtLeast(earlier!.durationMs, 0)
      assert.isNull(earlier!.phases.connectMs)
      assert.strictEqual(endpoint.requests(), 3)
    }).pipe(Effect.provide(Client.layer())))

  it.live("and never a third", () =>
    Effect.gen(function*() {
      let isUp = true
      const endpoint = yield* RawHttp.make((socket) => isUp ? socket.write(ok) : socket.destroy())
      // Several kept connections, so that the second request may meet another one.
      yield* Effect.forEach([1, 2, 3, 4], () => Client.request(urlOf(endpoint)), { concurrency: "unbounded" })
      yield* aMoment
      isUp = false
      const before = endpoint.requests()
      const { earlier, reason } = yield* Effect.flip(Client.request(urlOf(endpoint)))
      assert.deepStrictEqual([reason, earlier?.reason], ["reset", "reset"])
      assert.strictEqual(endpoint.requests() - before, 2)
    }).pipe(Effect.provide(Client.layer())))

  it.live("where a kept connection ends after a byte of an answer, be it of an interim one", () =>
    Effect.gen(function*() {
      for (const start of ["H", "\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\n", ok.slice(0, -1)]) {
        const endpoint = yield* RawHttp.make((socket, count) => {
          if (count === 1) socket.write(ok)
          else socket.write(start, () => socket.destroy())
        })
        yield* Client.request(urlOf(endpoint))
        yield* aMoment
        const { earlier, reason } = yield* Effect.flip(Client.request(urlOf(endpoint)))
        assert.deepStrictEqual([reason, earlier], ["reset", undefined], start)
        assert.strictEqual(endpoint.requests(), 2)
      }
    }).pipe(Effect.provide(Client.layer())))
})

describe("interim answers", () => {
  const interims = [
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.0 100\r\n\r\n",
    "HTTP/1.1 102 Processing\r\nx-a: 1\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\nlink: </b.js>\r\n\r\n",
    "\r\nHTTP/1.1 199 \r\n\r\n"
  ]

  it.live("are skipped, however they are cut, and their connection is kept", () =>
    Effect.gen(function*() {
      let pieces: ReadonlyArray<string> = []
      const endpoint = yield* RawHttp.make((socket) => {
        // Each piece is read by itself.
        const write = ([first, ...rest]: ReadonlyArray<string>): void => {
          if (first !== undefined) socket.write(first, () => setTimeout(() => write(rest), 1))
        }
        write(pieces)
      })
      const given = FastCheck.tuple(
        FastCheck.array(FastCheck.constantFrom(...interims), { maxLength: 4 }),
        FastCheck.array(FastCheck.nat(200), { maxLength: 6 })
      )
      const before = endpoint.sockets.size
      for (const [kinds, cuts] of FastCheck.sample(given, { numRuns: 60, seed: 32 })) {
        const whole = [...kinds, ok].join("")
        const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
        pieces = at.slice(1).map((end, i) => whole.slice(at[i], end)).filter((piece) => piece !== "")
        const answer = yield* Client.request(urlOf(endpoint))
        assert.deepStrictEqual([answer.status, text(answer.body)], [200, "ok"], JSON.stringify(pieces))
        assert.notProperty(answer.headers, "link")
      }
      assert.strictEqual(endpoint.requests(), 60)
      assert.isAtMost(endpoint.sockets.size - before, 2)
    }).pipe(Effect.provide(Client.layer())))

  it.live("without end, and whatever else comes before the status, end as protocol after little of it", () =>
    Effect.gen(function*() {
      const flood = (start: string, more: string) =>
        RawHttp.make((socket) => {
          const piece = more.repeat(Math.ceil(65_536 / more.length))
          const write = () => {
            while (!socket.destroyed && socket.write(piece));
          }
          socket.on("drain", write)
          socket.write(start)
          write()
        })
      const floods = [
        ["", "HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n"],
        ["", "HTTP/1.1 100 Continue\r\n\r\n"],
        ["HTTP/1.1 103 Early Hints\r\n", "x-a: b\r\n"],
        ["", "\r\n"],
        ["HTTP/1.1 200 ", "O"],
        ["HTTP/1.1 200 OK\r\nx-a:", " "],
        ["HTTP/1.1 200 OK\r\n", "a:\r\n"]
      ] as const
      for (const [start, more] of floods) {
        const endpoint = yield* flood(start, more)
        const { earlier, reason } = yield* Effect.flip(Client.request(urlOf(endpoint)))
        assert.deepStrictEqual([reason, earlier], ["protocol", undefined], start + more)
        yield* Effect.repeat(Effect.sleep("2 millis"), { until: () => openOf(endpoint.sockets).length === 0 })
        // What the sockets' buffers hold is sent whether it is read or not.
        for (const { bytesWritten } of endpoint.sockets) assert.isBelow(bytesWritten, 16_000_000)
        assert.strictEqual(endpoint.requests(), 1)
      }
    }).pipe(Effect.provide(Client.layer())))

  it.live("may be a hundred, and are not waited for beyond the deadline", () =>
    Effect.gen(function*() {
      const many = (count: number) => "HTTP/1.1 102 Processing\r\n\r\n".repeat(count)
      const hundred = yield* RawHttp.make((socket) => socket.write(many(100) + ok))
      assert.strictEqual((yield* Client.request(urlOf(hundred))).status, 200)
      const more = yield* RawHttp.make((socket) => socket.write(many(101) + ok))
      assert.match((yield* Effect.flip(Client.request(urlOf(more)))).message, /interim/)
      const silent = yield* RawHttp.make((socket) => socket.write(many(1)))
      const error = yield* Effect.flip(Client.request(urlOf(silent), { timeoutMillis: 200 }))
      assert.strictEqual(error.reason, "timeout")
    }).pipe(Effect.provide(Client.layer())))

  it.live("an answer that is long in what is no body counts by its status", () =>
    Effect.gen(function*() {
      const endpoint = yield* RawHttp.make((socket) => {
        const write = () => {
          while (!socket.destroyed && socket.write("a".repeat(65_536)));
        }
        socket.on("drain", write)
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n1;")
        write()
      })
      const { body, status } = yield* Client.request(urlOf(endpoint))
      assert.deepStrictEqual([status, text(body)], [200, "ok"])
    }).pipe(Effect.provide(Client.layer())))
})
