import type { IncomingHttpHeaders } from "node:http"

/** A request as a connection sends it. */
export interface SentRequest {
  readonly method: string
  readonly origin: string
  readonly path: string
  /** Names and values in turn; the names are lower-case, and `host` is the first of them. */
  readonly headers: ReadonlyArray<string>
  readonly body: string | Uint8Array | undefined
  /** The most bytes of a whole answer, as they are sent. The reader of its body bounds the body alone. */
  readonly mostBytes: number
}

/**
 * The progress of a request when it broke: *invalid* if no connection could send it, *unsent* if nothing of it was
 * written, *unanswered* if its connection ended and not a byte of an answer came, and else *answered*.
 */
export type BrokenStage = "invalid" | "unsent" | "unanswered" | "answered"

/** The listener for the answer to a request. */
export interface Answer {
  /** It is written now. */
  onSent(): void
  /** The status and headers of the final answer. */
  onHead(status: number, headers: IncomingHttpHeaders): void
  onData(chunk: Buffer): void
  /** The answer is whole. */
  onEnd(): void
  onBroken(error: Error, stage: BrokenStage): void
}

/** The time at which a connection was made, and the durations of that and of its TLS handshake, in milliseconds. */
export interface Making {
  readonly connectedAt: number
  readonly connectMs: number
  readonly tlsMs: number | null
}

/** The listener for the state of a connection. */
export interface ConnectionWatcher {
  /** It takes another request. */
  readonly onFree: (connection: EgressConnection) => void
  /** It takes no more requests; `why` is given if the endpoint is the reason. Those under way may still be answered. */
  readonly onRetired: (connection: EgressConnection, why?: Error) => void
  readonly onClosed: (connection: EgressConnection) => void
}

/**
 * A connection to an endpoint, and the requests on it:
 *
 *     open ─▶ retired ─▶ over
 *
 * - E1. Only an open one takes requests. A retired one is over once those under way are.
 * - E2. The watcher hears that it is retired before it hears that it is closed.
 * - E3. Its listener hears of a request's end once, and of nothing once the request is given up.
 */
export abstract class EgressConnection {
  readonly making: Making
  /** True if requests share it (HTTP/2). */
  abstract readonly isShared: boolean
  /** True if it takes one more request. */
  abstract readonly isFree: boolean
  /** True if it has no request. One that is idle and not free waits until the endpoint says how many it takes. */
  abstract readonly isIdle: boolean
  /** The number of requests that it has answered. */
  answered = 0
  protected readonly watcher: ConnectionWatcher
  private state: "open" | "retired" | "over" = "open"

  constructor(making: Making, watcher: ConnectionWatcher) {
    this.making = making
    this.watcher = watcher
  }

  abstract send(request: SentRequest, answer: Answer): void
  /** Gives a request up: its listener hears no more of it. */
  abstract abort(answer: Answer): void
  protected abstract close(): void

  /** Takes no more requests, and closes once those under way are over. */
  retire(why?: Error): void {
    if (!this.setState("retired")) return
    this.watcher.onRetired(this, why)
    if (this.isIdle) this.destroy()
  }

  destroy(): void {
    if (!this.setState("over")) return
    this.watcher.onRetired(this)
    this.close()
    this.watcher.onClosed(this)
  }

  protected get isRetired(): boolean {
    return this.state !== "open"
  }

  /** A request is over. */
  protected free(): void {
    if (!this.isRetired) this.watcher.onFree(this)
    else if (this.isIdle) this.destroy()
  }

  /** Answers false if it is there already, or beyond. */
  private setState(state: "retired" | "over"): boolean {
    if (this.state === state || this.state === "over") return false
    this.state = state
    return true
  }
}

/** The time for which a connection is kept without a request, in milliseconds. */
export const keptMillis = 30_000

/** The most bytes of an answer's headers. */
export const mostHeaderBytes = 32 * 1024

/** So many interim answers (RFC 9110, section 15.2) may come before the final one. */
export const mostInterims = 100

/** The endpoint sends more than an answer may have. */
export class AnswerTooLong extends Error {}

/** A stream or its connection was closed before the answer was whole. */
export class Http2Broken extends Error {}

/** The endpoint answers this request over HTTP/1.1 alone (RFC 9113, section 7: HTTP_1_1_REQUIRED). */
export class Http1Required extends Error {
  constructor() {
    super("The endpoint answers HTTP_1_1_REQUIRED")
  }
}
