import type { AccountTurns } from "@headwater/domain/Turns"
import type { Readable } from "node:stream"
import { LineReader } from "./LineReader.ts"

/** The most characters that were read of a process and not heard yet; beyond it no more is read. */
const maxUnheard = 1024 * 1024

/** The listener for what a process says. */
export interface Hearer {
  readonly accountOf: () => string | undefined
  readonly hear: (line: string) => Generator<void, void>
  /** It has said more than it may on one line, or beside its lines. */
  readonly onOverflow: () => void
  readonly onError: (error: unknown) => void
}

/**
 * The lines that a process says, heard in their order, and in its account's turns where there are many: what one account's
 * code says must not hold up others.
 */
export class ProcessOutput {
  readonly #hearer: Hearer
  readonly #stream: Readable
  readonly #turns: AccountTurns
  /** The next one first. */
  #unheard: Array<string> = []
  #unheardLength = 0
  #hearing = false
  #afterwards: (() => void) | undefined

  /** @param secret what each line of its own begins with */
  constructor(stream: Readable, maxLineBytes: number, secret: string, turns: AccountTurns, hearer: Hearer) {
    this.#hearer = hearer
    this.#stream = stream
    this.#turns = turns
    const lines = new LineReader(maxLineBytes, secret)
    stream.on("data", (chunk: Buffer) => {
      this.#listen(lines.push(chunk))
      if (lines.overflowed) hearer.onOverflow()
    })
  }

  /** True while something that it said is yet to be heard. */
  get isHearing(): boolean {
    return this.#hearing
  }

  /** Calls back once all that it has said has been heard. */
  whenHeard(then: () => void): void {
    if (this.#hearing) this.#afterwards = then
    else then()
  }

  #listen(lines: ReadonlyArray<string>): void {
    for (const line of lines) {
      this.#unheard.push(line)
      this.#unheardLength += line.length
    }
    if (this.#unheardLength > maxUnheard) this.#stream.pause()
    if (this.#hearing || this.#unheard.length === 0) return
    this.#hearing = true
    this.#turns.start(this.#hearer.accountOf() ?? "", this.#hear(), () => this.#heardAll(), (error) => {
      this.#hearer.onError(error)
      this.#unheard = []
      this.#heardAll()
    })
  }

  *#hear(): Generator<void, void> {
    while (this.#unheard.length > 0) {
      const lines = this.#unheard
      this.#unheard = []
      for (const line of lines) {
        this.#unheardLength -= line.length
        yield* this.#hearer.hear(line)
        yield
      }
      this.#stream.resume()
    }
  }

  #heardAll(): void {
    this.#hearing = false
    this.#stream.resume()
    this.#afterwards?.()
  }
}
