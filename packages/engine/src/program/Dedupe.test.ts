import { assert, it } from "@effect/vitest"
import * as Storable from "@headwater/domain/Storable"
import { Schema } from "effect"
import * as Dedupe from "./Dedupe.ts"

const ids = Schema.Array(Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))))
const runs = Schema.Array(ids)

/** Emits run after run, remembering what each decision says; answers the ids that passed, by run. */
const emitAll = (
  strategy: "greatest" | "last" | "unique",
  all: ReadonlyArray<ReadonlyArray<Dedupe.EmittedId>>
): ReadonlyArray<ReadonlyArray<Dedupe.EmittedId>> => {
  const memory = new Map<string, string>()
  return all.map((run) => {
    const wanted = Dedupe.marksFor(strategy, run)
    const known = new Map([...memory].filter(([mark]) => wanted.includes(mark)))
    const { marks, passes } = Dedupe.decide(strategy, run, known)
    for (const [mark, value] of marks) memory.set(mark, value)
    return run.filter((_, index) => passes[index])
  })
}

it.prop("unique lets each id through once, however the emits fall into runs", [runs], ([all]) => {
  const passed = emitAll("unique", all).flat()
  const identified = passed.filter((id) => id !== undefined)
  assert.deepStrictEqual<unknown>(identified, [...new Set(all.flat().filter((id) => id !== undefined))])
})

/** Texts that are numbers and numbers, the smallest first, as written down by hand. */
const ascendingNumbers: ReadonlyArray<string | number> = [
  -1e300,
  "-12",
  -2.5,
  "-2",
  "0",
  "0.1",
  1,
  "1.5",
  "+2",
  " 9 ",
  "10",
  "0x0b",
  "1e3",
  "1503435956.0002470001",
  "1503435956.0002470002",
  "9007199254740992",
  "9007199254740993",
  "1860000000000000001",
  "1860000000000000001.5",
  "1860000000000000002",
  1e21,
  "9".repeat(500),
  `1${"0".repeat(500)}`
]

/** Texts that are no numbers, the smallest first: a unit of a pair comes before U+FF5E, and capitals before small letters. */
const ascendingTexts = [
  "",
  "\u0000",
  "2026-11-25T10:00:00Z",
  "2026-11-25T10:00:00Z-1764064800000",
  "2026-11-25T10:00:01Z",
  "81-1764064800001",
  "9-1764064800000",
  "9".repeat(1_001),
  "Infinity",
  "NaN",
  "Z",
  "__proto__",
  "a",
  "a ",
  "a".repeat(10_000),
  `${"a".repeat(10_000)}a`,
  "b".repeat(10_001),
  "\u00e9",
  "\ud800",
  "\u{1f600}",
  "\uff5e"
]

const ascending = { number: ascendingNumbers, text: ascendingTexts }

const places = Schema.Array(Schema.Array(Schema.Struct({
  kind: Schema.Literals(["number", "text"]),
  place: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))
})))

it.prop(
  "greatest lets through each id that stands behind all before it of its kind, numbers or other texts, however they fall into runs",
  [places],
  ([all]) => {
    const flat = all.flat()
    const records = flat.filter(({ kind, place }, at) =>
      flat.slice(0, at).every((before) => before.kind !== kind || before.place < place)
    )
    assert.deepStrictEqual<unknown>(
      emitAll("greatest", all.map((run) => run.map(({ kind, place }) => ascending[kind][place]))).flat(),
      records.map(({ kind, place }) => ascending[kind][place])
    )
  }
)

it("greatest lets through all of a list that ascends, one a run, and nothing of it again", () => {
  for (const ids of [ascendingNumbers, ascendingTexts]) {
    const runs = [...ids, ...ids].map((id) => [id])
    assert.deepStrictEqual<unknown>(emitAll("greatest", runs).flat(), ids)
  }
})

it("greatest lets a source go on with ids of the other kind", () => {
  const runs = [["order-7"], [1], ["order-8", 2], [1, 3, "order-6"]]
  assert.deepStrictEqual(emitAll("greatest", runs), [["order-7"], [1], ["order-8", 2], [3]])
  assert.deepStrictEqual(emitAll("greatest", [[1764064800000], ["1-a"], ["1-b", "1-a"]]).flat(), [
    1764064800000,
    "1-a",
    "1-b"
  ])
})

it("greatest goes on from a mark beyond all numbers", () => {
  const { passes } = Dedupe.decide("greatest", [1], new Map([["greatest", "Infinity"]]))
  assert.deepStrictEqual(passes, [true])
})

it("greatest lets ids through that differ only beyond what is remembered", () => {
  const [first, second] = [`${"a".repeat(20_000)}1`, `${"a".repeat(20_000)}2`]
  assert.deepStrictEqual(emitAll("greatest", [[first], [first], [second], [second]]), [[first], [], [second], []])
})

it("last lets through what comes after the last id seen, or all where it is not among them", () => {
  assert.deepStrictEqual(emitAll("last", [[1, 2, 3], [2, 3, 4, 5], [9, 8], [8]]), [[1, 2, 3], [4, 5], [9, 8], []])
})

it.prop("an event without an id is always emitted", [runs], ([all]) => {
  for (const strategy of ["unique", "greatest", "last"] as const) {
    const anonymous = (run: ReadonlyArray<Dedupe.EmittedId>) => run.filter((id) => id === undefined).length
    assert.deepStrictEqual(emitAll(strategy, all).map(anonymous), all.map(anonymous))
  }
})

it("the number 1 and the text 1 are one id, and ids that can't be stored as text are told apart", () => {
  assert.deepStrictEqual(emitAll("unique", [[1, "1"]]), [[1]])
  const long = "x".repeat(10_000)
  const odd = ["\u0000", "\ud800", "\ud801", long, `${long}y`]
  assert.deepStrictEqual(emitAll("unique", [[...odd, ...odd]]), [odd])
})

it("what is remembered of any id can be stored", () => {
  for (const strategy of ["unique", "greatest", "last"] as const) {
    for (const id of ["\u0000", "\ud800", "\ud801", "x".repeat(1_000_000), 1]) {
      const { marks } = Dedupe.decide(strategy, [id], new Map())
      for (const text of [...marks].flat()) {
        assert.isTrue(Storable.isText(text), JSON.stringify([strategy, id, text]))
        assert.isAtMost(text.length, 61_000)
      }
      assert.deepStrictEqual(Dedupe.decide(strategy, [id, 2], marks).passes, [false, true])
    }
  }
})
