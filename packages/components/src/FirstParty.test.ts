import { assert, it } from "@effect/vitest"
import * as RuntimeBundle from "@headwater/sandbox/RuntimeBundle"
import { Effect, Fiber } from "effect"
import { firstParty } from "./FirstParty.ts"

it.effect("is built while a server bundles what its sandboxes run", () =>
  Effect.gen(function*() {
    const building = yield* Effect.forkChild(firstParty)
    while (building.pollUnsafe() === undefined) {
      assert.property(yield* Effect.promise(RuntimeBundle.ofJavaScript), RuntimeBundle.mainModule)
    }
    assert.isNotEmpty(yield* Fiber.join(building))
  }))
