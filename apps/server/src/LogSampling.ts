import type { WideLine } from "@headwater/engine/WideLog"

/**
 * Writes a line. `standsFor` counts it and those that were left out for it; `at` is when it was said, in Unix milliseconds.
 */
export type WriteLine = (line: WideLine, at: number, standsFor: number) => void

/** The lines of one message within one second. */
interface Second {
  readonly startedAt: number
  written: number
  /** The last line that was left out, and when it was said. */
  left: { readonly line: WideLine; readonly at: number } | undefined
  leftOut: number
}

/**
 * Lets through so many lines of a message a second, and one more that stands for all others of that second. Failures are
 * always let through.
 */
export class LogSampling {
  private readonly rate: number
  private readonly write: WriteLine
  private readonly seconds = new Map<string, Second>()

  /** @param rate lines of a message a second; 0 for all */
  constructor(rate: number, write: WriteLine) {
    this.rate = rate
    this.write = write
  }

  take(line: WideLine, at: number): void {
    if (this.rate === 0 || line.isFailure) return this.write(line, at, 1)
    const second = this.secondOf(line.message, at)
    if (second.written < this.rate) {
      second.written += 1
      return this.write(line, at, 1)
    }
    second.left = { line, at }
    second.leftOut += 1
  }

  /** Writes what stands for the lines left out in seconds that are over; at the end, in all. */
  flush(now: number): void {
    for (const [message, second] of this.seconds) {
      if (Math.abs(now - second.startedAt) < 1_000) continue
      this.close(second)
      this.seconds.delete(message)
    }
  }

  private secondOf(message: string, at: number): Second {
    const current = this.seconds.get(message)
    if (current !== undefined && Math.abs(at - current.startedAt) < 1_000) return current
    if (current !== undefined) this.close(current)
    const fresh = { startedAt: at, written: 0, left: undefined, leftOut: 0 }
    this.seconds.set(message, fresh)
    return fresh
  }

  private close({ left, leftOut }: Second): void {
    if (left !== undefined) this.write(left.line, left.at, leftOut)
  }
}
