import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as esbuild from "esbuild"
import { firstParty } from "./FirstParty.ts"

it.effect("is built while others in the process bundle something", () =>
  Effect.gen(function*() {
    const building = yield* Effect.forkChild(firstParty)
    while (building.pollUnsafe() === undefined) {
      const { outputFiles } = yield* Effect.promise(() =>
        esbuild.build({ stdin: { contents: "export default 1" }, write: false })
      )
      assert.lengthOf(outputFiles, 1)
    }
    assert.isNotEmpty(yield* Fiber.join(building))
  }))
