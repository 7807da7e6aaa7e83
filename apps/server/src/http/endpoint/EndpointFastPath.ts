import { accepted, type Endpoint, type HttpReply, Ingest, type RequestError } from "@headwater/engine/Ingest"
import { Effect, Exit, Layer, References } from "effect"
import { Headers, type HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { BodyRoom } from "../conventions/BodyRoom.ts"
import { unhandled } from "../conventions/FailureProblem.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"
import * as JsonTask from "../conventions/JsonTask.ts"
import { largeBytes } from "../conventions/JsonThread.ts"
import { NodeServer } from "../conventions/NodeServer.ts"
import { problemResponse } from "../conventions/ProblemResponse.ts"
import { RateLimiting } from "../conventions/RateLimiting.ts"
import { messageFault, requestIdFor, requestIdHeader } from "../conventions/ResponseConventions.ts"
import * as EndpointAnswer from "./EndpointAnswer.ts"
import * as EndpointRoute from "./EndpointRoute.ts"

/** How many bytes a body has that is read at once; undefined where that is not known, or they are too many. */
const lengthOf = ({ headers }: IncomingMessage, most: number): number | undefined => {
  const { expect, "content-encoding": coding, "transfer-encoding": transfer } = headers
  if (transfer !== undefined || expect !== undefined || coding !== undefined) return undefined
  const length = Number(headers["content-length"] ?? 0)
  return length <= most ? length : undefined
}

/** Writes what the route would answer. */
const write = (response: ServerResponse, { body, headers, status }: HttpServerResponse.HttpServerResponse): void => {
  response.writeHead(status, headers)
  response.end(body._tag === "Uint8Array" ? body.body : undefined)
}

/**
 * Answers most requests to endpoints without a fiber and before the API's router: those with a small body to a source that
 * is known, while its account is held to no rate. `EndpointRoute` takes all others, and answers alike.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const server = yield* NodeServer
  const ingest = yield* Ingest
  const rate = yield* RateLimiting
  const room = yield* BodyRoom
  const { maxBody } = yield* HttpSettings
  const eventTask = yield* EndpointRoute.makeEventTask
  const endpointPath = yield* EndpointRoute.makeEndpointPath
  // Whoever collects spans sees one of each request.
  const isTraced = yield* References.TracerEnabled
  const runFork = Effect.runForkWith(yield* Effect.context())
  const mostBytes = Math.min(maxBody, largeBytes - 1)

  const answer = (
    response: ServerResponse,
    requestId: string,
    { key }: Endpoint,
    exit: Exit.Exit<HttpReply, RequestError>
  ): void => {
    if (Exit.isSuccess(exit) && exit.value === accepted) {
      response.writeHead(200, { "content-length": "0", [requestIdHeader]: requestId })
      response.end()
      return
    }
    const reply: Effect.Effect<HttpReply, RequestError> = exit
    runFork(
      EndpointAnswer.make(reply, endpointPath(key), response).pipe(
        Effect.catchCause((cause) => unhandled(cause).pipe(Effect.catch(problemResponse))),
        Effect.map((answered) => {
          response.setHeader(requestIdHeader, requestId)
          write(response, answered)
        }),
        Effect.annotateLogs("request_id", requestId)
      )
    )
  }

  const readAndAnswer = (
    request: IncomingMessage,
    response: ServerResponse,
    url: EndpointRoute.EndpointUrl,
    endpoint: Endpoint,
    length: number
  ): void => {
    const chunks: Array<Buffer<ArrayBuffer>> = []
    request.on("data", (chunk: Buffer<ArrayBuffer>) => chunks.push(chunk))
    request.on("close", () => {
      if (!request.complete) room.giveBack(endpoint.accountId, length)
    })
    request.on("end", () => {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      const hops = EndpointRoute.hopsOf(request.headers["x-headwater-hops"] as string | undefined)
      const requestId = requestIdFor(request.headers[requestIdHeader])
      const end = (exit: Exit.Exit<HttpReply, RequestError>) => {
        room.giveBack(endpoint.accountId, length)
        answer(response, requestId, endpoint, exit)
      }
      const { method, rawHeaders, socket: { remoteAddress } } = request
      const headers = Headers.fromInput(request.headers as Record<string, string>)
      let eventJson: string
      try {
        const task = eventTask(
          { method: method!, url: request.url!, headers, rawHeaders, remoteAddress },
          url,
          endpoint,
          bytes
        )
        eventJson = JsonTask.eventJson(task)
      } catch (defect) {
        // Thrown on, it would end the server.
        return end(Exit.die(defect))
      }
      ingest.take(endpoint, eventJson, hops, end)
    })
  }

  const take = (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = EndpointRoute.parseUrl(request.url ?? "")
    if (url === undefined) return false
    const endpoint = ingest.known(url.endpointKey)
    if (endpoint === undefined || request.httpVersion !== "1.1" || messageFault(request) !== undefined) return false
    const length = lengthOf(request, mostBytes)
    if (length === undefined || !rate.isFree(endpoint.accountId) || !ingest.isAdmitted(endpoint)) return false
    if (!room.takeNow(endpoint.accountId, length)) return false
    readAndAnswer(request, response, url, endpoint, length)
    return true
  }

  if (!isTraced) yield* server.askFirst(take)
}))
