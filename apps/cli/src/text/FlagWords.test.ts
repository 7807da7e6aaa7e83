import { assert, it } from "@effect/vitest"
import * as Problem from "@headwater/api/Problem"
import { Effect } from "effect"
import * as FlagWords from "./FlagWords.ts"

const flags = { email: "--email", "own_limits.daily_invocations": "--daily-invocations-limit", retry: "--retry" }

it.effect("a refusal names the flags that gave what is refused, and other fields as the server does", () =>
  Effect.gen(function*() {
    const refused = Problem.invalid([
      { path: "own_limits.daily_invocations", message: "must be at most 10" },
      { path: "retry.attempts[0]", message: "is missing" },
      { path: "email_domain", message: "is unknown" },
      { path: "", message: "It is too much." }
    ])
    const told = yield* Effect.flip(FlagWords.inFlags(flags)(Effect.fail(refused)))
    assert.strictEqual(
      told.message,
      "--daily-invocations-limit: must be at most 10; --retry.attempts[0]: is missing; email_domain: is unknown; It is too much."
    )
    const nested = FlagWords.within("own", { email: "--email" })
    const within = yield* Effect.flip(
      FlagWords.inFlags(nested)(Effect.fail(Problem.invalid([{ path: "own.email", message: "is none" }])))
    )
    assert.strictEqual(within.message, "--email: is none")
    const other = new Problem.NameTaken(Problem.because("It is taken."))
    assert.strictEqual(yield* Effect.flip(FlagWords.inFlags(flags)(Effect.fail(other))), other)
  }))

it.effect("what an answer warns of names the flags of the command that runs", () =>
  Effect.gen(function*() {
    const warning = FlagWords.told({ path: "retry.attempts", message: "is unknown" })
    assert.strictEqual(yield* FlagWords.inFlags(flags)(warning), "--retry.attempts: is unknown")
    assert.strictEqual(yield* warning, "retry.attempts: is unknown")
  }))
