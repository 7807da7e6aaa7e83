import type { AttemptResource } from "@headwater/api/DeliveryAttempt"
import type { WebhookDetails, WebhookResource } from "@headwater/api/WebhooksApi"
import { get, post, put, remove, type Single } from "../api/Api.ts"
import * as WholeList from "../api/WholeList.ts"
import { count, humanSeconds } from "../charts/Figures.ts"
import type { Values } from "./Props.ts"

export type { WebhookDetails, WebhookResource }

export type Health = WebhookDetails["health"]

export type HealthSpan = Health["last_1h"]

const listed = ["id", "name", "url", "state", "health"] as const

/** A webhook as a list shows it. */
export type StandingWebhook = Pick<WebhookDetails, typeof listed[number]>

export const all = (signal: AbortSignal): Promise<WholeList.WholeList<StandingWebhook>> =>
  WholeList.read<StandingWebhook>(["users", "me", "webhooks"], listed, signal, { expand: "health" })

export const one = async (id: string, signal: AbortSignal): Promise<WebhookDetails> =>
  (await get<Single<WebhookDetails>>(["webhooks", id], { signal })).data

/** Makes a webhook, and returns its id. */
export const create = async (body: Values): Promise<string> =>
  (await post<Single<WebhookResource>>(["webhooks"], { body })).data.id

/** Changes a webhook. It always sends `active`, since the server takes a missing `active` for true. */
export const change = ({ active, id }: WebhookResource, body: Values): Promise<unknown> =>
  put(["webhooks", id], { body: { active, ...body } })

export const drop = (id: string): Promise<void> => remove(["webhooks", id])

/** The newest secret, which signs as v1. */
export const secret = async (id: string): Promise<string> =>
  (await get<Single<{ readonly secret: string }>>(["webhooks", id, "secret"])).data.secret

export const rotateSecret = async (id: string): Promise<string> =>
  (await post<Single<{ readonly secret: string }>>(["webhooks", id, "secret", "rotate"])).data.secret

/** The newest public key, which verifies v1a. */
export const publicKey = async (id: string): Promise<string> =>
  (await get<Single<{ readonly public_key: string }>>(["webhooks", id, "public_key"])).data.public_key

export const rotatePublicKey = async (id: string): Promise<string> =>
  (await post<Single<{ readonly public_key: string }>>(["webhooks", id, "public_key", "rotate"])).data.public_key

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
