import { Effect, Schema, type Scope } from "effect"
import * as Fs from "node:fs"

/** A log file cannot be opened. */
export class LogFileUnusable extends Schema.TaggedError<LogFileUnusable>()("LogFileUnusable", {
  path: Schema.String,
  message: Schema.String
}) {}

/** A log file that never takes more than twice `limit` bytes: when full it becomes `<path>.1` and starts anew. */
export interface BoundedLogFile {
  readonly write: (chunk: Uint8Array) => void
  /** The last lines written by this process, at most 4 KiB. */
  readonly tail: () => string
}

const tailBytes = 4096

export const open = (
  path: string,
  options: { readonly limit: number }
): Effect.Effect<BoundedLogFile, LogFileUnusable, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => ({ fd: Fs.openSync(path, "a", 0o600), size: Fs.statSync(path).size }),
        catch: (cause) => new LogFileUnusable({ path, message: `Cannot open ${path}: ${String(cause)}` })
      }),
      (file) => Effect.sync(() => Fs.closeSync(file.fd))
    ),
    (file) => {
      let recent = Buffer.alloc(0)
      return {
        tail: () => recent.toString("utf8").trim(),
        write: (chunk) => {
          recent = Buffer.concat([recent, chunk]).subarray(-tailBytes)
          // A full disk must not take the server down with it: a line that finds no room is lost from the file only.
          try {
            if (file.size + chunk.length > options.limit) {
              Fs.renameSync(path, `${path}.1`)
              const next = Fs.openSync(path, "a", 0o600)
              Fs.closeSync(file.fd)
              file.fd = next
              file.size = 0
            }
            file.size += Fs.writeSync(file.fd, chunk)
          } catch (cause) {
            recent = Buffer.concat([recent, Buffer.from(`\nThis log cannot be written: ${String(cause)}\n`)])
              .subarray(-tailBytes)
          }
        }
      }
    }
  )
