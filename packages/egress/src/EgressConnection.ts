import type { IncomingHttpHeaders } from "node:http"

/** A request as a connection sends it. */
export interface SentRequest {
  readonly method: string
  readonly origin: string
  readonly path: string
  /** Names and values in turn; the names are lower-case, and `host` is the first of them. */
  readonly headers: ReadonlyArray<string>
  readonly body: string | Uint8Array | undefined
  /** What a whole answer may come to, in bytes as they are sent. Its body alone is bounded by whoever reads it. */
  readonly mostBytes: number
}

/**
 * How far a request had come when it broke: it is *invalid* where no connection could send it, *unsent* where nothing of it was
 * written, *unanswered* where its connection ended and not a byte of an answer came, and else *answered*.
 */
export type BrokenStage = "invalid" | "unsent" | "unanswered" | "answered"

/** Is told what comes of a request. */
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

/** When a connection was made, and what that and its TLS handshake took, in milliseconds. */
export interface Making {
  readonly connectedAt: number
  readonly connectMs: number
  readonly tlsMs: number | null
}

/** An open connection to an endpoint, and the requests on it. */
export interface EgressConnection {
  readonly making: Making
  /** Whether requests share it (HTTP/2). */
  readonly isShared: boolean
  /** Whether it takes one more request. */
  readonly isFree: boolean
  /** Whether it has no request. One that is idle and not free waits until the endpoint says how many it takes. */
  readonly isIdle: boolean
  /** How many requests it has answered. */
  readonly answered: number
  send(request: SentRequest, answer: Answer): void
  /** Gives a request up, of which nothing is told any more. */
  abort(answer: Answer): void
  /** Takes no more requests, and closes once those under way are over. */
  retire(): void
  destroy(): void
}

/** Is told how a connection stands. */
export interface ConnectionWatcher {
  /** It takes another request. */
  readonly onFree: (connection: EgressConnection) => void
  /** It takes none any more, for a reason if that is the endpoint's. Those under way may still be answered. */
  readonly onRetired: (connection: EgressConnection, why?: Error) => void
  readonly onClosed: (connection: EgressConnection) => void
}

/** For this long a connection is kept without a request, in milliseconds. */
export const keptMillis = 30_000

/** What an answer's headers come to at most, in bytes. */
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
