import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { lockWaits } from "../../test/LockWaits.ts"
import { inOpenTransaction } from "../../test/OpenTransaction.ts"
import { Writers } from "./Writers.ts"

layer(Writers.layer.pipe(Layer.provideMerge(TestDatabase.layer)), {
  timeout: "60 seconds",
  excludeTestServices: true
})("a writer", (it) => {
  const note = Effect.fnUntraced(function*(id: string, batch: bigint) {
    yield* (yield* (yield* Writers).note(id, batch)).run(yield* SqlClient.SqlClient)
  })

  it.effect("learns of a batch that is still being decided", () =>
    Effect.gen(function*() {
      const writers = yield* Writers
      const batch = yield* inOpenTransaction(note("open", 1n))
      const settled = yield* Effect.forkChild(writers.settle("open", 1n))
      yield* lockWaits(1)
      yield* batch.commit
      assert.isTrue(yield* Fiber.join(settled))
      // However often it is asked.
      assert.isTrue(yield* writers.settle("open", 1n))
    }))

  it.effect("keeps a batch that was not committed from being so later", () =>
    Effect.gen(function*() {
      const writers = yield* Writers
      assert.isFalse(yield* writers.settle("late", 1n))
      assert.strictEqual((yield* Effect.exit(note("late", 1n)))._tag, "Failure")
      yield* note("late", 2n)
      // What is forgotten of batches that are written leaves it so.
      yield* writers.forget("late", 1n, 2n)
      assert.isFalse(yield* writers.settle("late", 1n))
      assert.strictEqual((yield* Effect.exit(note("late", 1n)))._tag, "Failure")
    }))
})
