import { assert, describe, it } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { inOpenTransaction } from "../../test/OpenTransaction.ts"
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

const listeners = Effect.fnUntraced(function*(accountId: AccountId) {
  const made = yield* (yield* Subscriptions).forAccount(accountId)
  return made.map(({ emitterId, eventName, listenerId }) => [emitterId, listenerId, eventName])
})

/** Starts an effect and returns once it waits for a lock, in a transaction that is patient. */
const startWaiting = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const fiber = yield* sql`SET LOCAL lock_timeout = '20s'`.pipe(
    Effect.andThen(effect),
    sql.withTransaction,
    Effect.forkChild
  )
  yield* sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
    Effect.timeout("60 seconds")
  )
  return fiber
})

describe("AutoSubscriptions", () => {
  it.effect("are one for the same parameters and both spellings of the default stream, also when raced", () =>
    Effect.gen(function*() {
      const autoSubscriptions = yield* AutoSubscriptions
      const account = yield* newAccount
      const other = yield* newAccount
      const key = { accountId: account.id, listenerId: "wh_1", eventName: "default" }
      const created = yield* Effect.all(Array.from({ length: 8 }, () => autoSubscriptions.create(key)), {
        concurrency: "unbounded"
      })
      const first = created[0]!
      for (const same of created) assert.deepStrictEqual(same, first)
      assert.deepStrictEqual(yield* autoSubscriptions.create({ ...key, eventName: "" }), first)
      assert.strictEqual(first.eventName, "default")
      const named = yield* autoSubscriptions.create({ ...key, eventName: "$errors" })
      yield* autoSubscriptions.create({ ...key, accountId: other.id })
      const all = { limit: 10, after: undefined, before: undefined }
      const page = yield* autoSubscriptions.page(account.id, all)
      assert.strictEqual(page.totalCount, 2)
      assert.sameDeepMembers([...page.items], [first, named])
      assert.isFalse(yield* autoSubscriptions.remove(other.id, named.id))
      assert.isTrue(yield* autoSubscriptions.remove(account.id, named.id))
      assert.isFalse(yield* autoSubscriptions.remove(account.id, named.id))
      assert.deepStrictEqual((yield* autoSubscriptions.page(account.id, all)).items, [first])
    }).pipe(Effect.provide(tables)))

  it.live("survive creates and removes of the same key racing", () =>
    Effect.gen(function*() {
      const autoSubscriptions = yield* AutoSubscriptions
      const account = yield* newAccount
      const key = { accountId: account.id, listenerId: "wh_1", eventName: "" }
      yield* Effect.all(
        Array.from({ length: 60 }, (_, i) =>
          i % 2 === 0 ? autoSubscriptions.create(key) : autoSubscriptions.removeOfListener(account.id, "wh_1")),
        { concurrency: 8 }
      )
    }).pipe(Effect.provide(tables)))

  it.effect("make a subscription of each listener to a new emitter, of their account alone", () =>
    Effect.gen(function*() {
      const autoSubscriptions = yield* AutoSubscriptions
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      const other = yield* newAccount
      yield* autoSubscriptions.create({ accountId: account.id, listenerId: "wh_1", eventName: "default" })
      const gone = yield* autoSubscriptions.create({ accountId: account.id, listenerId: "dc_l", eventName: "$errors" })
      yield* autoSubscriptions.create({ accountId: other.id, listenerId: "wh_2", eventName: "" })
      yield* subscriptions.createAutomatic(account.id, "dc_a")
      yield* autoSubscriptions.remove(account.id, gone.id)
      yield* subscriptions.createAutomatic(account.id, "dc_b")
      assert.sameDeepMembers(yield* listeners(account.id), [
        ["dc_a", "wh_1", "default"],
        ["dc_a", "dc_l", "$errors"],
        ["dc_b", "wh_1", "default"]
      ])
      assert.deepStrictEqual(yield* listeners(other.id), [])
      yield* subscriptions.removeParty(account.id, "wh_1")
      assert.isFalse(yield* subscriptions.createAutomatic(account.id, "dc_c"))
      assert.deepStrictEqual(yield* listeners(account.id), [["dc_a", "dc_l", "$errors"]])
    }).pipe(Effect.provide(tables)))

  it.live("come wholly after an emitter whose creation has begun before them", () =>
    Effect.gen(function*() {
      const autoSubscriptions = yield* AutoSubscriptions
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      const emitter = yield* inOpenTransaction(subscriptions.createAutomatic(account.id, "dc_a"))
      // Emitters do not wait for each other.
      yield* subscriptions.createAutomatic(account.id, "dc_b")
      const creating = yield* startWaiting(
        autoSubscriptions.create({ accountId: account.id, listenerId: "wh_1", eventName: "" })
      )
      yield* emitter.commit
      yield* Fiber.join(creating)
      assert.deepStrictEqual(yield* listeners(account.id), [])
    }).pipe(Effect.provide(tables)))

  it.live("come wholly before an emitter whose creation begins while they are created", () =>
    Effect.gen(function*() {
      const autoSubscriptions = yield* AutoSubscriptions
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      const creating = yield* inOpenTransaction(
        autoSubscriptions.create({ accountId: account.id, listenerId: "wh_1", eventName: "" })
      )
      const emitter = yield* startWaiting(subscriptions.createAutomatic(account.id, "dc_a"))
      yield* creating.commit
      yield* Fiber.join(emitter)
      assert.deepStrictEqual(yield* listeners(account.id), [["dc_a", "wh_1", ""]])
    }).pipe(Effect.provide(tables)))

  it.live("leave nothing to a listener that goes while an emitter is created", () =>
    Effect.gen(function*() {
      const autoSubscriptions = yield* AutoSubscriptions
      const sql = yield* SqlClient.SqlClient
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      yield* autoSubscriptions.create({ accountId: account.id, listenerId: "wh_1", eventName: "" })
      const emitter = yield* inOpenTransaction(subscriptions.createAutomatic(account.id, "dc_a"))
      const removal = yield* startWaiting(subscriptions.removeParty(account.id, "wh_1"))
      yield* emitter.commit
      assert.lengthOf(yield* Fiber.join(removal), 1)
      assert.deepStrictEqual(yield* sql`SELECT FROM subscriptions`, [])
    }).pipe(Effect.provide(tables)))
})
