import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer, type Scope } from "effect"
import { type IncomingMessage, Server, type ServerResponse } from "node:http"
import { Socket } from "node:net"
import { Connections, type ConnectionTimes } from "./Connections.ts"

const defaultTimes: ConnectionTimes = { unreadMs: 30_000, keepAliveMs: 75_000, closingMs: 10_000 }

/** Answers to bytes that Node can't read as HTTP: the statuses that it uses itself, as problems like any other. */
const problems: Record<string, { readonly status: number; readonly title: string; readonly detail: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, title: "Request header fields too large", detail: "The headers are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, title: "Request timeout", detail: "The request took too long to arrive." }
}

const malformed = { status: 400, title: "Invalid request", detail: "The request is not valid HTTP." }

const bodyOf = ({ code, detail, details, status, title }: {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly code: string
  readonly details: unknown
}): string =>
  JSON.stringify({ type: `urn:headwater:problem:${code}`, status, title, detail, error: detail, code, details })

/** Answers 503 to requests that arrive while the server listens and nothing serves them: as it starts, and as it stops. */
const refuseUnserved = (server: Server): void => {
  const body = bodyOf({
    status: 503,
    title: "Service unavailable",
    detail: "The server is starting or shutting down.",
    code: "unavailable",
    details: { retry_after_seconds: 1 }
  })
  const ownListeners = server.listenerCount("request") + 1
  server.on("request", (_request, response) => {
    if (server.listenerCount("request") > ownListeners) return
    response.writeHead(503, { "content-type": "application/problem+json", "retry-after": "1", connection: "close" })
    response.end(body)
  })
}

/** Answers a request if it can; answers whether it does. */
type Take = (request: IncomingMessage, response: ServerResponse) => boolean

/** A server that asks somebody about each request before it tells those who listen, who can't keep one from each other. */
class AskingServer extends Server {
  first: Take = () => false
  /** A client that has said all it has to say may still read (RFC 9293, 3.6). Node has no option for it. */
  readonly httpAllowHalfOpen = true
  private readonly clients: Connections

  constructor(times: ConnectionTimes) {
    super({ requireHostHeader: false })
    this.clients = new Connections(this, times)
  }

  override emit(event: string, ...given: Array<unknown>): boolean {
    if (event !== "request" && event !== "checkContinue") return super.emit(event, ...given)
    const [request, response] = given as [IncomingMessage, ServerResponse]
    this.clients.asked(request.socket, response)
    return (event === "request" && this.first(request, response)) || super.emit(event, request, response)
  }

  override close(callback?: (error?: Error) => void): this {
    this.clients.close()
    return super.close(callback)
  }
}

/**
 * A Node HTTP server whose own refusals have the shape of the API's problems (RFC 9457). Two requests that Node would
 * refuse without one are left to the API: one without `Host`, and one with an unknown expectation.
 *
 * @param times those that are not the usual ones
 */
export const make = (times: Partial<ConnectionTimes> = {}): AskingServer => {
  const server = new AskingServer({ ...defaultTimes, ...times })
  refuseUnserved(server)
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const isUnused = socket instanceof Socket && socket.bytesRead === 0
    if (error.code === "ECONNRESET" || !socket.writable || isUnused) {
      socket.destroy()
      return
    }
    const { detail, status, title } = problems[error.code ?? ""] ?? malformed
    const code = status === 400 ? "invalid_request" : title.toLowerCase().replaceAll(" ", "_")
    const details = status === 400 ? [{ path: "", message: detail }] : {}
    const body = bodyOf({ status, title, detail, code, details })
    socket.end([
      `HTTP/1.1 ${status} ${title}`,
      "Content-Type: application/problem+json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body
    ].join("\r\n"))
  })
  return server
}

/** The server that clients are connected to, for what is to be answered before the API's router. */
export class NodeServer extends Context.Service<NodeServer, {
  /** Has `take` asked about each request first, for as long as the scope is open. One at a time. */
  readonly askFirst: (take: Take) => Effect.Effect<void, never, Scope.Scope>
  /** Ends at once, as with its process: nothing that is under way is answered. */
  readonly cutOff: () => void
}>()("@headwater/server/NodeServer") {
  /** With the `HttpServer` that everything else is served on. */
  static readonly layer = (options: Parameters<typeof NodeHttpServer.layer>[1], times: Partial<ConnectionTimes> = {}) =>
    Layer.unwrap(Effect.sync(() => {
      const server = make(times)
      const askFirst = (take: Take) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            server.first = take
          }),
          () =>
            Effect.sync(() => {
              server.first = () => false
            })
        )
      return Layer.merge(
        NodeHttpServer.layer(() => server, options),
        Layer.succeed(
          NodeServer,
          NodeServer.of({
            askFirst,
            cutOff: () => {
              server.close()
              server.closeAllConnections()
            }
          })
        )
      )
    }))
}
