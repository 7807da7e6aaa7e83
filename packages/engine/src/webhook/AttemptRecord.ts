import type { LoggedEvent } from "@headwater/domain/Event"
import * as Storable from "@headwater/domain/Storable"
import type { EgressHttpEnding } from "@headwater/egress/EgressHttp"
import type { EarlierRequest } from "@headwater/egress/EgressHttpFailed"
import type { Phases } from "@headwater/egress/Phases"
import type { Attempt, FirstRequest } from "@headwater/log/work/Attempts"
import { Result } from "effect"
import * as EventBatch from "../routing/EventBatch.ts"
import type * as DeliveryOutcome from "./DeliveryOutcome.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"

/** The most bytes that are kept of an answer's body. */
const keptOfSuccess = 1_024
export const keptOfFailure = 16 * 1_024

/** One attempt to make. */
export interface AttemptRequest {
  readonly deliveryId: string
  readonly subscriptionId: string
  /** The first one of a batch. */
  readonly event: LoggedEvent
  /** From 1. */
  readonly attempt: number
  /** It belongs to no delivery, and is sent to try the endpoint. */
  readonly isTest?: true
  /** The batch, if several events go together. */
  readonly batch?: EventBatch.EventBatch | undefined
}

/** The outcome of an attempt, with its record as it is if no other attempt is due. */
export interface AttemptResult {
  readonly outcome: DeliveryOutcome.DeliveryOutcome
  readonly endedAt: number
  readonly record: Attempt
  readonly batch: EventBatch.EventBatch | undefined
}

/** Longer phases are beyond the range of the column, and beyond any timeout. */
const longestPhaseMs = 32_767

const phaseOf = (ms: number | null): number | null =>
  ms === null ? null : Math.max(0, Math.min(Math.round(ms), longestPhaseMs))

/** The phases of a request that was not sent. */
const noPhases: Phases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }

/** The request that was sent before the one that counts. */
const firstRequestOf = ({ address, durationMs, message, phases, reason }: EarlierRequest): FirstRequest => ({
  address,
  errorClass: reason,
  errorMessage: Storable.toText(message),
  durationMs: Storable.toInteger(Math.round(durationMs)),
  dnsMs: phaseOf(phases.dnsMs),
  connectMs: phaseOf(phases.connectMs),
  tlsMs: phaseOf(phases.tlsMs)
})

/** @param answer none if nothing was sent */
export const make = (
  { webhook }: WebhookMemory,
  { attempt, batch, deliveryId, event, subscriptionId }: AttemptRequest,
  outcome: DeliveryOutcome.DeliveryOutcome,
  requestHeaders: string | null,
  startedAt: number,
  endedAt: number,
  durationMs: number,
  answer: EgressHttpEnding | undefined
): AttemptResult => {
  const delivered = outcome._tag === "Delivered"
  const response = answer !== undefined && Result.isSuccess(answer) ? answer.success : undefined
  const { address = undefined, earlier = undefined, phases = noPhases } = answer === undefined
    ? {}
    : Result.isSuccess(answer)
    ? answer.success
    : answer.failure
  return {
    outcome,
    endedAt,
    batch,
    record: {
      accountId: webhook.accountId,
      deliveryId,
      attempt,
      webhookId: webhook.id,
      subscriptionId,
      emitterId: event.emitterId,
      stream: event.stream,
      eventId: batch?.eventIds[0] ?? event.id,
      emitId: batch?.id ?? event.emitId,
      batch: EventBatch.sent(batch),
      startedAt,
      durationMs: Storable.toInteger(durationMs),
      outcome: delivered ? "delivered" : "failed",
      status: response?.status ?? null,
      address: address ?? null,
      errorClass: delivered ? null : outcome.errorClass,
      errorMessage: delivered ? null : Storable.toText(outcome.message),
      responseHeaders: response === undefined ? null : JSON.stringify(response.headers),
      responseBody: response === undefined
        ? null
        : response.body.subarray(0, delivered ? keptOfSuccess : keptOfFailure),
      nextAt: null,
      requestHeaders,
      dnsMs: phaseOf(phases.dnsMs),
      connectMs: phaseOf(phases.connectMs),
      tlsMs: phaseOf(phases.tlsMs),
      firstByteMs: phaseOf(phases.firstByteMs),
      firstRequest: earlier && firstRequestOf(earlier)
    }
  }
}
