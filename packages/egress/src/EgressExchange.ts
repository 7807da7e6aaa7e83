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

/** What is left unread of an answer is worth reading, to keep its connection, only up to this many bytes. */
const worthDraining = 64 * 1024

const givenUp = new Error("The request was aborted")

/** What an exchange asks of those around it. */
export interface Surroundings {
  /** The time in milliseconds, which no clock's being set moves. */
  readonly now: () => number
  /** The connections to one of these addresses. */
  readonly takePool: (place: Place, addresses: ReadonlyArray<string>) => EgressPool
  /** The connections are of no use any more. */
  readonly dropPool: (place: Place, pool: EgressPool) => void
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
    if (wasUnderWay) this.leave()
    this.state = "over"
    if (!wasUnderWay) return
    this.controller?.abort(givenUp)
    this.withdraw?.()
  }

  /** Its time is over. */
  expire(): void {
    if (!this.isUnderWay) return
    const { controller, withdraw } = this
    this.fail("timeout", `No complete answer within ${this.timeoutMillis} ms`)
    controller?.abort(givenUp)
    withdraw?.()
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
    if (reason === "connect" && this.addresses.length > 1) {
      const tried = this.pool!.address
      this.addresses = this.addresses.filter((other) => other !== tried)
      return this.sendAgain()
    }
    // A server may close a kept connection just as it is used again: that says nothing about this request. Once it has begun
    // to answer, the request has arrived, and is not sent a second time.
    if (!isReset || this.status > 0 || this.resets > 0) return this.fail(reason, message)
    this.resets += 1
    this.around.dropPool(this.place!, this.pool!)
    this.sendAgain()
  }

  private sendAgain(): void {
    this.free()
    this.dispatch(this.place!)
  }

  private dispatch(place: Place): void {
    const { body, headers, method } = this.request
    const pool = this.around.takePool(place, this.addresses)
    this.pool = pool
    pool.inUse += 1
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
    if (!this.isUnderWay) return
    if (this.writtenAt === undefined) this.noteConnection()
    this.end(Result.fail(
      new EgressHttpFailed({
        reason,
        message,
        durationMs: this.around.now() - this.startedAt,
        phases: this.phases,
        ...(this.pool === undefined ? {} : { address: this.pool.address })
      })
    ))
  }

  /** What its own connection took: one that was made before it was sent served others too. */
  private noteConnection(): void {
    const { pool } = this
    if (pool === undefined || pool.connectedAt < this.dispatchedAt) return
    this.connectMs = pool.connectMs
    this.tlsMs = pool.tlsMs
  }

  private get phases(): Phases {
    return { dnsMs: this.dnsMs, connectMs: this.connectMs, tlsMs: this.tlsMs, firstByteMs: this.firstByteMs }
  }

  private get isUnderWay(): boolean {
    return this.state === "waiting" || this.state === "sent"
  }

  private end(ending: EgressHttpEnding): void {
    this.leave()
    this.state = "ended"
    this.ending = ending
    if (this.isKnown) this.tell()
  }

  private tell(): void {
    if (this.state !== "ended") return
    this.state = "over"
    this.onEnd(this.ending!)
  }

  private leave(): void {
    if (this.state === "sent") this.free()
    this.around.onOver(this)
  }

  private free(): void {
    this.pool!.inUse -= 1
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

const classify = (error: Error): Failure => {
  if (error instanceof ConnectFailed) {
    return { reason: error.code === "ETIMEDOUT" ? "timeout" : "connect", message: error.message, isReset: false }
  }
  if (error instanceof TlsFailed) return { reason: "tls", message: error.message, isReset: false }
  const code = "code" in error ? error.code : undefined
  const isReset = error instanceof UndiciErrors.SocketError || code === "ECONNRESET" || code === "EPIPE"
  return { reason: "protocol", message: error.message, isReset }
}
