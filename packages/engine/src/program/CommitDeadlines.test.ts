import { assert, it } from "@effect/vitest"
import { CommitRejected, Submission } from "@headwater/log/commit/Submission"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { CommitDeadlines } from "./CommitDeadlines.ts"

const submission = () => new Submission({ accountId: "u_test" })

/** Awaits a commit, and answers what was told of it so far. */
const told = (deadlines: CommitDeadlines<"late">, submission: Submission) => {
  const exits: Array<Exit.Exit<void, unknown>> = []
  deadlines.await(submission, (exit) => exits.push(exit))
  return exits
}

const late = Exit.fail("late")

it.effect("what is not durable in time is given up, each at its own, and as often as it takes", () =>
  Effect.gen(function*() {
    const deadlines = yield* CommitDeadlines.make(10_000, "late" as const)
    for (let i = 0; i < 2; i++) {
      const first = told(deadlines, submission())
      yield* TestClock.adjust("4 seconds")
      const second = told(deadlines, submission())
      yield* TestClock.adjust("5999 millis")
      assert.deepStrictEqual(first, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(first, [late])
      yield* TestClock.adjust("3999 millis")
      assert.deepStrictEqual(second, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(second, [late])
      yield* TestClock.adjust("1 minute")
    }
  }))

it.effect("what is durable, or has failed, in time is not given up, nor does it keep others from it", () =>
  Effect.gen(function*() {
    const deadlines = yield* CommitDeadlines.make(10_000, "late" as const)
    const [written, refused, stuck] = [submission(), submission(), submission()]
    const exits = [written, refused, stuck].map((one) => told(deadlines, one))
    const refusal = Exit.fail(new CommitRejected({ cause: "refused" }))
    yield* TestClock.adjust("9 seconds")
    written.end(Exit.void)
    refused.end(refusal)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(exits, [[Exit.void], [refusal], [late]])
    assert.deepStrictEqual(told(deadlines, refused), [refusal])
  }))

it.effect("where its owner goes, who waits is told once, also where the commit ends after that", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const deadlines = yield* Scope.provide(CommitDeadlines.make(10_000, "late" as const), scope)
    const waited = submission()
    const exits = told(deadlines, waited)
    yield* Scope.close(scope, Exit.void)
    waited.end(Exit.void)
    assert.deepStrictEqual(exits, [late])
  }))
