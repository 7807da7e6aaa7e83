import type { UserResource } from "@headwater/api/UsersApi"
import { get, type Single } from "../api/Api.ts"
import * as AccountFigures from "./AccountFigures.ts"

/** The account of the session, and how much of its quotas is used. */
export interface OwnAccount {
  readonly user: UserResource
  readonly now: AccountFigures.AccountNow
}

export const read = async (signal: AbortSignal): Promise<OwnAccount> => {
  const [{ data }, { now }] = await Promise.all([
    get<Single<UserResource>>(["users", "me"], { signal }),
    AccountFigures.read(AccountFigures.defaultRange, signal)
  ])
  return { user: data, now }
}
