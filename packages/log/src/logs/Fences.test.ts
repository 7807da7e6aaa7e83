import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Fiber, Layer, Option } from "effect"
import { lockWaits } from "../../test/LockWaits.ts"
import { inOpenTransaction } from "../../test/OpenTransaction.ts"
import { Fences } from "./Fences.ts"

layer(Fences.layer.pipe(Layer.provideMerge(TestDatabase.layer)), {
  timeout: "60 seconds",
  excludeTestServices: true
})("fences", (it) => {
  it.effect("make one owner after the other of those who ask for the same at once", () =>
    Effect.gen(function*() {
      const fences = yield* Fences
      for (const ownerId of ["dc_same", "dc_other"]) yield* fences.create(ownerId, "u_a")
      const epochs = yield* Effect.forEach(
        ["dc_same", "dc_other", "dc_same", "dc_none", "dc_same"],
        (ownerId) => Effect.map(fences.acquire(ownerId), Option.map(({ epoch }) => `${ownerId} ${epoch}`)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(epochs[3], Option.none())
      assert.deepStrictEqual(epochs.flatMap(Option.toArray).toSorted(), [
        "dc_other 1",
        "dc_same 1",
        "dc_same 2",
        "dc_same 3"
      ])
    }))

  it.effect("that are held keep only those waiting who ask for them", () =>
    Effect.gen(function*() {
      const fences = yield* Fences
      const ownerIds = Array.from({ length: 100 }, (_, n) => `dc_${n}`)
      yield* Effect.forEach(ownerIds, (ownerId) => fences.create(ownerId, "u_a"))
      const held = Option.getOrThrow(yield* fences.acquire("dc_3"))
      const open = yield* inOpenTransaction(fences.holdAll([held]))
      const [waiting, ...others] = yield* Effect.forEach(
        ["dc_3", ...ownerIds.filter((ownerId) => ownerId !== "dc_3")],
        (ownerId) => Effect.forkChild(fences.acquire(ownerId))
      )
      for (const one of others) assert.strictEqual(Option.getOrThrow(yield* Fiber.join(one)).epoch, 1n)
      yield* lockWaits(1)
      yield* open.commit
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(waiting!)).epoch, 2n)
    }))
})
