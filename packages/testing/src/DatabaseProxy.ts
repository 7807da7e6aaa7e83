import { Effect, type Scope } from "effect"
import * as Net from "node:net"

/** Does something at once, or so many milliseconds later. What is delayed alike keeps its order. */
const after = (delayMs: number, act: () => void) => {
  if (delayMs === 0) act()
  else setTimeout(act, delayMs)
}

/** One connection through a proxy, which passes on what both sides say until it is held. */
class Passage {
  private readonly sockets: ReadonlyArray<Net.Socket>

  /** @param answersAfterMs how much later the client hears what the database says */
  constructor(
    client: Net.Socket,
    database: Net.Socket,
    answersAfterMs: number,
    onEnd: (passage: Passage) => void
  ) {
    this.sockets = [client, database]
    for (const [from, to, delayMs] of [[client, database, 0], [database, client, answersAfterMs]] as const) {
      from.on("data", (chunk) => after(delayMs, () => to.write(chunk)))
      from.on("error", () => {})
      from.on("close", () => {
        after(delayMs, () => to.destroy())
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
  private constructor(database: () => Net.NetConnectOpts, answersAfterMs: number) {
    this.server = Net.createServer({ noDelay: true }, (client) => {
      const passage = new Passage(
        client,
        Net.connect(database()),
        answersAfterMs,
        (ended) => this.passages.delete(ended)
      )
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

  static readonly make = (
    database: () => Net.NetConnectOpts,
    options: {
      /** How much farther away the database is than its machine: what a round trip takes longer, at least. */
      readonly roundTripMs?: number
    } = {}
  ): Effect.Effect<DatabaseProxy, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const proxy = new DatabaseProxy(database, options.roundTripMs ?? 0)
        return Effect.as(proxy.listening, proxy)
      }),
      (proxy) => proxy.closed
    )
}
