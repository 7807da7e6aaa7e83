import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as RealTime from "./RealTime.ts"
import { VirtualClock } from "./VirtualClock.ts"

const make = Effect.map(Clock.Clock, (real) => new VirtualClock(real))

it.effect("a clock that stands still moves forward only, and then runs ahead of real time or joins it", () =>
  Effect.gen(function*() {
    const clock = yield* make
    yield* TestClock.setTime(1_000)
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_000)
    clock.standAt(5_000)
    clock.standAt(4_000)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 5_000)
    assert.strictEqual(clock.currentTimeNanosUnsafe(), 5_000_000_000n)
    clock.run()
    yield* TestClock.adjust("1 second")
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 6_000)
    assert.strictEqual(clock.aheadMs, 3_000)

    clock.standAt(7_000)
    yield* TestClock.adjust("1 minute")
    clock.run()
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 63_000)
    assert.strictEqual(clock.aheadMs, 0)
  }))

it.effect("under a clock that stands still, what sleeps or is said to go by real time does so", () =>
  Effect.gen(function*() {
    const clock = yield* make
    clock.standAt(1_000_000)
    const under = Effect.provideService(Clock.Clock, clock as Clock.Clock)
    const sleeping = yield* Effect.forkChild(under(Effect.as(Effect.sleep("5 seconds"), Clock.currentTimeMillis)))
    yield* Effect.yieldNow
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(yield* under(Effect.flatten(Fiber.join(sleeping))), 1_000_000)
    assert.strictEqual(yield* under(RealTime.currentTimeMillis), 5_000)
    assert.strictEqual(yield* under(RealTime.on(Clock.currentTimeMillis)), 5_000)
  }))
