import type { Webhook } from "@headwater/domain/Webhook"
import type { Attempt } from "@headwater/log/work/Attempts"
import * as RetrySchedule from "./RetrySchedule.ts"

/** The reasons for the time at which a delivery's next attempt is due. */
export type Reason =
  | "queued"
  | "schedule"
  | "retry_after"
  | "throttled"
  | "circuit"
  | "rate"
  | "inactive"
  | "requested"

/**
 * @param last the last attempt made, if there is one
 * @param dueAt the time at which the next one is due, in Unix milliseconds; before `now` if it waits for its turn
 */
export const reasonOf = (
  webhook: Pick<Webhook, "active" | "circuitUntil" | "settings">,
  last: Pick<Attempt, "attempt" | "durationMs" | "nextAt" | "startedAt" | "errorClass"> | undefined,
  dueAt: number,
  now: number
): Reason => {
  if (!webhook.active) return "inactive"
  if (webhook.circuitUntil !== null && dueAt <= Math.max(webhook.circuitUntil, now)) return "circuit"
  if (webhook.settings.rateLimit !== null && dueAt <= now) return "rate"
  const expected = last?.nextAt ?? undefined
  if (last === undefined || expected === undefined) return last === undefined ? "queued" : "requested"
  if (dueAt < expected) return "requested"
  if (dueAt > expected) return "throttled"
  const latest = RetrySchedule.latestAttemptAt(
    webhook.settings.retrySchedule,
    last.attempt,
    last.startedAt + last.durationMs
  )
  return last.errorClass === "throttled" && (latest === undefined || dueAt > latest) ? "retry_after" : "schedule"
}
