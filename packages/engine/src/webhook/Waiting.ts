import type { Webhook } from "@headwater/domain/Webhook"

/** The reasons for which an event waits for its first attempt, beyond its turn. */
export type WaitReason = "inactive" | "throttled" | "circuit" | "order" | "rate" | "batch"

export interface Waiting {
  readonly reason: WaitReason
  /** The earliest end of the wait, and for a batch the latest, in Unix milliseconds; undefined if nobody knows. */
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
