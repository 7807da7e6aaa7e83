import type { Account } from "@headwater/domain/Account"
import { AccountId } from "@headwater/domain/Id"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { Accounts } from "@headwater/log/Accounts"
import { ApiKeys } from "@headwater/log/ApiKeys"
import { Heads } from "@headwater/log/Heads"
import * as OperatorDatabase from "@headwater/server/OperatorDatabase"
import { Effect, Layer, Option, Schema } from "effect"
import { CommandRefused } from "./CommandRefused.ts"

/** Accounts and keys in the server's database. */
export const layer = AccountLifecycle.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Accounts.layer, ApiKeys.layer, Heads.layer)),
  Layer.provideMerge(OperatorDatabase.layer)
)

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
