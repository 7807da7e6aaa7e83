import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer } from "effect"
import { beforeAll, type DueItem, DueWork, isFull } from "./DueWork.ts"

const item = (ownerId: string, key: string, dueAt: number): DueItem => ({
  ownerId,
  kind: "retry",
  key,
  dueAt,
  payload: "{}"
})

layer(DueWork.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { timeout: "60 seconds" })("due work", (it) => {
  it.effect("gives owners with something due a page of rows at a time, and skips what is due at the same time", () =>
    Effect.gen(function*() {
      const due = yield* DueWork
      yield* due.put(Array.from({ length: 500 }, (_, i) => item("wh_busy", `early ${i}`, i < 300 ? 7 : 9)))
      yield* due.put([item("wh_other", "only", 8), item("wh_other", "again", 9), item("wh_later", "only", 5_000)])
      const first = yield* due.ownersDue(1_000, beforeAll, 100)
      assert.deepStrictEqual(first, {
        owners: [{ ownerId: "wh_busy", dueAt: 7 }],
        next: { ownerId: "wh_busy", dueAt: 7 },
        later: 5_000
      })
      const second = yield* due.ownersDue(1_000, first.next!, 100)
      assert.deepStrictEqual(second, {
        owners: [{ ownerId: "wh_other", dueAt: 8 }, { ownerId: "wh_busy", dueAt: 9 }],
        next: { ownerId: "wh_busy", dueAt: 9 },
        later: 5_000
      })
      const third = yield* due.ownersDue(1_000, second.next!, 100)
      assert.deepStrictEqual(third, { owners: [{ ownerId: "wh_other", dueAt: 9 }], next: undefined, later: 5_000 })
      const last = yield* due.ownersDue(5_000, beforeAll, 1_000)
      assert.deepInclude(last, { next: undefined, later: undefined })
    }))

  it.effect("is read so many bytes at a time, and at least one item, and it shows that there may be more", () =>
    Effect.gen(function*() {
      const due = yield* DueWork
      const payload = JSON.stringify("x".repeat(1_500_000))
      yield* due.put([1, 2, 3, 4, 5].map((n) => ({ ...item("dc_large", String(n), n), payload })))
      const read = Effect.fnUntraced(function*() {
        const page = yield* due.dueOf("dc_large", 1_000, 100)
        yield* due.done(page)
        return { keys: page.map(({ key }) => key), isFull: isFull(page, 100) }
      })
      assert.deepStrictEqual(yield* read(), { keys: ["1", "2", "3"], isFull: true })
      assert.deepStrictEqual(yield* read(), { keys: ["4", "5"], isFull: false })
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

  it.effect("what an owner has due is read page by page, each behind the last, where times are the same too", () =>
    Effect.gen(function*() {
      const due = yield* DueWork
      const items = [item("wh_p", "c", 10), item("wh_p", "a", 20), item("wh_p", "b", 20), item("wh_p", "d", 20)]
      yield* due.put([...items, item("wh_p", "e", 50)])
      const first = yield* due.dueOf("wh_p", 40, 2)
      const second = yield* due.dueOf("wh_p", 40, 2, [], first.at(-1))
      const third = yield* due.dueOf("wh_p", 40, 2, [], second.at(-1))
      assert.deepStrictEqual([first, second, third], [items.slice(0, 2), items.slice(2), []])
    }))
})
