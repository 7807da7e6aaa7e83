import { DataStore } from "@headwater/domain/DataStore"
import * as Id from "@headwater/domain/Id"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import { removeRows } from "../internal/Removal.ts"
import * as Rows from "../internal/Rows.ts"
import * as Page from "../lists/Page.ts"
import { DataStoreEntries } from "./DataStoreEntries.ts"

/** Another data store of the account has the name. */
export class DataStoreNameTaken extends Schema.TaggedError<DataStoreNameTaken>()("DataStoreNameTaken", {}) {}

const Row = Schema.Struct({
  id: DataStore.fields.id,
  accountId: DataStore.fields.accountId,
  name: DataStore.fields.name,
  createdAt: Column.Int8
}).pipe(Schema.encodeKeys({ accountId: "account_id", createdAt: "created_at" }))

const refuseTakenName = <A>(
  effect: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError | DataStoreNameTaken> =>
  Effect.catchIf(
    effect,
    (error) => error.reason._tag === "UniqueViolation",
    () => Effect.fail(new DataStoreNameTaken())
  )

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const entries = yield* DataStoreEntries
  const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))

  return {
    create: Effect.fnUntraced(function*(accountId: Id.AccountId, name: string) {
      const id = Id.DataStoreId.make(
        yield* Id.make("dataStore").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
      )
      const createdAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      yield* refuseTakenName(
        sql`INSERT INTO data_stores ${sql.insert({ id, account_id: accountId, name, created_at: createdAt })}`
      )
      return { id, accountId, name, createdAt }
    }),
    /** Those of these ids that there are. */
    existing: (accountId: Id.AccountId, ids: ReadonlyArray<string>) =>
      Effect.map(
        sql<{ readonly id: string }>`SELECT id FROM data_stores WHERE account_id = ${accountId} AND ${
          sql.in("id", ids)
        }`,
        (rows) => new Set(rows.map(({ id }) => id))
      ),
    /** By its id, or by its name. */
    get: (accountId: Id.AccountId, reference: string) =>
      one(sql`
        SELECT * FROM data_stores WHERE account_id = ${accountId} AND ${reference} IN (id, name)
        ORDER BY id <> ${reference} LIMIT 1`),
    page: (accountId: Id.AccountId, request: Page.PageRequest) =>
      Page.read(sql, { table: "data_stores", where: sql`account_id = ${accountId}`, request, all }),
    rename: (accountId: Id.AccountId, id: Id.DataStoreId, name: string) =>
      refuseTakenName(
        one(sql`UPDATE data_stores SET name = ${name} WHERE id = ${id} AND account_id = ${accountId} RETURNING *`)
      ),
    /** Answers whether there was such a data store. Programs that have it go on without it, and fail where they use it. */
    remove: Effect.fnUntraced(function*(accountId: Id.AccountId, id: Id.DataStoreId) {
      yield* entries.removeOf(accountId, id)
      const removed = yield* sql`DELETE FROM data_stores WHERE id = ${id} AND account_id = ${accountId} RETURNING id`
      return removed.length > 0
    }),
    /** Those of an account that is erased. */
    removeOfAccount: Effect.fnUntraced(function*(accountId: Id.AccountId) {
      yield* entries.removeOf(accountId)
      yield* removeRows(sql, "data_stores", sql`account_id = ${accountId}`)
    })
  }
})

/** The data stores of accounts: the `data_stores` table. */
export class DataStores extends Context.Service<DataStores, Effect.Success<typeof make>>()(
  "@headwater/log/resources/DataStores"
) {
  static readonly layer: Layer.Layer<
    DataStores | DataStoreEntries,
    never,
    SqlClient.SqlClient | SecureRandom.SecureRandom
  > = Layer.effect(DataStores, make).pipe(Layer.provideMerge(DataStoreEntries.layer))
}
