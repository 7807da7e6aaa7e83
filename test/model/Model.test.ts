import { layer } from "@effect/vitest"
import { realSandbox } from "@headwater/fixtures/RealSandbox"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Commands } from "./Command.ts"
import * as ModelRun from "./ModelRun.ts"

// Real processes live in real time: they are there before the clock that the engine goes by.
layer(realSandbox({ allow: "loopback", pool: { warmProcesses: 1, idleMillis: 1_000 } }), {
  excludeTestServices: true
})("the engine", (it) => {
  it.effect.prop(
    "does what its model does, whatever is asked of it, however the clock goes and whenever it starts over",
    [Commands],
    ([commands]) =>
      ModelRun.run(commands).pipe(
        Effect.provide(Layer.mergeAll(Layer.fresh(TestDatabase.layer), TestClock.layer()))
      ),
    { arbitrary: { runs: 5, maxShrinks: 5 }, timeout: 300_000 }
  )
})
