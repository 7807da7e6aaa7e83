const lineEnd = 10

/**
 * Cuts a process's output into the lines that begin with its secret, without the secret. All else it wrote is dropped
 * and only counted.
 */
export class LineReader {
  /** A line, or what was written beside our lines, grew past the bound. */
  overflowed = false
  readonly #maxBytes: number
  readonly #secret: Buffer
  #pending: Array<Buffer> = []
  #pendingBytes = 0
  #strayBytes = 0

  constructor(maxBytes: number, secret: string) {
    this.#maxBytes = maxBytes
    this.#secret = Buffer.from(secret, "latin1")
  }

  push(chunk: Buffer): ReadonlyArray<string> {
    const lines: Array<string> = []
    let from = 0
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, from)) {
      this.#take(chunk.subarray(from, end), lines)
      from = end + 1
    }
    if (from < chunk.length) {
      this.#pending.push(chunk.subarray(from))
      this.#pendingBytes += chunk.length - from
    }
    if (this.#pendingBytes > this.#maxBytes || this.#strayBytes > this.#maxBytes) {
      this.overflowed = true
      this.#pending = []
      this.#pendingBytes = 0
    }
    return lines
  }

  #take(rest: Buffer, lines: Array<string>): void {
    const line = this.#pending.length === 0 ? rest : Buffer.concat([...this.#pending, rest])
    this.#pending = []
    this.#pendingBytes = 0
    const { length } = this.#secret
    if (line.length > length && line.subarray(0, length).equals(this.#secret)) lines.push(line.toString("utf8", length))
    else this.#strayBytes += line.length
  }
}
