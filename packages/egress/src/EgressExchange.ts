import * as Result from "effect/Result"
import type { IncomingHttpHeaders } from "node:http"
import { type Dispatcher, errors as UndiciErrors } from "undici"
import type { Timed } from "./Deadlines.ts"
import { ConnectFailed, type EgressRefused } from "./EgressGuard.ts"
import type { EgressHttpEnding, EgressHttpRequest } from "./EgressHttp.ts"
import { EgressHttpFailed } from "./EgressHttpFailed.ts"
import { type EgressPool, type Place, TlsFailed } from "./EgressPools.ts"
import type { DnsFailed } from "./NameResolver.ts"
import type { Phases } from "./Phases.ts"
import type { TlsSettings } from "./TlsSettings.ts"

/** What is left unread of an answer is worth reading, to keep its connection, only up to this many bytes. */
const worthDraining = 64 * 1024

/** So many addresses of a name are tried at most, where nobody listens at those before. */
const mostAddresses = 4

const givenUp = new Error("The request was aborted")

/** What an exchange asks of those around it. */
export interface Surroundings {
  /** The time in milliseconds, which no clock's being set moves. */
  readonly now: () => number
  /** The connections to one of these addresses. */
  readonly takePool: (place: Place, addresses: ReadonlyArray<string>, tls: TlsSettings | undefined) => EgressPool
  /** The connections are of no use any more. */
  readonly dropPool: (pool: EgressPool) => void
  /** It is over. */
  readonly onOver: (exchange: EgressExchange) => void
}

/**
 * One request, and what answers it. It has no fiber and no timer of its own: a webhook has one for each event.
 *
 * It is *waiting* until the addresses of its host are known, *sent* while a connection has it, *ended* when it has an ending,
 * and *over* once that is told or nobody wants to be told of it. A request that met a broken connection, or an address where
 * nobody listens, is sent anew.
 */
export class EgressExchange implements Timed, Dispatcher.DispatchHandler {
  readonly timeoutMillis: number
  readonly deadline: number
  private state: "waiting" | "sent" | "ended" | "over" = "waiting"
  private readonly request: EgressHttpRequest
  private readonly onEnd: (ending: EgressHttpEnding) => void
  private readonly around: Surroundings
  private readonly startedAt: number
  /** Whether whoever began it knows of it, and can be told of its end. */
  private isKnown = false
  private ending: EgressHttpEnding | undefined
  /** Breaks off looking up the name. */
  private withdraw: (() => void) | undefined
  private place: Place | undefined
  /** Those that were not tried, the one that is tried included. */
  private addresses: ReadonlyArray<string> = []
  private triedAddresses = 0
  private resets = 0
  private pool: EgressPool | undefined
  private controller: Dispatcher.DispatchController | undefined
  private status = 0
  private headers: IncomingHttpHeaders = {}
  private chunks: Array<Buffer> = []
  private bytesRead = 0
  private dnsMs: number | null = null
  private dispatchedAt = 0
  /** When a connection took the request. */
  private writtenAt: number | undefined
  private connectMs: number | null = null
  private tlsMs: number | null = null
  private firstByteMs: number | null = null

  constructor(
    request: EgressHttpRequest,
    onEnd: (ending: EgressHttpEnding) => void,
    around: Surroundings
  ) {
    this.request = request
    this.onEnd = onEnd
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
    this.place = place
    this.addresses = addresses
    this.state = "sent"
    this.dnsMs = this.around.now() - this.startedAt
    this.dispatch(place)
  }

  /** The request may not be sent, or its host has no address. */
  refuse(why: EgressRefused | DnsFailed): void {
    this.fail(why._tag === "EgressRefused" ? "refused" : "dns", why.message)
  }

  /** Whoever began it knows of it now. */
  begun(): this {
    this.isKnown = true
    if (this.state === "ended") queueMicrotask(() => this.tell())
    return this
  }

  /** Breaks it off. Its end is not told. */
  cancel(): void {
    const wasUnderWay = this.isUnderWay
    this.leave("over")
    if (wasUnderWay) this.breakOff()
  }

  /** Its time is over. */
  expire(): void {
    if (!this.isUnderWay) return
    const message = `No complete answer within ${this.timeoutMillis} ms: ${this.standing}`
    this.conclude(Result.fail(this.failureOf(this.state === "waiting" ? "dns" : "timeout", message)))
    // Who is told may send again at once, and nothing may come over a connection that many share any more.
    if (this.pool?.isShared === true) this.around.dropPool(this.pool)
    this.breakOff()
    if (this.isKnown) this.tell()
  }

  /** Frees what is of no use to others: what waits for a connection holds no socket that nobody else waits for. */
  private breakOff(): void {
    this.controller?.abort(givenUp)
    this.withdraw?.()
    if (this.pool?.isUsed === false) this.around.dropPool(this.pool)
  }

  /** How far it has come. */
  private get standing(): string {
    if (this.state === "waiting") return "the name was still being looked up"
    if (this.status > 0) return "the answer had begun"
    if (this.writtenAt !== undefined) return "no answer had begun"
    return this.place?.isSecure === true && this.isConnected
      ? "the TLS handshake was not over"
      : "there was no connection"
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (!this.isUnderWay) return controller.abort(givenUp)
    this.noteConnection()
    this.writtenAt = this.around.now()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
    if (this.writtenAt !== undefined) this.firstByteMs = this.around.now() - this.writtenAt
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBodyBytes } = this.request
    if (this.bytesRead < maxBodyBytes) this.chunks.push(chunk.subarray(0, maxBodyBytes - this.bytesRead))
    this.bytesRead += chunk.length
    if (this.bytesRead <= maxBodyBytes + worthDraining) return
    // What is not read to its end gives up its connection.
    this.succeed()
    controller.abort(givenUp)
  }

  onResponseEnd(): void {
    this.succeed()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (!this.isUnderWay) return
    const { isReset, message, reason } = classify(error)
    if (error instanceof ConnectFailed) {
      const tried = this.pool!
      // Nobody is to try it first.
      this.around.dropPool(tried)
      this.triedAddresses += 1
      this.addresses = this.addresses.filter((other) => other !== tried.address)
      if (reason === "connect" && this.addresses.length > 0 && this.triedAddresses < mostAddresses) {
        return this.sendAgain()
      }
    }
    // A server may close a kept connection just as it is used again: that says nothing about this request. Once it has begun
    // to answer, the request has arrived, and is not sent a second time.
    if (!isReset || this.status > 0 || this.resets > 0) return this.fail(reason, message)
    this.resets += 1
    this.around.dropPool(this.pool!)
    this.sendAgain()
  }

  private sendAgain(): void {
    this.free()
    this.dispatch(this.place!)
  }

  private dispatch(place: Place): void {
    const { body, headers, method, tls } = this.request
    const pool = this.around.takePool(place, this.addresses, tls)
    this.pool = pool
    pool.enter()
    this.controller = undefined
    this.dispatchedAt = this.around.now()
    this.writtenAt = undefined
    this.connectMs = this.tlsMs = null
    pool.connections.dispatch({
      method: method as Dispatcher.HttpMethod,
      path: place.path,
      headers: headersOf(place, headers),
      body: body ?? null
    }, this)
  }

  private succeed(): void {
    if (!this.isUnderWay) return
    this.end(Result.succeed({
      status: this.status,
      headers: joined(this.headers),
      body: Buffer.concat(this.chunks),
      bodyTruncated: this.bytesRead > this.request.maxBodyBytes,
      address: this.pool!.address,
      durationMs: this.around.now() - this.startedAt,
      phases: this.phases
    }))
  }

  private fail(reason: EgressHttpFailed["reason"], message: string): void {
    if (this.isUnderWay) this.end(Result.fail(this.failureOf(reason, message)))
  }

  private failureOf(reason: EgressHttpFailed["reason"], message: string): EgressHttpFailed {
    if (this.writtenAt === undefined) this.noteConnection()
    return new EgressHttpFailed({
      reason,
      message,
      durationMs: this.around.now() - this.startedAt,
      phases: this.phases,
      ...(this.pool === undefined ? {} : { address: this.pool.address })
    })
  }

  /** What its own connection took: one that was made before it was sent served others too. */
  private noteConnection(): void {
    if (!this.isConnected) return
    this.connectMs = this.pool!.connectMs
    this.tlsMs = this.pool!.tlsMs
  }

  private get isConnected(): boolean {
    return this.pool !== undefined && this.pool.connectedAt >= this.dispatchedAt
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
    this.leave("ended")
  }

  private tell(): void {
    if (this.state !== "ended") return
    this.state = "over"
    this.onEnd(this.ending!)
  }

  /** What is under way is so no more, before others hear of it. */
  private leave(state: "ended" | "over"): void {
    const before = this.state
    this.state = state
    if (before === "sent") this.free()
    if (before === "sent" || before === "waiting") this.around.onOver(this)
  }

  private free(): void {
    this.pool!.leave()
  }
}

/** Lower-case names; what the request says itself counts, but for the host. */
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
  /** Whether a new connection may not meet it. */
  readonly isReset: boolean
}

const resetCodes = new Set(["ECONNRESET", "EPIPE", "ERR_HTTP2_STREAM_ERROR", "ERR_HTTP2_STREAM_CANCEL"])

const classify = (error: Error): Failure => {
  if (error instanceof ConnectFailed && error.code !== "ECONNRESET") {
    return { reason: error.code === "ETIMEDOUT" ? "timeout" : "connect", message: error.message, isReset: false }
  }
  if (error instanceof TlsFailed) return { reason: error.reason, message: error.message, isReset: false }
  const code = "code" in error ? String(error.code) : ""
  // An endpoint may tell after the handshake what it refuses, such as the lack of a certificate.
  if (code.startsWith("ERR_SSL_")) return { reason: "tls", message: error.message, isReset: false }
  const isReset = error instanceof UndiciErrors.SocketError || resetCodes.has(code)
  return isReset
    ? {
      reason: "reset",
      message: `The connection was closed before the answer was complete: ${error.message}`,
      isReset
    }
    : { reason: "protocol", message: error.message, isReset }
}
