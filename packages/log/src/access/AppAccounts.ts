import { AppAccount, Credentials } from "@headwater/domain/AppAccount"
import * as Id from "@headwater/domain/Id"
import { Seal, type SealBroken } from "@headwater/domain/Seal"
import { Clock, Context, Effect, Layer, type Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as Rows from "../internal/Rows.ts"
import * as Page from "../lists/Page.ts"

const Row = Schema.Struct({
  id: AppAccount.fields.id,
  accountId: AppAccount.fields.accountId,
  app: AppAccount.fields.app,
  name: AppAccount.fields.name,
  createdAt: Column.Int8
}).pipe(Schema.encodeKeys({ accountId: "account_id", createdAt: "created_at" }))

const CredentialsText = Schema.fromJsonString(Credentials)

/** Users' accounts with apps, their credentials sealed. */
export class AppAccounts extends Context.Service<AppAccounts, {
  readonly create: (input: {
    readonly accountId: Id.AccountId
    readonly app: string
    readonly name: string
    readonly credentials: Credentials
  }) => Effect.Effect<AppAccount, SqlError.SqlError>
  readonly get: (accountId: Id.AccountId, id: string) => Effect.Effect<Option.Option<AppAccount>, SqlError.SqlError>
  /** Those that there are, by id. */
  readonly find: (
    accountId: Id.AccountId,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, AppAccount>, SqlError.SqlError>
  readonly page: (
    accountId: Id.AccountId,
    request: Page.PageRequest
  ) => Effect.Effect<Page.Page<AppAccount>, SqlError.SqlError>
  /** A field that is undefined stays. Runs that begin afterwards have the new credentials. */
  readonly update: (
    accountId: Id.AccountId,
    id: string,
    change: { readonly name: string | undefined; readonly credentials: Credentials | undefined }
  ) => Effect.Effect<Option.Option<AppAccount>, SqlError.SqlError>
  /** Answers whether there was such an account. Programs that have it run without its credentials from now on. */
  readonly remove: (accountId: Id.AccountId, id: string) => Effect.Effect<boolean, SqlError.SqlError>
  /** The credentials of those that there are, by id. */
  readonly credentials: (
    accountId: Id.AccountId,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, Credentials>, SqlError.SqlError | SealBroken>
}>()("@headwater/log/access/AppAccounts") {
  static readonly layer: Layer.Layer<AppAccounts, never, SqlClient.SqlClient | Seal | SecureRandom.SecureRandom> = Layer
    .effect(
      AppAccounts,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const seal = yield* Seal
        const random = yield* SecureRandom.SecureRandom
        const sealed = Effect.fnUntraced(function*(id: string, credentials: Credentials) {
          const text = yield* Effect.orDie(Schema.encodeEffect(CredentialsText)(credentials))
          return yield* seal.seal(placeOf(id), Redacted.make(text))
        })
        const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))

        return AppAccounts.of({
          create: Effect.fnUntraced(function*({ accountId, app, credentials, name }) {
            const id = yield* Id.make("appAccount").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
            const createdAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
            yield* sql`
              INSERT INTO app_accounts ${
              sql.insert({
                id,
                account_id: accountId,
                app,
                name,
                credentials: yield* sealed(id, credentials),
                created_at: createdAt
              })
            }`
            return { id: Id.AppAccountId.make(id), accountId, app, name, createdAt }
          }),
          get: (accountId, id) =>
            one(sql`
              SELECT id, account_id, app, name, created_at FROM app_accounts
              WHERE id = ${id} AND account_id = ${accountId}`),
          find: (accountId, ids) =>
            Effect.map(
              all(sql`
                SELECT id, account_id, app, name, created_at FROM app_accounts
                WHERE account_id = ${accountId} AND ${sql.in("id", ids)}`),
              (found) => new Map(found.map((account) => [account.id, account]))
            ),
          page: (accountId, request) =>
            Page.read(sql, {
              table: "app_accounts",
              where: sql`account_id = ${accountId}`,
              request,
              all
            }),
          update: Effect.fnUntraced(function*(accountId, id, { credentials, name }) {
            const set = {
              ...(name === undefined ? {} : { name }),
              ...(credentials === undefined ? {} : { credentials: yield* sealed(id, credentials) })
            }
            const named = sql`id = ${id} AND account_id = ${accountId}`
            const shown = sql`id, account_id, app, name, created_at`
            return yield* one(
              Object.keys(set).length === 0
                ? sql`SELECT ${shown} FROM app_accounts WHERE ${named}`
                : sql`UPDATE app_accounts SET ${sql.update(set)} WHERE ${named} RETURNING ${shown}`
            )
          }),
          remove: (accountId, id) =>
            Effect.map(
              sql`DELETE FROM app_accounts WHERE id = ${id} AND account_id = ${accountId} RETURNING id`,
              (rows) => rows.length > 0
            ),
          credentials: Effect.fnUntraced(function*(accountId, ids) {
            const rows = yield* sql<{ readonly id: string; readonly credentials: Uint8Array }>`
              SELECT id, credentials FROM app_accounts WHERE account_id = ${accountId} AND ${sql.in("id", ids)}`
            const opened = yield* Effect.forEach(rows, ({ credentials, id }) =>
              Effect.gen(function*() {
                const text = Redacted.value(yield* seal.open(placeOf(id), credentials))
                return [id, yield* Effect.orDie(Schema.decodeEffect(CredentialsText)(text))] as const
              }))
            return new Map(opened)
          })
        })
      })
    )
}

const placeOf = (id: string): string => `app_accounts/${id}`
