import { assert, describe, it } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { Accounts } from "./Accounts.ts"

const tables = Accounts.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto), Layer.provideMerge(TestDatabase.layer))

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

describe("Accounts", () => {
  it.effect("finds and counts what was created, the first by itself", () =>
    Effect.gen(function*() {
      const accounts = yield* Accounts
      assert.strictEqual(yield* accounts.count, 0)
      assert.deepStrictEqual(yield* accounts.first, Option.none())
      const first = yield* newAccount
      yield* TestClock.adjust("1 second")
      const second = yield* accounts.create({ username: "bob", email: "bob@example.com", plan: "paid" })
      assert.deepStrictEqual(yield* accounts.get(first.id), Option.some(first))
      assert.deepStrictEqual(yield* accounts.get(second.id), Option.some(second))
      assert.deepStrictEqual(yield* accounts.first, Option.some(first))
      assert.deepStrictEqual(yield* accounts.list, [first, second])
      assert.deepStrictEqual(yield* accounts.byUsername("bob"), [second])
      assert.deepStrictEqual(yield* accounts.byUsername("BOB"), [])
      assert.strictEqual(yield* accounts.count, 2)
    }).pipe(Effect.provide(tables)))

  it.effect("changes what is given and leaves the rest, and takes limits back", () =>
    Effect.gen(function*() {
      const accounts = yield* Accounts
      const other = yield* newAccount
      const account = yield* accounts.create({
        username: "bob",
        email: "bob@example.com",
        plan: "free",
        dailyInvocationsQuota: 10
      })
      assert.deepStrictEqual(yield* accounts.update(account.id, {}), Option.some(account))
      const limits = { dailyComputeTimeQuotaMs: 2 ** 40, billingPeriodInvocationsQuota: 0 }
      const limited = { ...account, ...limits }
      assert.deepStrictEqual(yield* accounts.update(account.id, limits), Option.some(limited))
      assert.deepStrictEqual(yield* accounts.get(account.id), Option.some(limited))
      const change = {
        username: "rob",
        email: "rob@example.com",
        plan: "paid",
        dailyComputeTimeQuotaMs: null,
        dailyInvocationsQuota: undefined
      } as const
      assert.deepStrictEqual(
        yield* accounts.update(account.id, change),
        Option.some({ ...limited, ...change, dailyInvocationsQuota: 10 })
      )
      assert.deepStrictEqual(yield* accounts.get(other.id), Option.some(other))
      const own = { ownDailyComputeTimeLimitMs: 2 ** 40, ownDailyInvocationsLimit: 0 }
      assert.deepStrictEqual(yield* accounts.update(other.id, own), Option.some({ ...other, ...own }))
    }).pipe(Effect.provide(tables)))

  it.effect("gives a username to one of those that take it at once", () =>
    Effect.gen(function*() {
      const accounts = yield* Accounts
      const taking = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, n) => `user-${n}`),
        (username) => accounts.create({ username, email: "a@b", plan: "free" }),
        { concurrency: "unbounded" }
      )
      const results = yield* Effect.forEach(
        taking,
        ({ id }) => Effect.result(accounts.update(id, { username: "ann" })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(results.filter(({ _tag }) => _tag === "Success"), 1)
      assert.lengthOf(yield* accounts.byUsername("ann"), 1)
    }).pipe(Effect.provide(tables)))
})
