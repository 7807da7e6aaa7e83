import { sessionCookie } from "@headwater/api/Authorization"
import { longestSeconds } from "@headwater/domain/Session"
import { Duration, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as RequestSite from "./RequestSite.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The token of the session that a request carries. */
export const tokenOf = (request: Request): Redacted.Redacted | undefined => {
  if (request.headers["cookie"] === undefined) return undefined
  const value = request.cookies[sessionCookie.key]
  return value === undefined || value === "" ? undefined : Redacted.make(value)
}

const options = (request: Request, site: RequestSite.OwnSite) => ({
  httpOnly: true,
  sameSite: "strict" as const,
  secure: RequestSite.isSecure(request, site),
  // Not for `/http/…`, where components read the headers of requests.
  path: `${new URL(site.publicUrl).pathname.replace(/\/$/, "")}/v1`
})

/** Has the answer give the browser a session's token. */
export const set = (request: Request, site: RequestSite.OwnSite, token: Redacted.Redacted) =>
  HttpApiBuilder.securitySetCookie(sessionCookie, token, {
    ...options(request, site),
    maxAge: Duration.seconds(longestSeconds)
  })

/** Has the answer take it away. */
export const clear = (request: Request, site: RequestSite.OwnSite) =>
  HttpApiBuilder.securitySetCookie(sessionCookie, "", { ...options(request, site), maxAge: 0 })
