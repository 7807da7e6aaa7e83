import { assert, describe, it } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "./Accounts.ts"
import { ApiKeys } from "./ApiKeys.ts"

const tables = Layer.mergeAll(Accounts.layer, ApiKeys.layer).pipe(
  Layer.provide([SecureRandom.layerWebCrypto, Digest.layerWebCrypto]),
  Layer.provideMerge(TestDatabase.layer)
)

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

/** Whose live key it is. */
const accountOf = Effect.fnUntraced(function*(key: Redacted.Redacted) {
  const found = yield* (yield* ApiKeys).authenticate(key)
  return Option.map(found, ({ accountId }) => accountId)
})

describe("ApiKeys", () => {
  it.effect("makes keys that name their account, and keeps a hash of each and no copy", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const { key } = yield* keys.create(account.id, "first")
      assert.match(Redacted.value(key), /^hw_[0-9A-Za-z]{40}$/)
      assert.deepStrictEqual(yield* accountOf(key), Option.some(account.id))
      assert.deepStrictEqual(yield* keys.authenticate(Redacted.make("hw_unknown")), Option.none())
      assert.deepStrictEqual(yield* keys.authenticate(Redacted.make("")), Option.none())
      const columns = yield* sql<{ readonly name: string }>`
        SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'api_keys' ORDER BY name`
      assert.deepStrictEqual(
        columns.map(({ name }) => name),
        ["account_id", "created_at", "expires_at", "hash", "id", "name", "revoked_at", "scope"]
      )
      const rows = yield* sql<{ readonly text: string }>`
        SELECT id || encode(hash, 'escape') || name AS text FROM api_keys`
      for (const { text } of rows) assert.notInclude(text, Redacted.value(key).slice(3))
    }).pipe(Effect.provide(tables)))

  it.effect("takes a given key", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const account = yield* newAccount
      const given = Redacted.make("hw_given-by-the-operator")
      yield* keys.create(account.id, "first", { key: given })
      assert.deepStrictEqual(yield* accountOf(given), Option.some(account.id))
    }).pipe(Effect.provide(tables)))

  it.effect("says what a key may do: everything, unless it was made for less", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const account = yield* newAccount
      for (const scope of [undefined, "read", "run", "write"] as const) {
        const { id, key } = yield* keys.create(account.id, "", scope === undefined ? {} : { scope })
        const found = Option.getOrThrow(yield* keys.authenticate(key))
        assert.deepInclude(found, { id, accountId: account.id, scope: scope ?? "write" })
      }
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
    }).pipe(Effect.provide(tables)))

  it.effect("refuses what was rotated when its overlap is over, and takes the new key of the same name", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const account = yield* newAccount
      yield* TestClock.setTime(100_000)
      const old = yield* keys.create(account.id, "deploy", { scope: "run" })
      yield* keys.authenticate(old.key)
      yield* TestClock.setTime(100_500)
      const rotated = Option.getOrThrow(yield* keys.rotate(account.id, old.id, 60))
      assert.deepInclude(rotated, {
        accountId: account.id,
        name: "deploy",
        scope: "run",
        createdAt: 100,
        expiresAt: null
      })
      yield* TestClock.setTime(159_999)
      for (const { key } of [old, rotated]) {
        assert.deepStrictEqual(yield* accountOf(key), Option.some(account.id))
      }
      assert.deepStrictEqual((yield* keys.list(account.id)).map(({ expiresAt, id }) => [id, expiresAt]), [
        [old.id, 160],
        [rotated.id, null]
      ])
      yield* TestClock.setTime(160_000)
      assert.deepStrictEqual(yield* keys.authenticate(old.key), Option.none())
      assert.deepStrictEqual(yield* accountOf(rotated.key), Option.some(account.id))
      assert.deepStrictEqual((yield* keys.list(account.id)).map(({ id }) => id), [rotated.id])
      assert.deepStrictEqual(yield* keys.getById(old.id), Option.none())
      assert.deepStrictEqual(yield* keys.rotate(account.id, old.id, 60), Option.none())
      assert.isFalse(yield* keys.revoke(account.id, old.id))
    }).pipe(Effect.provide(tables)))

  it.effect("refuses what was rotated without an overlap at once, also where it was seen before", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const account = yield* newAccount
      const old = yield* keys.create(account.id, "")
      yield* keys.authenticate(old.key)
      const rotated = Option.getOrThrow(yield* keys.rotate(account.id, old.id, 0))
      assert.deepStrictEqual(yield* keys.authenticate(old.key), Option.none())
      assert.deepStrictEqual(yield* accountOf(rotated.key), Option.some(account.id))
    }).pipe(Effect.provide(tables)))

  it.effect("never gives a key longer to live by rotating it again", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const account = yield* newAccount
      const old = yield* keys.create(account.id, "")
      yield* keys.rotate(account.id, old.id, 60)
      yield* keys.rotate(account.id, old.id, 3_600)
      assert.strictEqual(Option.getOrThrow(yield* keys.getById(old.id)).expiresAt, 60)
      assert.lengthOf(yield* keys.list(account.id), 3)
    }).pipe(Effect.provide(tables)))

  it.effect("lists an account's live keys alone, page by page", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const account = yield* newAccount
      const other = yield* newAccount
      const made = []
      for (const name of ["a", "b", "c", "d"]) {
        made.push((yield* keys.create(account.id, name)).id)
        yield* TestClock.adjust("1 second")
      }
      const theirs = yield* keys.create(other.id, "theirs")
      yield* keys.revoke(account.id, made[1]!)
      const first = yield* keys.page(account.id, { limit: 2, after: undefined, before: undefined })
      assert.deepStrictEqual([first.items.map(({ name }) => name), first.totalCount], [["d", "c"], 3])
      const second = yield* keys.page(account.id, { limit: 2, after: made[2]!, before: undefined })
      assert.deepStrictEqual([second.items.map(({ name }) => name), second.totalCount], [["a"], 3])
      assert.deepStrictEqual(yield* keys.rotate(account.id, theirs.id, 0), Option.none())
      assert.deepStrictEqual(yield* accountOf(theirs.key), Option.some(other.id))
    }).pipe(Effect.provide(tables)))
})
