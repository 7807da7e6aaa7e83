import type { AttemptResource } from "@headwater/api/DeliveryAttempt"
import * as SentHeaders from "@headwater/engine/SentHeaders"
import type { Attempt, FirstRequest } from "@headwater/log/work/Attempts"

/** Text where the bytes are UTF-8, of which the last character may be cut. */
const bodyOf = (bytes: Uint8Array): Pick<NonNullable<AttemptResource["response"]>, "body" | "body_encoding"> => {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }), body_encoding: "utf8" }
  } catch {
    return { body: Buffer.from(bytes).toString("base64"), body_encoding: "base64" }
  }
}

const firstRequestOf = (
  { address, connectMs, dnsMs, durationMs, errorClass, errorMessage, tlsMs }: FirstRequest
): AttemptResource["first_request"] => ({
  address,
  timings: { dns_ms: dnsMs, connect_ms: connectMs, tls_ms: tlsMs, total_ms: durationMs },
  error_class: errorClass,
  error_message: errorMessage
})

/** An attempt as answers show it. */
export const attemptOf = (attempt: Attempt): AttemptResource => ({
  attempt: attempt.attempt,
  started_at_ms: attempt.startedAt,
  outcome: attempt.outcome,
  address: attempt.address,
  timings: {
    dns_ms: attempt.dnsMs,
    connect_ms: attempt.connectMs,
    tls_ms: attempt.tlsMs,
    first_byte_ms: attempt.firstByteMs,
    total_ms: attempt.durationMs
  },
  request: { headers: SentHeaders.shown(attempt) ?? null },
  response: attempt.status === null ? null : {
    status: attempt.status,
    headers: attempt.responseHeaders === null ? {} : JSON.parse(attempt.responseHeaders),
    ...bodyOf(attempt.responseBody ?? new Uint8Array())
  },
  first_request: attempt.firstRequest === undefined ? null : firstRequestOf(attempt.firstRequest),
  error_class: attempt.errorClass,
  error_message: attempt.errorMessage,
  next_attempt_at_ms: attempt.nextAt
})
