import type { Schema } from "effect"
import type { LoggedEvent } from "./Event.ts"
import { type Clause, type Comparison, metadataKey, type Primitive, type Reference } from "./FilterClause.ts"
import { JsonDocument } from "./JsonDocument.ts"
import { JsonLookup } from "./JsonLookup.ts"
import * as TextComparison from "./TextComparison.ts"
import { mostAtOnce, type Work } from "./Work.ts"

/** An event as a filter sees it, beside its payload. */
export type JudgedEvent = Pick<LoggedEvent, "emitterId" | "emitId" | "meta" | "stream">

/** The deepest nesting of lists that is looked into. */
const deepest = 600

/** A number that is written with more characters than this is too much work to read. */
const mostOfNumber = 1_000

/** A character of a text is written with so many characters of JSON at most. */
const longestEscape = 6

const { nothing } = JsonDocument

/** JSON text of a text, however long. */
function* textToJson(text: string, work: Work): Generator<void, string> {
  const parts: Array<string> = []
  for (let at = 0; at < text.length; at += mostAtOnce) {
    const part = text.slice(at, at + mostAtOnce)
    if (work.spendOn(part.length)) yield work.rest()
    parts.push(JSON.stringify(part).slice(1, -1))
  }
  return `"${parts.join("")}"`
}

function* metadataOf({ emitId, emitterId, meta, stream }: JudgedEvent, work: Work): Generator<void, JsonDocument> {
  const fields: { readonly [name: string]: string | number | undefined } = {
    emit_id: emitId,
    emitter_id: emitterId,
    name: stream,
    id: meta.id,
    summary: meta.summary,
    ts: meta.ts
  }
  const parts: Array<string> = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    parts.push(`"${name}":${typeof value === "string" ? yield* textToJson(value, work) : JSON.stringify(value)}`)
  }
  return yield* JsonDocument.read(`{${parts.join(",")}}`, work)
}

/**
 * Judges one event. A value is given by its number in a document. A method that judges a clause returns the path of the
 * clause that does not hold, if any.
 */
export class FilterJudgement {
  private readonly event: JudgedEvent
  private readonly payload: JsonLookup
  private readonly work: Work
  private metadata: JsonLookup | undefined
  /** The indexes of the judged value in the lists around it, the outermost first. */
  private readonly indexes: Array<number> = []
  /** The values that references without `$index` resolve to. */
  private referred: Map<Reference, number> | undefined

  constructor(event: JudgedEvent, payload: JsonDocument, work: Work) {
    this.event = event
    this.payload = new JsonLookup(payload, work)
    this.work = work
  }

  /** Judges the event by a whole filter. */
  judgeEvent(clause: Clause): Generator<void, string | undefined> {
    return this.judge(clause, this.payload, 0)
  }

  private *judge(clause: Clause, place: JsonLookup, value: number): Generator<void, string | undefined> {
    if (this.work.spend(1)) yield this.work.rest()
    const { path } = clause
    const isList = value !== nothing && place.document.kindOf(value) === "list"
    switch (clause._tag) {
      case "Equals":
        if (isList) return (yield* this.hasElement(clause, place, value)) ? undefined : path
        return this.equals(place, value, clause.value) ? undefined : path
      case "Contains":
        if (!isList) return path
        for (const item of clause.items) if (!(yield* this.hasElement(item, place, value))) return item.path
        return undefined
      case "Compares":
        return (yield* this.holds(clause, place, value)) ? undefined : path
      case "Exists":
        return (value !== nothing) === clause.wanted ? undefined : path
      case "Any":
        for (const one of clause.clauses) if ((yield* this.judge(one, place, value)) === undefined) return undefined
        return path
      case "All":
        for (const one of clause.clauses) {
          const failed = yield* this.judge(one, place, value)
          if (failed !== undefined) return failed
        }
        return undefined
      case "Element":
        if (isList) return (yield* this.hasElement(clause, place, value)) ? undefined : path
        return yield* this.judge(clause.clause, place, value)
      case "Not":
        return (yield* this.judge(clause.clause, place, value)) === undefined ? path : undefined
      case "Fields":
        if (isList) return (yield* this.hasElement(clause, place, value)) ? undefined : path
        if (value === nothing || place.document.kindOf(value) !== "object") return path
        for (const [name, field] of clause.fields) {
          const failed = yield* this.judge(field, place, yield* place.field(value, name))
          if (failed !== undefined) return failed
        }
        return undefined
      case "Metadata":
        return yield* this.judge(clause.clause, yield* this.saidBeside(), 0)
    }
  }

  private *saidBeside(): Generator<void, JsonLookup> {
    this.metadata ??= new JsonLookup(yield* metadataOf(this.event, this.work), this.work)
    return this.metadata
  }

  private *hasElement(clause: Clause, place: JsonLookup, list: number): Generator<void, boolean> {
    const { document } = place
    const depth = this.indexes.length
    if (depth >= deepest) return false
    const count = document.countOf(list)
    let value = list + 1
    for (let index = 0; index < count; index++) {
      this.indexes[depth] = index
      const failed = yield* this.judge(clause, place, value)
      this.indexes.length = depth
      if (failed === undefined) return true
      value = document.behind(value)
    }
    return false
  }

  /** True if a value equals one in the filter, which is short. */
  private equals({ document }: JsonLookup, value: number, wanted: Primitive): boolean {
    if (value === nothing) return false
    const kind = document.kindOf(value)
    if (typeof wanted === "number") return kind === "number" && this.numberOf(document, value) === wanted
    if (typeof wanted !== "string") return kind === String(wanted)
    if (kind !== "text") return false
    this.work.spendOn(wanted.length)
    if (!document.hasEscapes(value)) return document.isRaw(value, wanted)
    const isLonger = document.lengthOf(value) > longestEscape * wanted.length
    return !isLonger && JSON.parse(`"${document.rawOf(value)}"`) === wanted
  }

  private numberOf(document: JsonDocument, value: number): number {
    const length = document.lengthOf(value)
    this.work.spendOn(length <= mostOfNumber ? length : Infinity)
    return length <= mostOfNumber ? Number(document.rawOf(value)) : Number.NaN
  }

  private *holds(
    { by, operand }: Extract<Clause, { readonly _tag: "Compares" }>,
    place: JsonLookup,
    value: number
  ): Generator<void, boolean> {
    if (value === nothing) return false
    if ("literal" in operand) {
      return yield* this.compares(place, value, by, new JsonLookup(operand.literal, this.work), 0)
    }
    const other = operand.reference[0] === metadataKey ? yield* this.saidBeside() : this.payload
    const found = yield* this.at(operand.reference, other)
    return found !== nothing && (yield* this.compares(place, value, by, other, found))
  }

  private *compares(a: JsonLookup, value: number, by: Comparison, b: JsonLookup, operand: number) {
    switch (by) {
      case "$eq":
        return yield* this.isSame(a, value, b, operand)
      case "$neq":
        return !(yield* this.isSame(a, value, b, operand))
      case "$in":
        return (yield* this.isIn(a, value, b, operand)) === true
      case "$nin":
        return (yield* this.isIn(a, value, b, operand)) === false
      case "$startsWith":
      case "$endsWith":
        return yield* this.startsOrEnds(a, value, by, b, operand)
      default: {
        const order = yield* this.orderOf(a, value, b, operand)
        return by === "$gt" ? order > 0 : by === "$gte" ? order >= 0 : by === "$lt" ? order < 0 : order <= 0
      }
    }
  }

  /** Says whether two values are the same; undefined if that can't be told quickly. */
  private isSameAtOnce({ document: a }: JsonLookup, valueA: number, { document: b }: JsonLookup, valueB: number) {
    const kind = a.kindOf(valueA)
    if (kind !== b.kindOf(valueB)) return false
    switch (kind) {
      case "text": {
        if (a.hasEscapes(valueA) || b.hasEscapes(valueB)) return undefined
        const length = a.lengthOf(valueA)
        if (length !== b.lengthOf(valueB)) return false
        if (length > mostAtOnce) return undefined
        this.work.spendOn(length)
        return a.isRaw(valueA, b.rawOf(valueB))
      }
      case "number":
        return this.numberOf(a, valueA) === this.numberOf(b, valueB)
      case "list":
      case "object":
        return undefined
      default:
        return true
    }
  }

  private *isSame(a: JsonLookup, valueA: number, b: JsonLookup, valueB: number): Generator<void, boolean> {
    const { work } = this
    if (work.spend(1)) yield work.rest()
    const isSame = this.isSameAtOnce(a, valueA, b, valueB)
    if (isSame !== undefined) return isSame
    switch (a.document.kindOf(valueA)) {
      case "text":
        return yield* TextComparison.isSame(yield* a.textOf(valueA), yield* b.textOf(valueB), work)
      case "list": {
        const count = a.document.countOf(valueA)
        if (count !== b.document.countOf(valueB)) return false
        let [one, other] = [valueA + 1, valueB + 1]
        for (let left = count; left > 0; left--) {
          if (!(yield* this.isSame(a, one, b, other))) return false
          one = a.document.behind(one)
          other = b.document.behind(other)
        }
        return true
      }
      default:
        return yield* this.hasSameFields(a, valueA, b, valueB)
    }
  }

  private *hasSameFields(a: JsonLookup, valueA: number, b: JsonLookup, valueB: number): Generator<void, boolean> {
    if ((yield* a.size(valueA)) !== (yield* b.size(valueB))) return false
    let key = valueA + 1
    for (let left = a.document.countOf(valueA); left > 0; left--) {
      const name = yield* a.textOf(key)
      const value = key + 1
      key = a.document.behind(value)
      // A later key of the same name counts in its place.
      if ((yield* a.field(valueA, name)) !== value) continue
      const other = yield* b.field(valueB, name)
      if (other === nothing || !(yield* this.isSame(a, value, b, other))) return false
    }
    return true
  }

  /** Says whether a list holds a value or a text holds a part; undefined for values of other kinds. */
  private *isIn(a: JsonLookup, value: number, b: JsonLookup, operand: number): Generator<void, boolean | undefined> {
    const kind = a.document.kindOf(value)
    const kindOfOperand = b.document.kindOf(operand)
    if (kind === "list" || kind === "object") return undefined
    if (kindOfOperand === "list") {
      let element = operand + 1
      for (let left = b.document.countOf(operand); left > 0; left--) {
        if (this.work.spend(1)) yield this.work.rest()
        if (this.isSameAtOnce(a, value, b, element) ?? (yield* this.isSame(a, value, b, element))) return true
        element = b.document.behind(element)
      }
      return false
    }
    if (kind !== "text" || kindOfOperand !== "text") return undefined
    return yield* TextComparison.contains(yield* a.textOf(value), yield* b.textOf(operand), this.work)
  }

  private *startsOrEnds(
    a: JsonLookup,
    value: number,
    by: "$startsWith" | "$endsWith",
    b: JsonLookup,
    operand: number
  ): Generator<void, boolean> {
    if (a.document.kindOf(value) !== "text") return false
    const text = yield* a.textOf(value)
    const isOne = b.document.kindOf(operand) !== "list"
    let one = isOne ? operand : operand + 1
    for (let left = isOne ? 1 : b.document.countOf(operand); left > 0; left--) {
      if (this.work.spend(1)) yield this.work.rest()
      if (b.document.kindOf(one) === "text") {
        const part = yield* b.textOf(one)
        const holds = by === "$startsWith"
          ? TextComparison.begins(text, part, this.work)
          : TextComparison.ends(text, part, this.work)
        if (yield* holds) return true
      }
      one = b.document.behind(one)
    }
    return false
  }

  /** Less than 0, 0 or more than 0 for two numbers or two texts; NaN for values that have no order. */
  private *orderOf(a: JsonLookup, value: number, b: JsonLookup, operand: number): Generator<void, number> {
    const kind = a.document.kindOf(value)
    if (kind !== b.document.kindOf(operand)) return Number.NaN
    if (kind === "text") {
      return yield* TextComparison.compare(yield* a.textOf(value), yield* b.textOf(operand), this.work)
    }
    if (kind !== "number") return Number.NaN
    const [one, other] = [this.numberOf(a.document, value), this.numberOf(b.document, operand)]
    return one < other ? -1 : one > other ? 1 : one === other ? 0 : Number.NaN
  }

  private *at(reference: Reference, place: JsonLookup): Generator<void, number> {
    const known = this.referred?.get(reference)
    if (known !== undefined) return known
    const { document } = place
    let value = 0
    for (const segment of reference[0] === metadataKey ? reference.slice(1) : reference) {
      const key = typeof segment === "object" ? this.indexes[segment.nth] : segment
      const kind = document.kindOf(value)
      if (typeof key === "number" && kind === "list") value = yield* place.element(value, key)
      else if (typeof key === "string" && kind === "object") value = yield* place.field(value, key)
      else value = nothing
      if (value === nothing) break
    }
    if (reference.every((segment) => typeof segment !== "object")) {
      this.referred ??= new Map()
      this.referred.set(reference, value)
    }
    return value
  }
}

/** The JSON of a value in a filter, to compare with. */
export const literalOf = (value: Schema.Json): JsonDocument => JsonDocument.readAtOnce(JSON.stringify(value))
