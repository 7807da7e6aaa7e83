import type { WebhookDetails } from "@headwater/api/WebhooksApi"
import type { GivenSettings } from "@headwater/api/WebhookSettings"
import type { Webhook } from "@headwater/domain/Webhook"
import type { SettingsChange } from "@headwater/domain/WebhookSettings"
import { Clock, Effect } from "effect"

const names = ["ordering", "concurrency", "rate_limit", "retry_schedule", "timeout_ms", "circuit"] as const

/** The settings that a client gave. */
export const read = (given: GivenSettings): SettingsChange => {
  const { circuit, concurrency, ordering, rate_limit: rate, retry_schedule: schedule, timeout_ms: timeoutMs } = given
  return {
    ...(ordering === undefined ? {} : { ordering }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(rate === undefined
      ? {}
      : {
        rateLimit: rate && { limit: rate.limit, intervalMs: rate.interval_seconds * 1_000, burst: rate.burst ?? 1 }
      }),
    ...(schedule === undefined ? {} : { retrySchedule: schedule?.map((seconds) => seconds * 1_000) ?? null }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(circuit === undefined
      ? {}
      : { circuit: circuit && { failures: circuit.failures, cooldownMs: circuit.cooldown_seconds * 1_000 } })
  }
}

type Shown = Pick<
  WebhookDetails,
  (typeof names)[number] | "circuit_state" | "disabled_reason" | "failing_since_ms" | "throttled_until_ms"
>

/** A webhook's settings as clients see them, and how it stands. */
export const shown = (
  { circuitFailures, circuitUntil, disabledReason, failingSince, settings, throttledUntil }: Webhook
): Effect.Effect<Shown> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    ordering: settings.ordering,
    concurrency: settings.concurrency,
    rate_limit: settings.rateLimit && {
      limit: settings.rateLimit.limit,
      interval_seconds: settings.rateLimit.intervalMs / 1_000,
      burst: settings.rateLimit.burst
    },
    retry_schedule: settings.retrySchedule.map((ms) => ms / 1_000),
    timeout_ms: settings.timeoutMs,
    circuit: settings.circuit && {
      failures: settings.circuit.failures,
      cooldown_seconds: settings.circuit.cooldownMs / 1_000
    },
    circuit_state: {
      state: circuitUntil === null ? "closed" : now < circuitUntil ? "open" : "half_open",
      until_ms: circuitUntil,
      failures: circuitFailures
    },
    failing_since_ms: failingSince,
    throttled_until_ms: throttledUntil !== null && now < throttledUntil ? throttledUntil : null,
    disabled_reason: disabledReason
  }))
