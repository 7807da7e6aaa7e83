import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Scheduler } from "effect"
import { AccountSlots } from "./AccountSlots.ts"

/** Work that is noted when it begins, and ends when it is let go. */
const workOf = (slots: AccountSlots, begun: Array<string>) =>
  Effect.fnUntraced(function*(accountId: string, name: string) {
    const end = yield* Deferred.make<void>()
    const work = Effect.andThen(Effect.sync(() => begun.push(name)), Deferred.await(end))
    const fiber = yield* Effect.forkChild(slots.hold(accountId, work), { startImmediately: true })
    return { fiber, end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber)) }
  })

describe("AccountSlots", () => {
  it.effect("let an account have no more than its own, and accounts take turns at what is free", () =>
    Effect.gen(function*() {
      const begun: Array<string> = []
      const work = workOf(new AccountSlots(3, 2), begun)
      const ann = yield* Effect.forEach([0, 1, 2, 3, 4, 5], (n) => work("ann", `ann ${n}`))
      assert.deepStrictEqual(begun.splice(0), ["ann 0", "ann 1"])
      const bob = yield* Effect.forEach([0, 1, 2], (n) => work("bob", `bob ${n}`))
      const cleo = yield* Effect.forEach([0, 1], (n) => work("cleo", `cleo ${n}`))
      assert.deepStrictEqual(begun.splice(0), ["bob 0"])
      yield* bob[0]!.end
      yield* ann[0]!.end
      yield* ann[1]!.end
      // One of each account, however many the first has waiting.
      assert.deepStrictEqual(begun.splice(0), ["bob 1", "ann 2", "cleo 0"])
      yield* bob[1]!.end
      yield* ann[2]!.end
      yield* cleo[0]!.end
      assert.deepStrictEqual(begun.toSorted(), ["ann 3", "bob 2", "cleo 1"])
    }))

  it.effect("are given to the next where whoever waits goes away, or what is done fails", () =>
    Effect.gen(function*() {
      const begun: Array<string> = []
      const slots = new AccountSlots(1, 1)
      const work = workOf(slots, begun)
      const first = yield* work("ann", "first")
      const gone = yield* work("bob", "gone")
      const next = yield* work("bob", "next")
      yield* Fiber.interrupt(gone.fiber)
      yield* Fiber.interrupt(first.fiber)
      assert.deepStrictEqual(begun, ["first", "next"])
      yield* next.end
      assert.strictEqual(yield* Effect.flip(slots.hold("ann", Effect.fail("wrong"))), "wrong")
      assert.strictEqual(yield* slots.hold("bob", Effect.succeed("done")), "done")
    }))

  it.effect("are given back wherever the fiber stands that is interrupted", () =>
    Effect.forEach(Array.from({ length: 45 }, (_, n) => n), (steps) =>
      Effect.gen(function*() {
        const slots = new AccountSlots(1, 1)
        let before = Effect.void
        for (let step = 0; step < steps; step++) before = Effect.flatMap(before, () => Effect.void)
        // A fiber is interrupted where it lets others go on, which it does after so many steps.
        const fiber = yield* Effect.forkChild(
          Effect.andThen(before, slots.hold("ann", Effect.never)).pipe(
            Effect.provideService(Scheduler.MaxOpsBeforeYield, 40)
          )
        )
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const next = yield* Effect.forkChild(slots.hold("ann", Effect.succeed("done")), { startImmediately: true })
        assert.isDefined(next.pollUnsafe(), `after ${steps} steps`)
      })))
})
