import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type * as IpNetwork from "effect/net/IpNetwork"
import * as ClientAddress from "./ClientAddress.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The settings that tell which sites are the server's own. */
export interface OwnSite {
  /** The base URL that clients see. */
  readonly publicUrl: string
  /** Proxies whose word is taken for how a client reached the server. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
}

/** The first of what proxies have said, if the nearest one is believed. */
const forwarded = (request: Request, name: "host" | "proto", { trustedProxies }: OwnSite): string | undefined => {
  const value = request.headers[`x-forwarded-${name}`]
  const peer = Option.getOrElse(request.remoteAddress, () => "")
  if (value === undefined || !ClientAddress.isTrusted(peer, trustedProxies)) return undefined
  return value.split(",", 1)[0]!.trim()
}

const withoutDefaultPort = (host: string): string => host.toLowerCase().replace(/:(?:80|443)$/, "")

/**
 * True if nobody can listen to the client's connection: a proxy ends TLS and says so, or the page that sends the
 * request says so.
 */
export const isSecure = (request: Request, site: OwnSite): boolean =>
  forwarded(request, "proto", site)?.toLowerCase() === "https" ||
  (request.headers["origin"]?.startsWith("https://") ?? false)

/**
 * True if a browser says that a page of another site sends the request. Pages can't change what it says. One that says
 * nothing is an older browser, on a request that such a page can't put a cookie of `SameSite=Strict` to, or no browser.
 */
export const isForeign = (request: Request, site: OwnSite): boolean => {
  const fetchSite = request.headers["sec-fetch-site"]
  if (fetchSite !== undefined) return fetchSite !== "same-origin" && fetchSite !== "none"
  const { host, origin } = request.headers
  if (origin === undefined) return false
  if (!URL.canParse(origin)) return true
  const given = new URL(origin)
  if (given.origin === new URL(site.publicUrl).origin) return false
  const own = forwarded(request, "host", site) ?? host ?? ""
  return withoutDefaultPort(given.host) !== withoutDefaultPort(own)
}
