import { assert, describe, it } from "@effect/vitest"
import { Seal } from "@headwater/domain/Seal"
import * as TestDatabase from "@headwater/testing/TestDatabase"
import { Effect, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "./Accounts.ts"
import { ApiKeys } from "./ApiKeys.ts"

const tables = Layer.mergeAll(Accounts.layer, ApiKeys.layer).pipe(
  Layer.provide([
    SecureRandom.layerWebCrypto,
    Digest.layerWebCrypto,
    Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))
  ]),
  Layer.provideMerge(TestDatabase.layer)
)

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

describe("ApiKeys", () => {
  it.effect("makes keys that name their account, and keeps none in clear", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const { key } = yield* keys.create(account.id, "first")
      assert.match(Redacted.value(key), /^hw_[0-9A-Za-z]{40}$/)
      assert.deepStrictEqual(yield* keys.authenticate(key), Option.some(account.id))
      assert.deepStrictEqual(yield* keys.authenticate(Redacted.make("hw_unknown")), Option.none())
      assert.deepStrictEqual(yield* keys.authenticate(Redacted.make("")), Option.none())
      const rows = yield* sql<{ readonly text: string }>`
        SELECT encode(sealed, 'escape') || encode(hash, 'escape') || name AS text FROM api_keys`
      for (const { text } of rows) assert.notInclude(text, Redacted.value(key).slice(3))
    }).pipe(Effect.provide(tables)))

  it.effect("takes a given key, and shows the newest live one", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const account = yield* newAccount
      assert.deepStrictEqual(yield* keys.reveal(account.id), Option.none())
      const given = Redacted.make("hw_given-by-the-operator")
      yield* keys.create(account.id, "first", given)
      assert.deepStrictEqual(yield* keys.authenticate(given), Option.some(account.id))
      yield* TestClock.adjust("1 second")
      const { id, key } = yield* keys.create(account.id, "second")
      assert.strictEqual(Redacted.value(Option.getOrThrow(yield* keys.reveal(account.id))), Redacted.value(key))
      yield* keys.revoke(account.id, id)
      assert.strictEqual(Redacted.value(Option.getOrThrow(yield* keys.reveal(account.id))), Redacted.value(given))
    }).pipe(Effect.provide(tables)))

  it.effect("refuses a revoked key at once, also where it was seen before", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const account = yield* newAccount
      const other = yield* newAccount
      const { id, key } = yield* keys.create(account.id, "first")
      yield* keys.authenticate(key)
      assert.isFalse(yield* keys.revoke(other.id, id))
      assert.isTrue(yield* keys.revoke(account.id, id))
      assert.deepStrictEqual(yield* keys.authenticate(key), Option.none())
      assert.isFalse(yield* keys.revoke(account.id, id))
    }).pipe(Effect.provide(tables)))

  it.effect("refuses a key that another node revoked, a second later", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const { id, key } = yield* keys.create(account.id, "first")
      yield* keys.authenticate(key)
      yield* sql`UPDATE api_keys SET revoked_at = 1 WHERE id = ${id}`
      yield* TestClock.adjust("1001 millis")
      assert.deepStrictEqual(yield* keys.authenticate(key), Option.none())
    }).pipe(Effect.provide(tables)))

  it.effect("refuses a key from the second it expires", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      yield* TestClock.setTime(100_000)
      const { id, key } = yield* keys.create(account.id, "first")
      yield* sql`UPDATE api_keys SET expires_at = 101 WHERE id = ${id}`
      assert.isTrue(Option.isSome(yield* keys.authenticate(key)))
      yield* TestClock.setTime(101_000)
      assert.isTrue(Option.isNone(yield* keys.authenticate(key)))
      assert.deepStrictEqual(yield* keys.reveal(account.id), Option.none())
    }).pipe(Effect.provide(tables)))
})

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
      assert.strictEqual(yield* accounts.count, 2)
    }).pipe(Effect.provide(tables)))

  it.effect("sums the usage of the UTC days of a span, over all emitters of that account alone", () =>
    Effect.gen(function*() {
      const accounts = yield* Accounts
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const other = yield* newAccount
      yield* sql`
        INSERT INTO usage (emitter_id, account_id, day, invocations, compute_ms) VALUES
          ('dc_a', ${account.id}, '2026-03-01', 1, 10),
          ('dc_a', ${account.id}, '2026-03-02', 2, 20),
          ('dc_b', ${account.id}, '2026-03-02', 4, 40),
          ('dc_a', ${account.id}, '2026-03-03', 8, 80),
          ('dc_c', ${other.id}, '2026-03-02', 16, 160)`
      const from = Date.UTC(2026, 2, 2)
      assert.deepStrictEqual(yield* accounts.usageOf(account.id, { from, until: Date.UTC(2026, 2, 3) }), {
        invocations: 6,
        computeMs: 60
      })
      assert.deepStrictEqual(yield* accounts.usageOf(account.id, { from, until: from }), {
        invocations: 0,
        computeMs: 0
      })
    }).pipe(Effect.provide(tables)))
})
