import * as Problem from "@headwater/api/Problem"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { isIP } from "node:net"
import { HttpSettings } from "./HttpSettings.ts"
import { problemResponse } from "./ProblemResponse.ts"

const notOwn = (host: string) =>
  problemResponse(
    new Problem.CrossSiteRequest(Problem.because(
      `${host} is not a name of this server. If it is, name it in HEADWATER_URL or HEADWATER_ALLOWED_HOSTS.`
    ))
  )

/** The name of a `Host` (RFC 9110, 7.2), without its port and the dot of the root. */
const nameOf = (host: string): string =>
  host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "").toLowerCase()

/** @param given a name, or `*.` and a name for those below it, or `*` */
const covers = (given: string, name: string): boolean =>
  given === "*" || (given.startsWith("*.") ? name.endsWith(given.slice(1)) : name === given)

/**
 * True if a `Host` is one of a server's names. The page of a stranger can have its own name lead to the server's
 * address, and then read what the server answers under that name (DNS rebinding). It can't do so with an address, nor
 * with what always names the browser's own machine (RFC 6761, 6.3).
 */
export const isOwn = (host: string, names: ReadonlyArray<string>): boolean => {
  const name = nameOf(host)
  return name === "" || isIP(name) !== 0 || ["localhost", "*.localhost", ...names].some((given) => covers(given, name))
}

type Handle<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

/**
 * Has requests answered only under the server's own names. If proxies are trusted, they decide which names lead here.
 */
export const make = Effect.gen(function*() {
  const { publicUrl } = yield* EngineConfig
  const { ownHosts = [], trustedProxies = [] } = yield* HttpSettings
  const names = [new URL(publicUrl).host, ...ownHosts].map(nameOf)
  return <R>(handle: Handle<R>): Handle<R | HttpServerRequest.HttpServerRequest> =>
    trustedProxies.length > 0
      ? handle
      : Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { host = "" } }) =>
        isOwn(host, names) ? handle : notOwn(host))
})
