import * as Effect from "effect/Effect"
import * as Net from "node:net"
import * as Tls from "node:tls"
import { Pool } from "undici"
import type { ConnectFailed, EgressTarget } from "./EgressGuard.ts"

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

/** Kept connections to one address of an origin. */
export interface EgressPool {
  readonly address: string
  readonly connections: Pool
  /** Requests under way on them. */
  inUse: number
  /** The newest connection: when it was made, and what that and its TLS handshake took, in milliseconds. */
  connectedAt: number
  connectMs: number
  tlsMs: number | null
}

/** Connects to an address that was checked for the target. */
export type Connect = (
  target: EgressTarget,
  address: string,
  onEnd: (ending: Net.Socket | ConnectFailed | Error) => void
) => void

/** The connections that are kept open, by origin and address. */
export class EgressPools {
  private readonly pools = new Map<string, EgressPool>()
  private readonly connect: Connect
  private readonly secureContext: Tls.SecureContext
  /** The time in milliseconds. */
  private readonly now: () => number

  constructor(connect: Connect, secureContext: Tls.SecureContext, now: () => number) {
    this.connect = connect
    this.secureContext = secureContext
    this.now = now
  }

  /** The connections to one of these addresses: kept ones, or else new ones to the first. */
  take(place: Place, addresses: ReadonlyArray<string>): EgressPool {
    for (const address of addresses) {
      const key = keyOf(place, address)
      const pool = this.pools.get(key)
      if (pool === undefined) continue
      this.pools.delete(key)
      this.pools.set(key, pool)
      return pool
    }
    const address = addresses[0] ?? ""
    const pool = this.open(place, address)
    this.pools.set(keyOf(place, address), pool)
    this.closeOldest(pool)
    return pool
  }

  /** Takes no more requests on these connections. */
  drop(place: Place, pool: EgressPool): void {
    const key = keyOf(place, pool.address)
    if (this.pools.get(key) === pool) this.pools.delete(key)
    void pool.connections.close()
  }

  readonly destroy: Effect.Effect<unknown> = Effect.promise(() =>
    Promise.all([...this.pools.values()].map(({ connections }) => connections.destroy()))
  )

  private closeOldest(fresh: EgressPool): void {
    for (const [key, old] of this.pools) {
      if (this.pools.size <= mostPools) return
      if (old.inUse > 0 || old === fresh) continue
      this.pools.delete(key)
      void old.connections.destroy()
    }
  }

  private open({ host, isSecure, origin, port }: Place, address: string): EgressPool {
    const connections = new Pool(origin, {
      connections: connectionsPerPool,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: 30_000,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 32 * 1024,
      connect: (_, callback) => {
        const startedAt = this.now()
        this.connect({ host, port }, address, (ending) => {
          if (ending instanceof Error) return callback(ending, null)
          pool.connectedAt = this.now()
          pool.connectMs = pool.connectedAt - startedAt
          pool.tlsMs = null
          if (!isSecure) return callback(null, ending)
          const { connectMs, connectedAt } = pool
          secure(ending, host, this.secureContext, (...secured) => {
            // The request that waited for it is written in this turn.
            pool.connectedAt = connectedAt
            pool.connectMs = connectMs
            pool.tlsMs = secured[0] === null ? this.now() - connectedAt : null
            callback(...secured)
          })
        })
      }
    })
    const pool: EgressPool = { address, connections, inUse: 0, connectedAt: -1, connectMs: 0, tlsMs: null }
    return pool
  }
}

const keyOf = ({ origin }: Place, address: string): string => `${origin} ${address}`

/** The TLS handshake failed. */
export class TlsFailed extends Error {}

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
    ALPNProtocols: ["http/1.1"],
    ...(Net.isIP(host) === 0 ? { servername: host } : {})
  })
  const onError = (error: Error) => {
    secured.destroy()
    callback(new TlsFailed(error.message, { cause: error }), null)
  }
  secured.once("error", onError)
  const onTimeout = () => secured.destroy(new Error(`No TLS handshake within ${handshakeMillis} ms`))
  secured.setTimeout(handshakeMillis, onTimeout)
  secured.once("secureConnect", () => {
    secured.setTimeout(0, onTimeout)
    secured.off("error", onError)
    callback(null, secured)
  })
}
