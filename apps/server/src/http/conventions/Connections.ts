import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Time limits of connections, in milliseconds. */
export interface ConnectionTimes {
  /** The time that a client may read nothing of its answer. */
  readonly unreadMs: number
  /** The time that a connection may be without a request. */
  readonly keepAliveMs: number
  /** The time that a client has for the rest of a request when the server closes. */
  readonly closingMs: number
}

/** The state of one connection. */
class Connection {
  /** Its answers that are not whole. */
  readonly underWay = new Set<ServerResponse>()
  hasAsked = false
  /** True if it is without a request, and the next timeout of its socket ends it. */
  isLetGo = false
}

/**
 * The connections of a server. Ends them in time, while the server listens and once it closes. Node itself ends those
 * that have been answered and have sent nothing since.
 */
export class Connections {
  private readonly known = new Map<Socket, Connection>()
  private isClosing = false
  private readonly times: ConnectionTimes

  constructor(server: Server, times: ConnectionTimes) {
    this.times = times
    server.keepAliveTimeout = times.keepAliveMs
    // A client that connects in advance has as long as one that has been answered, and as long as Node gives to headers.
    const unusedMs = times.keepAliveMs + server.keepAliveTimeoutBuffer
    server.headersTimeout = Math.min(server.requestTimeout, Math.max(server.headersTimeout, unusedMs))
    server.on("connection", (socket: Socket) => {
      this.known.set(socket, new Connection())
      socket.once("close", () => this.known.delete(socket))
    })
    server.setTimeout(times.unreadMs, (socket: Socket) => this.onQuiet(socket))
  }

  /** Is told of each request. */
  asked(socket: Socket, response: ServerResponse): void {
    const connection = this.known.get(socket)
    if (connection === undefined) return
    connection.hasAsked = true
    connection.underWay.add(response)
    if (connection.isLetGo) {
      connection.isLetGo = false
      socket.setTimeout(this.times.unreadMs)
    }
    if (this.isClosing) response.shouldKeepAlive = false
    response.once("close", () => {
      connection.underWay.delete(response)
      if (this.isClosing && connection.underWay.size === 0) socket.destroySoon()
    })
  }

  /** Has each connection end with the answers that are under way on it, and at once where there are none. */
  close(): void {
    this.isClosing = true
    for (const [socket, { hasAsked, underWay }] of this.known) {
      for (const response of underWay) if (!response.headersSent) response.shouldKeepAlive = false
      // Node takes it for one whose request is on its way.
      if (!hasAsked && socket.bytesRead === 0) socket.destroy()
    }
    setTimeout(() => {
      for (const [socket, { underWay }] of this.known) if (underWay.size === 0) socket.destroy()
    }, this.times.closingMs).unref()
  }

  /** Nothing has moved on a connection for a while. One whose request is worked on has time. */
  private onQuiet(socket: Socket): void {
    const connection = this.known.get(socket)
    if (connection === undefined || socket.writableLength > 0) {
      // Each holds a part of an answer in memory.
      socket.destroy()
    } else if (connection.hasAsked && connection.underWay.size === 0) {
      // Any byte behind a request, an empty line as much, has Node forget that the connection is without one.
      if (connection.isLetGo || socket.timeout !== this.times.unreadMs) socket.destroy()
      else {
        connection.isLetGo = true
        socket.setTimeout(this.times.keepAliveMs)
      }
    }
  }
}
