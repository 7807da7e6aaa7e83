import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/testing/TestDatabase"
import { Effect, Layer } from "effect"
import { type DueItem, DueWork } from "./DueWork.ts"

const item = (ownerId: string, key: string, dueAt: number): DueItem => ({
  ownerId,
  kind: "retry",
  key,
  dueAt,
  payload: "{}"
})

layer(DueWork.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { timeout: "60 seconds" })("due work", (it) => {
  it.effect("an owner with much to do does not hide the others", () =>
    Effect.gen(function*() {
      const due = yield* DueWork
      yield* due.put(Array.from({ length: 500 }, (_, i) => item("wh_busy", String(i), i)))
      yield* due.put([item("wh_other", "only", 600), item("wh_later", "only", 5_000)])
      assert.deepStrictEqual(yield* due.ownersDue(1_000, 10), [
        { ownerId: "wh_busy", dueAt: 499 },
        { ownerId: "wh_other", dueAt: 600 }
      ])
      const known = [{ ownerId: "wh_busy", dueAt: 499 }, { ownerId: "wh_other", dueAt: 500 }]
      assert.deepStrictEqual(yield* due.ownersDue(1_000, 1, known), [{ ownerId: "wh_other", dueAt: 600 }])
    }))

  it.effect("what was put off meanwhile is not taken off by the one who took it earlier", () =>
    Effect.gen(function*() {
      const due = yield* DueWork
      const taken = item("wh_a", "one", 100)
      yield* due.put([taken])
      yield* due.put([{ ...taken, dueAt: 200 }])
      yield* due.done([taken])
      assert.deepStrictEqual(yield* due.allOf("wh_a", "retry"), [{ ...taken, dueAt: 200 }])
      yield* due.done([{ ...taken, dueAt: 200 }])
      assert.deepStrictEqual(yield* due.allOf("wh_a", "retry"), [])
    }))
})
