import { assert, describe, it } from "@effect/vitest"
import { Seal } from "@headwater/domain/Seal"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Accounts } from "./Accounts.ts"
import { AppAccounts } from "./AppAccounts.ts"

const sealedUnder = (byte: number) =>
  AppAccounts.layer.pipe(
    Layer.provide([SecureRandom.layerWebCrypto, Seal.layer(Redacted.make(new Uint8Array(32).fill(byte)))])
  )

const tables = Layer.merge(Accounts.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto)), sealedUnder(7)).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

const credentials = { api_key: "k-7Yb2", nested: { scopes: ["a"] } }

describe("AppAccounts", () => {
  it.effect("gives back what was added, and its credentials, to its account alone", () =>
    Effect.gen(function*() {
      const appAccounts = yield* AppAccounts
      const account = yield* newAccount
      const other = yield* newAccount
      const added = yield* appAccounts.create({ accountId: account.id, app: "shop", name: "North", credentials })
      assert.deepStrictEqual(yield* appAccounts.get(account.id, added.id), Option.some(added))
      assert.deepStrictEqual(
        yield* appAccounts.credentials(account.id, [added.id, "apn_1"]),
        new Map([[added.id, credentials]])
      )
      assert.deepStrictEqual(yield* appAccounts.get(other.id, added.id), Option.none())
      assert.deepStrictEqual(yield* appAccounts.credentials(other.id, [added.id]), new Map())
      assert.isFalse(yield* appAccounts.remove(other.id, added.id))
      assert.isTrue(yield* appAccounts.remove(account.id, added.id))
      assert.deepStrictEqual(yield* appAccounts.credentials(account.id, [added.id]), new Map())
    }).pipe(Effect.provide(tables)))

  it.effect("keeps credentials so that neither the database nor another secret key tells them", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const sql = yield* SqlClient.SqlClient
      const added = yield* (yield* AppAccounts).create({ accountId: account.id, app: "shop", name: "", credentials })
      const [row] = yield* sql<{ readonly credentials: Uint8Array }>`SELECT credentials FROM app_accounts`
      assert.notInclude(Buffer.from(row!.credentials).toString("latin1"), "k-7Yb2")
      const elsewhere = yield* Effect.map(Layer.build(Layer.fresh(sealedUnder(8))), Context.get(AppAccounts))
      const refused = yield* Effect.flip(elsewhere.credentials(account.id, [added.id]))
      assert.strictEqual(refused._tag, "SealBroken")
    }).pipe(Effect.scoped, Effect.provide(tables)))
})
