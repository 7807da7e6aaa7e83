import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Fiber, Layer } from "effect"
import { lockWaits } from "../../test/LockWaits.ts"
import { inOpenTransaction } from "../../test/OpenTransaction.ts"
import { Writers } from "./Writers.ts"

layer(Writers.layer.pipe(Layer.provideMerge(TestDatabase.layer)), {
  timeout: "60 seconds",
  excludeTestServices: true
})("a writer", (it) => {
  it.effect("learns of a batch that is still being decided", () =>
    Effect.gen(function*() {
      const writers = yield* Writers
      const batch = yield* inOpenTransaction(writers.note("open", 1n))
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
      assert.strictEqual((yield* Effect.exit(writers.note("late", 1n)))._tag, "Failure")
      yield* writers.note("late", 2n)
      // What is forgotten of batches that are written leaves it so.
      yield* writers.forget("late", 1n, 2n)
      assert.isFalse(yield* writers.settle("late", 1n))
      assert.strictEqual((yield* Effect.exit(writers.note("late", 1n)))._tag, "Failure")
    }))
})
