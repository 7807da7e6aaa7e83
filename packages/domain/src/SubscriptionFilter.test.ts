import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { createRequire } from "node:module"
import { JsonDocument } from "./JsonDocument.ts"
import { type Judged, limits, SubscriptionFilter } from "./SubscriptionFilter.ts"
import { Work } from "./Work.ts"

const matches: (input: unknown, schema: unknown) => boolean =
  createRequire(import.meta.url)("simple-json-match").default

const event = {
  emitterId: "dc_a",
  stream: "orders",
  emitId: "e1",
  meta: { id: 7, summary: "An order" }
}

const read = (filter: unknown): SubscriptionFilter => Result.getOrThrow(SubscriptionFilter.parse(filter))

/** Units of work that a judgement may take here. */
const most = 10_000_000

/** What comes of an event whose payload is a JSON text. */
const judgeText = (filter: unknown, payload: string): Judged => {
  const steps = read(filter).judge(event, JsonDocument.readAtOnce(payload), new Work(), most)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

const judge = (filter: unknown, payload: unknown): string | undefined =>
  judgeText(filter, JSON.stringify(payload)).clause

const passes = (filter: unknown, payload: unknown): boolean => judge(filter, payload) === undefined

/** Paths of what is wrong with a filter. */
const faults = (filter: unknown): ReadonlyArray<string> =>
  Result.match(SubscriptionFilter.parse(filter), {
    onFailure: (all) => all.map(({ path }) => path),
    onSuccess: () => []
  })

// Values that are the same as another only where they are of its type too: the package converts them first.
const Texts = Schema.Literals(["a", "ab", "b", "ba"])
const Numbers = Schema.Literals([2, 3, 5])
const Scalar = Schema.Union([Texts, Numbers, Schema.Boolean, Schema.Null])
const NotNull = Schema.Union([Texts, Numbers])

const few = <S extends Schema.Top>(item: S, minimum = 0) =>
  Schema.Array(item).check(Schema.isMinLength(minimum), Schema.isMaxLength(3))

const fields = <S extends Schema.Top>(value: S) =>
  Schema.Struct({ a: Schema.optionalKey(value), b: Schema.optionalKey(value), c: Schema.optionalKey(value) })

/** To some depth, the outermost last. */
const nested = (scalar: Schema.Top, wider: (inner: Schema.Top) => Schema.Top): Schema.Top => wider(wider(scalar))

const Inner = nested(Scalar, (inner) => Schema.Union([Scalar, few(inner), fields(inner)]))
const Payload = fields(Inner)

const Comparing = Schema.Union([
  Schema.Struct({ $eq: Schema.Union([Scalar, few(Scalar)]) }),
  Schema.Struct({ $neq: Schema.Union([Scalar, few(Scalar)]) }),
  Schema.Struct({ $gt: NotNull }),
  Schema.Struct({ $gte: NotNull, $lt: NotNull }),
  Schema.Struct({ $lte: NotNull }),
  Schema.Struct({ $in: Schema.Union([Texts, few(NotNull)]) }),
  Schema.Struct({ $nin: Schema.Union([Texts, few(NotNull)]) }),
  Schema.Struct({ $startsWith: Schema.Union([Texts, few(Texts)]) }),
  Schema.Struct({ $endsWith: Texts, $neq: Texts }),
  Schema.Struct({ $exist: Schema.Boolean })
])

const Field = nested(Scalar, (inner) =>
  Schema.Union([
    Scalar,
    Comparing,
    few(Scalar, 1),
    fields(inner),
    Schema.Struct({ $or: few(Schema.Union([NotNull, fields(inner)]), 1) })
  ]))

const Filter = nested(fields(Field), (inner) =>
  Schema.Union([
    fields(Field),
    fields(Field),
    Schema.Struct({ ...fields(Field).fields, $or: few(inner, 1) }),
    Schema.Struct({ ...fields(Field).fields, $and: few(inner, 1) }),
    Schema.Struct({ ...fields(Field).fields, $not: inner })
  ]))

describe("a filter", () => {
  it.prop(
    "lets through what simple-json-match matches",
    [Filter as Schema.Top as Schema.Codec<unknown>, Payload as Schema.Top as Schema.Codec<unknown>],
    ([filter, payload]) => {
      // Larger than any may be.
      if (faults(filter).length > 0) return
      assert.strictEqual(passes(filter, payload), matches(payload, filter))
    },
    { arbitrary: { runs: 8_000 } }
  )

  it("compares no values of different types", () => {
    assert.isFalse(passes({ n: 1 }, { n: "1" }))
    assert.isFalse(passes({ n: 0 }, { n: "" }))
    assert.isFalse(passes({ n: { $gt: 5 } }, { n: "10" }))
    assert.isTrue(passes({ n: { $neq: 1 } }, { n: "1" }))
  })

  it("knows no fields but the event's own", () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      assert.isFalse(passes({ a: JSON.parse(`{"${name}": {"$exist": true}}`) }, { a: {} }), name)
      assert.isTrue(passes(JSON.parse(`{"${name}": 1}`), JSON.parse(`{"${name}": 1}`)), name)
      assert.isFalse(passes({ a: { $neq: { $ref: `a.${name}` } } }, { a: {} }), name)
    }
  })

  it("holds of a list where one element meets it, and by $eq, $neq and $exist of the list itself", () => {
    const order = { items: [{ id: 1, price: 2 }, { id: 2, price: 9 }], tags: ["gift", "sale"] }
    assert.isTrue(passes({ items: { id: 1, price: { $lt: 5 } } }, order))
    assert.isFalse(passes({ items: { id: 1, price: { $gt: 5 } } }, order))
    assert.isTrue(passes({ tags: ["sale", "gift"] }, order))
    assert.isTrue(passes({ tags: { $eq: ["gift", "sale"] } }, order))
    assert.isTrue(passes({ tags: { $not: "gift" } }, order), "there is another")
    assert.isFalse(passes({ $not: { tags: "gift" } }, order))
    assert.isTrue(passes({ $not: { id: 3 } }, order.items))
    assert.isFalse(passes({ $not: { id: 1 } }, order.items))
  })

  it("refers to other fields, of the same element by $index, and never to what is not there", () => {
    const input = { max: 5, lines: [{ from: 1, to: 1 }, { from: 2, to: 7, marks: [3, 7] }], max_id: 7 }
    assert.isTrue(passes({ lines: { from: { $ref: "lines[$index].to" } } }, input))
    assert.isFalse(passes({ lines: { marks: { $ref: "lines[$index].from" } } }, input))
    assert.isTrue(passes({ lines: { marks: { $ref: "lines[$index].marks[$index]" } } }, input))
    assert.isTrue(passes({ max: { $lt: { $ref: "lines[1].to" } } }, input))
    assert.isTrue(passes({ max_id: { $ref: "$metadata.id" } }, input))
    assert.isFalse(passes({ max: { $neq: { $ref: "missing.field" } } }, input))
  })

  it("reads what was said beside the payload under $metadata", () => {
    assert.isTrue(passes({ $metadata: { id: 7, name: "orders", summary: { $startsWith: "An" } } }, "any"))
    assert.strictEqual(judge({ $or: [{ a: 1 }, { $metadata: { id: 8 } }] }, { a: 2 }), "filter.$or")
    assert.isFalse(passes({ $metadata: { ts: { $exist: true } } }, {}))
  })

  it("says which clause does not hold", () => {
    const filter = { type: "order", data: { amount: { $gt: 5, $lt: 10 }, items: { id: 1 } }, $not: { test: true } }
    const clause = (payload: unknown) => judge(filter, payload)
    assert.strictEqual(clause({ type: "order", data: { amount: 12, items: [] } }), "filter.data.amount.$lt")
    assert.strictEqual(clause({ type: "order", data: { amount: 7, items: [{ id: 2 }] } }), "filter.data.items")
    assert.strictEqual(clause({ type: "order", data: { amount: 7, items: [{ id: 1 }] }, test: true }), "filter.$not")
    assert.strictEqual(clause({ type: "other" }), "filter.type")
    assert.strictEqual(clause("text"), "filter")
    assert.isUndefined(clause({ type: "order", data: { amount: 7, items: [{ id: 2 }, { id: 1 }] } }))
  })

  it("is refused with the place of each fault where it is malformed", () => {
    assert.deepStrictEqual(faults([]), ["filter"])
    assert.deepStrictEqual(faults({ data: { amount: { $gt: true }, name: { $startsWith: [1] } } }), [
      "filter.data.amount.$gt",
      "filter.data.name.$startsWith"
    ])
    assert.deepStrictEqual(faults({ $or: { a: 1 }, $and: [], a: { $gtt: 1 } }), [
      "filter.$or",
      "filter.$and",
      "filter.a.$gtt"
    ])
    assert.deepStrictEqual(faults({ $or: [{ a: { $exist: 1 } }, { a: { $in: [{}] } }] }), [
      "filter.$or.0.a.$exist",
      "filter.$or.1.a.$in"
    ])
    assert.deepStrictEqual(faults({ $metadata: { nmae: "x" } }), ["filter.$metadata.nmae"])
    assert.deepStrictEqual(faults({ a: { $metadata: { name: "x" } } }), ["filter.a.$metadata"])
    for (const path of ["", ".a", "a..b", "a[", "a[x]", "a]", "$..*", "a[?(@.b)]", "$.a", "a[1]b", 1, null]) {
      assert.deepStrictEqual(faults({ a: { $ref: path } }), ["filter.a.$ref"], String(path))
      assert.deepStrictEqual(faults({ a: { $lt: { $ref: path } } }), ["filter.a.$lt.$ref"], String(path))
    }
  })

  it("has so many bytes, values, levels and characters at most", () => {
    const deep = (levels: number): unknown => levels === 0 ? 1 : { a: deep(levels - 1) }
    assert.deepStrictEqual(faults(deep(limits.depth)), [])
    assert.deepStrictEqual(faults(deep(limits.depth + 1)), [`filter${".a".repeat(limits.depth)}`])
    assert.lengthOf(faults(deep(90)), 1)
    const many = (count: number) => ({ a: { $in: Array.from({ length: count - 3 }, (_, n) => n) } })
    assert.deepStrictEqual(faults(many(limits.values)), [])
    assert.deepStrictEqual(faults(many(limits.values + 1)), ["filter"])
    assert.deepStrictEqual(faults(many(100_000)), ["filter"])
    assert.deepStrictEqual(faults({ a: "x".repeat(limits.characters + 1) }), ["filter.a"])
    assert.deepStrictEqual(faults({ a: Array.from({ length: 5 }, () => "x".repeat(limits.characters)) }), ["filter"])
  })

  it("finds a field by the last of its keys, however it is written and however many others there are", () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `"k${n}":${n}`).join(",")
    for (const others of ["", `,${many}`]) {
      assert.strictEqual(judgeText({ a: 2 }, `{"a":1,"a":2${others}}`).outcome, "passes")
      assert.strictEqual(judgeText({ "ö\n": 2 }, `{"\\u00f6\\n":2${others}}`).outcome, "passes")
      assert.strictEqual(
        judgeText({ a: { $eq: { $ref: "b" } } }, `{"a":{"x":1,"x":2${others}},"b":{"x":2${others}}}`).outcome,
        "passes"
      )
      assert.strictEqual(
        judgeText({ a: { $eq: { $ref: "b" } } }, `{"a":{"x":1,"y":2${others}},"b":{"x":2${others}}}`).outcome,
        "filtered"
      )
    }
  })

  it("looks for any text in any other", () => {
    const long = "ab".repeat(50_000)
    assert.isTrue(passes({ a: { $in: { $ref: "b" } } }, { a: `${long}c${long}`, b: `${long}c` }))
    assert.isFalse(passes({ a: { $in: { $ref: "b" } } }, { a: `${long}c${long}`, b: `${long}cc` }))
    assert.isTrue(passes({ a: { $nin: { $ref: "b" } } }, { a: long, b: `${long}c` }))
    const quoted = "\"\\".repeat(20_000)
    assert.isTrue(passes({ a: { $endsWith: { $ref: "b" }, $gt: { $ref: "b" } } }, { a: `ü${quoted}`, b: quoted }))
  })

  it("refuses a number that is none", () => {
    assert.deepStrictEqual(faults(JSON.parse("{\"a\": {\"$lt\": 1e400}, \"b\": -1e400}")), ["filter.a.$lt", "filter.b"])
  })
})
