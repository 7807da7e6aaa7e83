import { Result } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { errors as UndiciErrors } from "undici"
import type { Timed } from "./Deadlines.ts"
import {
  type Answer,
  AnswerTooLong,
  type BrokenStage,
  type EgressConnection,
  Http1Required,
  Http2Broken,
  type Making
} from "./EgressConnection.ts"
import { ConnectFailed, type EgressRefused } from "./EgressGuard.ts"
import type { EgressHttpEnding, EgressHttpRequest } from "./EgressHttp.ts"
import { type EarlierRequest, EgressHttpFailed } from "./EgressHttpFailed.ts"
import type { EgressPool, EgressRoute, Waiter } from "./EgressPool.ts"
import type { EgressPools } from "./EgressPools.ts"
import type { DnsFailed } from "./NameResolver.ts"
import type { Phases } from "./Phases.ts"
import type { Place } from "./Place.ts"
import { TlsFailed } from "./SecureSocket.ts"

/** The unread rest of an answer is worth reading, to keep its connection, only up to this many bytes. */
const worthDraining = 64 * 1024

/** A whole answer may come to so many bytes in any case, as it is sent; to twice its body where that may be longer. */
const leastOfAnswer = 1024 * 1024

/** The most addresses of a name that are tried, if nobody listens at those before. */
const mostAddresses = 4

/** The services that an exchange uses. */
export interface Surroundings {
  /** The monotonic time in milliseconds. */
  readonly now: () => number
  readonly pools: EgressPools
  /** It is not under way any more. */
  readonly onOver: (exchange: EgressExchange) => void
}

/**
 * One request and its answer. It has no fiber and no timer of its own: a webhook has one for each event.
 *
 *     waiting ─addresses─▶ sent ─ending─▶ ended ─told─▶ over
 *
 * - X1. It is under way while it waits for the addresses of its host, and while it has or waits for a connection. Its ending
 *   is set once, and it is over at once if nobody wants to be told of that.
 * - X2. It tells of its ending once, and not before the caller that began it knows of it.
 * - X3. If nobody listens at an address, another one is tried. A request is sent a second time only as `EgressHttp` says, and
 *   not a third time.
 */
export class EgressExchange implements Timed, Waiter, Answer {
  readonly timeoutMillis: number
  readonly deadline: number
  private state: "waiting" | "sent" | "ended" | "over" = "waiting"
  private readonly request: EgressHttpRequest
  private readonly onEnding: (ending: EgressHttpEnding) => void
  private readonly around: Surroundings
  private readonly startedAt: number
  /** True once the caller that began it knows of it and can be told of its end. */
  private isKnown = false
  private ending: EgressHttpEnding | undefined
  /** Breaks off looking up the name. */
  private withdraw: (() => void) | undefined
  private route: EgressRoute | undefined
  /** Addresses that were not tried, and the one that is being tried. */
  private addresses: ReadonlyArray<string> = []
  private triedAddresses = 0
  private pool: EgressPool | undefined
  private connection: EgressConnection | undefined
  private earlier: EarlierRequest | undefined
  private status = 0
  private headers: IncomingHttpHeaders = {}
  private chunks: Array<Buffer> = []
  private bytesRead = 0
  /** True if the answer was too long to be read to its end, however much of it is the body. */
  private isCut = false
  private dnsMs: number | null = null
  private dispatchedAt = 0
  /** The time at which a connection took the request. */
  private writtenAt: number | undefined
  private connectMs: number | null = null
  private tlsMs: number | null = null
  private firstByteMs: number | null = null

  constructor(
    request: EgressHttpRequest,
    onEnding: (ending: EgressHttpEnding) => void,
    around: Surroundings
  ) {
    this.request = request
    this.onEnding = onEnding
    this.around = around
    this.startedAt = around.now()
    this.timeoutMillis = request.timeoutMillis
    this.deadline = this.startedAt + request.timeoutMillis
  }

  /** It waits for its addresses, until `withdraw` breaks that off. */
  wait(withdraw: () => void): void {
    this.withdraw = withdraw
  }

  /** Sends the request to an address of the place, all of them checked for it. */
  send(place: Place, addresses: ReadonlyArray<string>): void {
    if (this.state !== "waiting") return
    this.withdraw = undefined
    const { asker, http2, tls } = this.request
    this.route = { accountId: asker.accountId, place, tls, isHttp1Only: http2 === false }
    this.addresses = addresses
    this.setState("sent")
    this.dnsMs = this.around.now() - this.startedAt
    this.dispatch()
  }

  /** The request may not be sent, or its host has no address. */
  refuse(why: EgressRefused | DnsFailed): void {
    this.fail(why._tag === "EgressRefused" ? "refused" : "dns", why.message)
  }

  /** Notes that the caller that began it knows of it. */
  begun(): this {
    this.isKnown = true
    if (this.state === "ended") queueMicrotask(() => this.tell())
    return this
  }

  /** Breaks it off. Its end is not told. */
  cancel(): void {
    const wasUnderWay = this.isUnderWay
    this.setState("over")
    if (wasUnderWay) this.breakOff()
  }

  /** Its time is over. */
  expire(): void {
    if (!this.isUnderWay) return
    const message = `No complete answer within ${this.timeoutMillis} ms: ${this.standing}`
    this.conclude(Result.fail(this.failureOf(this.state === "waiting" ? "dns" : "timeout", message)))
    // The caller may send again at once when told, and a connection that many share may be dead.
    if (this.connection?.isShared === true) this.connection.retire()
    this.breakOff()
    if (this.isKnown) this.tell()
  }

  private breakOff(): void {
    this.withdraw?.()
    if (this.connection === undefined) this.pool?.withdraw(this)
    else this.connection.abort(this)
  }

  /** Its progress, in words. */
  private get standing(): string {
    if (this.state === "waiting") return "the name was still being looked up"
    if (this.status > 0) return "the answer had begun"
    if (this.writtenAt !== undefined) return "no answer had begun"
    if (this.route?.place.isSecure !== true || !this.isConnected) return "there was no connection"
    return this.pool?.making.tlsMs === null ? "the TLS handshake was not over" : "the endpoint took no request"
  }

  onConnection(connection: EgressConnection): void {
    this.connection = connection
    const { body, headers, maxBodyBytes, method } = this.request
    const { place } = this.route!
    connection.send({
      method,
      origin: place.origin,
      path: place.path,
      headers: headersOf(place, headers),
      body,
      mostBytes: Math.max(leastOfAnswer, 2 * maxBodyBytes)
    }, this)
  }

  onUnreachable(error: Error): void {
    if (!this.isUnderWay) return
    const { message, reason } = classify(error)
    if (error instanceof ConnectFailed) {
      const tried = this.pool!
      // No other request is to try it first.
      this.around.pools.drop(tried)
      this.triedAddresses += 1
      this.addresses = this.addresses.filter((other) => other !== tried.address)
      if (reason === "connect" && this.addresses.length > 0 && this.triedAddresses < mostAddresses) {
        return this.dispatch()
      }
    }
    this.fail(reason, message)
  }

  onSent(): void {
    const { making } = this.connection!
    if (making.connectedAt >= this.dispatchedAt) this.noteMaking(making)
    this.writtenAt = this.around.now()
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.status = status
    this.headers = headers
    if (this.writtenAt !== undefined) this.firstByteMs = this.around.now() - this.writtenAt
  }

  onData(chunk: Buffer): void {
    const { maxBodyBytes } = this.request
    if (this.bytesRead < maxBodyBytes) this.chunks.push(chunk.subarray(0, maxBodyBytes - this.bytesRead))
    this.bytesRead += chunk.length
    if (this.bytesRead <= maxBodyBytes + worthDraining) return
    // An answer that is not read to its end gives up its connection.
    const { connection } = this
    this.succeed()
    connection?.abort(this)
  }

  onEnd(): void {
    this.succeed()
  }

  onBroken(error: Error, stage: BrokenStage): void {
    if (!this.isUnderWay) return
    const isOnKept = this.connection!.answered > 0
    this.connection = undefined
    // A server may close a kept connection just as it is used again: that says nothing about this request.
    if (stage === "unsent" && isOnKept) return this.dispatch()
    if (error instanceof AnswerTooLong && this.status > 0) {
      this.isCut = true
      return this.succeed()
    }
    const { isReset, message, reason } = classify(error)
    const isHttp1Required = error instanceof Http1Required
    if (isHttp1Required) this.around.pools.noteHttp1(this.route!)
    const isToBeRepeated = isHttp1Required ? this.status === 0 : stage === "unanswered" && isReset && isOnKept
    if (!isToBeRepeated || this.earlier !== undefined) return this.fail(reason, message)
    const { address } = this.pool!
    this.earlier = { reason, message, address, durationMs: this.around.now() - this.startedAt, phases: this.phases }
    this.dispatch()
  }

  private dispatch(): void {
    this.dispatchedAt = this.around.now()
    this.writtenAt = undefined
    this.connectMs = this.tlsMs = null
    this.pool = this.around.pools.take(this.route!, this.addresses)
    this.pool.request(this)
  }

  private succeed(): void {
    if (!this.isUnderWay) return
    this.end(Result.succeed({
      status: this.status,
      headers: joined(this.headers),
      body: Buffer.concat(this.chunks),
      bodyTruncated: this.isCut || this.bytesRead > this.request.maxBodyBytes,
      address: this.pool!.address,
      durationMs: this.around.now() - this.startedAt,
      phases: this.phases,
      ...(this.earlier === undefined ? {} : { earlier: this.earlier })
    }))
  }

  private fail(reason: EgressHttpFailed["reason"], message: string): void {
    if (this.isUnderWay) this.end(Result.fail(this.failureOf(reason, message)))
  }

  private failureOf(reason: EgressHttpFailed["reason"], message: string): EgressHttpFailed {
    if (this.writtenAt === undefined && this.isConnected) this.noteMaking(this.pool!.making)
    return new EgressHttpFailed({
      reason,
      message,
      durationMs: this.around.now() - this.startedAt,
      phases: this.phases,
      ...(this.pool === undefined ? {} : { address: this.pool.address }),
      ...(this.earlier === undefined ? {} : { earlier: this.earlier })
    })
  }

  /** Notes the durations of its own connection. One that was made before it was sent served others too. */
  private noteMaking({ connectMs, tlsMs }: Making): void {
    this.connectMs = connectMs
    this.tlsMs = tlsMs
  }

  /** True if a connection was made since it began to wait for one. */
  private get isConnected(): boolean {
    return this.pool !== undefined && this.pool.making.connectedAt >= this.dispatchedAt
  }

  private get phases(): Phases {
    return { dnsMs: this.dnsMs, connectMs: this.connectMs, tlsMs: this.tlsMs, firstByteMs: this.firstByteMs }
  }

  private get isUnderWay(): boolean {
    return this.state === "waiting" || this.state === "sent"
  }

  private end(ending: EgressHttpEnding): void {
    this.conclude(ending)
    if (this.isKnown) this.tell()
  }

  private conclude(ending: EgressHttpEnding): void {
    this.ending = ending
    this.setState("ended")
  }

  private tell(): void {
    if (this.state !== "ended") return
    this.setState("over")
    this.onEnding(this.ending!)
  }

  private setState(state: "sent" | "ended" | "over"): void {
    const wasUnderWay = this.isUnderWay
    this.state = state
    if (wasUnderWay && !this.isUnderWay) this.around.onOver(this)
  }
}

/** The headers to send, by lower-case names. The request's own headers win, except for the host. */
const headersOf = (place: Place, given: Readonly<Record<string, string>>): Array<string> => {
  const flat = ["host", place.authority]
  if (place.authorization !== undefined && given["authorization"] === undefined) {
    flat.push("authorization", place.authorization)
  }
  for (const name in given) if (name !== "host") flat.push(name, given[name]!)
  return flat
}

const joined = (headers: IncomingHttpHeaders): Record<string, string> => {
  const joined: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) joined[name] = typeof value === "string" ? value : value.join(", ")
  }
  return joined
}

interface Failure {
  readonly reason: EgressHttpFailed["reason"]
  readonly message: string
  /** True if a new connection may not meet the same failure. */
  readonly isReset: boolean
}

const resetCodes = new Set([
  "ECONNRESET",
  "EPIPE",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_HTTP2_STREAM_CANCEL",
  "ERR_HTTP2_STREAM_ERROR"
])

const classify = (error: Error): Failure => {
  if (error instanceof ConnectFailed && error.code !== "ECONNRESET") {
    return { reason: error.code === "ETIMEDOUT" ? "timeout" : "connect", message: error.message, isReset: false }
  }
  if (error instanceof TlsFailed) return { reason: error.reason, message: error.message, isReset: false }
  const code = "code" in error ? String(error.code) : ""
  // An endpoint may report a refusal after the handshake, such as for the lack of a certificate.
  if (code.startsWith("ERR_SSL_")) return { reason: "tls", message: error.message, isReset: false }
  const isReset = error instanceof UndiciErrors.SocketError || error instanceof Http2Broken || resetCodes.has(code)
  return isReset
    ? {
      reason: "reset",
      message: `The connection was closed before the answer was complete: ${error.message}`,
      isReset
    }
    : { reason: "protocol", message: error.message, isReset }
}
