/** Accounts with apps of an archive, whose credentials are sealed in it. */
import { Effect, Predicate, type Schema } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import type { Archive } from "./ArchiveReading.ts"
import { isFields, textIn } from "./Fields.ts"
import * as MovingRecord from "./MovingRecord.ts"
import * as SetupWriting from "./SetupWriting.ts"

/** An account that can be made here. */
export interface Account {
  readonly id: string
  readonly app: string
  readonly name: string
}

/** The accounts that an import needs, that have none here yet, and whose credentials are all that they need. */
export const waiting = (
  { accounts }: Pick<Archive, "accounts">,
  needed: Iterable<string>,
  { accounts: here = {} }: MovingRecord.MovingRecord
): ReadonlyArray<Account> => {
  const ids = new Set(needed)
  return accounts.flatMap(({ fields }) => {
    const [id, app] = [textIn(fields, "id"), textIn(fields, "app")]
    if (id === undefined || app === undefined || !ids.has(id) || here[id] !== undefined) return []
    // The reason that it has to be connected anew.
    if (textIn(fields, "connect") !== undefined || fields["connect"] === true) return []
    return [{ id, app, name: textIn(fields, "name") ?? "" }]
  })
}

/**
 * Makes accounts with the credentials of an archive, and keeps their ids. The credentials are written to no file.
 *
 * @param credentials what is sealed: credentials by the ids there
 */
export const make = Effect.fnUntraced(function*(
  into: string,
  accounts: ReadonlyArray<Account>,
  credentials: Schema.Json
) {
  const { call } = yield* ApiAccess
  if (!isFields(credentials)) return yield* new CommandRefused({ message: "what is sealed holds no accounts" })
  const made: Array<Account> = []
  for (const account of accounts) {
    const own = Object.hasOwn(credentials, account.id) ? credentials[account.id] : undefined
    if (!Predicate.isObject(own) || Array.isArray(own)) continue
    const { app, id, name } = account
    const { data } = yield* call(({ appAccounts }) =>
      appAccounts.create({
        headers: {},
        payload: { app, ...(name === "" ? {} : { name }), credentials: own as Readonly<Record<string, Schema.Json>> }
      })
    )
    // At once: another run must not make it again.
    const record = yield* MovingRecord.need(into)
    const mapped = { ...record.accounts, [id]: data.id }
    yield* SetupWriting.write(into, new Map(), { ...record, accounts: mapped })
    made.push(account)
  }
  return made
})
