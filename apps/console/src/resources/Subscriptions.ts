import type { SubscriptionPreview, SubscriptionResource } from "@headwater/api/SubscriptionsApi"
import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import { get, post, put, remove, type Single } from "../api/Api.ts"
import type { WholeList } from "../api/WholeList.ts"
import type { Values } from "./Props.ts"

export type { SubscriptionResource }

export const all = async (signal: AbortSignal): Promise<WholeList<SubscriptionResource>> => {
  const { data } = await get<Single<ReadonlyArray<SubscriptionResource>>>(["users", "me", "subscriptions"], { signal })
  return { items: data, rest: 0 }
}

/** Those by which something hears, or is heard; a glob is of all that it matches. */
export const of = async (
  side: "listener_id" | "emitter_id",
  id: string,
  signal: AbortSignal
): Promise<ReadonlyArray<SubscriptionResource>> =>
  (await all(signal)).items.filter((one) =>
    side === "listener_id" ? one.listener_id === id : EmitterPattern.matches(one.emitter_id, id)
  )

export const create = (body: Values): Promise<unknown> => post(["subscriptions"], { body })

const parameters = ({ emitter_id, event_name, listener_id }: SubscriptionResource) => ({
  emitter_id,
  listener_id,
  event_name
})

export const change = (subscription: SubscriptionResource, body: Values): Promise<unknown> =>
  put(["subscriptions"], { body: { ...parameters(subscription), ...body } })

export const drop = (subscription: SubscriptionResource): Promise<void> =>
  remove(["subscriptions"], { query: parameters(subscription) })

export type Preview = typeof SubscriptionPreview.Type

/** The most events that a preview looks at. */
export const previewed = 100

/** The latest events of the emitters, and which of them a subscription would deliver. */
export const preview = async (body: Values, signal: AbortSignal): Promise<Preview> =>
  (await post<Single<Preview>>(["subscriptions", "preview"], { query: { limit: previewed }, body, signal })).data
