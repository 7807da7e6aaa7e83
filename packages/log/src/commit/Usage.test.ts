import { assert, describe, it } from "@effect/vitest"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Effect } from "effect"
import { Accounts } from "../access/Accounts.ts"
import { type HeadMove, Heads } from "../logs/Heads.ts"
import { Journals } from "../logs/Journals.ts"
import { billingPeriodOf, dayOf, Usage } from "./Usage.ts"

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

describe("usage", () => {
  it.live("is the sum of a span's UTC days, over all emitters of that account alone, those that are gone included", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const account = yield* newAccount
      const other = yield* newAccount
      const heads = yield* Heads
      for (const [id, owner] of [["dc_a", account], ["dc_b", account], ["dc_c", other]] as const) {
        yield* heads.create(id, owner.id)
      }
      const entry = (emitterId: string, day: string, invocations: number): HeadMove => ({
        emitterId,
        to: undefined,
        used: { day, invocations, computeMs: invocations * 10 }
      })
      yield* heads.move([
        entry("dc_a", "2026-03-01", 1),
        entry("dc_a", "2026-03-02", 1),
        entry("dc_b", "2026-03-02", 4),
        entry("dc_a", "2026-03-03", 8),
        entry("dc_c", "2026-03-02", 16)
      ])
      yield* (yield* Journals).foldEmitters(["dc_a", "dc_b"])
      yield* heads.move([entry("dc_a", "2026-03-02", 1)])
      yield* heads.remove("dc_b")
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
