import { NodeHttpServerRequest } from "@effect/platform-node"
import * as Problem from "@headwater/api/Problem"
import * as Id from "@headwater/domain/Id"
import type { AccountId } from "@headwater/domain/Id"
import * as OwnMember from "@headwater/domain/OwnMember"
import { answerTo } from "@headwater/engine/ActorCalls"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { type Endpoint, Ingest } from "@headwater/engine/Ingest"
import { ByteSize, Effect, Exit, Option, Scope } from "effect"
import { type Headers, HttpIncomingMessage, HttpRouter, HttpServerError, type HttpServerRequest } from "effect/http"
import { BodyRoom } from "../conventions/BodyRoom.ts"
import * as ClientAddress from "../conventions/ClientAddress.ts"
import * as ContentCoding from "../conventions/ContentCoding.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"
import type { EventTask } from "../conventions/JsonTask.ts"
import { JsonThread } from "../conventions/JsonThread.ts"
import { RateLimiting } from "../conventions/RateLimiting.ts"
import * as RequestBody from "../conventions/RequestBody.ts"
import * as EndpointAnswer from "./EndpointAnswer.ts"
import * as EndpointBody from "./EndpointBody.ts"

type Task = Omit<EventTask, "_tag">

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
  /** Names and values in turn, as they came. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly remoteAddress: string | undefined
}

/** Node's object of a request's headers leaves this name out. */
const leftOut = "__proto__"

const setCookie = "set-cookie"

/**
 * The headers as code gets them. A copy: `Headers` itself keeps secrets out of its JSON, and they are the code's to see.
 * `set-cookie` is a list, since its values can't be written as one.
 */
const allOf = (
  headers: Headers.Headers,
  rawHeaders: ReadonlyArray<string>
): Record<string, string | ReadonlyArray<string>> => {
  const all: Record<string, string | ReadonlyArray<string>> = { ...headers }
  const cookies: Array<string> = []
  const others: Array<string> = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === setCookie.length && name.toLowerCase() === setCookie) cookies.push(rawHeaders[at + 1]!)
    else if (name.length === leftOut.length && name.toLowerCase() === leftOut) others.push(rawHeaders[at + 1]!)
  }
  if (cookies.length > 0) all[setCookie] = cookies
  if (others.length > 0) OwnMember.set(all, leftOut, others.join(", "))
  return all
}

/** How a request becomes the event that a source's code sees. */
export const makeEventTask = Effect.gen(function*() {
  const { trustedProxies = [] } = yield* HttpSettings
  const { publicUrl } = yield* EngineConfig
  return (
    { headers, method, rawHeaders, remoteAddress = "", url }: EndpointRequest,
    { path, query }: EndpointUrl,
    { programId }: Endpoint,
    bytes: Uint8Array<ArrayBuffer>
  ): Task => ({
    request: {
      method,
      path,
      query: EndpointBody.multimap(EndpointBody.pairsOf(query)),
      headers: allOf(headers, rawHeaders),
      client_ip: ClientAddress.of(remoteAddress, headers["x-forwarded-for"], trustedProxies),
      url: `${publicUrl}${url}`
    },
    contentType: headers["content-type"] ?? "",
    bytes,
    expanded: Id.kindOf(programId) === "workflow"
  })
})

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

/** The path of an endpoint's URL, by its key. */
export const makeEndpointPath = Effect.map(EngineConfig, ({ publicUrl }) => {
  const base = new URL(publicUrl).pathname.replace(/\/$/, "")
  return (endpointKey: string) => `${base}/http/${endpointKey}`
})

/** How much a body usually becomes without its codings at most. */
const usualRatio = 8
const usualBytes = 64 * 1024

/**
 * `ANY /http/<endpoint key>/…`: where sources with an HTTP interface answer. Any method and any path below.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const ingest = yield* Ingest
  const { maxBody } = yield* HttpSettings
  const eventTask = yield* makeEventTask
  const endpointPath = yield* makeEndpointPath
  const rate = yield* RateLimiting
  const room = yield* BodyRoom
  const thread = yield* JsonThread

  const tooLarge = Problem.tooLarge("The request body", maxBody, "HEADWATER_MAX_BODY")

  /** The event of a request whose body is in codings. Room is taken for what most bodies become, and for the rest if need be. */
  const decodedEvent = Effect.fnUntraced(
    function*(accountId: AccountId, task: Task, codings: ReadonlyArray<ContentCoding.Coding>) {
      const within = (mostBytes: number) =>
        Effect.andThen(
          room.takeDecoded(accountId, mostBytes),
          // A copy, since the bytes are handed over.
          Effect.suspend(() =>
            thread.event(accountId, { ...task, bytes: task.bytes.slice(), coded: { codings, mostBytes } })
          )
        )
      const usual = Math.min(maxBody, usualRatio * task.bytes.length + usualBytes)
      if (usual === maxBody) return yield* within(maxBody)
      const held = yield* Scope.fork(yield* Effect.scope)
      return yield* Scope.provide(within(usual), held).pipe(
        Effect.catchIf(
          (error) => error._tag === "BodyRefused" && error.reason === "too_large",
          () => Effect.andThen(Scope.close(held, Exit.void), within(maxBody))
        )
      )
    },
    Effect.catchTag("BodyRefused", ({ reason }) =>
      Effect.fail(
        reason === "too_large"
          ? tooLarge
          : Problem.invalid([{ path: "Content-Encoding", message: "is not what the request body is in" }])
      ))
  )

  const eventOf = Effect.fnUntraced(function*(
    accountId: AccountId,
    task: Task,
    codings: ReadonlyArray<ContentCoding.Coding>
  ) {
    const { length } = task.bytes
    rate.noteBytes(accountId, length)
    if (codings.length === 0 || length === 0) {
      return yield* Effect.catchTag(thread.event(accountId, task), "BodyRefused", Effect.die)
    }
    const eventJson = yield* decodedEvent(accountId, task, codings)
    rate.noteBytes(accountId, Math.max(0, eventJson.length - length))
    return eventJson
  })

  const take = Effect.fnUntraced(
    function*(request: HttpServerRequest.HttpServerRequest, url: EndpointUrl) {
      const source = yield* ingest.find(url.endpointKey)
      const { accountId } = source
      yield* rate.take(accountId)
      yield* ingest.admit(source)
      if (RequestBody.isDeclaredLargerThan(request, maxBody)) return yield* tooLarge
      const { headers, method } = request
      const codings = RequestBody.isPresent(request) ? ContentCoding.named(headers["content-encoding"]) : []
      if (codings === undefined) return yield* unknownCoding
      yield* room.take(accountId, RequestBody.mostBytes(request, maxBody))
      const bytes = yield* readBody(request, maxBody)
      const task = eventTask(
        {
          method,
          url: request.url,
          headers,
          rawHeaders: NodeHttpServerRequest.toIncomingMessage(request).rawHeaders,
          remoteAddress: Option.getOrUndefined(request.remoteAddress)
        },
        url,
        source,
        bytes
      )
      const eventJson = yield* eventOf(accountId, task, codings)
      return yield* answerTo((onAnswered) =>
        ingest.take(source, eventJson, hopsOf(headers["x-headwater-hops"]), onAnswered)
      )
    },
    Effect.scoped
  )

  yield* router.add("*", "/http/:endpointKey/*", (request) => {
    const url = parseUrl(request.url)
    return EndpointAnswer.make(
      url === undefined ? EndpointAnswer.noEndpoint : take(request, url),
      endpointPath(url?.endpointKey ?? ""),
      NodeHttpServerRequest.toServerResponse(request)
    )
  })
}))

const unknownCoding = new Problem.UnsupportedMediaType(
  Problem.because(
    `The request body is in a Content-Encoding that is not supported. Send ${ContentCoding.accepted}, or none.`
  )
)
