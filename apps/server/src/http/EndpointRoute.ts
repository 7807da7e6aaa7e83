import * as Problem from "@headwater/api/Problem"
import * as Id from "@headwater/domain/Id"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import type { HttpReply, NotAnswered } from "@headwater/engine/program/HttpExchange"
import { type Endpoint, Ingest, type RequestError } from "@headwater/engine/program/Ingest"
import type { QuotaExceeded } from "@headwater/engine/program/Quotas"
import { ByteSize, Effect, Option } from "effect"
import {
  type Headers,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  type HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { validateHeaderName, validateHeaderValue } from "node:http"
import { BodyRoom } from "./BodyRoom.ts"
import * as ClientAddress from "./ClientAddress.ts"
import * as EndpointBody from "./EndpointBody.ts"
import { answerFailures, type Failure } from "./FailureProblem.ts"
import { HttpSettings } from "./HttpSettings.ts"
import { backlogFull, quotaExceeded } from "./IntakeProblem.ts"
import type { EventTask } from "./JsonTask.ts"
import { JsonThread } from "./JsonThread.ts"
import * as PageSandbox from "./PageSandbox.ts"
import { type AnyProblem, problemResponse } from "./ProblemResponse.ts"
import { RateLimiting } from "./RateLimiting.ts"
import * as RequestBody from "./RequestBody.ts"

/** About the connection and not the message (RFC 9110, 7.6.1), or written by the server itself. */
const unforwardable: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id"
])

const urlForm = /^\/http\/([^/?#]+)(\/[^?#]*)?(?:\?([^#]*))?/

/** The URL of a request to an endpoint. */
export interface EndpointUrl {
  readonly endpointKey: string
  /** What comes after the key. */
  readonly path: string
  readonly query: string
}

export const parseUrl = (url: string): EndpointUrl | undefined => {
  const [, endpointKey, path = "/", query = ""] = urlForm.exec(url) ?? []
  return endpointKey === undefined ? undefined : { endpointKey, path, query }
}

/** How many emitters a request has passed through, by its `x-headwater-hops`. */
export const hopsOf = (header: string | undefined): number => /^\d{1,6}$/.test(header ?? "") ? Number(header) : 0

/** What the server knows of a request to an endpoint, all but its body. */
export interface EndpointRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers.Headers
  readonly remoteAddress: string | undefined
}

/** How a request becomes the event that a source's code sees. */
export const makeEventTask = Effect.gen(function*() {
  const { trustedProxies = [] } = yield* HttpSettings
  const { publicUrl } = yield* EngineConfig
  return (
    { headers, method, remoteAddress = "", url }: EndpointRequest,
    { path, query }: EndpointUrl,
    { programId }: Endpoint,
    bytes: Uint8Array<ArrayBuffer>
  ): Omit<EventTask, "_tag"> => ({
    request: {
      method,
      path,
      query: EndpointBody.multimap(new URLSearchParams(query)),
      // A copy: `Headers` itself keeps secrets out of its JSON, and they are the code's to see.
      headers: { ...headers },
      client_ip: ClientAddress.of(remoteAddress, headers["x-forwarded-for"], trustedProxies),
      url: `${publicUrl}${url}`
    },
    contentType: headers["content-type"] ?? "",
    bytes,
    expanded: Id.kindOf(programId) === "workflow"
  })
})

const canBeSent = (name: string, value: string): boolean => {
  if (unforwardable.has(name.toLowerCase()) || PageSandbox.touchesSession(name, value)) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** Answers that have no body by what their status means (RFC 9110, 15.3.5 and 15.4.5). */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

const responseOf = ({ body, headers, status }: HttpReply) => {
  if (status < 200) {
    return Effect.fail(
      new Problem.InvalidResponse(Problem.because(`The run responded with ${status}, which is not a final status.`))
    )
  }
  const response = bodiless.has(status)
    ? HttpServerResponse.empty({ status })
    : body.length === 0
    // Said, or the empty body would be sent in chunks.
    ? HttpServerResponse.empty({ status, headers: { "content-length": "0" } })
    : HttpServerResponse.uint8Array(body, { status, contentType: "text/plain; charset=utf-8" })
  const sent = Object.entries(body.length === 0 ? headers : PageSandbox.around(headers)).filter(([name, value]) =>
    canBeSent(name, value)
  )
  return Effect.succeed(sent.length === 0 ? response : HttpServerResponse.setHeaders(response, sent))
}

/** Why a request is not taken, or not answered. */
type IntakeError = RequestError | QuotaExceeded | Failure | AnyProblem

/** The answer to a request: what it is replied, or why it is not, as a problem. */
export const answerOf = (
  reply: Effect.Effect<HttpReply, IntakeError>
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  reply.pipe(
    Effect.flatMap(responseOf),
    Effect.catchTags({
      EndpointNotFound: () => noEndpoint,
      BacklogFull: () => Effect.fail(backlogFull),
      NotAnswered: ({ reason }) => Effect.fail(notAnswered(reason)),
      QuotaExceeded: (error) => Effect.flatMap(quotaExceeded(error), Effect.fail)
    }),
    answerFailures,
    Effect.catch(problemResponse)
  )

const readBody = Effect.fnUntraced(
  function*(request: HttpServerRequest.HttpServerRequest, maxBody: number) {
    const body = yield* request.arrayBuffer.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBody)),
      Effect.mapError((error) =>
        HttpServerError.isHttpServerError(error) && error.reason._tag === "RequestParseError" &&
          error.reason.reason === "BodyTooLarge"
          ? Problem.tooLarge("The request body", maxBody, "HEADWATER_MAX_BODY")
          : Problem.invalid([{ path: "", message: "The request body could not be read." }])
      )
    )
    return new Uint8Array(body)
  }
)

/**
 * `ANY /http/<endpoint key>/…`: where sources with an HTTP interface answer. Any method and any path below.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const ingest = yield* Ingest
  const { maxBody } = yield* HttpSettings
  const eventTask = yield* makeEventTask
  const rate = yield* RateLimiting
  const room = yield* BodyRoom
  const thread = yield* JsonThread

  const take = Effect.fnUntraced(
    function*(request: HttpServerRequest.HttpServerRequest) {
      const url = parseUrl(request.url)
      if (url === undefined) return yield* noEndpoint
      const source = yield* ingest.find(url.endpointKey)
      yield* rate.take(source.accountId)
      yield* ingest.admit(source)
      if (RequestBody.isDeclaredLargerThan(request, maxBody)) {
        return yield* Problem.tooLarge("The request body", maxBody, "HEADWATER_MAX_BODY")
      }
      const { accountId } = source
      yield* room.take(accountId, RequestBody.mostBytes(request, maxBody))
      const bytes = yield* readBody(request, maxBody)
      rate.noteBytes(accountId, bytes.length)
      const { headers, method } = request
      const remoteAddress = Option.getOrUndefined(request.remoteAddress)
      const task = eventTask({ method, url: request.url, headers, remoteAddress }, url, source, bytes)
      const eventJson = yield* thread.event(accountId, task)
      return yield* ingest.request(source, eventJson, { hops: hopsOf(headers["x-headwater-hops"]) })
    },
    Effect.scoped,
    answerOf
  )

  yield* router.add("*", "/http/:endpointKey/*", take)
}))

const noEndpoint = Effect.fail(
  new Problem.NotFound(Problem.because(
    "There is no active endpoint at this URL. The configured_props of an active source or workflow show its endpoint_url."
  ))
)

const notAnswered = (reason: NotAnswered["reason"]) => {
  switch (reason) {
    case "ended":
      return new Problem.NoResponse(Problem.because("The run ended without responding to this request."))
    case "late":
      return new Problem.ResponseTimeout(Problem.because("The run did not respond in time. It continues."))
    case "hops":
      return new Problem.LoopDetected(
        Problem.because("This request has passed through too many emitters, so the server does not run it.")
      )
  }
}
