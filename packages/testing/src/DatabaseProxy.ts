import { Effect, type Scope } from "effect"
import * as Net from "node:net"

/** One connection through a proxy, which passes on what both sides say until it is held. */
class Passage {
  private readonly sockets: ReadonlyArray<Net.Socket>

  constructor(client: Net.Socket, database: Net.Socket, onEnd: (passage: Passage) => void) {
    this.sockets = [client, database]
    for (const [from, to] of [[client, database], [database, client]] as const) {
      from.on("data", (chunk) => to.write(chunk))
      from.on("error", () => {})
      from.on("close", () => {
        to.destroy()
        onEnd(this)
      })
    }
  }

  /** Who does not read does not notice either that the other side is gone. */
  hold(): void {
    for (const socket of this.sockets) socket.pause()
  }

  release(): void {
    for (const socket of this.sockets) socket.resume()
  }

  end(): void {
    for (const socket of this.sockets) socket.destroy()
  }
}

/** A way to a database that can stop to pass anything on, as a network does: no connection ends, and nobody is told. */
export class DatabaseProxy {
  private readonly server: Net.Server
  private readonly passages = new Set<Passage>()
  private isOpen = true

  /** @param database where the database listens */
  private constructor(database: () => Net.NetConnectOpts) {
    this.server = Net.createServer({ noDelay: true }, (client) => {
      const passage = new Passage(client, Net.connect(database()), (ended) => this.passages.delete(ended))
      this.passages.add(passage)
      if (!this.isOpen) passage.hold()
    })
  }

  /** Nothing that is said on the present connections is passed on from now on, in either direction; on new ones it is. */
  holdPresent(): void {
    for (const passage of this.passages) passage.hold()
  }

  /** Ends the present connections. The database notices that when it next reads from one, or writes to it. */
  endPresent(): void {
    for (const passage of this.passages) passage.end()
  }

  /** Nothing is passed on at all. */
  hold(): void {
    this.isOpen = false
    this.holdPresent()
  }

  /** New connections pass again; those that are held do too where `present` says so, with all that was said meanwhile. */
  release(options: { readonly present: boolean }): void {
    this.isOpen = true
    if (!options.present) return
    for (const passage of this.passages) passage.release()
  }

  get port(): number {
    const address = this.server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }

  private readonly listening = Effect.callback<void>((resume) => {
    this.server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })

  private readonly closed = Effect.callback<void>((resume) => {
    this.server.close(() => resume(Effect.void))
    this.endPresent()
  })

  static readonly make = (database: () => Net.NetConnectOpts): Effect.Effect<DatabaseProxy, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const proxy = new DatabaseProxy(database)
        return Effect.as(proxy.listening, proxy)
      }),
      (proxy) => proxy.closed
    )
}
