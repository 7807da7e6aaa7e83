import * as Http2 from "node:http2"
import type { TLSSocket } from "node:tls"
import {
  type Answer,
  AnswerTooLong,
  type BrokenStage,
  type ConnectionWatcher,
  EgressConnection,
  Http1Required,
  Http2Broken,
  keptMillis,
  type Making,
  mostHeaderBytes,
  mostInterims,
  type SentRequest
} from "./EgressConnection.ts"

const { NGHTTP2_CANCEL, NGHTTP2_HTTP_1_1_REQUIRED, NGHTTP2_NO_ERROR } = Http2.constants

/** The most requests that share a connection; an endpoint may want fewer. */
const mostStreams = 100

/** The most bytes that an endpoint may send at once: to one request, and to all of a connection. */
const streamWindow = 256 * 1024
const connectionWindow = 512 * 1024

/** The most bytes that an endpoint may send between two parts of final answers: interim answers, pings and all else. */
const mostBetween = 512 * 1024

/** The interval of that check, in milliseconds: Node emits no event for most frames. */
const lookMillis = 250

/** The time in which requests under way may still be answered after an error of the endpoint, in milliseconds. */
const lingerMillis = 1_000

const closed = "The stream was closed"

/** Headers of a connection, which HTTP/2 does not have (RFC 9113, section 8.2.2). */
const ofConnections = new Set([
  "connection",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade"
])

const headersOf = ({ body, headers, method, origin, path }: SentRequest): Http2.OutgoingHttpHeaders => {
  const sent: Http2.OutgoingHttpHeaders = {
    [Http2.constants.HTTP2_HEADER_METHOD]: method,
    [Http2.constants.HTTP2_HEADER_SCHEME]: origin.startsWith("https:") ? "https" : "http",
    [Http2.constants.HTTP2_HEADER_AUTHORITY]: headers[1],
    [Http2.constants.HTTP2_HEADER_PATH]: path
  }
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    if (!ofConnections.has(name)) sent[name] = headers[at + 1]
  }
  if (body !== undefined) sent[Http2.constants.HTTP2_HEADER_CONTENT_LENGTH] = Buffer.byteLength(body)
  return sent
}

/** A request on the connection, and the progress of its answer. */
interface Stream {
  readonly http2: Http2.ClientHttp2Stream
  status: number
  /** Bytes of the body, as announced and as they came. */
  length: number | undefined
  bytes: number
  interims: number
  /** True once the endpoint has ended the answer. */
  isEnded: boolean
  error: Error | undefined
}

/**
 * A connection that many requests share (RFC 9113). It does not decide which of them are sent a second time.
 *
 * - H1. A request has a stream until its answer is whole, or broke, or was given up. Nothing of it is told afterwards.
 * - H2. The endpoint may send so many bytes at most between two parts of final answers.
 * - H3. If the endpoint ends the connection for an error, requests under way may be answered for a moment longer.
 */
export class Http2Connection extends EgressConnection {
  readonly isShared = true
  private readonly socket: TLSSocket
  private readonly session: Http2.ClientHttp2Session
  private readonly streams = new Map<Answer, Stream>()
  /** 0 until the endpoint has said how many it takes. */
  private mostStreams = 0
  /** The reason why all unanswered requests broke. */
  private error: Error | undefined
  private bytesSeen = 0
  private readonly looking: NodeJS.Timeout
  private lingering: NodeJS.Timeout | undefined

  constructor(socket: TLSSocket, origin: string, making: Making, watcher: ConnectionWatcher) {
    super(making, watcher)
    this.socket = socket
    this.session = Http2.connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow, maxHeaderListSize: mostHeaderBytes }
    })
    this.session.on("connect", () => {
      // Node reports it even if the session was destroyed meanwhile.
      if (!this.session.destroyed) this.session.setLocalWindowSize(connectionWindow)
    })
    this.session.on("remoteSettings", ({ maxConcurrentStreams = mostStreams }) => {
      this.mostStreams = Math.min(maxConcurrentStreams, mostStreams)
      this.look()
      if (this.isFree) watcher.onFree(this)
    })
    this.session.on("ping", () => this.look())
    this.session.on("goaway", (code) => this.onGoAway(code))
    this.session.on("error", (error) => {
      this.error ??= error
      this.retire(this.error)
    })
    this.session.on("close", () => {
      this.retire(this.error ?? new Http2Broken(closed))
      this.watcher.onClosed(this)
    })
    this.session.setTimeout(keptMillis, () => {
      if (this.isIdle) this.destroy()
    })
    this.looking = setInterval(() => this.look(), lookMillis).unref()
  }

  get isFree(): boolean {
    return !this.isRetired && this.streams.size < this.mostStreams
  }

  get isIdle(): boolean {
    return this.streams.size === 0
  }

  send(request: SentRequest, answer: Answer): void {
    let http2: Http2.ClientHttp2Stream
    try {
      http2 = this.session.request(headersOf(request), { endStream: request.body === undefined })
    } catch (error) {
      // A session that is over refuses any request; one that is not refuses only an invalid one.
      const isOver = this.session.closed || this.session.destroyed
      if (isOver) this.retire()
      else this.watcher.onFree(this)
      return answer.onBroken(error as Error, isOver ? "unsent" : "invalid")
    }
    const stream: Stream = {
      http2,
      status: 0,
      length: undefined,
      bytes: 0,
      interims: 0,
      isEnded: false,
      error: undefined
    }
    this.streams.set(answer, stream)
    http2.on("headers", () => this.onInterim(answer, stream))
    http2.on("response", (headers, flags) => this.onHead(answer, stream, headers, flags))
    http2.on("data", (chunk: Buffer) => {
      if (this.streams.get(answer) !== stream) return
      this.bytesSeen = this.socket.bytesRead
      stream.bytes += chunk.length
      answer.onData(chunk)
    })
    http2.on("end", () => {
      if (http2.rstCode !== NGHTTP2_NO_ERROR || this.session.destroyed) return
      stream.isEnded = true
      this.conclude(answer, stream)
    })
    http2.on("error", (error) => {
      stream.error = error
    })
    http2.on("close", () => this.conclude(answer, stream))
    answer.onSent()
    if (request.body !== undefined) http2.end(request.body)
  }

  abort(answer: Answer): void {
    const stream = this.streams.get(answer)
    if (stream === undefined) return
    this.streams.delete(answer)
    stream.http2.close(NGHTTP2_CANCEL)
    this.free()
  }

  protected override close(): void {
    clearInterval(this.looking)
    clearTimeout(this.lingering)
    this.session.destroy()
    this.socket.destroy()
  }

  private onInterim(answer: Answer, stream: Stream): void {
    if (this.streams.get(answer) !== stream) return
    stream.interims += 1
    if (stream.interims > mostInterims) this.refuse(`More than ${mostInterims} interim answers`)
    else this.look()
  }

  private onHead(answer: Answer, stream: Stream, headers: Http2.IncomingHttpHeaders, flags: number): void {
    if (this.streams.get(answer) !== stream) return
    const { [Http2.constants.HTTP2_HEADER_STATUS]: status, ...others } = headers
    this.bytesSeen = this.socket.bytesRead
    stream.status = Number(status)
    const length = headers["content-length"]
    if (length !== undefined) stream.length = Number(length)
    if ((flags & Http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0) stream.isEnded = true
    answer.onHead(stream.status, others)
  }

  /**
   * The endpoint takes no more requests. If that is an error, Node destroys all requests under way as soon as this
   * returns, and with them the answers that come right behind, so it is made to wait for those.
   */
  private onGoAway(code: number): void {
    if (code !== NGHTTP2_NO_ERROR && this.lingering === undefined) {
      const error = code === NGHTTP2_HTTP_1_1_REQUIRED
        ? new Http1Required()
        : new Http2Broken(`GOAWAY with code ${code}`)
      this.session.destroy = () => {
        Reflect.deleteProperty(this.session, "destroy")
        this.session.close()
      }
      this.lingering = setTimeout(() => this.session.destroy(error), lingerMillis).unref()
      this.error ??= error
    }
    this.retire(this.error ?? new Http2Broken(closed))
  }

  /** The stream is over, or its answer is whole. */
  private conclude(answer: Answer, stream: Stream): void {
    if (this.streams.get(answer) !== stream) return
    this.streams.delete(answer)
    const { bytes, isEnded, length, status } = stream
    // An answer to HEAD, and a 304, announce what they do not have.
    const isWhole = length === undefined || bytes === 0 ? isEnded : bytes === length
    if (status >= 200 && isWhole) {
      this.answered += 1
      if (stream.http2.writableLength > 0) {
        stream.http2.close(NGHTTP2_CANCEL)
        // The endpoint does not read the rest of the request, and the sent part takes up the connection's window.
        this.retire()
      }
      this.free()
      return answer.onEnd()
    }
    const stage = this.stageOf(stream)
    const error = this.errorOf(stream)
    this.free()
    // A GOAWAY is reported before the answers that come with it, which show whether the connection has served.
    if (stage === "unanswered") setImmediate(() => answer.onBroken(error, stage))
    else answer.onBroken(error, stage)
  }

  private stageOf({ http2, interims, status }: Stream): BrokenStage {
    if (http2.id === undefined) return "unsent"
    // A reset of the stream alone is a word about the request.
    const isOver = this.session.closed || this.session.destroyed
    return status > 0 || interims > 0 || !isOver ? "answered" : "unanswered"
  }

  private errorOf({ error, http2 }: Stream): Error {
    if (http2.rstCode === NGHTTP2_HTTP_1_1_REQUIRED) return new Http1Required()
    return this.error ?? error ?? new Http2Broken(closed)
  }

  /** Ends the connection if the endpoint sends much that is no part of an answer. */
  private look(): void {
    if (this.socket.bytesRead - this.bytesSeen > mostBetween) this.refuse("The endpoint sends what is no answer")
  }

  private refuse(message: string): void {
    this.error = new AnswerTooLong(message)
    this.retire(this.error)
    this.destroy()
  }
}
