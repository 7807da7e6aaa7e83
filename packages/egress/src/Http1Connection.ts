import type { IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import { Client, type Dispatcher } from "undici"
import { AnswerBytes } from "./AnswerBytes.ts"
import {
  type Answer,
  type ConnectionWatcher,
  EgressConnection,
  keptMillis,
  type Making,
  mostHeaderBytes,
  type SentRequest
} from "./EgressConnection.ts"

const givenUp = new Error("The request was aborted")

/**
 * A connection that has one request at a time (RFC 9112). The HTTP client has only this connection and finds no other
 * when it is over: the client does not decide which requests get a connection or are sent a second time.
 */
export class Http1Connection extends EgressConnection implements Dispatcher.DispatchHandler {
  readonly isShared = false
  private readonly socket: Socket
  private readonly bytes: AnswerBytes
  private readonly client: Client
  private answer: Answer | undefined
  private mostBytes = 0
  private isWritten = false
  private controller: Dispatcher.DispatchController | undefined

  constructor(socket: Socket, making: Making, watcher: ConnectionWatcher) {
    super(making, watcher)
    this.socket = socket
    this.bytes = new AnswerBytes(socket)
    let isTaken = false
    // TLS is below it, and each request has the host that it is for.
    this.client = new Client("http://endpoint.invalid", {
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keptMillis,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: mostHeaderBytes,
      connect: (_, callback) =>
        queueMicrotask(() => {
          if (isTaken || socket.destroyed) return callback(new Error("The connection was closed"), null)
          isTaken = true
          socket.setTimeout(0)
          socket.pause()
          callback(null, socket)
        })
    })
    // Until it has its first request, nobody else hears that the other side closes it.
    socket.setTimeout(keptMillis, () => this.destroy())
    socket.resume()
    socket.once("close", () => {
      this.retire()
      watcher.onClosed(this)
    })
  }

  get isFree(): boolean {
    return this.answer === undefined && !this.isRetired
  }

  get isIdle(): boolean {
    return this.answer === undefined
  }

  send({ body, headers, method, mostBytes, path }: SentRequest, answer: Answer): void {
    this.answer = answer
    this.mostBytes = mostBytes
    this.isWritten = false
    this.client.dispatch({
      method: method as Dispatcher.HttpMethod,
      path,
      headers: headers as Array<string>,
      body: body ?? null
    }, this)
  }

  abort(answer: Answer): void {
    if (this.answer !== answer) return
    this.answer = undefined
    this.controller?.abort(givenUp)
    this.destroy()
  }

  protected override close(): void {
    this.socket.destroy()
    void this.client.destroy()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.answer === undefined) return controller.abort(givenUp)
    this.controller = controller
    this.isWritten = true
    this.bytes.begin(this.mostBytes)
    this.answer.onSent()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.bytes.headIsOver()
    this.answer?.onHead(status, headers)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.answer?.onData(chunk)
  }

  onResponseEnd(): void {
    const { answer } = this
    if (answer === undefined) return
    // Once this has returned, the client closes a connection that is not to be kept.
    queueMicrotask(() => {
      if (this.answer !== answer) return
      this.answered += 1
      this.answer = undefined
      this.controller = undefined
      if (this.socket.destroyed) this.destroy()
      else this.free()
      answer.onEnd()
    })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const { answer } = this
    if (answer === undefined) return
    this.answer = undefined
    this.controller = undefined
    const isInvalid = !this.isWritten && !this.socket.destroyed
    if (isInvalid) this.free()
    else this.destroy()
    answer.onBroken(
      error,
      isInvalid ? "invalid" : !this.isWritten ? "unsent" : this.bytes.hasBegun ? "answered" : "unanswered"
    )
  }
}
