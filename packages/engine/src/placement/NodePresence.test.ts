import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { goneAfterMs, Nodes } from "@headwater/log/database/Nodes"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ActorCalls } from "../ground/ActorCalls.ts"
import * as NodePresence from "./NodePresence.ts"

const actors = Layer.mock(ActorCalls, {
  ingest: () => assert.fail("nothing is ingested"),
  isHere: () => true,
  wake: () => {},
  held: Effect.succeed({ programs: 3, webhooks: 2, consumers: 1, accounts: 0 })
})

const node = (worker: number | null) =>
  Layer.build(Layer.fresh(NodePresence.layer({ worker }).pipe(Layer.provide(actors))))

layer(Nodes.layer.pipe(Layer.provideMerge(TestDatabase.layer)))("a node", (it) => {
  it.effect("says that it is there until it stops, and is gone when it has not said so for a while", () =>
    Effect.gen(function*() {
      const nodes = yield* Nodes
      const present = Effect.flatMap(
        Effect.clockWith((clock) => Effect.sync(() => clock.currentTimeMillisUnsafe())),
        nodes.present
      )
      const until = (count: number, found = present) =>
        Effect.timeout(Effect.repeat(found, { until: ({ length }) => length === count }), "10 seconds")
      yield* TestClock.setTime(1_000_000)
      const [one, other] = [yield* Scope.make(), yield* Scope.make()]
      yield* Scope.provide(node(1), one)
      yield* Scope.provide(node(2), other)
      const found = yield* until(2)
      assert.deepStrictEqual(found.map(({ worker }) => worker).toSorted(), [1, 2])
      assert.deepStrictEqual(found[0]!.held, { programs: 3, webhooks: 2, consumers: 1, accounts: 0 })
      yield* Scope.close(other, Exit.void)
      assert.deepStrictEqual((yield* present).map(({ worker }) => worker), [1])
      yield* nodes.see({ ...found[0]!, id: "lost", worker: 3 }, 1_000_000)
      assert.strictEqual((yield* present).length, 2)
      yield* TestClock.adjust(goneAfterMs)
      yield* nodes.see({ ...found[0]!, id: "new", worker: 4 }, 1_000_001 + goneAfterMs)
      // The first says so again in a fiber of its own.
      const later = yield* until(2, nodes.present(1_000_001 + goneAfterMs))
      assert.deepStrictEqual(later.map(({ worker }) => worker).toSorted(), [1, 4])
      yield* Scope.close(one, Exit.void)
    }))
})
