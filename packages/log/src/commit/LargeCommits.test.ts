import { assert, it } from "@effect/vitest"
import { AccountTurns, Turns } from "@headwater/domain/Turns"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as LargeCommits from "./LargeCommits.ts"

it.effect("has one large commit of an account written at a time, and those of others meanwhile", () =>
  Effect.gen(function*() {
    const { write } = yield* LargeCommits.make
    const begun: Array<string> = []
    const written = yield* Deferred.make<void>()
    const writing = (name: string) =>
      Effect.suspend(() => {
        begun.push(name)
        return Deferred.await(written)
      })
    const fibers = yield* Effect.forEach(
      [["ann", "a1"], ["ann", "a2"], ["bob", "b1"]] as const,
      ([account, name]) => Effect.forkChild(write(account, writing(name)), { startImmediately: true })
    )
    assert.deepStrictEqual(begun, ["a1", "b1"])
    yield* Deferred.succeed(written, undefined)
    yield* Fiber.joinAll(fibers)
    assert.deepStrictEqual(begun, ["a1", "b1", "a2"])
  }))

it.effect("leaves the database to others for a while after a large commit, which does not wait for that itself", () =>
  Effect.gen(function*() {
    const turns = yield* Turns
    turns.note("bob")
    turns.note("ann")
    const { write } = yield* LargeCommits.make
    const took = Effect.sleep(10)
    const first = yield* Effect.forkChild(write("ann", took), { startImmediately: true })
    yield* TestClock.adjust(10)
    yield* Fiber.join(first)
    const second = yield* Effect.forkChild(write("ann", Clock.currentTimeMillis), { startImmediately: true })
    const others = yield* Effect.forkChild(write("bob", Clock.currentTimeMillis), { startImmediately: true })
    yield* TestClock.adjust(29)
    assert.isUndefined(second.pollUnsafe())
    assert.isBelow(yield* Fiber.join(others), 40)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Fiber.join(second), 40)
  }).pipe(Effect.provideService(Turns, new AccountTurns({ now: () => 0, later: () => {} }))))
