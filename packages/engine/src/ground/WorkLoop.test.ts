import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { WorkLoop } from "./WorkLoop.ts"

it.effect("looks again when it is signalled during a step or while commits are settled, and then rests", () =>
  Effect.gen(function*() {
    const log: Array<string> = []
    const loop = new WorkLoop()
    const work = {
      step: Effect.sync(() => {
        log.push("step")
        if (log.length === 1) loop.signal()
        return false
      }),
      isBusy: () => false,
      settle: Effect.sync(() => {
        log.push("settle")
        if (log.length === 3) loop.signal()
        return false
      })
    }
    loop.signal()
    assert.isTrue(loop.isResting())
    yield* loop.run(work)
    assert.deepStrictEqual(log, ["step", "step", "settle", "step", "settle"])
    assert.isTrue(loop.isResting())
  }))

it.effect("waits for what is under way, and a second run only has it look again", () =>
  Effect.gen(function*() {
    let [steps, isBusy] = [0, true]
    const loop = new WorkLoop()
    const work = {
      step: Effect.sync(() => {
        steps++
        return false
      }),
      isBusy: () => isBusy,
      settle: Effect.succeed(false)
    }
    const running = yield* Effect.forkChild(loop.run(work), { startImmediately: true })
    assert.strictEqual(steps, 1)
    yield* loop.run(work)
    yield* Effect.yieldNow
    assert.strictEqual(steps, 2)
    isBusy = false
    loop.signal()
    yield* Fiber.join(running)
    assert.strictEqual(steps, 3)
    assert.isTrue(loop.isResting())
  }))

it.effect("works anew after it failed or was interrupted", () =>
  Effect.gen(function*() {
    const steps: Array<Effect.Effect<boolean>> = [Effect.die("broken"), Effect.never, Effect.succeed(false)]
    const loop = new WorkLoop()
    const work = {
      step: Effect.suspend(() => steps.shift()!),
      isBusy: () => false,
      settle: Effect.succeed(false)
    }
    assert.isTrue(Exit.isFailure(yield* Effect.exit(loop.run(work))))
    assert.isTrue(loop.isResting())
    const hanging = yield* Effect.forkChild(loop.run(work), { startImmediately: true })
    assert.isFalse(loop.isResting())
    yield* Fiber.interrupt(hanging)
    assert.isTrue(loop.isResting())
    yield* loop.run(work)
    assert.deepStrictEqual(steps, [])
  }))
