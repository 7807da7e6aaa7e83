import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { JsonDocument } from "./JsonDocument.ts"
import { type Judged, limits, SubscriptionFilter } from "./SubscriptionFilter.ts"
import { Work } from "./Work.ts"

/**
 * Counts what the functions of the language do with texts, objects and lists, whoever calls them and whatever he says that
 * it costs: characters and elements, by the most that each call can take.
 */
class Meter {
  count = 0
  private readonly undo: Array<() => void> = []

  /** @param costOf how much one call was, by what it was given and came to */
  watch(owner: object, name: string, costOf: (result: never, self: never, ...args: Array<never>) => number): void {
    const original = Reflect.get(owner, name)
    const add = (cost: number) => {
      this.count += cost
    }
    Reflect.set(owner, name, function(this: never, ...args: Array<never>) {
      const result = Reflect.apply(original, this, args)
      add(Reflect.apply(costOf, undefined, [result, this, ...args]))
      return result
    })
    this.undo.push(() => Reflect.set(owner, name, original))
  }

  watchAll(): void {
    const one = () => 1
    const product = (_: never, text: string, part: string) => text.length * part.length
    const lengthOfPart = (_: never, __: never, part: string) => part.length
    const keys = (_: never, __: never, value: object) => Object.getOwnPropertyNames(value).length
    this.watch(String.prototype, "charCodeAt", one)
    this.watch(String.prototype, "includes", product)
    this.watch(String.prototype, "lastIndexOf", product)
    this.watch(String.prototype, "startsWith", lengthOfPart)
    this.watch(String.prototype, "endsWith", lengthOfPart)
    // A search for one character reads 64 of them at least in the time of one that is read by itself.
    this.watch(
      String.prototype,
      "indexOf",
      (at: number, text: string, part: string, from = 0) =>
        part.length === 1 ? 1 + ((at === -1 ? text.length : at) - from) / 64 : text.length * part.length
    )
    this.watch(Array.prototype, "includes", (_: never, list: ReadonlyArray<unknown>) => list.length)
    this.watch(Array.prototype, "join", (text: string, parts: ReadonlyArray<string>) => parts.length + text.length / 64)
    this.watch(Object, "keys", keys)
    this.watch(Object, "entries", keys)
    this.watch(Object, "hasOwn", one)
    this.watch(JSON, "parse", (_: never, __: never, text: string) => text.length)
    this.watch(Map.prototype, "get", one)
  }

  restore(): void {
    while (this.undo.length > 0) this.undo.pop()!()
  }
}

interface Measured {
  readonly judged: Judged
  readonly work: number
  /** Of any step, to read the payload or to judge: units that it was charged, and what the language's functions did. */
  readonly most: { readonly charged: number; readonly done: number }
}

const event = { emitterId: "dc_a", stream: "", emitId: "e1", meta: { summary: "s".repeat(50_000) } }

/** What comes of an event. */
const judge = (filter: unknown, payload: string, most: number): Judged["outcome"] => {
  const steps = Result.getOrThrow(SubscriptionFilter.parse(filter))
    .judge(event, JsonDocument.readAtOnce(payload), new Work(), most)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value.outcome
}

const measure = (filter: unknown, payload: string, most: number): Measured => {
  const compiled = Result.getOrThrow(SubscriptionFilter.parse(filter))
  const meter = new Meter()
  const longest = { charged: 0, done: 0 }
  const take = <A>(steps: Generator<void, A>, work: Work): A => {
    while (true) {
      const from = work.used
      meter.count = 0
      const step = steps.next()
      longest.done = Math.max(longest.done, meter.count)
      if (step.done === true) return step.value
      if (Number.isFinite(work.used)) longest.charged = Math.max(longest.charged, work.used - from)
    }
  }
  meter.watchAll()
  try {
    const reading = new Work()
    const document = take(JsonDocument.read(payload, reading), reading)
    const work = new Work()
    return { judged: take(compiled.judge(event, document, work, most), work), work: work.used, most: longest }
  } finally {
    meter.restore()
  }
}

const unit = FastCheck.constantFrom("a", "b", "ab", "\"", "\\", "é", "a".repeat(499) + "b")
const size = FastCheck.constantFrom(1, 3, 40, 2_000, 20_000)

/** Texts that repeat themselves, up to 40,000 characters. */
const text = FastCheck.array(FastCheck.tuple(unit, size), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map(([one, times]) => one.repeat(times)).join("").slice(0, 40_000))

/** Numbers up to such as are a text of their own. */
const numeral = FastCheck.constantFrom("1", "-0.5e3", "9".repeat(900), "9".repeat(30_000))

const leaf = FastCheck.oneof(
  text.map((one) => JSON.stringify(one)),
  numeral,
  FastCheck.constantFrom("true", "null", "[]", "{}")
)

const listOf = (item: (n: number) => string, count: number) =>
  `[${Array.from({ length: count }, (_, n) => item(n)).join(",")}]`
const objectOf = (item: (n: number) => string, name: (n: number) => string, count: number) =>
  `{${Array.from({ length: count }, (_, n) => `${JSON.stringify(name(n))}:${item(n)}`).join(",")}}`

/** Keys that are few or many, short or long, that differ at their ends alone, or are all the same. */
const naming = FastCheck.constantFrom(
  (n: number) => `k${n}`,
  (n: number) => `${n}`,
  (n: number) => `${"k".repeat(90)}${n}`,
  (n: number) => `${"k".repeat(8_000)}${n}`,
  () => "k",
  (n: number) => "\"".repeat(n % 50)
)

const value: FastCheck.Arbitrary<string> = FastCheck.oneof(
  leaf,
  FastCheck.tuple(leaf, size).map(([item, count]) => listOf(() => item, Math.min(count, 200_000 / item.length))),
  FastCheck.tuple(leaf, size, naming).map(([item, count, name]) =>
    objectOf(() => item.length > 100 ? "1" : item, name, Math.min(count, 5_000, 800_000 / name(count).length))
  ),
  FastCheck.tuple(naming, FastCheck.constantFrom(3, 60), FastCheck.constantFrom(3, 300)).map(([name, outer, inner]) =>
    listOf((n) => objectOf((i) => String(n + i), name, Math.min(inner, 800_000 / outer / name(inner).length)), outer)
  ),
  size.map((count) => listOf((n) => `{"x":${n},"y":"${n}"}`, Math.min(count, 5_000))),
  FastCheck.constantFrom(10, 400).map((depth) => `${"[".repeat(depth)}1${"]".repeat(depth)}`)
)

/** With its beginning alone where it is printed. */
const payload = FastCheck.record({ a: value, b: value, c: value }).map(({ a, b, c }) => ({
  json: `{"a":${a},"b":${b},"c":${c}}`,
  [FastCheck.toStringMethod]: () => [a, b, c].map((one) => one.slice(0, 100)).join(" ; ")
}))

const reference = FastCheck.constantFrom(
  "a",
  "b",
  "c",
  "b.k1",
  "a[$index]",
  "b[$index].x",
  "c[4000]",
  "$metadata.summary"
)
const comparison = FastCheck.constantFrom(
  "$eq",
  "$neq",
  "$gt",
  "$gte",
  "$lt",
  "$lte",
  "$in",
  "$nin",
  "$startsWith",
  "$endsWith"
)
const compared = FastCheck.oneof(
  { weight: 4, arbitrary: FastCheck.tuple(comparison, reference).map(([by, path]) => ({ [by]: { $ref: path } })) },
  FastCheck.constantFrom({ $in: "a".repeat(900) }, { $startsWith: ["b", "a".repeat(900)] }, { $exist: true }, "b", 2, [
    "a",
    1
  ])
)
const clause = FastCheck.oneof(
  compared,
  compared.map((one) => ({ x: one })),
  compared.map((one) => ({ $not: one })),
  compared.map((one) => ({ $or: [{ $and: [one, one] }, { k1: one }] }))
)
const filter = FastCheck.oneof(
  FastCheck.dictionary(FastCheck.constantFrom("a", "b", "c"), clause, { minKeys: 1 }),
  clause.map((one) => ({ $or: [{ a: one }, { $metadata: { summary: { $in: { $ref: "a" } } } }] }))
).filter((one) => JSON.stringify(one).length <= limits.bytes)

/** Units that a judgement may take here. */
const most = 200_000

it("no step of a judgement is long, whatever the filter and the event, and no judgement is", () => {
  FastCheck.assert(
    FastCheck.property(filter, payload, (filter, { json }) => {
      const { judged, most: longest, work } = measure(filter, json, most)
      // A step ends with what makes it enough, which is no more than a search of what is small.
      assert.isAtMost(longest.charged, 2_000)
      assert.isAtMost(longest.done, 100_000)
      if (judged.outcome === "filter_too_costly") assert.isAbove(work, most)
      else assert.isAtMost(work, most)
      assert.deepStrictEqual(measure(filter, json, most).judged, judged, "it comes to the same each time")
    }),
    { numRuns: 100 }
  )
})

it("gives up where to go on would take the product of what is large, and does what takes the sum", () => {
  const count = 3_000
  const pairs = JSON.stringify({
    a: Array.from({ length: count }, (_, n) => ({ v: `a${n}` })),
    b: Array.from({ length: count }, (_, n) => `b${n}`),
    c: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])),
    d: Array.from({ length: count }, () => ({ v: {} })),
    t: "a".repeat(900_000),
    p: `${"a".repeat(500)}b${"a".repeat(499)}`,
    number: 1
  })
  const outcome = (filter: unknown) => judge(filter, pairs, 5_000_000)
  assert.strictEqual(outcome({ a: { v: { $in: { $ref: "b" } } } }), "filter_too_costly")
  assert.strictEqual(outcome({ a: { v: { $startsWith: { $ref: "b" } } } }), "filter_too_costly")
  assert.strictEqual(outcome({ t: { $in: { $ref: "p" } } }), "filtered")
  assert.strictEqual(outcome({ d: { v: { $ref: "c" } } }), "filtered")
  assert.strictEqual(outcome({ a: { v: { $ref: "b[$index]" } } }), "filtered")
  assert.strictEqual(outcome({ d: { v: { $neq: { $ref: "c.k2999" } } } }), "passes")
  const huge = `{"a":${"1".repeat(5_000)}}`
  assert.strictEqual(judge({ a: 1 }, huge, most), "filter_too_costly")
  assert.strictEqual(judge({ b: 1 }, huge, most), "filtered")
})
