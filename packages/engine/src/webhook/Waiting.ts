import type { Webhook } from "@headwater/domain/Webhook"

/** Why an event waits for its first attempt, where that is not just its turn. */
export type WaitReason = "inactive" | "throttled" | "circuit" | "order" | "rate" | "batch"

export interface Waiting {
  readonly reason: WaitReason
  /** Until when at least, and for a batch at most, Unix milliseconds; undefined where nobody knows. */
  readonly until: number | undefined
}

/** @param isHeld whether an event before it holds it by the webhook's strict order */
export const waitingOf = (
  { active, circuitUntil, rateReservedUntil, settings, throttledUntil }: Webhook,
  isHeld: boolean,
  now: number
): Waiting | undefined => {
  if (!active) return { reason: "inactive", until: undefined }
  if (circuitUntil !== null) return { reason: "circuit", until: circuitUntil }
  if (throttledUntil !== null && throttledUntil > now) return { reason: "throttled", until: throttledUntil }
  if (isHeld) return { reason: "order", until: undefined }
  return settings.rateLimit !== null && rateReservedUntil !== null && rateReservedUntil > now
    ? { reason: "rate", until: undefined }
    : undefined
}
