import type { AccountSettings, UserResource } from "@headwater/api/UsersApi"
import { get, patch, type Single } from "../api/Api.ts"
import * as Session from "../api/Session.ts"
import * as AccountFigures from "./AccountFigures.ts"
import type { Values } from "./Props.ts"

/** The account of the session, its settings, and how much of its quotas is used. */
export interface OwnAccount {
  readonly user: UserResource
  readonly settings: AccountSettings
  readonly now: AccountFigures.AccountNow
}

export const read = async (signal: AbortSignal): Promise<OwnAccount> => {
  const [{ data: user }, { data: settings }, { now }] = await Promise.all([
    get<Single<UserResource>>(["users", "me"], { signal }),
    get<Single<AccountSettings>>(["users", "me", "settings"], { signal }),
    AccountFigures.read(AccountFigures.defaultRange, signal)
  ])
  return { user, settings, now }
}

/** Changes the account's settings, of which the shell of the page shows some. */
export const change = async (body: Values): Promise<void> => {
  await patch(["users", "me"], { body })
  await Session.find()
}
