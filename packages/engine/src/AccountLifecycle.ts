import type { Account } from "@headwater/domain/Account"
import { type AccountInput, Accounts, type UsernameTaken } from "@headwater/log/access/Accounts"
import { ApiKeys } from "@headwater/log/access/ApiKeys"
import { Heads } from "@headwater/log/logs/Heads"
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

export interface NewAccount extends AccountInput {
  /** Given instead of generated. */
  readonly key?: Redacted.Redacted
}

/** Creates accounts: each an emitter of its own events, with a key to begin with. */
export class AccountLifecycle extends Context.Service<AccountLifecycle, {
  /** Fails where an account has the username. */
  readonly create: (
    input: NewAccount
  ) => Effect.Effect<
    { readonly account: Account; readonly key: Redacted.Redacted },
    UsernameTaken | SqlError.SqlError
  >
  /** The first account, if there is none yet: on several nodes that start at once, one makes it. */
  readonly createFirst: (
    input: NewAccount
  ) => Effect.Effect<
    { readonly account: Account; readonly key: Redacted.Redacted | undefined },
    SqlError.SqlError
  >
}>()("@headwater/engine/AccountLifecycle") {
  static readonly layer = Layer.effect(
    AccountLifecycle,
    Effect.gen(function*() {
      const accounts = yield* Accounts
      const keys = yield* ApiKeys
      const heads = yield* Heads
      const sql = yield* SqlClient.SqlClient

      const make = Effect.fnUntraced(function*({ key, ...input }: NewAccount) {
        const account = yield* accounts.create(input)
        yield* heads.create(account.id, account.id)
        const created = yield* keys.create(account.id, "first", { key })
        return { account, key: created.key }
      })

      return AccountLifecycle.of({
        create: (input) => sql.withTransaction(Effect.andThen(accounts.reserve(input.username), make(input))),
        createFirst: Effect.fnUntraced(function*(input) {
          const first = yield* accounts.first
          return Option.isNone(first) ? yield* make(input) : { account: first.value, key: undefined }
        }, sql.withTransaction)
      })
    })
  )
}
