import type { AppAccountResource, ConnectionResource } from "@headwater/api/AppAccountsApi"
import { get, type Page, post, put, remove, type Single } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"
import type { Values } from "./Props.ts"

export type { AppAccountResource }

export const list = (after: string | undefined, signal: AbortSignal): Promise<Page<AppAccountResource>> =>
  get(["accounts"], { query: { limit: pageSize, after }, signal })

export const one = async (id: string, signal: AbortSignal): Promise<AppAccountResource> =>
  (await get<Single<AppAccountResource>>(["accounts", id], { signal })).data

export const create = async (body: Values): Promise<string> =>
  (await post<Single<AppAccountResource>>(["accounts"], { body })).data.id

export const change = (id: string, body: Values): Promise<unknown> => put(["accounts", id], { body })

export const drop = (id: string): Promise<void> => remove(["accounts", id])

/** Begins to connect an account, and gives the page of its provider that the reader is to open. */
export const connect = async (id: string): Promise<string> =>
  (await post<Single<ConnectionResource>>(["accounts", id, "connect"], { body: { return_to: "console" } })).data.url

/** Ends what `connect` began, when the reader has come back. */
export const complete = async (id: string, confirmation: string): Promise<void> => {
  await post(["accounts", id, "complete_connection"], { body: { confirmation } })
}
