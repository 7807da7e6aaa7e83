/** Endpoints on loopback that do each something wrong, for tests and benchmarks of who sends to them. */
import { Effect, type Scope } from "effect"
import { fork } from "node:child_process"
import { createSecureServer } from "node:http2"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer, type TLSSocket } from "node:tls"
import * as Other from "./OtherCertificates.ts"
import { certificate, privateKey } from "./TestCertificate.ts"

/** A server that listens. */
export interface Listener {
  readonly port: number
  /** How many sockets it has in this process: some never notice that the other side has gone. */
  readonly openSockets: () => number
}

export interface BadEndpoint {
  readonly server: Effect.Effect<Listener, never, Scope.Scope>
  /** Whether its URL begins with https. */
  readonly isSecure: boolean
  /** The host of its URL, where it is not one that the certificate is for. */
  readonly host?: string
  /** Of a request to it: a status, or the class of the failure. */
  readonly outcome: string
  /** Of the request's body, where it is to be more than the sockets' buffers hold. */
  readonly bodyBytes?: number
}

const head = "HTTP/1.1 200 OK\r\n"

/** Goes on for as long as somebody listens. */
const repeat = (socket: Socket, everyMs: number, text: string) => {
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.on("close", () => clearInterval(timer))
}

/** As fast as the other side reads. */
const flood = (socket: Socket, text: string) => {
  const write = () => {
    while (!socket.destroyed && socket.write(text)) if (socket.writableLength > 1_000_000) return
  }
  socket.on("drain", write)
  write()
}

const listen = (make: () => Server): Effect.Effect<Listener, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly port: number; readonly server: Server; readonly sockets: Set<Socket> }>((resume) => {
        const server = make()
        const sockets = new Set<Socket>()
        server.on("connection", (socket: Socket) => {
          sockets.add(socket.on("error", () => {}))
          socket.on("close", () => sockets.delete(socket))
        })
        server.on("tlsClientError", () => {})
        server.listen(0, "127.0.0.1", () =>
          resume(Effect.succeed({ port: (server.address() as AddressInfo).port, server, sockets })))
      }),
      ({ server, sockets }) =>
        Effect.callback<void>((resume) => {
          for (const socket of sockets) {
            socket.destroy()
          }
          server.close(() =>
            resume(Effect.void)
          )
        })
    ),
    ({ port, sockets }) => ({ port, openSockets: () => sockets.size })
  )

const plain = (answer: (socket: Socket) => void): BadEndpoint["server"] => listen(() => createServer(answer))

/** Does something once a request has begun to come. */
const asked = (answer: (socket: Socket) => void) =>
  plain((socket) => {
    socket.once("data", () => answer(socket))
    socket.resume()
  })

const tls = (
  options: { readonly key: string; readonly cert: string; readonly ALPNProtocols?: Array<string> },
  answer: (socket: TLSSocket) => void = () => {}
) => listen(() => createTlsServer(options, (socket) => answer(socket.on("error", () => {}))))

/** A process that listens and never takes a connection: the kernel's queue is soon full, and further ones hang. */
const frozen = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly kill: () => void }>((resume) => {
    const child = fork(new URL("FrozenListener.ts", import.meta.url), { stdio: "ignore" })
    child.once(
      "message",
      (port) => resume(Effect.succeed({ port: Number(port), kill: () => void child.kill("SIGKILL") }))
    )
  }),
  ({ kill }) => Effect.sync(kill)
).pipe(Effect.map(({ port }) => ({ port, openSockets: () => 0 })))

const own = { key: privateKey, cert: certificate }

/** What there is of them, by what they do. */
export const kinds = {
  "never-accepts": { server: frozen, isSecure: false, outcome: "timeout" },
  "accepts-and-never-reads": {
    server: plain((socket) => socket.pause()),
    isSecure: false,
    outcome: "timeout",
    bodyBytes: 4_000_000
  },
  "hangs-in-tls": { server: plain((socket) => socket.resume()), isSecure: true, outcome: "timeout" },
  "hangs-before-headers": { server: plain((socket) => socket.resume()), isSecure: false, outcome: "timeout" },
  "hangs-in-headers": { server: asked((socket) => socket.write(`${head}x-a: `)), isSecure: false, outcome: "timeout" },
  "hangs-in-body": {
    server: asked((socket) => socket.write(`${head}content-length: 9\r\n\r\nabc`)),
    isSecure: false,
    outcome: "timeout"
  },
  "drips-headers": {
    server: asked((socket) => {
      socket.write(head)
      repeat(socket, 5, "x")
    }),
    isSecure: false,
    outcome: "timeout"
  },
  "drips-body": {
    server: asked((socket) => {
      socket.write(`${head}content-length: 100000\r\n\r\n`)
      repeat(socket, 5, "x")
    }),
    isSecure: false,
    outcome: "timeout"
  },
  "informs-for-ever": {
    server: asked((socket) => repeat(socket, 5, "HTTP/1.1 102 Processing\r\n\r\n")),
    isSecure: false,
    outcome: "timeout"
  },
  "resets-at-once": { server: plain((socket) => socket.resetAndDestroy()), isSecure: false, outcome: "reset" },
  "resets-when-asked": { server: asked((socket) => socket.resetAndDestroy()), isSecure: false, outcome: "reset" },
  "resets-in-body": {
    server: asked((socket) =>
      socket.write(`${head}content-length: 9\r\n\r\nabc`, () => setTimeout(() => socket.resetAndDestroy(), 5))
    ),
    isSecure: false,
    outcome: "reset"
  },
  "resets-in-tls": { server: asked((socket) => socket.resetAndDestroy()), isSecure: true, outcome: "tls" },
  "closes-at-once": { server: plain((socket) => socket.end()), isSecure: false, outcome: "reset" },
  "closes-when-asked": { server: asked((socket) => socket.end()), isSecure: false, outcome: "reset" },
  "answers-less-than-it-says": {
    server: asked((socket) => socket.end(`${head}content-length: 9\r\n\r\nabc`)),
    isSecure: false,
    outcome: "reset"
  },
  "answers-more-than-it-says": {
    server: asked((socket) => socket.write(`${head}content-length: 2\r\n\r\nok and on`)),
    isSecure: false,
    outcome: "200"
  },
  "says-two-lengths": {
    server: asked((socket) => socket.write(`${head}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`)),
    isSecure: false,
    outcome: "protocol"
  },
  "says-no-length": {
    server: asked((socket) => socket.write(`${head}content-length: many\r\n\r\nabc`)),
    isSecure: false,
    outcome: "protocol"
  },
  "answers-bad-chunks": {
    server: asked((socket) => socket.write(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`)),
    isSecure: false,
    outcome: "protocol"
  },
  "answers-garbage": {
    server: asked((socket) => socket.write(Buffer.alloc(2_000, 0xfe))),
    isSecure: false,
    outcome: "protocol"
  },
  "answers-another-protocol": {
    server: plain((socket) => socket.write("SSH-2.0-OpenSSH_9.9\r\n")),
    isSecure: false,
    outcome: "protocol"
  },
  "answers-huge-headers": {
    server: asked((socket) => socket.write(`${head}x-a: ${"a".repeat(100_000)}\r\n\r\n`)),
    isSecure: false,
    outcome: "protocol"
  },
  "answers-endless-headers": {
    server: asked((socket) => {
      socket.write(head)
      flood(socket, `x-a: ${"a".repeat(1_000)}\r\n`.repeat(64))
    }),
    isSecure: false,
    outcome: "protocol"
  },
  "answers-endless-body": {
    server: asked((socket) => {
      socket.write(`${head}connection: close\r\n\r\n`)
      flood(socket, "a".repeat(16_384))
    }),
    isSecure: false,
    outcome: "200"
  },
  "speaks-no-tls": { server: asked((socket) => socket.end(`${head}\r\n`)), isSecure: true, outcome: "tls" },
  "is-expired": {
    server: tls({ key: Other.otherKey, cert: Other.expiredCertificate }),
    isSecure: true,
    outcome: "certificate"
  },
  "has-another-name": { server: tls(own), isSecure: true, host: "other.example.com", outcome: "certificate" },
  "is-self-signed": {
    server: tls({ key: Other.otherKey, cert: Other.selfSignedCertificate }),
    isSecure: true,
    outcome: "certificate"
  },
  "hangs-in-http2": {
    server: listen(() => createSecureServer(own, (request) => void request.resume())),
    isSecure: true,
    outcome: "timeout"
  },
  "takes-no-streams": {
    server: listen(() => createSecureServer({ ...own, settings: { maxConcurrentStreams: 0 } })),
    isSecure: true,
    outcome: "timeout"
  },
  "answers-garbage-in-http2": {
    server: tls({ ...own, ALPNProtocols: ["h2"] }, (socket) => socket.write(Buffer.alloc(2_000, 0xfe))),
    isSecure: true,
    outcome: "protocol"
  },
  "closes-in-http2": {
    server: tls({ ...own, ALPNProtocols: ["h2"] }, (socket) => socket.once("data", () => socket.destroy())),
    isSecure: true,
    outcome: "reset"
  }
} as const satisfies Record<string, BadEndpoint>
export type Kind = keyof typeof kinds
export const allKinds = Object.keys(kinds) as ReadonlyArray<Kind>

/** One of a kind, listening. */
export const make = Effect.fnUntraced(function*(kind: Kind) {
  const endpoint: BadEndpoint = kinds[kind]
  return { ...endpoint, ...(yield* endpoint.server) }
})
