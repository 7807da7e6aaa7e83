import { assert, it } from "@effect/vitest"
import * as Submission from "@headwater/log/commit/Submission"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Patience from "./Patience.ts"

it.effect("what is not durable in time is given up, each at its own, and as often as it takes", () =>
  Effect.gen(function*() {
    const patience = yield* Patience.make(10_000)
    const wait = Effect.forkChild(
      Effect.flip(patience.durable(Submission.make<never>().submission, "late")),
      { startImmediately: true }
    )
    for (let i = 0; i < 2; i++) {
      const first = yield* wait
      yield* TestClock.adjust("4 seconds")
      const second = yield* wait
      yield* TestClock.adjust("5999 millis")
      assert.isUndefined(first.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(first), "late")
      yield* TestClock.adjust("3999 millis")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(second), "late")
      yield* TestClock.adjust("1 minute")
    }
  }))

it.effect("what is durable, or has failed, in time is not given up, nor does it keep others from it", () =>
  Effect.gen(function*() {
    const patience = yield* Patience.make(10_000)
    const written = Submission.make<string>()
    const refused = Submission.make<string>()
    const stuck = Submission.make<string>()
    const waits = yield* Effect.forEach(
      [written, refused, stuck],
      ({ submission }) =>
        Effect.forkChild(Effect.exit(patience.durable(submission, "late")), { startImmediately: true })
    )
    yield* TestClock.adjust("9 seconds")
    written.end(Exit.void)
    refused.end(Exit.fail("refused"))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(
      yield* Effect.forEach(waits, Fiber.join),
      [Exit.void, Exit.fail("refused"), Exit.fail("late")]
    )
    assert.deepStrictEqual(yield* Effect.exit(patience.durable(refused.submission, "late")), Exit.fail("refused"))
  }))

it.effect("where its owner goes, nobody waits on", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const patience = yield* Scope.provide(Patience.make(10_000), scope)
    const waiting = yield* Effect.forkChild(
      Effect.flip(patience.durable(Submission.make<never>().submission, "late")),
      { startImmediately: true }
    )
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(yield* Fiber.join(waiting), "late")
  }))

it.effect("who waited as its owner went is told once, also where the commit ends after that", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const patience = yield* Scope.provide(Patience.make(10_000), scope)
    const { end, submission } = Submission.make<never>()
    const told: Array<Exit.Exit<void, string>> = []
    patience.await(submission, "late", (exit) => told.push(exit))
    yield* Scope.close(scope, Exit.void)
    end(Exit.void)
    assert.deepStrictEqual(told, [Exit.fail("late")])
  }))
