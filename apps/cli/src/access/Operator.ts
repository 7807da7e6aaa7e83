import type { Account } from "@headwater/domain/Account"
import { AccountId } from "@headwater/domain/Id"
import * as Part from "@headwater/domain/Part"
import type { NewAccount } from "@headwater/engine/AccountLifecycle"
import { Accounts } from "@headwater/log/access/Accounts"
import { ApiKeys } from "@headwater/log/access/ApiKeys"
import * as OperatorDatabase from "@headwater/server/OperatorDatabase"
import { Effect, Layer, Option, Schema } from "effect"
import { CommandRefused } from "../CommandRefused.ts"

/** Accounts and keys in the server's database. */
export const layer = Layer.merge(Accounts.layer, ApiKeys.layer).pipe(Layer.provideMerge(OperatorDatabase.layer))

/** Makes an account with its first key. */
export const createAccount = Effect.fnUntraced(function*(input: NewAccount) {
  const [{ AccountLifecycle }, { Heads }] = yield* Part.load(() =>
    Promise.all([import("@headwater/engine/AccountLifecycle"), import("@headwater/log/logs/Heads")])
  )
  return yield* Effect.flatMap(AccountLifecycle, ({ create }) => create(input)).pipe(
    Effect.provide(Layer.provide(AccountLifecycle.layer, Heads.layer))
  )
})

/** Removes an account with all that is its. */
export const eraseAccount = Effect.fnUntraced(function*(id: AccountId) {
  const { erase } = yield* Part.load(() => import("./AccountErasing.ts"))
  yield* erase(id)
})

/** The account of that id or username. */
export const findAccount = Effect.fnUntraced(function*(idOrUsername: string) {
  const accounts = yield* Accounts
  const named: ReadonlyArray<Account> = Schema.is(AccountId)(idOrUsername)
    ? Option.toArray(yield* accounts.get(idOrUsername))
    : yield* accounts.byUsername(idOrUsername)
  const [account, another] = named
  if (account === undefined) {
    return yield* new CommandRefused({ message: `There is no account ${JSON.stringify(idOrUsername)}` })
  }
  if (another !== undefined) {
    return yield* new CommandRefused({
      message: `Several accounts have the username ${JSON.stringify(idOrUsername)}; give the id of one: ` +
        named.map(({ id }) => id).join(", ")
    })
  }
  return account
})
