import { assert, describe, it } from "@effect/vitest"
import * as TestTables from "@headwater/testing/TestTables"
import { Effect } from "effect"
import { Accounts } from "./Accounts.ts"
import { billingPeriodOf, dayOf, Usage } from "./Usage.ts"

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

describe("usage", () => {
  it.live("is the sum of a span's UTC days, over all emitters of that account alone", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const account = yield* newAccount
      const other = yield* newAccount
      const entry = (emitterId: string, day: string, invocations: number, accountId = account.id) => ({
        emitterId,
        accountId,
        day,
        invocations,
        computeMs: invocations * 10
      })
      yield* usage.add([
        entry("dc_a", "2026-03-01", 1),
        entry("dc_a", "2026-03-02", 1),
        entry("dc_b", "2026-03-02", 4),
        entry("dc_a", "2026-03-03", 8),
        entry("dc_c", "2026-03-02", 16, other.id)
      ])
      yield* usage.add([entry("dc_a", "2026-03-02", 1)])
      const day = dayOf(Date.UTC(2026, 2, 2, 23, 59, 59, 999))
      assert.deepStrictEqual(yield* usage.of(account.id, day), { invocations: 6, computeMs: 60 })
      const nothing = { invocations: 0, computeMs: 0 }
      assert.deepStrictEqual(yield* usage.of(account.id, { from: day.from, until: day.from }), nothing)
      assert.deepStrictEqual(yield* usage.of(account.id, billingPeriodOf(Date.UTC(2026, 2, 31, 23))), {
        invocations: 15,
        computeMs: 150
      })
      assert.deepStrictEqual(yield* usage.of(account.id, billingPeriodOf(Date.UTC(2026, 3, 1))), nothing)
    }).pipe(Effect.provide(TestTables.layer)))
})
