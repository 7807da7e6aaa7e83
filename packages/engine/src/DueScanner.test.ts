import { assert, layer } from "@effect/vitest"
import { DueWork } from "@headwater/log/DueWork"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../test/EngineFixture.ts"
import { Actors } from "./Actors.ts"
import * as DueScanner from "./DueScanner.ts"

const start = Date.parse("2026-11-21T12:00:00Z")

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })("the due scanner", (it) => {
  it.effect("wakes an owner behind a thousand that leave their work due, and each of those again after a while", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const stuck = Array.from({ length: 1_000 }, (_, i) => `dc_stuck${i}`)
      const due = (ownerId: string, dueAt: number) =>
        ({ ownerId, kind: "timer", key: "timer", dueAt, payload: "{}" }) as const
      yield* (yield* DueWork).put([...stuck.map((owner) => due(owner, start - 60_000)), due("dc_last", start - 1_000)])
      const woken = new Map<string, number>()
      const actors = Layer.mock(Actors, { wake: (owner) => void woken.set(owner, (woken.get(owner) ?? 0) + 1) })
      yield* Layer.build(Layer.provide(DueScanner.layer, actors))
      const until = Effect.fnUntraced(function*(isSo: () => boolean) {
        while (!isSo()) {
          yield* TestClock.adjust("200 millis")
          yield* TestClock.withLive(Effect.sleep("2 millis"))
        }
      })
      yield* until(() => woken.has("dc_last"))
      assert.strictEqual(woken.size, 1_001)
      assert.isBelow((yield* Clock.currentTimeMillis) - start, 10_000)
      yield* until(() => woken.get("dc_stuck999") === 2)
    }).pipe(EngineFixture.onTestClock))
})
