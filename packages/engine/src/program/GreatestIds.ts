import { BigDecimal, Option } from "effect"
import { createHash } from "node:crypto"

const numberMark = "greatest"
const textMark = "greatest text"

/** The marks that hold the greatest ids. */
export const marks: ReadonlyArray<string> = [numberMark, textMark]

const longestNumber = 1_000
const longestHead = 10_000

const decimal = /^[-+]?\d+(\.\d+)?$/
const hexadecimal = /^0x[\da-f]+$/i

/** Exact also beyond what a double holds, as ids of many services are; nothing for a text that is no finite number. */
const numberOf = (id: string | number): Option.Option<BigDecimal.BigDecimal> => {
  const text = String(id).trim()
  if (text === "" || text.length > longestNumber) return Option.none()
  if (decimal.test(text)) return BigDecimal.fromString(text)
  if (hexadecimal.test(text)) return Option.some(BigDecimal.fromBigInt(BigInt(text)))
  return BigDecimal.fromNumber(Number(text))
}

/** A text as it is remembered: its beginning, and of one that goes on, a hash of the whole. */
type Text = readonly [head: string, hash: string]

const textOf = (id: string): Text => [
  id.slice(0, longestHead),
  id.length > longestHead ? createHash("sha256").update(id, "utf16le").digest("hex") : ""
]

/** Of two long texts that begin alike, it is not known which is above: rather one event too many than one that is lost. */
const isAbove = ([head, hash]: Text, [ofHead, ofHash]: Text): boolean =>
  head === ofHead ? hash !== "" && hash !== ofHash : head > ofHead

/** The greatest ids that a source has emitted: one of those that are numbers, and one of all others. */
export class GreatestIds {
  #number: Option.Option<BigDecimal.BigDecimal>
  #text: Text | undefined
  /** Marks to remember, by name. */
  readonly marks = new Map<string, string>()

  constructor(known: ReadonlyMap<string, string>) {
    this.#number = Option.flatMap(Option.fromUndefinedOr(known.get(numberMark)), numberOf)
    const text = known.get(textMark)
    this.#text = text === undefined ? undefined : JSON.parse(text) as Text
  }

  /** True if an id is above all of its kind so far; it is the greatest of them then. */
  takes(id: string | number): boolean {
    const number = numberOf(id)
    if (Option.isNone(number)) return this.#takesText(textOf(String(id)))
    if (Option.isSome(this.#number) && !BigDecimal.isGreaterThan(number.value, this.#number.value)) return false
    this.#number = number
    this.marks.set(numberMark, String(id))
    return true
  }

  #takesText(text: Text): boolean {
    if (this.#text !== undefined && !isAbove(text, this.#text)) return false
    this.#text = text
    // As JSON, also a NUL and half of a surrogate pair can be stored.
    this.marks.set(textMark, JSON.stringify(text))
    return true
  }
}
