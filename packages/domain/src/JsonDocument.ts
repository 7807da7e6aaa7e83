import { mostAtOnce, Work } from "./Work.ts"

const quote = 0x22
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
const comma = 0x2c
const colon = 0x3a
const letterF = 0x66
const letterN = 0x6e
const letterT = 0x74

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const isEndOfNumber = (code: number): boolean =>
  code === comma || code === closeArray || code === closeObject || isSpace(code)

/** The kind of a JSON value. */
export type Kind = "object" | "list" | "text" | "number" | "true" | "false" | "null"

/** A search for one character reads so many characters in the time of a unit of work. */
const searchedOfUnit = 1024

/** Numbers that are kept of each value. */
const width = 3

/** One array keeps the numbers of so many values, a power of 2. More arrays are added without copying others. */
const chunkBits = 12
const valuesOfChunk = 1 << chunkBits
const within = valuesOfChunk - 1

/** The first array has room for so many values to begin with, as most texts have no more. */
const fewValues = 64

/**
 * The values of a JSON text, each by its number: 0 is the outermost, an object is followed by its keys, each of which
 * is followed by its value, and a list by its elements. A value is decoded only when it is asked for, so a text is
 * read, searched and walked over in steps, which `JSON.parse` can't do.
 */
export class JsonDocument {
  /** The number that stands for no value. */
  static readonly nothing = -1

  readonly text: string
  /**
   * Three numbers for each value: its start in the text; its end or, for an object or list, its count of keys or
   * elements; and for an object or list the value behind it, for a text 1 if it has escapes.
   */
  private readonly chunks: Array<Int32Array> = []
  private size = 0

  private constructor(text: string) {
    this.text = text
  }

  /** Reads a text, which is to be JSON, in small steps. */
  static *read(text: string, work: Work): Generator<void, JsonDocument> {
    const document = new JsonDocument(text)
    yield* document.readAll(work)
    return document
  }

  /** Reads a small text at once. */
  static readAtOnce(text: string): JsonDocument {
    const steps = JsonDocument.read(text, new Work())
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    return step.value
  }

  /** Its size in memory, in characters. */
  get characters(): number {
    return this.text.length + this.size * width * 2
  }

  kindOf(value: number): Kind {
    switch (this.text.charCodeAt(this.startOf(value))) {
      case openObject:
        return "object"
      case openArray:
        return "list"
      case quote:
        return "text"
      case letterT:
        return "true"
      case letterF:
        return "false"
      case letterN:
        return "null"
      default:
        return "number"
    }
  }

  /** The number of keys or elements of an object or list. A key that is there twice counts twice. */
  countOf(value: number): number {
    return this.cell(value, 1)
  }

  /** The value that follows on a value and all that is in it. */
  behind(value: number): number {
    const code = this.text.charCodeAt(this.startOf(value))
    return code === openObject || code === openArray ? this.cell(value, 2) : value + 1
  }

  /** The number of characters of JSON that a text or number takes, without quotes. */
  lengthOf(value: number): number {
    return this.cell(value, 1) - this.startOf(value) - (this.kindOf(value) === "text" ? 1 : 0)
  }

  /** True if a text is written with escapes, so that it has fewer characters than its JSON. */
  hasEscapes(value: number): boolean {
    return this.cell(value, 2) === 1
  }

  /** The JSON of a number, or of a text between its quotes. */
  rawOf(value: number): string {
    const start = this.startOf(value)
    return this.text.slice(this.kindOf(value) === "text" ? start + 1 : start, this.cell(value, 1))
  }

  /** True if a text without escapes is this one, which is short. */
  isRaw(value: number, text: string): boolean {
    const start = this.startOf(value) + 1
    return this.cell(value, 1) - start === text.length && this.text.startsWith(text, start)
  }

  /** The characters of a text. */
  *textOf(value: number, work: Work): Generator<void, string> {
    if (!this.hasEscapes(value)) return this.rawOf(value)
    const end = this.cell(value, 1)
    const parts: Array<string> = []
    for (let at = this.startOf(value) + 1; at < end;) {
      const to = Math.min(end, this.behindEscape(at, at + mostAtOnce))
      if (work.spendOn(to - at)) yield work.rest()
      parts.push(JSON.parse(`"${this.text.slice(at, to)}"`))
      at = to
    }
    return parts.join("")
  }

  /** A place, or the end of the escape that it is in. No escape is around `from`. */
  private behindEscape(from: number, at: number): number {
    const { text } = this
    let last = at - 1
    while (last >= from && last > at - 6 && text[last] !== "\\") last -= 1
    if (last < from || text[last] !== "\\") return at
    let first = last
    while (first > from && text[first - 1] === "\\") first -= 1
    const isSecond = (last - first) % 2 === 1
    return isSecond ? at : Math.max(at, last + (text[last + 1] === "u" ? 6 : 2))
  }

  private startOf(value: number): number {
    return this.cell(value, 0)
  }

  private cell(value: number, which: 0 | 1 | 2): number {
    return this.chunks[value >> chunkBits]![(value & within) * width + which]!
  }

  private setCell(value: number, which: 1 | 2, to: number): void {
    this.chunks[value >> chunkBits]![(value & within) * width + which] = to
  }

  private add(start: number, end: number, more: number): number {
    const value = this.size
    const at = value & within
    if (at === 0) this.chunks.push(new Int32Array(width * (value === 0 ? fewValues : valuesOfChunk)))
    let chunk = this.chunks.at(-1)!
    if (at * width === chunk.length) {
      const larger = new Int32Array(chunk.length * 2)
      larger.set(chunk)
      this.chunks[0] = larger
      chunk = larger
    }
    chunk[at * width] = start
    chunk[at * width + 1] = end
    chunk[at * width + 2] = more
    this.size += 1
    return value
  }

  private *readAll(work: Work): Generator<void, void> {
    const { text } = this
    /** The objects and lists that are still open, and the number of values in each so far. */
    const open: Array<number> = []
    const counts: Array<number> = []
    let escape = text.indexOf("\\")
    for (let at = 0; at < text.length;) {
      const from = at
      const code = text.charCodeAt(at)
      if (code === comma || code === colon || isSpace(code)) {
        at += 1
        // Blanks are work too, and there may be any number of them.
        if ((at & 15) === 0 && work.spend(1)) yield work.rest()
        continue
      }
      if (code === closeArray || code === closeObject) {
        const value = open.pop() ?? 0
        const count = counts.pop() ?? 0
        this.setCell(value, 1, code === closeObject ? count / 2 : count)
        this.setCell(value, 2, this.size)
        at += 1
        continue
      }
      if (counts.length > 0) counts[counts.length - 1]! += 1
      if (code === quote) {
        let end = text.indexOf("\"", at + 1)
        if (escape !== -1 && escape < at) escape = text.indexOf("\\", at)
        const hasEscapes = escape !== -1 && escape < end
        while (escape !== -1 && escape < end) {
          if (work.spend(1)) yield work.rest()
          if (escape + 1 === end) end = text.indexOf("\"", end + 1)
          escape = text.indexOf("\\", escape + 2)
        }
        if (end === -1) end = text.length
        this.add(at, end, hasEscapes ? 1 : 0)
        at = end + 1
      } else if (code === openArray || code === openObject) {
        open.push(this.add(at, 0, 0))
        counts.push(0)
        at += 1
      } else {
        at += 1
        while (at < text.length && !isEndOfNumber(text.charCodeAt(at))) {
          at += 1
          if ((at & 15) === 0 && work.spend(1)) yield work.rest()
        }
        this.add(from, at, 0)
      }
      if (work.spend(1 + Math.floor((at - from) / searchedOfUnit))) yield work.rest()
    }
    if (this.size === 0) this.add(0, 0, 0)
  }
}
