import type { TracedAttempt } from "@headwater/api/LogApi"
import type { AttemptOutline } from "@headwater/log/work/Attempts"

/** An attempt as traces and journeys show it. */
export const outlineOf = (attempt: AttemptOutline): typeof TracedAttempt.Type => ({
  attempt: attempt.attempt,
  started_at_ms: attempt.startedAt,
  duration_ms: attempt.durationMs,
  outcome: attempt.outcome,
  status: attempt.status,
  address: attempt.address,
  error_class: attempt.errorClass,
  error_message: attempt.errorMessage
})
