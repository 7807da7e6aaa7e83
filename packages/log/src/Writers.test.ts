import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/testing/TestDatabase"
import { Effect, Fiber, Layer } from "effect"
import { lockWaits } from "../test/LockWaits.ts"
import { inOpenTransaction } from "../test/OpenTransaction.ts"
import { Writers } from "./Writers.ts"

layer(Writers.layer.pipe(Layer.provideMerge(TestDatabase.layer)), {
  timeout: "60 seconds",
  excludeTestServices: true
})("a writer", (it) => {
  for (const isKnown of [true, false]) {
    it.effect(`${isKnown ? "with" : "without"} a row learns of a batch that is still being decided`, () =>
      Effect.gen(function*() {
        const writers = yield* Writers
        const id = isKnown ? "known" : "swept"
        if (isKnown) yield* writers.register(id)
        const batch = yield* inOpenTransaction(writers.note(id, 1n))
        const settled = yield* Effect.forkChild(writers.settle(id, 1n, 2n))
        yield* lockWaits(1)
        yield* batch.commit
        assert.isTrue(yield* Fiber.join(settled))
        // However often it is asked.
        assert.isTrue(yield* writers.settle(id, 1n, 3n))
      }))
  }

  it.effect("keeps a batch that was not committed from being so later", () =>
    Effect.gen(function*() {
      const writers = yield* Writers
      assert.isFalse(yield* writers.settle("late", 1n, 2n))
      assert.strictEqual((yield* Effect.exit(writers.note("late", 1n)))._tag, "Failure")
      yield* writers.note("late", 3n)
      // Asked on a connection that answers no more, this may come to the database after the next batch.
      assert.isFalse(yield* writers.settle("late", 1n, 2n))
      assert.isTrue(yield* writers.settle("late", 3n, 4n))
    }))
})
