import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fuzz from "./fuzz/Fuzz.ts"

it.live("some seconds of generated requests from two accounts break no invariant", () =>
  Effect.gen(function*() {
    const report = yield* Fuzz.run({ minutes: 0.4, seed: 7 })
    const { crashed, faults, logErrors } = report
    assert.deepStrictEqual({ crashed, faults, logErrors }, {
      crashed: null,
      faults: { server_error: 0, undocumented: 0, leak: 0, misjudged: 0, unanswered: 0 },
      logErrors: []
    }, report.findings)
    // A busy machine gets fewer done: of these there are always some.
    assert.isAbove(report.requests, 100)
    assert.notInclude(report.neverSucceeded, "users.me", report.table)
    assert.notInclude(report.neverFailed, "users.me", report.table)
  }), 180_000)
