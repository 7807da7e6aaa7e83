import { NodeHttpServerRequest } from "@effect/platform-node"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { accepted, type HttpReply } from "@headwater/engine/Ingest"
import { Effect, Exit, References } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { unhandled } from "../conventions/FailureProblem.ts"
import { NodeServer } from "../conventions/NodeServer.ts"
import { problemResponse } from "../conventions/ProblemResponse.ts"
import { messageFault, requestIdFor, requestIdHeader } from "../conventions/ResponseConventions.ts"
import * as EndpointAnswer from "./EndpointAnswer.ts"
import * as EndpointRequest from "./EndpointRequest.ts"

/**
 * True if a request may be answered before the router: Node has found nothing wrong with it, and its connection can go on
 * behind it whatever is answered.
 */
const isPlain = (message: IncomingMessage): boolean =>
  message.httpVersion === "1.1" && message.headers["transfer-encoding"] === undefined &&
  message.headers.expect === undefined && messageFault(message) === undefined

const write = (response: ServerResponse, { body, headers, status }: HttpServerResponse.HttpServerResponse): void => {
  response.writeHead(status, headers)
  response.end(body._tag === "Uint8Array" ? body.body : undefined)
}

/**
 * `ANY /http/<endpoint key>/…`: the URLs at which programs with an HTTP interface answer, with any method and any path below.
 *
 * There are two doors to the one road of `EndpointRequest`. Most requests are answered before the API's router, which costs
 * as much as all the rest. Others come through the router, which adds conventions, and so do all while spans are collected,
 * so that there is one of each request.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const server = yield* NodeServer
  const { publicUrl } = yield* EngineConfig
  const begin = yield* EndpointRequest.make
  const isTraced = yield* References.TracerEnabled
  const runFork = Effect.runForkWith(yield* Effect.context())
  const base = new URL(publicUrl).pathname.replace(/\/$/, "")
  const pathOf = (endpointKey: string) => `${base}/http/${endpointKey}`

  const answer = (
    response: ServerResponse,
    requestId: string,
    endpointKey: string,
    reply: Exit.Exit<HttpReply, EndpointAnswer.IntakeError>
  ): void => {
    if (Exit.isSuccess(reply) && reply.value === accepted) {
      response.writeHead(200, { "content-length": "0", [requestIdHeader]: requestId })
      response.end()
      return
    }
    runFork(
      EndpointAnswer.make(reply, pathOf(endpointKey), response).pipe(
        Effect.catchCause((cause) => unhandled(cause).pipe(Effect.catch(problemResponse))),
        Effect.map((answered) => {
          response.setHeader(requestIdHeader, requestId)
          write(response, answered)
        }),
        Effect.annotateLogs("request_id", requestId)
      )
    )
  }

  const answerAtOnce = (message: IncomingMessage, response: ServerResponse): boolean => {
    const url = EndpointRequest.parseUrl(message.url ?? "")
    if (url === undefined || !isPlain(message)) return false
    const requestId = requestIdFor(message.headers[requestIdHeader])
    const request = begin(message, url, (reply) => answer(response, requestId, url.endpointKey, reply))
    response.on("close", () => request.cancel())
    return true
  }

  if (!isTraced) yield* server.askFirst(answerAtOnce)
  yield* router.add("*", "/http/:endpointKey/*", (request) => {
    const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    const url = EndpointRequest.parseUrl(request.url)
    return EndpointAnswer.make(
      url === undefined
        ? EndpointAnswer.noEndpoint
        : Effect.callback<HttpReply, EndpointAnswer.IntakeError>((resume) => {
          const request = begin(message, url, resume)
          return Effect.sync(() => request.cancel())
        }),
      pathOf(url?.endpointKey ?? ""),
      NodeHttpServerRequest.toServerResponse(request)
    )
  })
}))
