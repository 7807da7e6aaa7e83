import { BoundedSet } from "@headwater/domain/BoundedMap"
import { Effect } from "effect"
import { ConnectionRoom } from "./ConnectionRoom.ts"
import { EgressPool, type EgressPoolsOptions, type EgressRoute } from "./EgressPool.ts"
import type { TlsSettings } from "./TlsSettings.ts"

/** The most connections of all accounts together, including those that are being made. */
const mostConnections = 4_096

/** Addresses of places with connections kept open, each account's by itself. The one used longest ago goes first. */
const mostPools = 512

/** The most places remembered that answer over HTTP/1.1 alone. The one that was noted longest ago goes first. */
const mostRemembered = 4_096

/** The connections that are kept open, by account, place, address and TLS settings. */
export class EgressPools {
  /** Pools that new requests may come to. */
  private readonly pools = new Map<string, EgressPool>()
  private readonly all = new Set<EgressPool>()
  /** Places where a request was answered HTTP_1_1_REQUIRED. */
  private readonly http1Places = new BoundedSet<string>(mostRemembered)
  private readonly room = new ConnectionRoom(mostConnections)
  private readonly options: EgressPoolsOptions

  constructor(options: EgressPoolsOptions) {
    this.options = options
  }

  /** The connections to one of these addresses: kept ones, or else new ones to the first. */
  take(route: EgressRoute, addresses: ReadonlyArray<string>): EgressPool {
    const isHttp1Only = route.isHttp1Only || this.isHttp1Place(route)
    for (const address of addresses) {
      const key = keyOf(route, address, isHttp1Only)
      const pool = this.pools.get(key)
      if (pool === undefined) continue
      this.pools.delete(key)
      this.pools.set(key, pool)
      return pool
    }
    const address = addresses[0] ?? ""
    const key = keyOf(route, address, isHttp1Only)
    const pool = new EgressPool(key, { ...route, isHttp1Only }, address, this.options, {
      room: this.room,
      onUnused: (unused) => {
        this.forgetPool(unused)
        this.all.delete(unused)
      }
    })
    this.pools.set(key, pool)
    this.all.add(pool)
    this.closeOldest(pool)
    return pool
  }

  /** Takes no more requests on these connections, and closes them when those under way are over. */
  drop(pool: EgressPool): void {
    this.forgetPool(pool)
    pool.drop()
  }

  /** Drops all that were made with these settings. */
  forget(tls: TlsSettings): void {
    for (const pool of this.pools.values()) if (pool.tls?.id === tls.id) this.drop(pool)
  }

  /** The place answers over HTTP/1.1 alone, from now on. */
  noteHttp1(route: EgressRoute): void {
    const place = placeKeyOf(route)
    this.http1Places.delete(place)
    this.http1Places.add(place)
  }

  readonly destroy: Effect.Effect<void> = Effect.sync(() => {
    for (const pool of this.all) pool.destroy()
  })

  private closeOldest(fresh: EgressPool): void {
    for (const old of this.pools.values()) {
      if (this.pools.size <= mostPools) return
      if (!old.isUsed && old !== fresh) this.drop(old)
    }
  }

  private isHttp1Place(route: EgressRoute): boolean {
    return this.http1Places.size > 0 && this.http1Places.has(placeKeyOf(route))
  }

  private forgetPool(pool: EgressPool): void {
    if (this.pools.get(pool.key) === pool) this.pools.delete(pool.key)
  }
}

const placeKeyOf = ({ place, tls }: EgressRoute): string =>
  tls === undefined ? place.origin : `${place.origin} ${tls.id}`

const keyOf = ({ accountId, place, tls }: EgressRoute, address: string, isHttp1Only: boolean): string => {
  const key = `${accountId} ${place.origin} ${address}${isHttp1Only ? " 1" : ""}`
  return tls === undefined ? key : `${key} ${tls.id}`
}
