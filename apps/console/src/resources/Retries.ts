import type { DueRetries } from "@headwater/api/DeliveriesApi"
import { get, type Single } from "../api/Api.ts"

export type Due = typeof DueRetries.Type

/** How many steps are counted. */
export const steps = 60

/** How many retries are due in each of so many steps, by webhook. */
export const due = async (stepMs: number, signal: AbortSignal): Promise<Due> =>
  (await get<Single<Due>>(["deliveries", "due"], { query: { step: stepMs, steps }, signal })).data

/** How many wait for one webhook, and from when on at the latest the first of them is due. */
export const waitingFor = ({ from_ms, step_ms, webhooks }: Due, id: string) => {
  const found = webhooks.find(({ webhook_id }) => webhook_id === id)
  if (found === undefined) return { count: 0, nextMs: undefined }
  const first = found.due.findIndex((count) => count > 0)
  return {
    count: found.due.reduce((sum, count) => sum + count, found.later),
    nextMs: first === -1 ? undefined : from_ms + (first + 1) * step_ms
  }
}
