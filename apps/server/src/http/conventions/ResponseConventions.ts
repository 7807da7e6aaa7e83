import * as Problem from "@headwater/api/Problem"
import * as Id from "@headwater/domain/Id"
import { Cause, Effect, Predicate } from "effect"
import { Headers, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IncomingMessage } from "node:http"
import { unhandled } from "./FailureProblem.ts"
import { allowedMethods } from "./KnownPaths.ts"
import { problemResponse } from "./ProblemResponse.ts"
import * as RequestBody from "./RequestBody.ts"
import * as RoutedUrl from "./RoutedUrl.ts"

export const requestIdHeader = "x-request-id"
const givenRequestId = /^[\w.:-]{1,128}$/
const requestIdLength = 20

/** The id under which a request is known: the client's own where it sent a usable one. */
export const requestIdFor = (given: string | Array<string> | undefined): string =>
  typeof given === "string" && givenRequestId.test(given) ? given : Id.takeText(requestIdLength)

/**
 * Any page may call the API with a key of its own. None of another site gets at a session: without
 * `access-control-allow-credentials` browsers send no cookies for it, and the header that sessions need is not allowed.
 */
const cors = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Allow, Idempotency-Replayed, Retry-After, WWW-Authenticate, X-Headwater-Warnings, X-Request-Id"
}

const preflight = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id",
  "access-control-max-age": "86400"
}

/** Metrics are for the operator's Prometheus, not for pages. */
const isOfMetrics = (request: HttpServerRequest.HttpServerRequest): boolean => /^\/metrics\/?(\?|$)/.test(request.url)

const noSniff = { "x-content-type-options": "nosniff" }

/** Data of an account, keys and secrets among it, stay in no cache. */
const ofApi = { ...cors, ...noSniff, "cache-control": "no-store" }
const ofPage = { ...cors, ...noSniff }

const headersFor = (request: HttpServerRequest.HttpServerRequest): Readonly<Record<string, string>> => {
  if (RoutedUrl.isOfEndpoint(request.url)) return {}
  if (isOfMetrics(request)) return noSniff
  return request.url.startsWith("/v1/") ? ofApi : ofPage
}

/**
 * A request as its routes read it. One to an endpoint is handed on as it is; to the others the media type of a body that is
 * not there says nothing.
 */
const routable = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const url = RoutedUrl.of(request.url)
  if (RoutedUrl.isOfEndpoint(url)) return url === request.url ? request : request.modify({ url })
  return request.modify({
    url,
    headers: RequestBody.isPresent(request) || RequestBody.isJson(request)
      ? request.headers
      : Headers.remove(request.headers, "content-type")
  })
}

const hostCount = ({ rawHeaders }: IncomingMessage): number => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === "host") count += 1
  }
  return count
}

/**
 * The fault of a request that Node lets through though no server may: no `Host` in HTTP/1.1, several in any version
 * (RFC 9112, 3.2), or a version other than 1.0 and 1.1.
 */
export const messageFault = (message: IncomingMessage): Problem.Issue | undefined => {
  const { httpVersion } = message
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    return { path: "", message: `HTTP/${httpVersion} is not supported: send HTTP/1.1` }
  }
  const hosts = hostCount(message)
  if (hosts === 0 && httpVersion === "1.1") return { path: "Host", message: "is required as a header" }
  return hosts > 1 ? { path: "Host", message: "must be given once" } : undefined
}

/**
 * True if a body of unknown length is still on its way when it has been answered. Only so much of an unwanted body is
 * read, and then the connection ends: a client that sends another request behind it has to know (RFC 9112, 9.6).
 */
const isUnfinished = ({ headers, source }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] !== undefined && Predicate.hasProperty(source, "complete") && source.complete === false

const problemContentType = "application/problem+json"

/** Names the list, to a client that looks for it at the path under which its items are made. */
const elsewhere = ({ method, url }: HttpServerRequest.HttpServerRequest): string => {
  const [, collection] = /^\/v1(\/[a-z_]+)\/?(?:\?|$)/.exec(url) ?? []
  const listed = `/v1/users/me${collection}`
  return method === "GET" && collection !== undefined && allowedMethods(listed).includes("GET")
    ? ` The list is at ${listed}.`
    : ""
}

/** For whoever has left the API's prefix out, or does not know its paths. */
const atPrefix = (url: string): string => {
  const path = url.split("?", 1)[0]!
  if (path.startsWith("/v1/")) return " /docs shows what there is."
  return allowedMethods(`/v1${url}`).length > 0
    ? ` Did you mean /v1${path}?`
    : " The API is below /v1, and /llms.txt lists its documentation."
}

const unknownPath = (request: HttpServerRequest.HttpServerRequest) => {
  const allow = allowedMethods(request.url)
  const path = request.url.split("?", 1)[0]!
  if (allow.length === 0) {
    const where = elsewhere(request) || atPrefix(request.url)
    return problemResponse(new Problem.NotFound(Problem.because(`There is nothing at ${path}.${where}`)))
  }
  if (request.method === "OPTIONS") {
    return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { allow: allow.join(", "), ...preflight } }))
  }
  const sentence = `${path} does not accept ${request.method}.${elsewhere(request)}`
  return problemResponse(new Problem.MethodNotAllowed({ detail: sentence, error: sentence, details: { allow } }))
}

const refusedMediaType = new Problem.UnsupportedMediaType(
  Problem.because("Send the request body with `Content-Type: application/json`.")
)

/** The framework's own refusals have no problem document; these are the ones a handler does not see. */
const withProblem = (response: HttpServerResponse.HttpServerResponse) =>
  response.status === 415 && !response.headers["content-type"]?.startsWith(problemContentType)
    ? problemResponse(refusedMediaType)
    : Effect.succeed(response)

const isClientGone = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(({ annotations }) => annotations.has(HttpServerError.ClientAbort.key))

const isUnknownPath = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) =>
    Cause.isFailReason(reason) && HttpServerError.isHttpServerError(reason.error) &&
    reason.error.reason._tag === "RouteNotFound"
  )

/**
 * Gives every response a request id (the client's own where it sent one) and the headers that say what browsers and
 * caches may do with it, and every error, unknown paths and methods included, a problem document.
 */
export const apply = Effect.fnUntraced(function*<E, R>(
  handle: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) {
  const received = yield* HttpServerRequest.HttpServerRequest
  const request = routable(received)
  const requestId = requestIdFor(request.headers[requestIdHeader])
  const fault = request.source instanceof IncomingMessage ? messageFault(request.source) : undefined
  const headers = { ...headersFor(request), [requestIdHeader]: requestId }
  const answer = fault !== undefined
    ? problemResponse(Problem.invalid([fault]))
    : request === received
    ? handle
    : Effect.provideService(handle, HttpServerRequest.HttpServerRequest, request)
  const response = yield* answer.pipe(
    Effect.flatMap(withProblem),
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause) && isClientGone(cause)) return Effect.failCause(cause as Cause.Cause<never>)
      return isUnknownPath(cause)
        ? unknownPath(request)
        : unhandled(cause).pipe(Effect.catch(problemResponse))
    }),
    Effect.annotateLogs("request_id", requestId)
  )
  return HttpServerResponse.setHeaders(
    response,
    fault !== undefined || isUnfinished(request) ? { ...headers, connection: "close" } : headers
  )
})
