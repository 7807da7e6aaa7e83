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

it.prop("greatest lets through the records of the sequence", [runs], ([all]) => {
  let greatest = -Infinity
  const records = all.flat().filter((id) => {
    if (id === undefined || !(Number(id) > greatest)) return false
    greatest = Number(id)
    return true
  })
  assert.deepStrictEqual<unknown>(emitAll("greatest", all).flat().filter((id) => id !== undefined), records)
})

it("greatest tells ids apart that are beyond what a double holds", () => {
  const ids = ["9007199254740992", "9007199254740993", "1860000000000000001", 1.5, "1860000000000000002"]
  assert.deepStrictEqual(emitAll("greatest", ids.map((id) => [id])), ids.map((id) => id === 1.5 ? [] : [id]))
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
    for (const id of ["\u0000", "\ud800", "\ud801", "x".repeat(10_001), 1]) {
      const { marks } = Dedupe.decide(strategy, [id], new Map())
      for (const text of [...marks].flat()) assert.isTrue(Storable.isText(text), JSON.stringify([strategy, id, text]))
      assert.deepStrictEqual(Dedupe.decide(strategy, [id, 2], marks).passes, [false, true])
    }
  }
})
