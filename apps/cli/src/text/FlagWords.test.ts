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
    const other = new Problem.NameTaken(Problem.because("It is taken."))
    assert.strictEqual(yield* Effect.flip(FlagWords.inFlags(flags)(Effect.fail(other))), other)
  }))
