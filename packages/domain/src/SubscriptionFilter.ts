import { Result, type Schema } from "effect"
import {
  type Clause,
  type Comparison,
  comparisons,
  metadataKey,
  type Primitive,
  type Reference
} from "./FilterClause.ts"
import { FilterJudgement, type JudgedEvent, literalOf } from "./FilterJudgement.ts"
import type { JsonDocument } from "./JsonDocument.ts"
import type { Work } from "./Work.ts"

/** The limits of a filter. The cost of judging an event grows with the filter's size. */
export const limits = {
  /** Bytes of its JSON text. */
  bytes: 4_096,
  /** Objects and arrays within each other. */
  depth: 10,
  /** Values in it, those in lists included. */
  values: 100,
  /** Characters of one text in it. */
  characters: 1_000,
  /** Faults that are reported. */
  faults: 10
} as const

/** A fault of a filter, and its path: dotted, from `filter` on. */
export interface FilterFault {
  readonly path: string
  readonly message: string
}

/** The fields of an event's metadata, by the names under which events are listed. */
const metadataFields = ["emit_id", "emitter_id", "id", "name", "summary", "ts"]

/** All keys that begin with `$` and have a meaning. */
const operators: ReadonlyArray<string> = [...comparisons, "$exist", "$or", "$and", "$not", "$ref", metadataKey]

const isComparison = (key: string): key is Comparison => comparisons.some((one) => one === key)

/** True if a key asks about a list itself, not about its elements. */
const looksAtLists = (key: string): boolean => key === "$exist" || isComparison(key)

const isPrimitive = (value: unknown): value is Primitive => value === null || typeof value !== "object"

const isList = (value: unknown): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

const isObject = (value: unknown): value is { readonly [key: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const segmentForm = /^(?:\.?([^.[\]]+)|\[(\d{1,9})\]|\[(\$index)\])/

const parseReference = (text: string): Reference | undefined => {
  const segments: Array<Reference[number]> = []
  let nth = 0
  for (let rest = text; rest !== "";) {
    const match = segmentForm.exec(rest)
    if (match === null || segments.length === limits.depth || (segments.length === 0 && rest.startsWith("."))) {
      return undefined
    }
    const [whole, name, index] = match
    if (name?.startsWith("$") === true && !(name === metadataKey && segments.length === 0)) return undefined
    segments.push(name ?? (index === undefined ? { nth: nth++ } : Number(index)))
    rest = rest.slice(whole.length)
    if (rest !== "" && !rest.startsWith(".") && !rest.startsWith("[")) return undefined
  }
  return segments.length === 0 ? undefined : segments
}

/** Reads a filter and notes its faults. */
class Compiler {
  readonly faults: Array<FilterFault> = []
  private values = 0

  compile(value: unknown, path: string, depth: number, isRoot: boolean): Clause {
    const nothing: Clause = { _tag: "All", path, clauses: [] }
    if (!this.count(value, path, depth)) return nothing
    if (isList(value)) {
      return {
        _tag: "Contains",
        path,
        items: value.map((item, n) => this.compile(item, `${path}.${n}`, depth + 1, false))
      }
    }
    if (!isObject(value)) return { _tag: "Equals", path, value: value as Primitive }
    const clauses: Array<Clause> = []
    const fields: Array<readonly [string, Clause]> = []
    for (const [key, inner] of Object.entries(value)) {
      const at = `${path}.${key}`
      if (key.startsWith("$")) clauses.push(this.operator(key, inner, at, depth, isRoot) ?? nothing)
      else fields.push([key, this.compile(inner, at, depth + 1, false)])
    }
    if (fields.length > 0 || clauses.length === 0) clauses.push({ _tag: "Fields", path, fields })
    const clause: Clause = clauses.length === 1 ? clauses[0]! : { _tag: "All", path, clauses }
    return isRoot || Object.keys(value).some(looksAtLists) ? clause : { _tag: "Element", path, clause }
  }

  private operator(key: string, value: Schema.Json, path: string, depth: number, isRoot: boolean): Clause | undefined {
    if (isComparison(key)) return this.comparison(key, value, path, depth)
    switch (key) {
      case "$exist":
        if (typeof value !== "boolean") return this.fault(path, "must be true or false")
        return { _tag: "Exists", path, wanted: value }
      case "$or":
      case "$and":
        if (!isList(value) || value.length === 0) return this.fault(path, "must be a list of filters")
        return {
          _tag: key === "$or" ? "Any" : "All",
          path,
          clauses: value.map((one, n) => this.compile(one, `${path}.${n}`, depth + 1, isRoot))
        }
      case "$not":
        return { _tag: "Not", path, clause: this.compile(value, path, depth + 1, isRoot) }
      case "$ref": {
        const reference = this.reference(value, path)
        return reference && { _tag: "Compares", path, by: "$eq", operand: { reference } }
      }
      case metadataKey:
        return isRoot ? this.metadata(value, path, depth) : this.fault(path, "stands at the beginning of a filter only")
      default:
        return this.fault(path, `is not an operator: those are ${operators.join(", ")}`)
    }
  }

  private metadata(value: Schema.Json, path: string, depth: number): Clause | undefined {
    if (!isObject(value)) return this.fault(path, "must be an object")
    for (const key of Object.keys(value)) {
      if (key.startsWith("$") || metadataFields.includes(key)) continue
      this.fault(`${path}.${key}`, `is not part of an event's metadata: that has ${metadataFields.join(", ")}`)
    }
    return { _tag: "Metadata", path, clause: this.compile(value, path, depth + 1, false) }
  }

  private comparison(by: Comparison, value: Schema.Json, path: string, depth: number): Clause | undefined {
    if (isObject(value) && Object.hasOwn(value, "$ref")) {
      if (Object.keys(value).length > 1) return this.fault(path, "has something else beside its $ref")
      const reference = this.reference(value["$ref"]!, `${path}.$ref`)
      return reference && { _tag: "Compares", path, by, operand: { reference } }
    }
    if (!this.countAll(value, path, depth + 1)) return undefined
    const expected = expectedOf(by, value)
    if (expected !== undefined) return this.fault(path, `must be ${expected}`)
    return { _tag: "Compares", path, by, operand: { literal: literalOf(value) } }
  }

  private reference(value: Schema.Json, path: string): Reference | undefined {
    const reference = typeof value === "string" && this.count(value, path, 0) ? parseReference(value) : undefined
    return reference ??
      this.fault(path, "must be the path of a field, such as order.id, items[0].id or items[$index].id")
  }

  /** Counts a value, and answers whether there may be one more. */
  private count(value: unknown, path: string, depth: number): boolean {
    this.values += 1
    if (this.values > limits.values) {
      if (this.values === limits.values + 1) this.fault("filter", `has more than ${limits.values} values`)
      return false
    }
    if (typeof value === "string" && value.length > limits.characters) {
      this.fault(path, `is longer than ${limits.characters} characters`)
      return false
    }
    if (typeof value === "number" && !Number.isFinite(value)) {
      this.fault(path, "is larger than a number can be")
      return false
    }
    if (isPrimitive(value) || depth < limits.depth) return true
    this.fault(path, `is nested more than ${limits.depth} deep`)
    return false
  }

  private countAll(value: Schema.Json, path: string, depth: number): boolean {
    if (!this.count(value, path, depth)) return false
    if (isPrimitive(value)) return true
    return Object.values(value).every((one) => this.countAll(one, path, depth + 1))
  }

  private fault(path: string, message: string): undefined {
    if (this.faults.length < limits.faults) this.faults.push({ path, message })
  }
}

const isTexts = (value: Schema.Json): boolean =>
  typeof value === "string" || (isList(value) && value.every((one) => typeof one === "string"))

/** The operand that a comparison expects, if the value is something else. */
const expectedOf = (by: Comparison, value: Schema.Json): string | undefined => {
  switch (by) {
    case "$eq":
    case "$neq":
      return undefined
    case "$in":
    case "$nin":
      return typeof value === "string" || (isList(value) && value.every(isPrimitive))
        ? undefined
        : "a text, or a list of texts, numbers, true, false and null"
    case "$startsWith":
    case "$endsWith":
      return isTexts(value) ? undefined : "a text or a list of texts"
    default:
      return typeof value === "string" || typeof value === "number" ? undefined : "a number or a text"
  }
}

/** The outcome for an event: it passes, a clause does not hold, or judging it takes too much work. */
export type Judged =
  | { readonly outcome: "passes" | "filter_too_costly"; readonly clause?: never }
  /** The clause that does not hold, by its place in the filter, such as `filter.data.amount.$gt`. */
  | { readonly outcome: "filtered"; readonly clause: string }

const passes: Judged = { outcome: "passes" }
const tooCostly: Judged = { outcome: "filter_too_costly" }

/**
 * Selects the events that a subscription lets through, in the syntax of `simple-json-match` over the payload, with the
 * event's metadata under `$metadata`. Unlike there, values of different types are never the same, `$not`, `$or` and
 * `$and` hold anywhere, and only an event's own fields count.
 */
export class SubscriptionFilter {
  /** Its JSON text, as it is stored. */
  readonly text: string
  private readonly clause: Clause

  private constructor(text: string, clause: Clause) {
    this.text = text
    this.clause = clause
  }

  /** Reads a filter from a client. */
  static parse(value: unknown): Result.Result<SubscriptionFilter, ReadonlyArray<FilterFault>> {
    if (!isObject(value)) return Result.fail([{ path: "filter", message: "must be an object" }])
    const compiler = new Compiler()
    const clause = compiler.compile(value, "filter", 0, true)
    if (compiler.faults.length > 0) return Result.fail(compiler.faults)
    const text = JSON.stringify(value)
    if (new TextEncoder().encode(text).length > limits.bytes) {
      return Result.fail([{ path: "filter", message: `is larger than ${limits.bytes} bytes` }])
    }
    return Result.succeed(new SubscriptionFilter(text, clause))
  }

  /** Reads a stored filter. A text that is no filter is a defect. */
  static fromText(text: string): SubscriptionFilter {
    return Result.getOrThrow(SubscriptionFilter.parse(JSON.parse(text)))
  }

  /**
   * Judges an event in small steps. The work is the same each time.
   *
   * @param work where the work is counted
   * @param most units of work that it may take
   */
  *judge(event: JudgedEvent, payload: JsonDocument, work: Work, most: number): Generator<void, Judged> {
    const steps = new FilterJudgement(event, payload, work).judgeEvent(this.clause)
    while (true) {
      const { done, value } = steps.next()
      if (work.used > most) return tooCostly
      if (done === true) return value === undefined ? passes : { outcome: "filtered", clause: value }
      yield
    }
  }
}
