import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { ConnectionRoom, InLine } from "./ConnectionRoom.ts"
import type { ConnectionWatcher, EgressConnection, Making } from "./EgressConnection.ts"
import type { ConnectFailed, EgressTarget } from "./EgressGuard.ts"
import { Http1Connection } from "./Http1Connection.ts"
import { Http2Connection } from "./Http2Connection.ts"
import type { Place } from "./Place.ts"
import { secure, TlsFailed } from "./SecureSocket.ts"
import type { TlsSettings } from "./TlsSettings.ts"

const connectionsPerPool = 64

/** Connects to an address that was checked for the target. Returns the function that breaks it off. */
export type Connect = (
  target: EgressTarget,
  address: string,
  onEnd: (ending: Net.Socket | ConnectFailed | Error) => void
) => () => void

/** The services that pools of connections use. */
export interface EgressPoolsOptions {
  readonly connect: Connect
  /** Throws if the settings can't be used. */
  readonly contextOf: (tls: TlsSettings | undefined) => Tls.SecureContext
  /** The time in milliseconds. */
  readonly now: () => number
}

/** The owner of connections, the place that they go to, and the way they are made. */
export interface EgressRoute {
  readonly accountId: string
  readonly place: Place
  readonly tls: TlsSettings | undefined
  readonly isHttp1Only: boolean
}

/** A request that waits for a connection. */
export interface Waiter {
  /** There is a connection that takes it. */
  readonly onConnection: (connection: EgressConnection) => void
  readonly onUnreachable: (error: Error) => void
}

/** The room that a pool takes connections from, and the listener for its end. */
export interface PoolWatcher {
  readonly room: ConnectionRoom
  /** It has no connections, and nobody waits for one. */
  readonly onUnused: (pool: EgressPool) => void
}

/**
 * The connections of one account to one address of a place, made with the same TLS settings. It is *known* while new
 * requests may come to it; once it is *dropped* it takes no more.
 *
 * - Q1. A request waits only while no connection takes it, and the one that came first is the first to get one.
 * - Q2. No more connections are being made than requests wait. One at a time is made until it is known whether requests share
 *   them.
 * - Q3. Room is taken for each connection before it is made, and given back once: when it is over, or was not made.
 * - Q4. A connection of a dropped pool is retired as soon as no request waits for it.
 */
export class EgressPool implements InLine, ConnectionWatcher {
  readonly accountId: string
  readonly address: string
  readonly key: string
  readonly tls: TlsSettings | undefined
  /** The making of the newest connection. */
  making: Making = { connectedAt: -1, connectMs: 0, tlsMs: null }
  private isDropped = false
  /** True if requests share connections, so that one will do for many; undefined until that is known. */
  private isShared: boolean | undefined
  private readonly connections = new Set<EgressConnection>()
  /** Connections that have not had a request. */
  private readonly untried = new Set<EgressConnection>()
  /** Connections that take a request. The one used last is taken first, so that surplus ones end. */
  private readonly free: Array<EgressConnection> = []
  private readonly waiting = new Set<Waiter>()
  /** The functions that break off connections that are being made. */
  private readonly opening = new Set<() => void>()
  private readonly route: EgressRoute
  private readonly options: EgressPoolsOptions
  private readonly watcher: PoolWatcher

  constructor(key: string, route: EgressRoute, address: string, options: EgressPoolsOptions, watcher: PoolWatcher) {
    this.key = key
    this.route = route
    this.accountId = route.accountId
    this.tls = route.tls
    this.address = address
    this.options = options
    this.watcher = watcher
    if (!route.place.isSecure || route.isHttp1Only) this.isShared = false
  }

  /** True if a request has or waits for a connection. */
  get isUsed(): boolean {
    if (this.waiting.size > 0) return true
    for (const connection of this.connections) if (!connection.isIdle) return true
    return false
  }

  /** Gives it a connection now, or as soon as there is one. */
  request(waiter: Waiter): void {
    const free = this.free.at(-1)
    if (free !== undefined) return this.give(waiter, free)
    this.waiting.add(waiter)
    this.openMore()
  }

  /** Ends a wait. A connection made for it alone is broken off, and one that takes no requests is not waited for. */
  withdraw(waiter: Waiter): void {
    if (!this.waiting.delete(waiter)) return
    for (const connection of this.untried) if (!connection.isFree) connection.destroy()
    for (const cancel of this.opening) {
      if (this.opening.size <= this.waiting.size) break
      cancel()
      this.failedToOpen(cancel)
    }
    this.isMaybeUnused()
  }

  openMore(): void {
    while (this.opening.size < this.waiting.size) {
      if (this.connections.size + this.opening.size >= connectionsPerPool) return
      if (this.isShared !== false && (this.opening.size > 0 || this.hasUnsettled)) return
      if (!this.watcher.room.take(this)) return
      this.open()
    }
  }

  /** Takes no more requests, and closes the connections when those under way are over. */
  drop(): void {
    this.isDropped = true
    for (const connection of this.connections) if (!this.isAwaited(connection)) connection.retire()
  }

  destroy(): void {
    this.isDropped = true
    this.waiting.clear()
    for (const cancel of this.opening) cancel()
    this.opening.clear()
    for (const connection of this.connections) connection.destroy()
  }

  onFree(connection: EgressConnection): void {
    if (!this.connections.has(connection)) return
    for (const waiter of this.waiting) {
      if (!connection.isFree) break
      this.waiting.delete(waiter)
      this.give(waiter, connection)
    }
    if (this.isDropped && !this.isAwaited(connection)) return connection.retire()
    if (connection.isFree) {
      if (!this.free.includes(connection)) this.free.push(connection)
      if (connection.isIdle) this.watcher.room.isIdle(this.accountId, connection)
    } else {
      this.noLongerFree(connection)
      this.openMore()
    }
  }

  onRetired(connection: EgressConnection, why?: Error): void {
    this.noLongerFree(connection)
    // Another one would end like this.
    if (this.untried.delete(connection) && why !== undefined) this.disappoint([...this.waiting], why)
    this.openMore()
  }

  onClosed(connection: EgressConnection): void {
    if (!this.connections.delete(connection)) return
    this.watcher.room.isBusy(this.accountId, connection)
    this.watcher.room.give(this.accountId)
    this.openMore()
    this.isMaybeUnused()
  }

  private give(waiter: Waiter, connection: EgressConnection): void {
    this.untried.delete(connection)
    this.watcher.room.isBusy(this.accountId, connection)
    waiter.onConnection(connection)
    if (!connection.isFree) this.noLongerFree(connection)
  }

  private noLongerFree(connection: EgressConnection): void {
    const at = this.free.lastIndexOf(connection)
    if (at >= 0) this.free.splice(at, 1)
  }

  /** True if a connection is about to take requests. */
  private get hasUnsettled(): boolean {
    for (const connection of this.untried) if (!connection.isFree) return true
    return false
  }

  /** True if a request waits for the connection to take requests. */
  private isAwaited(connection: EgressConnection): boolean {
    return this.waiting.size > 0 && this.untried.has(connection) && !connection.isFree
  }

  private isMaybeUnused(): void {
    if (this.waiting.size > 0) return
    this.watcher.room.leaveLine(this)
    if (this.connections.size === 0 && this.opening.size === 0) this.watcher.onUnused(this)
  }

  private open(): void {
    const { host, isSecure, port } = this.route.place
    const startedAt = this.options.now()
    let hasEnded = false
    let cancelStep = () => {}
    const cancel = () => {
      hasEnded = true
      cancelStep()
    }
    const end = (ending: Net.Socket | Error) => {
      if (hasEnded) return
      hasEnded = true
      if (ending instanceof Error) this.isUnreachable(cancel, ending)
      else this.isOpen(cancel, ending)
    }
    this.opening.add(cancel)
    cancelStep = this.options.connect({ host, port }, this.address, (ending) => {
      if (hasEnded && !(ending instanceof Error)) return void ending.destroy()
      if (ending instanceof Error) return end(ending)
      const connectedAt = this.options.now()
      this.making = { connectedAt, connectMs: connectedAt - startedAt, tlsMs: null }
      if (!isSecure) return end(ending)
      cancelStep = () => ending.destroy()
      this.secure(ending, end)
    })
  }

  private secure(socket: Net.Socket, end: (ending: Net.Socket | Error) => void): void {
    const { making } = this
    const { isHttp1Only, place, tls } = this.route
    let context: Tls.SecureContext
    try {
      context = this.options.contextOf(tls)
    } catch (error) {
      socket.destroy()
      return end(new TlsFailed(String(error), "tls"))
    }
    secure(socket, place.host, context, isHttp1Only ? ["http/1.1"] : ["h2", "http/1.1"], (ending) => {
      // The request that waited for it is written in this turn.
      this.making = { ...making, tlsMs: ending instanceof Error ? null : this.options.now() - making.connectedAt }
      end(ending)
    })
  }

  private isOpen(cancel: () => void, socket: Net.Socket): void {
    this.opening.delete(cancel)
    this.isShared = "alpnProtocol" in socket && socket.alpnProtocol === "h2"
    const connection = this.isShared
      ? new Http2Connection(socket as Tls.TLSSocket, this.route.place.origin, this.making, this)
      : new Http1Connection(socket, this.making, this)
    this.connections.add(connection)
    this.untried.add(connection)
    this.onFree(connection)
  }

  private isUnreachable(cancel: () => void, error: Error): void {
    const [first] = this.waiting
    this.failedToOpen(cancel)
    this.disappoint(this.isShared !== false ? [...this.waiting] : first === undefined ? [] : [first], error)
    this.openMore()
    this.isMaybeUnused()
  }

  private disappoint(waiters: ReadonlyArray<Waiter>, error: Error): void {
    for (const waiter of waiters) this.waiting.delete(waiter)
    for (const waiter of waiters) waiter.onUnreachable(error)
  }

  private failedToOpen(cancel: () => void): void {
    this.opening.delete(cancel)
    this.watcher.room.give(this.accountId)
  }
}
