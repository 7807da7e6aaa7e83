import type { AttemptResource } from "@headwater/api/DeliveriesApi"
import type { WebhookDetails, WebhookResource } from "@headwater/api/WebhooksApi"
import { get, type Page, post, type Single } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"
import { count, humanSeconds } from "../charts/Figures.ts"

export type { WebhookDetails, WebhookResource }

export const list = (after: string | undefined, signal: AbortSignal): Promise<Page<WebhookResource>> =>
  get(["users", "me", "webhooks"], { query: { limit: pageSize, after }, signal })

export const one = async (id: string, signal: AbortSignal): Promise<WebhookDetails> =>
  (await get<Single<WebhookDetails>>(["webhooks", id], { signal })).data

export interface Tested {
  readonly emit_id: string
  readonly attempt: AttemptResource
}

/** Sends one test request at once. It appears in no list and in no accounting. */
export const test = async (id: string, body: { readonly payload?: unknown }): Promise<Tested> =>
  (await post<Single<Tested>>(["webhooks", id, "test"], { body })).data

/** The rate limit of a webhook, in words. */
export const rateOf = ({ rate_limit }: WebhookDetails): string =>
  rate_limit === null
    ? "no limit"
    : `${count(rate_limit.limit)} in ${humanSeconds(rate_limit.interval_seconds)}${
      rate_limit.burst > 1 ? `, ${count(rate_limit.burst)} at once` : ""
    }`
