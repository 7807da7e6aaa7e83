import * as Problem from "@headwater/api/Problem"
import { isDone } from "@headwater/domain/Done"
import * as Id from "@headwater/domain/Id"
import * as OwnMember from "@headwater/domain/OwnMember"
import { mediaTypeOf } from "@headwater/domain/RequestEventBody"
import { partBytes } from "@headwater/domain/RunFile"
import * as RunKey from "@headwater/domain/RunKey"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { EventFiles, type FilesOfEvent } from "@headwater/engine/EventFiles"
import { type Endpoint, type HttpReply, Ingest, type RequestError, type TakenRequest } from "@headwater/engine/Ingest"
import { Effect, Exit, Fiber, Option, type Schema, Stream } from "effect"
import { Headers } from "effect/http"
import type { IncomingMessage } from "node:http"
import { BodyRoom } from "../conventions/BodyRoom.ts"
import * as ClientAddress from "../conventions/ClientAddress.ts"
import * as ContentCoding from "../conventions/ContentCoding.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"
import { type EventTask, type EventText, withUrls } from "../conventions/JsonTask.ts"
import { type BodyRefused, JsonThread } from "../conventions/JsonThread.ts"
import { RateLimiting } from "../conventions/RateLimiting.ts"
import * as RequestBody from "../conventions/RequestBody.ts"
import type { IntakeError } from "./EndpointAnswer.ts"
import * as EndpointBody from "./EndpointBody.ts"
import type { FormRefused } from "./FormUpload.ts"
import * as FormUpload from "./FormUpload.ts"

type Task = Omit<EventTask, "_tag">

const urlForm = /^\/http\/([^/?#]+)(\/[^?#]*)?(?:\?([^#]*))?/

/** The URL of a request to an endpoint. */
export interface EndpointUrl {
  readonly endpointKey: string
  /** The part after the key. */
  readonly path: string
  readonly query: string
  /** All of it, as it came. */
  readonly raw: string
}

export const parseUrl = (url: string): EndpointUrl | undefined => {
  const [, endpointKey, path = "/", query = ""] = urlForm.exec(url) ?? []
  return endpointKey === undefined ? undefined : { endpointKey, path, query, raw: url }
}

/** The number of emitters that a request has passed through, by its `x-headwater-hops`. */
const hopsOf = (header: string | undefined): number => /^\d{1,6}$/.test(header ?? "") ? Number(header) : 0

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

/** The most that a body usually becomes without its codings. */
const usualRatio = 8
const usualBytes = 64 * 1024

/** The bytes of a body that is uploaded that are in memory. */
const uploadRoom = 2 * partBytes

/** The services that a request passes by. */
const services = Effect.all({
  config: EngineConfig,
  files: EventFiles,
  ingest: Ingest,
  rate: RateLimiting,
  room: BodyRoom,
  settings: HttpSettings,
  thread: JsonThread
})

/**
 * Begins a request to an endpoint. `onReply` is called once, unless the request is cancelled before its body is there.
 */
export type Begin = (
  message: IncomingMessage,
  url: EndpointUrl,
  onReply: (reply: Exit.Exit<HttpReply, IntakeError>) => void
) => { readonly cancel: () => void }

/**
 * A request to an endpoint, on its way to be an event in its program's log:
 *
 *     found ─▶ counted ─▶ admitted ─▶ room ─▶ read ─▶ event ─▶ ingested ─▶ replied
 *                             │                         └─▶ tried ─▶ files ─┤
 *                             └─▶ tried ─▶ room ─▶ uploaded ────────────────┘
 *
 * - Q1. A stage that is done already goes on in the same call; a fiber waits for any other.
 * - Q2. It holds room for its body from before that is read until the program's owner has answered.
 * - Q3. It is replied to once. Cancelled, as its client has gone, it ends if its body is not there yet, and goes on otherwise.
 * - Q4. Its files are kept before it is ingested, and removed if it is refused then. Without an answer, they go with
 *   the retention of the account.
 */
class EndpointRequest {
  private state: "coming" | "ingesting" | "over" = "coming"
  private fiber: Fiber.Fiber<unknown, unknown> | undefined
  /** Bytes of room that it holds, for the body as it comes and without its codings. */
  private readonly held = { received: 0, decoded: 0 }
  private accountId = ""
  private files: FilesOfEvent | undefined
  private readonly services: Effect.Success<typeof services>
  private readonly runFork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  private readonly message: IncomingMessage
  private readonly url: EndpointUrl
  private readonly headers: Headers.Headers
  private readonly onReply: (reply: Exit.Exit<HttpReply, IntakeError>) => void

  constructor(
    given: Effect.Success<typeof services>,
    runFork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>,
    message: IncomingMessage,
    url: EndpointUrl,
    onReply: (reply: Exit.Exit<HttpReply, IntakeError>) => void
  ) {
    this.services = given
    this.runFork = runFork
    this.message = message
    this.url = url
    this.headers = Headers.fromInput(message.headers as Record<string, string>)
    this.onReply = onReply
  }

  begin(): void {
    const { ingest, rate } = this.services
    if (RunKey.parse(this.url.endpointKey) !== undefined && !ofRuns.includes(this.message.method!)) {
      return this.end(Exit.fail(notOfRuns(this.message.method!)))
    }
    this.after(
      ingest.find(this.url.endpointKey),
      (endpoint) =>
        this.after(
          rate.take(endpoint.accountId),
          () =>
            this.after(
              ingest.admit(endpoint),
              () =>
                this.isUpload(endpoint)
                  ? this.tryFirst(endpoint, () => this.takeRoomFor(endpoint, uploadRoom, this.upload(endpoint)))
                  : this.isLargeForm(endpoint)
                  ? this.tryFirst(endpoint, () => this.takeRoomFor(endpoint, this.formRoom, this.uploadForm(endpoint)))
                  : this.takeRoom(endpoint)
            )
        )
    )
  }

  /** The client has gone. */
  cancel(): void {
    if (this.state !== "coming") return
    const { fiber, files } = this
    this.state = "over"
    fiber?.interruptUnsafe()
    if (files !== undefined) {
      this.runFork(Effect.andThen(fiber === undefined ? Effect.void : Fiber.await(fiber), files.drop))
    }
    this.giveBack()
  }

  /** Goes on with what a stage comes to. */
  private after<A>(stage: Effect.Effect<A, IntakeError>, next: (value: A) => void): void {
    if (isDone(stage)) return this.goOn(stage.value, next)
    const fiber = this.runFork(stage)
    this.fiber = fiber
    fiber.addObserver((exit) => {
      this.fiber = undefined
      if (this.state === "over") return
      if (Exit.isSuccess(exit)) this.goOn(exit.value, next)
      else this.end(Exit.failCause(exit.cause))
    })
  }

  private goOn<A>(value: A, next: (value: A) => void): void {
    try {
      next(value)
    } catch (defect) {
      // Thrown on, it would end the server.
      this.end(Exit.die(defect))
    }
  }

  private end(reply: Exit.Exit<HttpReply, IntakeError>): void {
    if (this.state === "over") return
    this.state = "over"
    this.giveBack()
    this.onReply(reply)
  }

  private get tooLarge() {
    return Problem.tooLarge("The request body", this.services.settings.maxBody, "HEADWATER_MAX_BODY")
  }

  private takeRoom(endpoint: Endpoint): void {
    const { headers } = this
    const { room, settings: { maxBody } } = this.services
    if (RequestBody.isDeclaredLargerThan({ headers }, maxBody)) return this.end(Exit.fail(this.tooLarge))
    const codings = RequestBody.isPresent({ headers }) ? ContentCoding.named(headers["content-encoding"]) : []
    if (codings === undefined) return this.end(Exit.fail(unknownCoding))
    const bytes = RequestBody.mostBytes({ headers }, maxBody)
    const taken = room.take("received", endpoint.accountId, bytes, () => this.hold("received", endpoint, bytes))
    this.after(taken, () => this.read(endpoint, codings))
  }

  /** True if the body is to be a file. The URL of a run that waits takes none. */
  private isUpload({ runKey }: Endpoint): boolean {
    if (runKey !== undefined || !RequestBody.isPresent({ headers: this.headers })) return false
    return this.asks("x-pd-upload-body", "pipedream_upload_body")
  }

  /** Files are kept for nobody who would be refused, or wants to try the endpoint alone. */
  private tryFirst(endpoint: Endpoint, next: () => void): void {
    const { ingest } = this.services
    const test = { ...this.taken(endpoint, "{}"), isTest: true }
    const tried = Effect.callback<Exit.Exit<HttpReply, RequestError>>((resume) =>
      ingest.take(endpoint, test, (exit) => resume(Effect.succeed(exit)))
    )
    this.after(tried, (exit) => {
      const isTaken = Exit.isSuccess(exit) || isOnlyUnanswered(exit)
      if (!isTaken || this.isTest) this.end(exit)
      else next()
    })
  }

  /** True for a form that is larger than other bodies may be, and says so. */
  private isLargeForm({ runKey }: Endpoint): boolean {
    const { headers, services: { settings: { maxBody } } } = this
    return runKey === undefined && headers["content-encoding"] === undefined &&
      RequestBody.isDeclaredLargerThan({ headers }, maxBody) &&
      mediaTypeOf(headers["content-type"] ?? "") === "multipart/form-data"
  }

  private takeRoomFor(endpoint: Endpoint, bytes: number, event: Effect.Effect<string, IntakeError>): void {
    const { room } = this.services
    const taken = room.take("received", endpoint.accountId, bytes, () => this.hold("received", endpoint, bytes))
    this.after(taken, () => this.after(event, (eventJson) => this.ingest(endpoint, eventJson)))
  }

  /** The event of a request whose body is kept as a file, as it comes. */
  private upload(endpoint: Endpoint): Effect.Effect<string, IntakeError> {
    const name = this.url.path.slice(this.url.path.lastIndexOf("/") + 1)
    return this.eventOf(
      endpoint,
      ({ contentType, files, mostBytes }) =>
        files.keep({ name: name === "" ? "body" : name, contentType }, this.chunksTo(endpoint)).pipe(
          Effect.filterOrFail((kept) => kept !== null, () => noRoomForFile(mostBytes)),
          Effect.map((raw_body_url) => ({ raw_body_url }))
        )
    )
  }

  /** Bytes of a large form that are in memory: its fields, or a part of a file. */
  private get formRoom(): number {
    return Math.max(uploadRoom, this.services.settings.maxBody)
  }

  /** The event of a form whose files are kept, as they come. */
  private uploadForm(endpoint: Endpoint): Effect.Effect<string, IntakeError> {
    const { settings: { maxBody } } = this.services
    const refusalOf = (mostBytes: number): Record<FormRefused["reason"], IntakeError> => ({
      unreadable: unreadableForm,
      fields_too_large: Problem.tooLarge("The fields of the form", maxBody, "HEADWATER_MAX_BODY"),
      no_room: noRoomForFile(mostBytes)
    })
    return this.eventOf(
      endpoint,
      ({ contentType, files, mostBytes }) =>
        RequestBody.isDeclaredLargerThan({ headers: this.headers }, mostBytes + maxBody)
          ? Effect.fail(noRoomForFile(mostBytes))
          : FormUpload.fieldsOf({
            contentType,
            bytes: this.chunksTo(endpoint),
            mostFieldBytes: maxBody,
            keep: files.keep
          }).pipe(
            Effect.catchTag("FormRefused", ({ reason }) => Effect.fail(refusalOf(mostBytes)[reason]))
          )
    )
  }

  /** The event of a request whose files are kept as its body comes. Those of one that comes to nothing are removed. */
  private eventOf(
    endpoint: Endpoint,
    bodyOf: (given: {
      readonly contentType: string
      readonly files: FilesOfEvent
      readonly mostBytes: number
    }) => Effect.Effect<Schema.Json, IntakeError>
  ): Effect.Effect<string, IntakeError> {
    const { message, services: { files: { begin, mostBytes } } } = this
    const { contentType, request: { client_ip, url, ...rest } } = this.taskOf(endpoint, new Uint8Array())
    return Effect.suspend(() => {
      const files = begin(endpoint)
      this.files = files
      return bodyOf({ contentType, files, mostBytes }).pipe(
        Effect.ensuring(Effect.sync(() => message.resume())),
        Effect.onError(() => files.drop)
      )
    }).pipe(Effect.map((body) => JSON.stringify({ ...rest, body, client_ip, url })))
  }

  /** The body as it comes. */
  private chunksTo({ accountId }: Endpoint): Stream.Stream<Uint8Array, IntakeError> {
    return Stream.suspend(() =>
      Stream.fromAsyncIterable<Uint8Array, IntakeError>(
        // The connection goes on behind the answer.
        this.message.iterator({ destroyOnReturn: false }),
        () => unreadable
      )
    ).pipe(Stream.tap((chunk) => Effect.sync(() => this.services.rate.noteBytes(accountId, chunk.length))))
  }

  private hold(which: "received" | "decoded", { accountId }: Endpoint, bytes: number): void {
    this.held[which] = bytes
    this.accountId = accountId
    if (this.state === "over") this.giveBack()
  }

  private giveBack(): void {
    const { accountId, held, services: { room } } = this
    if (held.received > 0) room.giveBack("received", accountId, held.received)
    if (held.decoded > 0) room.giveBack("decoded", accountId, held.decoded)
    held.received = held.decoded = 0
  }

  private read(endpoint: Endpoint, codings: ReadonlyArray<ContentCoding.Coding>): void {
    const { message, services: { settings: { maxBody } } } = this
    const chunks: Array<Buffer<ArrayBuffer>> = []
    let length = 0
    message.on("data", (chunk: Buffer<ArrayBuffer>) => {
      // The rest of a body that is too large is read and dropped.
      if (this.state !== "coming") return
      length += chunk.length
      if (length > maxBody) this.end(Exit.fail(this.tooLarge))
      else chunks.push(chunk)
    })
    message.on("end", () => {
      if (this.state !== "coming") return
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      this.goOn(bytes, () => this.makeEvent(endpoint, codings, bytes))
    })
    message.on("close", () => {
      if (!message.complete) this.end(Exit.fail(unreadable))
    })
  }

  private makeEvent(
    endpoint: Endpoint,
    codings: ReadonlyArray<ContentCoding.Coding>,
    bytes: Uint8Array<ArrayBuffer>
  ): void {
    const { rate, thread } = this.services
    const { accountId } = endpoint
    const task = this.taskOf(endpoint, bytes)
    rate.noteBytes(accountId, bytes.length)
    const event = codings.length === 0 || bytes.length === 0
      ? thread.event(accountId, task)
      : Effect.tap(
        this.decodedEvent(endpoint, task, codings),
        ({ json }) => Effect.sync(() => rate.noteBytes(accountId, Math.max(0, json.length - bytes.length)))
      )
    const refused = ({ reason }: BodyRefused) => Effect.fail(reason === "too_large" ? this.tooLarge : undecodable)
    this.after(
      isDone(event) ? Effect.succeed(event.value) : Effect.catchTag(event, "BodyRefused", refused),
      (text) => {
        if (text.files.length === 0) return this.ingest(endpoint, text.json)
        // Its body is there.
        this.state = "ingesting"
        return this.tryFirst(
          endpoint,
          () => this.after(this.keepFiles(endpoint, text), (eventJson) => this.ingest(endpoint, eventJson))
        )
      }
    )
  }

  /** The event of a form with the URLs of its files. */
  private keepFiles(endpoint: Endpoint, text: EventText): Effect.Effect<string> {
    const kept = this.services.files.begin(endpoint)
    this.files = kept
    return Effect.forEach(
      text.files,
      ({ content, contentType, filename }) => kept.keep({ name: filename, contentType }, Stream.make(content))
    ).pipe(
      Effect.map((urls) => withUrls(text, urls))
    )
  }

  /** True if a request asks for something by a header, or by a field of its query. */
  private asks(header: string, field = header): boolean {
    const { query } = this.url
    return this.headers[header] === "1" ||
      query.includes(field) && EndpointBody.pairsOf(query).get(field) === "1"
  }

  private get isTest(): boolean {
    return this.asks("x-pd-notrigger")
  }

  private taken({ programId }: Endpoint, eventJson: string): TakenRequest {
    const { authorization } = this.headers
    const isUnstored = Id.kindOf(programId) === "workflow" && this.asks("x-pd-nostore")
    return {
      eventJson,
      hops: hopsOf(this.headers["x-headwater-hops"]),
      ...(authorization === undefined ? {} : { authorization }),
      ...(this.isTest ? { isTest: true } : {}),
      ...(isUnstored ? { unstored: this.files?.paths ?? [] } : {})
    }
  }

  private ingest(endpoint: Endpoint, eventJson: string): void {
    this.state = "ingesting"
    this.services.ingest.take(endpoint, this.taken(endpoint, eventJson), (reply) => {
      if (this.files !== undefined && isRefused(reply)) this.runFork(this.files.drop)
      this.end(reply)
    })
  }

  /** The event that the program's code sees. */
  private taskOf({ programId }: Endpoint, bytes: Uint8Array<ArrayBuffer>): Task {
    const { headers, message: { method, rawHeaders, socket: { remoteAddress = "" } } } = this
    const { path, query, raw } = this.url
    const { config: { publicUrl }, settings: { trustedProxies = [] } } = this.services
    return {
      request: {
        method: method!,
        path,
        query: EndpointBody.multimap(EndpointBody.pairsOf(query)),
        headers: allOf(headers, rawHeaders),
        client_ip: ClientAddress.of(remoteAddress, headers["x-forwarded-for"], trustedProxies),
        url: `${publicUrl}${raw}`
      },
      contentType: headers["content-type"] ?? "",
      bytes,
      expanded: Id.kindOf(programId) === "workflow"
    }
  }

  /**
   * The event of a request whose body is in codings. Room is taken for what most bodies become, and for the rest if
   * need be.
   */
  private decodedEvent(endpoint: Endpoint, task: Task, codings: ReadonlyArray<ContentCoding.Coding>) {
    const { room, settings: { maxBody }, thread } = this.services
    const { accountId } = endpoint
    const within = (mostBytes: number) =>
      Effect.andThen(
        Effect.suspend(() => {
          if (this.held.decoded > 0) room.giveBack("decoded", accountId, this.held.decoded)
          this.held.decoded = 0
          return room.take("decoded", accountId, mostBytes, () => this.hold("decoded", endpoint, mostBytes))
        }),
        Effect.suspend(() => thread.event(accountId, { ...task, coded: { codings, mostBytes } }))
      )
    const usual = Math.min(maxBody, usualRatio * task.bytes.length + usualBytes)
    return usual === maxBody ? within(maxBody) : Effect.catchIf(
      within(usual),
      (error) => error._tag === "BodyRefused" && error.reason === "too_large",
      () => within(maxBody)
    )
  }
}

/** Takes requests from wherever they come in. */
export const make: Effect.Effect<Begin, never, Effect.Services<typeof services>> = Effect.gen(function*() {
  const given = yield* services
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  return (message, url, onReply) => {
    const request = new EndpointRequest(given, runFork, message, url, onReply)
    request.begin()
    return request
  }
})

/** True if a request has been taken, and its code only does not answer. */
const isOnlyUnanswered = (exit: Exit.Exit<HttpReply, RequestError>): boolean =>
  Option.exists(Exit.findErrorOption(exit), ({ _tag }) => _tag === "NotAnswered")

/** True if a request is in no log: one without an answer may be. */
const isRefused = (exit: Exit.Exit<HttpReply, RequestError>): boolean =>
  Option.exists(Exit.findErrorOption(exit), ({ _tag }) => _tag !== "NotAnswered" && _tag !== "Unavailable")

/** The methods by which a run is had go on or ended: others are asked for by machines that only look. */
const ofRuns = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const notOfRuns = (method: string) => {
  const sentence = `The URL of a run that waits does not accept ${method}.`
  return new Problem.MethodNotAllowed({ detail: sentence, error: sentence, details: { allow: ofRuns } })
}

const unreadable = Problem.invalid([{ path: "", message: "The request body could not be read." }])

const unreadableForm = Problem.invalid([{ path: "", message: "The form could not be read to its end." }])

const noRoomForFile = (mostBytes: number) =>
  new Problem.PayloadTooLarge({
    ...Problem.because(`The account has no room for the request body: its files take ${mostBytes} bytes at most.`),
    details: { limit_bytes: mostBytes }
  })

const undecodable = Problem.invalid([{ path: "Content-Encoding", message: "is not what the request body is in" }])

const unknownCoding = new Problem.UnsupportedMediaType(
  Problem.because(
    `The request body is in a Content-Encoding that is not supported. Send ${ContentCoding.accepted}, or none.`
  )
)
