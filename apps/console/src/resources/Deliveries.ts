import type { DeliveryDetails, DeliveryResource, ListedDelivery, NextAttemptReason } from "@headwater/api/DeliveriesApi"
import type { AttemptResource } from "@headwater/api/DeliveryAttempt"
import { get, type Page, type Single, type TimeOrder } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"

export type { AttemptResource, DeliveryDetails, DeliveryResource, ListedDelivery }

/** The filters of lists of deliveries, under the API's names. */
export const filterNames = [
  "webhook_id",
  "emitter_id",
  "event_name",
  "event_id",
  "subscription_id",
  "state",
  "error_class",
  "status",
  "since",
  "until",
  "last_attempt_since",
  "text"
] as const

export type DeliveryFilter = { readonly [Name in typeof filterNames[number]]?: string }

/** The filters that an address names. */
export const filterOf = (query: URLSearchParams): DeliveryFilter => {
  const filter: Record<string, string> = {}
  for (const name of filterNames) {
    const value = query.get(name)
    if (value !== null && value !== "") filter[name] = value
  }
  return filter
}

/** The filter as a bulk action takes it. */
export const bulkFilterOf = (
  { last_attempt_since, since, until, ...others }: DeliveryFilter
): Readonly<Record<string, string | number>> => ({
  ...others,
  ...(since === undefined ? {} : { since: Number(since) }),
  ...(until === undefined ? {} : { until: Number(until) }),
  ...(last_attempt_since === undefined ? {} : { last_attempt_since: Number(last_attempt_since) })
})

export const list = (
  filter: DeliveryFilter,
  signal: AbortSignal,
  page: { readonly sort?: TimeOrder; readonly expand?: "summary"; readonly after?: string | undefined } = {}
): Promise<Page<ListedDelivery>> => get(["deliveries"], { query: { ...filter, ...page, limit: pageSize }, signal })

export const one = async (id: string, signal: AbortSignal): Promise<DeliveryDetails> =>
  (await get<Single<DeliveryDetails>>(["deliveries", id], { signal })).data

export const states = ["pending", "delivered", "exhausted", "dropped"] as const

/** The kinds of failure of an attempt, each with its meaning. */
export const errorClasses: Readonly<Record<string, string>> = {
  status: "the answer is an error",
  throttled: "the endpoint is overloaded: 429, 502, 503 or 504",
  redirect: "the endpoint answered with a redirect, which is not followed",
  gone: "the endpoint says that it is gone for good",
  timeout: "the endpoint did not answer in time",
  dns: "the host name could not be resolved",
  connect: "the connection was refused",
  tls: "the TLS handshake failed",
  certificate: "the certificate has expired, or is not to be trusted",
  reset: "the endpoint closed the connection before its answer was complete",
  protocol: "the answer is not HTTP",
  refused: "the server is not allowed to connect to this address",
  too_large: "the payload is larger than the webhook allows",
  held: "it came from a source or workflow in shadow, and was not sent"
}

/** The reasons for the time of the next attempt, in words. */
export const reasons: Readonly<Record<NextAttemptReason, string>> = {
  queued: "waiting for a free slot",
  schedule: "by the webhook's retry schedule",
  retry_after: "the endpoint asked for this pause",
  throttled: "the endpoint asked for a pause from all sends",
  circuit: "the webhook's circuit is open",
  rate: "the webhook's rate limit",
  inactive: "the webhook is not active; it goes out as soon as it is",
  requested: "somebody asked for it"
}

/** The outcome of the last attempt, in a word. */
export const outcomeOf = ({ attempt_count, error_class, state, status }: DeliveryResource): string => {
  if (attempt_count === 0) return error_class ?? "–"
  if (status !== null) return String(status)
  return error_class ?? (state === "delivered" ? state : "–")
}
