import { assert, describe, it } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option, Queue } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Accounts } from "../access/Accounts.ts"
import { AutoSubscriptions } from "./AutoSubscriptions.ts"
import { Subscriptions } from "./Subscriptions.ts"

const tables = Layer.mergeAll(Accounts.layer, Subscriptions.layer).pipe(
  Layer.provideMerge(AutoSubscriptions.layer),
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase.layer)
)

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

const head = Effect.fnUntraced(
  function*(accountId: AccountId, emitterId: string, lastId: number, streams: Record<string, number>) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO heads_folded (emitter_id, account_id, last_id, streams)
      VALUES (${emitterId}, ${accountId}, ${lastId}, ${JSON.stringify(streams)}::text::jsonb)`
  }
)

const cursors = Effect.fnUntraced(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ emitter_id: string; n: bigint; id: bigint; start_n: bigint }>`
    SELECT emitter_id, n, id, start_n FROM cursors ORDER BY emitter_id`
  return rows.map((row) => [row.emitter_id, Number(row.n), Number(row.id), Number(row.start_n)] as const)
})

describe("Subscriptions", () => {
  it.effect("start at the head of each stream that matches, and of nothing else", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      const other = yield* newAccount
      yield* head(account.id, "dc_a", 77, { "": 5, "$errors": 2 })
      yield* head(account.id, "dc_b", 88, { "$errors": 3 })
      yield* head(account.id, "p_a", 99, { "": 9 })
      yield* head(other.id, "dc_c", 66, { "": 1 })
      yield* subscriptions.create({ accountId: account.id, emitterId: "dc_*", listenerId: "wh_1", eventName: "" })
      assert.deepStrictEqual(yield* cursors(), [["dc_a", 5, 77, 5], ["dc_b", 0, 88, 0]])
    }).pipe(Effect.provide(tables)))

  it.effect("start before the first event from an id on that is still there, in each log by itself", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      yield* head(account.id, "dc_a", 77, { "": 5, "$errors": 2 })
      yield* head(account.id, "dc_b", 88, { "": 3 })
      yield* head(account.id, "dc_c", 99, { "": 4 })
      yield* head(account.id, "dc_d", 0, {})
      const events = [["dc_a", 3, 30], ["dc_a", 4, 40], ["dc_a", 5, 50], ["dc_b", 2, 35], ["dc_b", 3, 45]] as const
      for (const [emitterId, n, id] of events) {
        yield* sql`
          INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, payload)
          VALUES (${emitterId}, '', ${id}, ${n}, '', 0, '')`
      }
      const from = Effect.fnUntraced(function*(id: bigint, emitterId = "dc_*") {
        const key = { accountId: account.id, emitterId, listenerId: "wh_1", eventName: "" }
        yield* subscriptions.create(key, {}, id)
        const found = yield* cursors()
        // Idempotent on the other parameters: one that is there stays where it is.
        yield* subscriptions.create(key, {}, 30n)
        assert.deepStrictEqual(yield* cursors(), found)
        yield* subscriptions.remove(key)
        return found
      })
      const c = ["dc_c", 4, 99, 4] as const
      const d = ["dc_d", 0, 0, 0] as const
      assert.deepStrictEqual(yield* from(0n), [["dc_a", 2, 29, 2], ["dc_b", 1, 34, 1], c, d])
      assert.deepStrictEqual(yield* from(40n), [["dc_a", 3, 39, 3], ["dc_b", 2, 44, 2], c, d])
      assert.deepStrictEqual(yield* from(41n), [["dc_a", 4, 49, 4], ["dc_b", 2, 44, 2], c, d])
      assert.deepStrictEqual(yield* from(41n, "dc_a"), [["dc_a", 4, 49, 4]])
      assert.deepStrictEqual(yield* from(2n ** 63n - 1n, "dc_a"), [["dc_a", 5, 77, 5]])
    }).pipe(Effect.provide(tables)))

  it.effect("take the characters of LIKE in an emitter's id for themselves", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      yield* head(account.id, "dc_a", 1, { "": 1 })
      yield* head(account.id, "dcxa", 1, { "": 1 })
      yield* subscriptions.create({ accountId: account.id, emitterId: "dc_*", listenerId: "wh_1", eventName: "" })
      assert.deepStrictEqual((yield* cursors()).map(([emitterId]) => emitterId), ["dc_a"])
    }).pipe(Effect.provide(tables)))

  it.effect("of a glob never put a listener on its own log", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      yield* head(account.id, "dc_a", 1, { "": 1 })
      yield* head(account.id, "dc_b", 1, { "": 1 })
      yield* subscriptions.create({ accountId: account.id, emitterId: "dc_*", listenerId: "dc_a", eventName: "" })
      assert.deepStrictEqual((yield* cursors()).map(([emitterId]) => emitterId), ["dc_b"])
    }).pipe(Effect.provide(tables)))

  it.effect("are one for the same parameters, and for both spellings of the default stream", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      const key = { accountId: account.id, emitterId: "dc_a", listenerId: "wh_1", eventName: "default" }
      const first = yield* subscriptions.create(key)
      assert.deepStrictEqual(yield* subscriptions.create({ ...key, eventName: "" }), first)
      assert.strictEqual(first.eventName, "default")
      const named = yield* subscriptions.create({ ...key, eventName: "Default" })
      assert.notStrictEqual(named.id, first.id)
      assert.deepStrictEqual(yield* subscriptions.get(first.id), Option.some(first))
      assert.deepStrictEqual(yield* subscriptions.remove({ ...key, eventName: "" }), Option.some(first))
      assert.deepStrictEqual(yield* subscriptions.list(account.id), [named])
    }).pipe(Effect.provide(tables)))

  it.live("are one when many create the same at once, with one cursor", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      yield* head(account.id, "dc_a", 7, { "": 5 })
      const key = { accountId: account.id, emitterId: "dc_a", listenerId: "wh_1", eventName: "" }
      const created = yield* Effect.all(Array.from({ length: 8 }, () => subscriptions.create(key)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(created.map(({ id }) => id)).size, 1)
      assert.deepStrictEqual(yield* cursors(), [["dc_a", 5, 7, 5]])
    }).pipe(Effect.provide(tables)))

  it.live("survive creates and removes of the same key racing", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      yield* head(account.id, "dc_a", 7, { "": 5 })
      const key = { accountId: account.id, emitterId: "dc_a", listenerId: "wh_1", eventName: "" }
      yield* Effect.all(
        Array.from({ length: 60 }, (_, i) => i % 2 === 0 ? subscriptions.create(key) : subscriptions.remove(key)),
        { concurrency: 8 }
      )
      const left = yield* subscriptions.list(account.id)
      assert.strictEqual((yield* cursors()).length, left.length)
    }).pipe(Effect.provide(tables)))

  it.effect("take their cursors with them", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      const other = yield* newAccount
      yield* head(account.id, "dc_a", 7, { "": 5 })
      const key = { accountId: account.id, emitterId: "dc_a", listenerId: "wh_1", eventName: "" }
      yield* subscriptions.create(key)
      assert.deepStrictEqual(yield* subscriptions.remove({ ...key, accountId: other.id }), Option.none())
      assert.isTrue(Option.isSome(yield* subscriptions.remove(key)))
      assert.deepStrictEqual(yield* cursors(), [])
      assert.deepStrictEqual(yield* subscriptions.remove(key), Option.none())
    }).pipe(Effect.provide(tables)))

  it.effect("go with the source that is their listener or literal emitter, with the cursors that globs hold on it", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      yield* head(account.id, "dc_a", 7, { "": 5 })
      yield* head(account.id, "dc_b", 8, { "": 6 })
      const create = (emitterId: string, listenerId: string) =>
        subscriptions.create({ accountId: account.id, emitterId, listenerId, eventName: "" })
      const glob = yield* create("dc_*", "wh_1")
      yield* create("dc_a", "wh_1")
      yield* create("dc_b", "dc_a")
      assert.strictEqual((yield* subscriptions.removeParty(account.id, "dc_a")).length, 2)
      assert.deepStrictEqual(yield* subscriptions.list(account.id), [glob])
      assert.deepStrictEqual(yield* cursors(), [["dc_b", 6, 8, 6]])
      assert.deepStrictEqual(yield* subscriptions.forListener("wh_1"), [glob])
      assert.deepStrictEqual(yield* subscriptions.forAccount(account.id), [glob])
    }).pipe(Effect.provide(tables)))

  it.live("tell of every change, and of nothing where nothing changed", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const told = yield* subscriptions.changes
      const account = yield* newAccount
      const key = { accountId: account.id, emitterId: "dc_a", listenerId: "wh_1", eventName: "" }
      yield* subscriptions.create(key)
      assert.strictEqual((yield* Queue.take(told)).payload, account.id)
      yield* subscriptions.create(key)
      yield* subscriptions.remove({ ...key, listenerId: "wh_2" })
      yield* subscriptions.remove(key)
      const other = yield* newAccount
      yield* subscriptions.create({ ...key, accountId: other.id })
      const rest = [yield* Queue.take(told), yield* Queue.take(told)]
      assert.deepStrictEqual(rest.map(({ payload }) => payload), [account.id, other.id])
    }).pipe(Effect.scoped, Effect.provide(tables)))
})
