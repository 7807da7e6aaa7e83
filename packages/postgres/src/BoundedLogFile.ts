import { Effect, Schema, type Scope } from "effect"
import * as Fs from "node:fs"

/** A log file cannot be opened. */
export class LogFileUnusable extends Schema.TaggedError<LogFileUnusable>()("LogFileUnusable", {
  path: Schema.String,
  message: Schema.String
}) {}

const tailBytes = 4096

/** A log file that never takes more than twice `limit` bytes: when full it becomes `<path>.1` and starts anew. */
export class BoundedLogFile {
  readonly #path: string
  readonly #limit: number
  #fd: number
  #size: number
  #recent = Buffer.alloc(0)

  private constructor(path: string, limit: number) {
    this.#path = path
    this.#limit = limit
    this.#fd = Fs.openSync(path, "a", 0o600)
    this.#size = Fs.statSync(path).size
  }

  static open(
    path: string,
    { limit }: { readonly limit: number }
  ): Effect.Effect<BoundedLogFile, LogFileUnusable, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.try({
        try: () => new BoundedLogFile(path, limit),
        catch: (cause) => new LogFileUnusable({ path, message: `Cannot open ${path}: ${String(cause)}` })
      }),
      (file) => Effect.sync(() => Fs.closeSync(file.#fd))
    )
  }

  /** The last lines written by this process, at most 4 KiB. */
  get tail(): string {
    return this.#recent.toString("utf8").trim()
  }

  write(chunk: Uint8Array): void {
    this.#remember(chunk)
    // A full disk must not take the server down with it: a line that finds no room is lost from the file only.
    try {
      if (this.#size + chunk.length > this.#limit) this.#beginAnew()
      this.#size += Fs.writeSync(this.#fd, chunk)
    } catch (cause) {
      this.#remember(Buffer.from(`\nThis log cannot be written: ${String(cause)}\n`))
    }
  }

  #beginAnew(): void {
    Fs.renameSync(this.#path, `${this.#path}.1`)
    const next = Fs.openSync(this.#path, "a", 0o600)
    Fs.closeSync(this.#fd)
    this.#fd = next
    this.#size = 0
  }

  #remember(chunk: Uint8Array): void {
    this.#recent = Buffer.concat([this.#recent, chunk]).subarray(-tailBytes)
  }
}
