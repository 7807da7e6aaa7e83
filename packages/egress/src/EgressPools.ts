import * as Effect from "effect/Effect"
import * as Net from "node:net"
import * as Tls from "node:tls"
import { Pool } from "undici"
import type { ConnectFailed, EgressTarget } from "./EgressGuard.ts"
import type { TlsSettings } from "./TlsSettings.ts"

/** Addresses of origins with connections kept open. The one used longest ago goes first. */
const mostPools = 512

const connectionsPerPool = 64

/** Where requests to a URL go, and what each of them says of it. */
export interface Place {
  readonly origin: string
  /** As the `host` header has it. */
  readonly authority: string
  /** Without brackets. */
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
  readonly path: string
  /** The user and password of the URL, as every HTTP client sends them (RFC 7617). */
  readonly authorization: string | undefined
}

export const placeOf = (url: URL): Place => {
  const isSecure = url.protocol === "https:"
  return {
    origin: url.origin,
    authority: url.host,
    host: url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    isSecure,
    path: url.pathname + url.search,
    authorization: authorizationOf(url)
  }
}

/** What was percent-encoded; text that only looks so is meant as it is. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const authorizationOf = (url: URL): string | undefined => {
  if (url.username === "" && url.password === "") return undefined
  const text = `${decoded(url.username)}:${decoded(url.password)}`
  return `Basic ${Buffer.from(text).toString("base64")}`
}

/** Connects to an address that was checked for the target. Answers what breaks it off. */
export type Connect = (
  target: EgressTarget,
  address: string,
  onEnd: (ending: Net.Socket | ConnectFailed | Error) => void
) => () => void

/** What pools of connections ask of those around them. */
export interface EgressPoolsOptions {
  readonly connect: Connect
  /** Throws where the settings can't be used. */
  readonly contextOf: (tls: TlsSettings | undefined) => Tls.SecureContext
  /** The time in milliseconds. */
  readonly now: () => number
}

/**
 * Connections to one address of an origin, made with the same TLS settings. It is *known* while new requests may come to it;
 * once it is dropped it takes no more, and it is *destroyed* when nobody waits for any of those that it has.
 */
export class EgressPool {
  private state: "known" | "dropped" | "destroyed" = "known"
  readonly address: string
  readonly key: string
  readonly tls: TlsSettings | undefined
  readonly connections: Pool
  /** Requests under way on them. */
  private users = 0
  /** The newest connection: when it was made, and what that and its TLS handshake took, in milliseconds. */
  connectedAt = -1
  connectMs = 0
  tlsMs: number | null = null
  /** Whether requests share connections (HTTP/2). */
  isShared = false
  /** What breaks off connections that are being made. */
  private readonly opening = new Set<() => void>()
  private readonly options: EgressPoolsOptions
  private readonly place: Place
  private context: Tls.SecureContext | undefined

  constructor(place: Place, address: string, tls: TlsSettings | undefined, options: EgressPoolsOptions) {
    this.place = place
    this.address = address
    this.key = keyOf(place, address, tls)
    this.tls = tls
    this.options = options
    this.connections = new Pool(place.origin, {
      connections: connectionsPerPool,
      pipelining: 1,
      allowH2: place.isSecure,
      keepAliveTimeout: 30_000,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 32 * 1024,
      connect: (_, callback) => this.open(callback)
    })
  }

  get isUsed(): boolean {
    return this.users > 0
  }

  enter(): void {
    this.users += 1
  }

  leave(): void {
    this.users -= 1
    if (this.state === "dropped" && this.users === 0) this.destroy()
  }

  drop(): void {
    if (this.state !== "known") return
    this.state = "dropped"
    if (this.users === 0) this.destroy()
  }

  /** Frees all its sockets, those too that are not connected yet. */
  destroy(): Promise<unknown> {
    this.state = "destroyed"
    for (const cancel of this.opening) cancel()
    this.opening.clear()
    return this.connections.destroy()
  }

  private open(callback: (...args: [null, Net.Socket] | [Error, null]) => void): void {
    const { host, isSecure, port } = this.place
    const startedAt = this.options.now()
    let hasEnded = false
    let cancel = () => {}
    const breakOff = () => cancel()
    const end = (...ending: [null, Net.Socket] | [Error, null]) => {
      hasEnded = true
      this.opening.delete(breakOff)
      callback(...ending)
    }
    cancel = this.options.connect({ host, port }, this.address, (ending) => {
      if (ending instanceof Error) return end(ending, null)
      this.connectedAt = this.options.now()
      this.connectMs = this.connectedAt - startedAt
      this.tlsMs = null
      if (!isSecure) return end(null, ending)
      cancel = () => ending.destroy()
      this.secure(ending, end)
    })
    if (!hasEnded) this.opening.add(breakOff)
  }

  private secure(socket: Net.Socket, end: (...ending: [null, Net.Socket] | [Error, null]) => void): void {
    const { connectMs, connectedAt } = this
    try {
      this.context ??= this.options.contextOf(this.tls)
    } catch (error) {
      socket.destroy()
      return end(new TlsFailed(String(error), "tls"), null)
    }
    secure(socket, this.place.host, this.context, (...secured) => {
      // The request that waited for it is written in this turn.
      this.connectedAt = connectedAt
      this.connectMs = connectMs
      this.tlsMs = secured[0] === null ? this.options.now() - connectedAt : null
      if (secured[0] === null) this.isShared = (secured[1] as Tls.TLSSocket).alpnProtocol === "h2"
      end(...secured)
    })
  }
}

/** The connections that are kept open, by origin, address and TLS settings. */
export class EgressPools {
  private readonly pools = new Map<string, EgressPool>()
  private readonly options: EgressPoolsOptions

  constructor(options: EgressPoolsOptions) {
    this.options = options
  }

  /** The connections to one of these addresses: kept ones, or else new ones to the first. */
  take(place: Place, addresses: ReadonlyArray<string>, tls: TlsSettings | undefined): EgressPool {
    for (const address of addresses) {
      const key = keyOf(place, address, tls)
      const pool = this.pools.get(key)
      if (pool === undefined) continue
      this.pools.delete(key)
      this.pools.set(key, pool)
      return pool
    }
    const pool = new EgressPool(place, addresses[0] ?? "", tls, this.options)
    this.pools.set(pool.key, pool)
    this.closeOldest(pool)
    return pool
  }

  /** Takes no more requests on these connections, and closes them when those under way are over. */
  drop(pool: EgressPool): void {
    if (this.pools.get(pool.key) === pool) this.pools.delete(pool.key)
    pool.drop()
  }

  /** Drops all that were made with these settings. */
  forget(tls: TlsSettings): void {
    for (const pool of this.pools.values()) if (pool.tls?.id === tls.id) this.drop(pool)
  }

  readonly destroy: Effect.Effect<unknown> = Effect.promise(() =>
    Promise.all([...this.pools.values()].map((pool) => pool.destroy()))
  )

  private closeOldest(fresh: EgressPool): void {
    for (const old of this.pools.values()) {
      if (this.pools.size <= mostPools) return
      if (!old.isUsed && old !== fresh) this.drop(old)
    }
  }
}

const keyOf = ({ origin }: Place, address: string, tls: TlsSettings | undefined): string =>
  tls === undefined ? `${origin} ${address}` : `${origin} ${address} ${tls.id}`

/** The TLS handshake failed; `certificate` where it is the endpoint's certificate that can't be trusted. */
export class TlsFailed extends Error {
  readonly reason: "tls" | "certificate" | "timeout"

  constructor(message: string, reason: TlsFailed["reason"], options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** A peer that accepts and then says nothing would otherwise hold the socket after its request has timed out. */
const handshakeMillis = 15_000

/** Does the TLS handshake on a connected socket, verifying the certificate for `host`. */
const secure = (
  socket: Net.Socket,
  host: string,
  secureContext: Tls.SecureContext,
  callback: (...args: [null, Net.Socket] | [Error, null]) => void
): void => {
  const secured = Tls.connect({
    socket,
    secureContext,
    host,
    ALPNProtocols: ["h2", "http/1.1"],
    ...(Net.isIP(host) === 0 ? { servername: host } : {})
  })
  let reason: TlsFailed["reason"] = "tls"
  const onError = (error: Error) => {
    secured.destroy()
    // Node tells of what it does not trust after the handshake.
    if (secured.authorizationError != null) reason = "certificate"
    callback(new TlsFailed(error.message, reason, { cause: error }), null)
  }
  secured.once("error", onError)
  const onTimeout = () => {
    reason = "timeout"
    secured.destroy(new Error(`No TLS handshake within ${handshakeMillis} ms`))
  }
  secured.setTimeout(handshakeMillis, onTimeout)
  secured.once("secureConnect", () => {
    secured.setTimeout(0, onTimeout)
    secured.off("error", onError)
    callback(null, secured)
  })
}
