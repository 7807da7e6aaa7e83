import * as Problem from "@headwater/api/Problem"
import type { HttpReply, HttpRequestEvent } from "@headwater/engine/HttpExchange"
import { Ingest } from "@headwater/engine/Ingest"
import { ByteSize, Effect, Option, type Schema } from "effect"
import {
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  type HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { validateHeaderName, validateHeaderValue } from "node:http"
import { answerFailures } from "./FailureProblem.ts"
import { HttpSettings } from "./HttpSettings.ts"
import { jsonDepth } from "./JsonDepth.ts"
import { problemResponse } from "./ProblemResponse.ts"

/** Deeper JSON is handed on as text alone. */
const maxJsonDepth = 100

const backlogRetrySeconds = 5

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

const multimap = (params: URLSearchParams): Record<string, string | ReadonlyArray<string>> =>
  Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const values = params.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    })
  )

const parseJson = (text: string): Schema.Json => {
  if (jsonDepth(text) > maxJsonDepth) return text
  try {
    return JSON.parse(text) as Schema.Json
  } catch {
    return text
  }
}

/** What the body says by its content type: JSON and forms parsed, anything else as it came. */
const parseBody = (contentType: string, text: string): Schema.Json => {
  const mediaType = contentType.split(";", 1)[0]!.trim().toLowerCase()
  if (mediaType === "application/json" || mediaType.endsWith("+json")) return parseJson(text)
  if (mediaType === "application/x-www-form-urlencoded") return multimap(new URLSearchParams(text))
  return text
}

const hopsOf = (header: string | undefined): number => /^\d{1,6}$/.test(header ?? "") ? Number(header) : 0

const canBeSent = (name: string, value: string): boolean => {
  if (unforwardable.has(name.toLowerCase())) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

const responseOf = (reply: HttpReply): HttpServerResponse.HttpServerResponse => {
  const headers = Object.fromEntries(Object.entries(reply.headers).filter(([name, value]) => canBeSent(name, value)))
  const bodiless = reply.body.length === 0 || reply.status === 204 || reply.status === 304
  const response = bodiless
    ? HttpServerResponse.empty({ status: reply.status })
    : HttpServerResponse.uint8Array(reply.body, { status: reply.status, contentType: "text/plain; charset=utf-8" })
  return HttpServerResponse.setHeaders(response, headers)
}

const readBody = Effect.fnUntraced(
  function*(request: HttpServerRequest.HttpServerRequest, maxBody: number) {
    return yield* request.text.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBody)),
      Effect.mapError((error) =>
        HttpServerError.isHttpServerError(error) && error.reason._tag === "RequestParseError" &&
          error.reason.reason === "BodyTooLarge"
          ? Problem.tooLarge("The request body", maxBody)
          : Problem.invalid([{ path: "", message: "The request body could not be read." }])
      )
    )
  }
)

/**
 * `ANY /http/<endpoint key>/…`: where sources with an HTTP interface answer. Any method and any path below; a multipart
 * body is handed on as text.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const ingest = yield* Ingest
  const { maxBody, publicUrl } = yield* HttpSettings

  const take = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    const [, endpointKey, path = "/", query = ""] = urlForm.exec(request.url) ?? []
    if (endpointKey === undefined) return yield* noEndpoint
    const text = yield* readBody(request, maxBody)
    const event: HttpRequestEvent = {
      method: request.method,
      path,
      query: multimap(new URLSearchParams(query)),
      headers: { ...request.headers },
      ...(text === ""
        ? {}
        : { bodyRaw: text, body: parseBody(request.headers["content-type"] ?? "", text) }),
      client_ip: Option.getOrElse(request.remoteAddress, () => "").replace(/^::ffff:/, ""),
      url: `${publicUrl}${request.url}`
    }
    const reply = yield* ingest.request(endpointKey, event, { hops: hopsOf(request.headers["x-headwater-hops"]) })
    return responseOf(reply)
  }, (effect) =>
    effect.pipe(
      Effect.catchTags({
        EndpointNotFound: () => noEndpoint,
        BacklogFull: () => Effect.fail(backlogFull)
      }),
      answerFailures,
      Effect.catch(problemResponse)
    ))

  yield* router.add("*", "/http/:endpointKey/*", take)
}))

const noEndpoint = Effect.fail(new Problem.NotFound(Problem.because("No active source answers here.")))

const backlogSentence = "The source has as many requests waiting as it may hold."

const backlogFull = new Problem.BacklogFull({
  detail: backlogSentence,
  error: backlogSentence,
  details: { retry_after_seconds: backlogRetrySeconds }
})
