import { ConnectFailed, EgressGuard, EgressRefused, type EgressTarget } from "@headwater/egress/EgressGuard"
import type { Asker } from "@headwater/egress/NameResolver"
import { Effect, Layer } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Net from "node:net"
import { createServer as createTlsServer, type TLSSocket } from "node:tls"
import type { TestAuthority } from "./TestAuthority.ts"

/** Plays a server that code asks, whatever the host. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

/** An engine's way to the network. Once it is cut, it opens no connection, and those that are open are not answered. */
export interface Link {
  isCut: boolean
}

/** A request that was made. */
export interface MadeRequest {
  /** The time at which it came, by the test's clock. */
  readonly at: string
  readonly method: string
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One of those who make requests. */
export interface Requester {
  readonly handler: FetchHandler | undefined
  readonly requests: Array<MadeRequest>
}

/** For tests, so that an address is taken for no other (RFC 2544). */
const addressPrefix = "198.18."

const addressOf = (index: number): string => `${addressPrefix}${index >> 8}.${index & 255}`

const indexOf = (address: string): number => {
  const [high, low] = address.slice(addressPrefix.length).split(".")
  return Number(high) << 8 | Number(low)
}

interface Opened {
  readonly link: Link
  readonly requester: Requester
  readonly target: EgressTarget
}

/** The first byte of a TLS handshake (RFC 8446, section 5.1). */
const handshake = 22

const headersOf = (message: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)]))

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Headers that belong to the connection, and not to a request or answer itself. */
const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding", "content-length"])

const withoutConnection = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)))

/**
 * In place of everything outside: each connection that code or a delivery opens ends at a server of this process, which has
 * a handler of the test's answer. Names are not looked up, and nothing is reached that no handler plays.
 */
export class TestNetwork {
  private readonly requesters: Array<Requester> = []
  private readonly byProgram = new Map<string, number>()
  private readonly byHost = new Map<string, number>()
  private readonly opened = new Map<number, Opened>()
  readonly authority: TestAuthority
  private readonly now: () => number
  private readonly front: Net.Server
  /** The requester that stands for a program whose id is not known yet. */
  private newcomer: number | undefined
  /** The errors that handlers threw, oldest first. */
  readonly failures: Array<unknown> = []

  constructor(authority: TestAuthority, now: () => number) {
    this.authority = authority
    this.now = now
    const http = createServer((message, response) => void this.answer(message, response))
    const tls = createTlsServer({
      ALPNProtocols: ["http/1.1"],
      SNICallback: (host, callback) => {
        callback(null, this.authority.contextOf(host))
      }
    }, (socket) => http.emit("connection", socket))
    tls.on("tlsClientError", () => {})
    this.front = Net.createServer((socket) => {
      socket.on("error", () => {})
      socket.once("readable", () => {
        const first = socket.read() as Buffer | null
        if (first === null) return
        socket.unshift(first)
        if (first[0] === handshake) tls.emit("connection", socket)
        else http.emit("connection", socket)
      })
    })
  }

  readonly listening = Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      this.front.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        this.front.close()
      })
  )

  private add(requester: Requester): number {
    this.requesters.push(requester)
    return this.requesters.length
  }

  /** Has a handler answer for a host, whoever asks. */
  play(host: string, requester: Requester): void {
    this.byHost.set(host, this.add(requester))
  }

  /** Has a program's requests answered that `make` creates. */
  async forNew(requester: Requester, make: () => Promise<string>): Promise<string> {
    const index = this.newcomer = this.add(requester)
    try {
      const id = await make()
      this.byProgram.set(id, index)
      return id
    } finally {
      this.newcomer = undefined
    }
  }

  private find(host: string, { programId }: Asker): number | undefined {
    const played = this.byHost.get(host)
    if (played !== undefined) return played
    const index = (programId === undefined ? undefined : this.byProgram.get(programId)) ?? this.newcomer
    return index === undefined || this.requesters[index - 1]?.handler === undefined ? undefined : index
  }

  private readonly resolve = (host: string, asker: Asker): Effect.Effect<ReadonlyArray<string>, EgressRefused> =>
    Effect.suspend(() => {
      const index = this.find(host, asker)
      if (index !== undefined) return Effect.succeed([addressOf(index)])
      return Effect.fail(
        new EgressRefused({
          host,
          why: "host",
          message: `Nothing plays ${host} in this test: give the source or workflow a fetch handler`
        })
      )
    })

  private readonly connect = (
    link: Link,
    target: EgressTarget,
    [address = ""]: ReadonlyArray<string>
  ): Effect.Effect<Net.Socket, ConnectFailed> =>
    Effect.callback((resume) => {
      const refuse = (message: string) =>
        resume(
          Effect.fail(
            new ConnectFailed({ host: target.host, port: target.port, address, code: "ECONNREFUSED", message })
          )
        )
      const requester = this.requesters[indexOf(address) - 1]
      const at = this.front.address()
      if (link.isCut || requester === undefined || at === null || typeof at === "string") {
        return refuse("There is no network")
      }
      const socket = Net.connect({ host: "127.0.0.1", port: at.port, noDelay: true })
      const onError = (error: Error) => refuse(error.message)
      socket.once("error", onError)
      socket.once("connect", () => {
        const { localPort } = socket
        socket.off("error", onError)
        socket.on("error", () => {})
        if (localPort === undefined) return refuse("The connection is gone")
        this.opened.set(localPort, { link, requester, target })
        socket.once("close", () => this.opened.delete(localPort))
        resume(Effect.succeed(socket))
      })
    })

  private async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = message
    const { remotePort } = socket
    const opened = remotePort === undefined ? undefined : this.opened.get(remotePort)
    if (opened === undefined || opened.link.isCut) return void socket.destroy()
    const { link, requester: { handler, requests } } = opened
    if (handler === undefined) return void socket.destroy()
    const isSecure = (socket as Partial<TLSSocket>).encrypted === true
    const headers = withoutConnection(headersOf(message))
    const body = await bodyOf(message)
    const method = message.method ?? "GET"
    const url = `${isSecure ? "https" : "http"}://${headers["host"] ?? opened.target.host}${message.url ?? "/"}`
    requests.push({ at: new Date(this.now()).toISOString(), method, url, headers, body: body.toString() })
    try {
      const request = new Request(url, {
        method,
        headers,
        ...(method === "GET" || method === "HEAD" || body.length === 0 ? {} : { body: new Uint8Array(body) })
      })
      const answer = await handler(request)
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (link.isCut) return void socket.destroy()
      for (const [name, value] of answer.headers) if (!ofConnection.has(name)) response.appendHeader(name, value)
      // The next request may be another program's, of which only the connection tells.
      response.writeHead(answer.status, answer.statusText, { connection: "close" }).end(bytes)
    } catch (cause) {
      this.failures.push(cause)
      socket.destroy()
    }
  }

  /** The real guard's judgement of URLs, and this network behind it. */
  layer(link: Link, real: Layer.Layer<EgressGuard>): Layer.Layer<EgressGuard> {
    return Layer.effect(
      EgressGuard,
      Effect.map(EgressGuard, (guard) =>
        EgressGuard.of({
          ...guard,
          resolve: this.resolve,
          // The answer depends on the asker.
          resolveKnown: () => undefined,
          connect: (target, asker) =>
            Effect.flatMap(this.resolve(target.host, asker), (addresses) => this.connect(link, target, addresses)),
          connectChecked: (target, addresses) => this.connect(link, target, addresses)
        }))
    ).pipe(Layer.provide(real))
  }
}
