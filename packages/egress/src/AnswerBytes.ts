import type { Socket } from "node:net"
import { AnswerTooLong, mostInterims } from "./EgressConnection.ts"

/** The most bytes before the final answer's headers are over, beyond the last chunk that is read. */
const mostBeforeFinal = 64 * 1024

const carriageReturn = 13
const lineFeed = 10
const headEnd = [carriageReturn, lineFeed, carriageReturn, lineFeed] as const

/** As long as `HTTP/1.1 103`. */
const statusLength = 12

const isInterim = (start: string): boolean => /^HTTP\/1\.\d 1\d\d/.test(start) && !start.endsWith("101")

/**
 * The bytes of answers between a socket and the HTTP client that reads it. It leaves out interim answers: the client
 * closes the connection at a 100 that it has not asked for, which RFC 9110, section 15.2, wants skipped. It also bounds
 * the bytes before the client sees them: the client counts only the names and values of headers.
 */
export class AnswerBytes {
  private readonly socket: Socket
  private readonly readSocket: (size?: number) => Buffer | null
  /** *over* while no request waits for an answer, or once the headers of its final one are over. */
  private state: "over" | "start" | "interim" | "final" = "over"
  /** The bytes that came since the request was written. */
  private bytes = 0
  private mostBytes = 0
  private interims = 0
  /** The bytes of an answer that has only just begun. */
  private held: Buffer | undefined
  /** The number of bytes of `headEnd` that an interim answer ends with so far. */
  private ended = 0

  constructor(socket: Socket) {
    this.socket = socket
    this.readSocket = socket.read.bind(socket)
    socket.read = (size?: number) => this.read(size)
  }

  /** True if a byte has come since the request was written. */
  get hasBegun(): boolean {
    return this.bytes > 0
  }

  /** A request is written: an answer is to come, of so many bytes at most. */
  begin(mostBytes: number): void {
    this.mostBytes = mostBytes
    this.state = "start"
    this.bytes = 0
    this.interims = 0
    this.held = undefined
  }

  /** The headers of the final answer are over. */
  headIsOver(): void {
    this.state = "over"
  }

  private read(size?: number): Buffer | null {
    while (true) {
      const chunk = this.readSocket(size)
      if (chunk === null) return null
      const before = this.bytes
      this.bytes += chunk.length
      if (before > (this.state === "over" ? this.mostBytes : mostBeforeFinal)) {
        return this.refuse("The answer is too long")
      }
      if (this.state === "over" || this.state === "final") return chunk
      const rest = this.withoutInterims(chunk)
      if (this.socket.destroyed) return null
      if (rest !== undefined) return rest
    }
  }

  /** The part of a chunk that is for the client, if any. */
  private withoutInterims(chunk: Buffer): Buffer | undefined {
    let data = this.held === undefined ? chunk : Buffer.concat([this.held, chunk])
    this.held = undefined
    while (data.length > 0) {
      if (this.state === "interim") {
        data = data.subarray(this.lengthOfInterim(data))
        continue
      }
      const at = data.findIndex((byte) => byte !== carriageReturn && byte !== lineFeed)
      if (at === -1) return undefined
      data = data.subarray(at)
      if (data.length < statusLength && "HTTP/1.".startsWith(data.toString("latin1", 0, 7))) {
        this.held = data
        return undefined
      }
      if (!isInterim(data.toString("latin1", 0, statusLength))) {
        this.state = "final"
        return data
      }
      this.interims += 1
      if (this.interims > mostInterims) {
        this.refuse(`More than ${mostInterims} interim answers`)
        return undefined
      }
      this.state = "interim"
      this.ended = 0
    }
    return undefined
  }

  /** The number of these bytes that belong to the interim answer. */
  private lengthOfInterim(data: Buffer): number {
    for (let at = 0; at < data.length; at++) {
      const byte = data[at]
      this.ended = byte === headEnd[this.ended] ? this.ended + 1 : byte === carriageReturn ? 1 : 0
      if (this.ended === headEnd.length) {
        this.state = "start"
        return at + 1
      }
    }
    return data.length
  }

  private refuse(message: string): null {
    this.socket.destroy(new AnswerTooLong(message))
    return null
  }
}
