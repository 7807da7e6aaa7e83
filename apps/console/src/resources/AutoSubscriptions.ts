import type { AutoSubscriptionResource } from "@headwater/api/AutoSubscriptionsApi"
import { get, type Page, post, remove } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"
import type { Values } from "./Props.ts"

export type { AutoSubscriptionResource }

export const list = (after: string | undefined, signal: AbortSignal): Promise<Page<AutoSubscriptionResource>> =>
  get(["users", "me", "auto_subscriptions"], { query: { limit: pageSize, after }, signal })

export const create = (body: Values): Promise<unknown> => post(["auto_subscriptions"], { body })

export const drop = (id: string): Promise<void> => remove(["auto_subscriptions", id])
