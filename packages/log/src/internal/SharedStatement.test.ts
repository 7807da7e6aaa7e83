import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { byPlace, shared } from "./SharedStatement.ts"

it.effect("those who read at the same time share a statement, and each has its own answer", () =>
  Effect.gen(function*() {
    const statements: Array<number> = []
    const read = shared((keys: ReadonlyArray<number>) =>
      Effect.sync(() => {
        statements.push(keys.length)
        const rows = keys.flatMap((key, index) => key % 2 === 0 ? [{ place: BigInt(index + 1), key }] : [])
        return byPlace(rows, keys.length).map((group) => group.map(({ key }) => key))
      })
    )
    const keys = [...Array.from({ length: 100 }, (_, key) => key), 4]
    const answers = yield* Effect.forEach(keys, read, { concurrency: "unbounded" })
    assert.deepStrictEqual(answers, keys.map((key) => key % 2 === 0 ? [key] : []))
    assert.deepStrictEqual(statements, [64, 37])
  }))
