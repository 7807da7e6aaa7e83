import { Result, type Schema } from "effect"
import type { LoggedEvent } from "./Event.ts"

/** What a filter may be at most: what it costs to judge an event by it grows with each of these. */
export const limits = {
  /** Bytes of its JSON text. */
  bytes: 4_096,
  /** Objects and arrays within each other. */
  depth: 10,
  /** Values in it, those in lists included. */
  values: 100,
  /** Characters of one text in it, and of one that `$in` looks for by `$ref`. */
  characters: 1_000,
  /** Faults that are told of. */
  faults: 10
} as const

/** What is wrong with a filter, and where: dotted, from `filter` on. */
export interface FilterFault {
  readonly path: string
  readonly message: string
}

/** The key by which a filter asks for what was said beside the payload. */
const metadataKey = "$metadata"

/** What an event's metadata has, by the names under which events are listed. */
const metadataFields = ["emit_id", "emitter_id", "id", "name", "summary", "ts"]

const comparisons = ["$eq", "$neq", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$startsWith", "$endsWith"] as const
type Comparison = typeof comparisons[number]

/** Everything that begins with `$` and has a meaning. */
const operators: ReadonlyArray<string> = [...comparisons, "$exist", "$or", "$and", "$not", "$ref", metadataKey]

const isComparison = (key: string): key is Comparison => comparisons.some((one) => one === key)

type Primitive = string | number | boolean | null

/** What is judged: JSON, or nothing where the event has no such field. */
type Value = Schema.Json | undefined

/** Whether a key asks something of a list itself, and not of its elements. */
const looksAtLists = (key: string): boolean => key === "$exist" || isComparison(key)

const isPrimitive = (value: unknown): value is Primitive => value === null || typeof value !== "object"

const isList = (value: unknown): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

const isObject = (value: unknown): value is { readonly [key: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A place in the event that a value is compared with: names, numbers in lists, and `$index` for the element that is judged. */
type Reference = ReadonlyArray<string | number | { readonly nth: number }>

/** One part of a filter, compiled. `path` is its place in the filter. */
type Clause =
  | { readonly _tag: "Equals"; readonly path: string; readonly value: Primitive }
  | { readonly _tag: "Contains"; readonly path: string; readonly items: ReadonlyArray<Clause> }
  | {
    readonly _tag: "Compares"
    readonly path: string
    readonly by: Comparison
    readonly operand: { readonly value: Schema.Json } | { readonly reference: Reference }
  }
  | { readonly _tag: "Exists"; readonly path: string; readonly wanted: boolean }
  | { readonly _tag: "Any" | "All"; readonly path: string; readonly clauses: ReadonlyArray<Clause> }
  | { readonly _tag: "Not"; readonly path: string; readonly clause: Clause }
  /** Of a list, one of its elements is to meet it. */
  | { readonly _tag: "Element"; readonly path: string; readonly clause: Clause }
  | { readonly _tag: "Fields"; readonly path: string; readonly fields: ReadonlyArray<readonly [string, Clause]> }
  | { readonly _tag: "Metadata"; readonly path: string; readonly clause: Clause }

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

/** Reads a filter, noting what is wrong with it. */
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
    return { _tag: "Compares", path, by, operand: { value } }
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

/** What a comparison takes, where a value is something else. */
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

/** Whether a value stands in an order to another of its kind. */
const isOrdered = (value: string | number, by: "$gt" | "$gte" | "$lt" | "$lte", other: string | number): boolean => {
  switch (by) {
    case "$gt":
      return value > other
    case "$gte":
      return value >= other
    case "$lt":
      return value < other
    case "$lte":
      return value <= other
  }
}

/** Whether a list has a value or a text has a part; undefined for what can't be asked that. */
const isIn = (value: Value, operand: Value): boolean | undefined => {
  if (value === undefined || !isPrimitive(value)) return undefined
  if (isList(operand)) return operand.includes(value)
  if (typeof value !== "string" || typeof operand !== "string") return undefined
  // To look for a long text in a long one can take the product of both.
  return operand.length > limits.characters ? undefined : value.includes(operand)
}

const startsOrEnds = (value: Value, by: "$startsWith" | "$endsWith", operand: Value): boolean => {
  if (typeof value !== "string") return false
  const holds = (one: Schema.Json) =>
    typeof one === "string" && (by === "$startsWith" ? value.startsWith(one) : value.endsWith(one))
  return isList(operand) ? operand.some(holds) : operand !== undefined && holds(operand)
}

/** An event as a filter sees it. */
export type JudgedEvent = Pick<LoggedEvent, "emitterId" | "emitId" | "meta" | "stream">

const metadataOf = ({ emitId, emitterId, meta, stream }: JudgedEvent): { readonly [key: string]: Schema.Json } => ({
  emit_id: emitId,
  emitter_id: emitterId,
  name: stream,
  ...(meta.id === undefined ? {} : { id: meta.id }),
  ...(meta.summary === undefined ? {} : { summary: meta.summary }),
  ...(meta.ts === undefined ? {} : { ts: meta.ts })
})

/** So many parts of an event are looked at in a step: less than a tenth of a millisecond's worth. */
const stepSize = 500

/** Lists within lists that are looked into. */
const deepest = 600

/** Judges one event. Each of its methods answers the path of the clause that does not hold, if any. */
class Judgement {
  private readonly event: JudgedEvent
  private readonly payload: Schema.Json
  /** Where in the lists around it the value stands that is being judged, the outermost first. */
  private readonly indexes: Array<number> = []
  private looked = 0

  constructor(event: JudgedEvent, payload: Schema.Json) {
    this.event = event
    this.payload = payload
  }

  *judge(clause: Clause, value: Value): Generator<void, string | undefined> {
    if (++this.looked % stepSize === 0) yield
    const { path } = clause
    switch (clause._tag) {
      case "Equals":
        if (isList(value)) return (yield* this.hasElement(clause, value)) ? undefined : path
        return value === clause.value ? undefined : path
      case "Contains":
        if (!isList(value)) return path
        for (const item of clause.items) if (!(yield* this.hasElement(item, value))) return item.path
        return undefined
      case "Compares": {
        const operand = "value" in clause.operand ? clause.operand.value : this.at(clause.operand.reference)
        return (yield* this.compares(value, clause.by, operand)) ? undefined : path
      }
      case "Exists":
        return (value !== undefined) === clause.wanted ? undefined : path
      case "Any":
        for (const one of clause.clauses) if ((yield* this.judge(one, value)) === undefined) return undefined
        return path
      case "All":
        for (const one of clause.clauses) {
          const failed = yield* this.judge(one, value)
          if (failed !== undefined) return failed
        }
        return undefined
      case "Element":
        if (isList(value)) return (yield* this.hasElement(clause, value)) ? undefined : path
        return yield* this.judge(clause.clause, value)
      case "Not":
        return (yield* this.judge(clause.clause, value)) === undefined ? path : undefined
      case "Fields":
        if (isList(value)) return (yield* this.hasElement(clause, value)) ? undefined : path
        if (!isObject(value)) return path
        for (const [name, field] of clause.fields) {
          const failed = yield* this.judge(field, Object.hasOwn(value, name) ? value[name] : undefined)
          if (failed !== undefined) return failed
        }
        return undefined
      case "Metadata":
        return yield* this.judge(clause.clause, metadataOf(this.event))
    }
  }

  private *hasElement(clause: Clause, list: ReadonlyArray<Schema.Json>): Generator<void, boolean> {
    const depth = this.indexes.length
    if (depth >= deepest) return false
    for (let index = 0; index < list.length; index++) {
      this.indexes[depth] = index
      const failed = yield* this.judge(clause, list[index])
      this.indexes.length = depth
      if (failed === undefined) return true
    }
    return false
  }

  private *compares(value: Value, by: Comparison, operand: Value): Generator<void, boolean> {
    if (value === undefined || operand === undefined) return false
    switch (by) {
      case "$eq":
        return yield* this.isSame(value, operand)
      case "$neq":
        return !(yield* this.isSame(value, operand))
      case "$in":
        return isIn(value, operand) === true
      case "$nin":
        return isIn(value, operand) === false
      case "$startsWith":
      case "$endsWith":
        return startsOrEnds(value, by, operand)
      default:
        return typeof value === "string" && typeof operand === "string" ||
            typeof value === "number" && typeof operand === "number"
          ? isOrdered(value, by, operand)
          : false
    }
  }

  private *isSame(a: Schema.Json, b: Schema.Json): Generator<void, boolean> {
    if (++this.looked % stepSize === 0) yield
    if (isPrimitive(a) || isPrimitive(b)) return a === b
    if (isList(a) !== isList(b)) return false
    const names = Object.keys(a)
    if (names.length !== Object.keys(b).length) return false
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false
      const [inA, inB] = [a, b] as ReadonlyArray<{ readonly [key: string]: Schema.Json }>
      if (!(yield* this.isSame(inA![name]!, inB![name]!))) return false
    }
    return true
  }

  private at(reference: Reference): Value {
    const isOfMetadata = reference[0] === metadataKey
    let value: Value = isOfMetadata ? metadataOf(this.event) : this.payload
    for (const segment of isOfMetadata ? reference.slice(1) : reference) {
      const key = typeof segment === "object" ? this.indexes[segment.nth] : segment
      if (typeof key === "number" ? isList(value) : isObject(value)) {
        value = Object.hasOwn(value as object, key as PropertyKey)
          ? (value as { readonly [key: string | number]: Schema.Json })[key as string | number]
          : undefined
      } else {
        return undefined
      }
    }
    return value
  }
}

/**
 * Which events a subscription lets through, in the syntax of `simple-json-match` over the payload, with what the emit said
 * beside it under `$metadata`. Unlike there, values of different types are never the same, `$not`, `$or` and `$and` hold
 * anywhere, and only an event's own fields count.
 */
export class SubscriptionFilter {
  /** JSON text of it, as it is kept. */
  readonly text: string
  private readonly clause: Clause

  private constructor(text: string, clause: Clause) {
    this.text = text
    this.clause = clause
  }

  /** Reads what a client gave. */
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

  /** Reads what was kept. A text that is no filter is a defect. */
  static fromText(text: string): SubscriptionFilter {
    return Result.getOrThrow(SubscriptionFilter.parse(JSON.parse(text)))
  }

  /**
   * Which clause does not hold for an event, by its place in the filter such as `filter.data.amount.$gt`; none where the event
   * is let through. In small steps.
   */
  judge(event: JudgedEvent, payload: Schema.Json): Generator<void, string | undefined> {
    return new Judgement(event, payload).judge(this.clause, payload)
  }
}
