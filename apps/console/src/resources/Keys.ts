import type { KeyResource, NewKeyResource } from "@headwater/api/KeysApi"
import { get, type Page, post, remove, type Single } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"
import type { Values } from "./Props.ts"

export type { KeyResource }

export const list = (after: string | undefined, signal: AbortSignal): Promise<Page<KeyResource>> =>
  get(["users", "me", "keys"], { query: { limit: pageSize, after }, signal })

/** Makes a key, which only this answer shows. */
export const create = async (body: Values): Promise<string> =>
  (await post<Single<NewKeyResource>>(["users", "me", "keys"], { body })).data.key

/** Makes a key in place of another, which ends after a while. */
export const rotate = async (id: string, body: Values): Promise<string> =>
  (await post<Single<NewKeyResource>>(["users", "me", "keys", id, "rotate"], { body })).data.key

export const revoke = (id: string): Promise<void> => remove(["users", "me", "keys", id])
