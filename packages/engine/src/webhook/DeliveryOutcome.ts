import type { ErrorClass } from "@headwater/domain/ErrorClass"
import type { EgressHttpEnding, EgressHttpResponse } from "@headwater/egress/EgressHttp"
import type { EgressHttpFailed } from "@headwater/egress/EgressHttpFailed"
import { Option, Result } from "effect"

/** The meaning of an answer, or of the lack of one, for a delivery and its webhook (delivery.md, "The answer"). */
export type DeliveryOutcome =
  | { readonly _tag: "Delivered" }
  | { readonly _tag: "Failed"; readonly errorClass: ErrorClass; readonly message: string }
  /** Failed, and the webhook's next send waits until this time (Unix ms). */
  | { readonly _tag: "Throttled"; readonly errorClass: ErrorClass; readonly message: string; readonly until: number }
  /** Nothing was sent, and nothing will be: that says nothing of the endpoint. */
  | { readonly _tag: "Refused"; readonly errorClass: ErrorClass; readonly message: string }
  /** The endpoint wants nothing ever again. */
  | { readonly _tag: "Gone"; readonly errorClass: ErrorClass; readonly message: string }

const throttlingStatuses = new Set([429, 502, 503, 504])
const defaultThrottle = 30_000
const maxThrottle = 24 * 3_600_000

/**
 * `Retry-After` as a time: delay in seconds or an HTTP date (RFC 9110, section 10.2.3), at most 24 h away. The seconds
 * are whole ones there; a fraction counts as the next whole second.
 */
export const retryAfter = (header: string | undefined, now: number): Option.Option<number> => {
  if (header === undefined) return Option.none()
  const text = header.trim()
  const at = /^(\d+\.?\d*|\.\d+)$/.test(text) ? now + Math.ceil(Number(text)) * 1_000 : Date.parse(text)
  if (Number.isNaN(at)) return Option.none()
  return Option.some(Math.min(Math.max(at, now), now + maxThrottle))
}

export const ofResponse = (response: EgressHttpResponse, now: number): DeliveryOutcome => {
  const { status } = response
  if (status >= 200 && status < 300) return { _tag: "Delivered" }
  const message = `the endpoint answered ${status}`
  if (status === 410) return { _tag: "Gone", errorClass: "gone", message }
  if (throttlingStatuses.has(status)) {
    const until = Option.getOrElse(retryAfter(response.headers["retry-after"], now), () => now + defaultThrottle)
    return { _tag: "Throttled", errorClass: "throttled", message, until }
  }
  if (status >= 300 && status < 400) {
    return { _tag: "Failed", errorClass: "redirect", message: `${message}; redirects are not followed` }
  }
  return { _tag: "Failed", errorClass: "status", message }
}

export const ofFailure = (failure: EgressHttpFailed): DeliveryOutcome => ({
  _tag: "Failed",
  errorClass: failure.reason,
  message: failure.message
})

/** The meaning of how a request ended; delivered if there was nothing to send. */
export const ofEnding = (ending: EgressHttpEnding | undefined, now: number): DeliveryOutcome => {
  if (ending === undefined) return { _tag: "Delivered" }
  return Result.isSuccess(ending) ? ofResponse(ending.success, now) : ofFailure(ending.failure)
}

/** The server's own work has failed. */
export const internal = {
  _tag: "Failed",
  errorClass: "internal",
  message: "the server could not send; its operator finds the reason in its log"
} as const

export const tooLarge = (bytes: number, limit: number): DeliveryOutcome => ({
  _tag: "Refused",
  errorClass: "too_large",
  message: `the payload has ${bytes} bytes, and the webhook takes ${limit} at most`
})
