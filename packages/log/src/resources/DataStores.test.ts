import { assert, describe, it } from "@effect/vitest"
import type { DataStorePage, EntryChange } from "@headwater/domain/DataStore"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Exit, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Accounts } from "../access/Accounts.ts"
import { DataStoreEntries } from "./DataStoreEntries.ts"
import { DataStores } from "./DataStores.ts"

const tables = Layer.mergeAll(Accounts.layer, DataStores.layer).pipe(
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase.layer)
)

const newAccount = Effect.map(
  Effect.flatMap(Accounts, (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })),
  ({ id }) => id
)

const newStore = Effect.gen(function*() {
  const { id } = yield* (yield* DataStores).create(yield* newAccount, "orders")
  return id
})

const write = Effect.fnUntraced(function*(
  storeId: string,
  now: number,
  changes: ReadonlyArray<EntryChange>,
  cleared = false
) {
  const { also = Effect.void, updates } = (yield* DataStoreEntries).write([{ storeId, cleared, changes }], now)
  yield* Effect.andThen(Effect.all(updates), also)
})

const contents = Effect.fnUntraced(function*(storeId: string, now: number) {
  const { entries } = yield* (yield* DataStoreEntries).entries(storeId, { after: null, limit: 100 }, now)
  return entries.map(({ expiresAt, key, value }) => [key, value, expiresAt])
})

const set = (key: string, value: string, ttl: number | null = null): EntryChange => ({ _tag: "Set", key, value, ttl })

describe("DataStores", () => {
  it.effect("finds a data store by its id and by its name, in its account alone, and takes no name twice", () =>
    Effect.gen(function*() {
      const stores = yield* DataStores
      const [ann, ben] = [yield* newAccount, yield* newAccount]
      const store = yield* stores.create(ann, "orders")
      yield* stores.create(ben, "orders")
      for (const reference of [store.id, "orders"]) {
        assert.deepStrictEqual(yield* stores.get(ann, reference), Option.some(store))
      }
      assert.deepStrictEqual(yield* stores.get(ben, store.id), Option.none())
      assert.strictEqual((yield* Effect.flip(stores.create(ann, "orders")))._tag, "DataStoreNameTaken")
      const other = yield* stores.create(ann, "others")
      assert.strictEqual((yield* Effect.flip(stores.rename(ann, other.id, "orders")))._tag, "DataStoreNameTaken")
      yield* write(store.id, 0, [set("a", "1")])
      assert.isFalse(yield* stores.remove(ben, store.id))
      assert.deepStrictEqual(yield* contents(store.id, 0), [["a", "1", null]])
      assert.isTrue(yield* stores.remove(ann, store.id))
      assert.deepStrictEqual(yield* stores.existing(ann, [store.id, other.id]), new Set([other.id]))
    }).pipe(Effect.provide(tables)))

  it.effect("sets, removes, adds and clears, and writes nothing to a data store that is gone", () =>
    Effect.gen(function*() {
      const id = yield* newStore
      yield* write(id, 1, [set("a", "1"), set("b", `"x"`), set("c", "0.1"), set("d", "1e3"), set("e", "null")])
      yield* write(id, 2, [
        { _tag: "Remove", key: "a" },
        { _tag: "Add", key: "b", by: 2 },
        { _tag: "Add", key: "c", by: 0.2 },
        { _tag: "Add", key: "d", by: -1 },
        { _tag: "Add", key: "new", by: 5 },
        { _tag: "Expire", key: "e", ttl: 10 }
      ])
      assert.deepStrictEqual(yield* contents(id, 3), [
        ["b", "2", null],
        ["c", "0.3", null],
        ["d", "999", null],
        ["e", "null", 12],
        ["new", "5", null]
      ])
      yield* write(id, 4, [set("z", "1")], true)
      assert.deepStrictEqual(yield* contents(id, 5), [["z", "1", null]])
      yield* write("ds_gone", 6, [set("a", "1"), { _tag: "Add", key: "b", by: 1 }])
    }).pipe(Effect.provide(tables)))

  it.effect("takes what has expired for absent, whatever is done to it", () =>
    Effect.gen(function*() {
      const id = yield* newStore
      yield* write(id, 0, [set("add", "7", 10), set("expire", "7", 10), set("set", "7", 10), set("there", "7", 11)])
      assert.deepStrictEqual((yield* contents(id, 10)).map(([key]) => key), ["there"])
      yield* write(id, 10, [
        { _tag: "Add", key: "add", by: 1 },
        { _tag: "Add", key: "there", by: 1 },
        { _tag: "Expire", key: "expire", ttl: null },
        { _tag: "Set", key: "set", value: "8", ttl: null, expected: null }
      ])
      assert.deepStrictEqual(yield* contents(id, 10), [["add", "1", null], ["set", "8", null], ["there", "8", 11]])
      yield* (yield* DataStoreEntries).removeExpired(11)
      assert.strictEqual(yield* (yield* DataStoreEntries).size(id, 0), 2)
    }).pipe(Effect.provide(tables)))

  it.effect("refuses changes that expect another value", () =>
    Effect.gen(function*() {
      const id = yield* newStore
      yield* write(id, 0, [set("a", "1"), set("b", "1")])
      const refused: ReadonlyArray<EntryChange> = [
        { _tag: "Set", key: "a", value: "2", ttl: null, expected: "3" },
        { _tag: "Set", key: "a", value: "2", ttl: null, expected: null },
        { _tag: "Set", key: "absent", value: "2", ttl: null, expected: "1" },
        { _tag: "Remove", key: "a", expected: "3" },
        { _tag: "Remove", key: "a", expected: null }
      ]
      for (const change of refused) {
        assert.isTrue(Exit.hasFails(yield* Effect.exit(write(id, 1, [change]))), JSON.stringify(change))
      }
      yield* write(id, 1, [
        { _tag: "Set", key: "a", value: "2", ttl: 5, expected: "1" },
        { _tag: "Set", key: "new", value: "2", ttl: null, expected: null },
        { _tag: "Remove", key: "none", expected: null },
        set("c", "1")
      ], true)
      assert.deepStrictEqual(yield* contents(id, 1), [["a", "2", 6], ["c", "1", null], ["new", "2", null]])
    }).pipe(Effect.provide(tables)))

  it.effect("reads entries page by page, however large they are, by the beginning of their keys too", () =>
    Effect.gen(function*() {
      const entries = yield* DataStoreEntries
      const id = yield* newStore
      const large = JSON.stringify("x".repeat(200_000))
      yield* write(id, 0, ["k%", "k%1", "k2", "k3", "l"].map((key) => set(key, large)))
      const walk = Effect.fnUntraced(function*(limit: number, prefix?: string) {
        const pages: Array<ReadonlyArray<string>> = []
        for (let after: string | null = null, isLast = false; !isLast;) {
          const page: DataStorePage = yield* entries.entries(id, { after, limit, prefix }, 0)
          pages.push(page.entries.map(({ key }) => key))
          after = page.entries.at(-1)?.key ?? null
          isLast = page.isLast
        }
        return pages
      })
      assert.deepStrictEqual(yield* walk(10), [["k%", "k%1"], ["k2", "k3"], ["l"]])
      assert.deepStrictEqual(yield* walk(10, "k%"), [["k%", "k%1"]])
      const keys = yield* entries.entries(id, { after: null, limit: 10, hasValues: false }, 0)
      assert.deepStrictEqual([keys.entries.length, keys.isLast], [5, true])
    }).pipe(Effect.provide(tables)))
})
