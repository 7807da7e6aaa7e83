import type { DueRetries } from "@headwater/api/DeliveriesApi"
import { get, type Single } from "../api/Api.ts"

export type Due = typeof DueRetries.Type

/** The number of steps that are counted. */
export const steps = 60

/** The number of retries that are due in each step, by webhook. */
export const due = async (stepMs: number, signal: AbortSignal): Promise<Due> =>
  (await get<Single<Due>>(["deliveries", "due"], { query: { step: stepMs, steps }, signal })).data

/** The number of waiting retries of one webhook, and the end of the first step in which one is due, if any is. */
export const waitingFor = ({ from_ms, step_ms, webhooks }: Due, id: string) => {
  const found = webhooks.find(({ webhook_id }) => webhook_id === id)
  if (found === undefined) return { count: 0, nextMs: undefined }
  const first = found.due.findIndex((count) => count > 0)
  return {
    count: found.due.reduce((sum, count) => sum + count, found.later),
    nextMs: first === -1 ? undefined : from_ms + (first + 1) * step_ms
  }
}
