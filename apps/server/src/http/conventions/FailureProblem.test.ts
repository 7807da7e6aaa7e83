import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql"
import { answerFailures, unhandled } from "./FailureProblem.ts"

const answerTo = <E>(error: E) => Effect.flip(answerFailures(Effect.fail(error)))

const sqlError = (reason: SqlError.SqlErrorReason) => new SqlError.SqlError({ reason })

describe("answerFailures", () => {
  it.effect("answers a database that is away, slow or shutting down with 503", () =>
    Effect.gen(function*() {
      const reasons = [
        new SqlError.ConnectionError({ cause: new Error("refused") }),
        new SqlError.StatementTimeoutError({ cause: new Error("slow") }),
        new SqlError.UnknownError({ cause: Object.assign(new Error("shutdown"), { code: "57P01" }) })
      ]
      for (const reason of reasons) {
        assert.deepInclude(yield* answerTo(sqlError(reason)), { code: "unavailable", status: 503 })
      }
    }))

  it.effect("answers a statement at fault with 500, without the cause", () =>
    Effect.gen(function*() {
      const problem = yield* answerTo(sqlError(new SqlError.SqlSyntaxError({ cause: new Error("secret") })))
      assert.deepInclude(problem, { code: "internal_error", status: 500 })
      assert.notInclude(JSON.stringify(problem), "secret")
    }))

  it.effect("leaves other errors as they are", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answerTo("mine"), "mine")
    }))
})

describe("unhandled", () => {
  const away = sqlError(new SqlError.ConnectionError({ cause: new Error("closed") }))
  const defect = new Error("secret")

  it.effect("answers with 503 where the database went away in the midst of something, a rollback for one", () =>
    Effect.gen(function*() {
      for (const cause of [Cause.die(away), Cause.fail(away), Cause.combine(Cause.fail("other"), Cause.die(away))]) {
        assert.deepInclude(yield* Effect.flip(unhandled(cause)), { code: "unavailable", status: 503 })
      }
    }))

  it.effect("answers with 503 what was interrupted, as where its owner leaves for another node", () =>
    Effect.gen(function*() {
      const problem = yield* Effect.flip(unhandled(Cause.interrupt(1)))
      assert.deepInclude(problem, { code: "unavailable", status: 503, details: { retry_after_seconds: 1 } })
    }))

  it.effect("answers a defect with 500, without the cause", () =>
    Effect.gen(function*() {
      const problem = yield* Effect.flip(unhandled(Cause.die(defect)))
      assert.deepInclude(problem, { code: "internal_error", status: 500 })
      assert.notInclude(JSON.stringify(problem), "secret")
    }))
})
