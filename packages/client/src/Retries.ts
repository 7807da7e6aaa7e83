import { pause } from "./Pause.ts"

/** Repetitions of a request that the server could not take: it answered with 429 or 503, or not at all. */
export interface RetryOptions {
  /** The most repetitions. Default: 5. */
  readonly times?: number
  /** The longest pause before a repetition, in milliseconds. If the server asks for a longer one, it gets no repetition. Default: 60,000. */
  readonly maxDelayMs?: number
}

const idempotencyKey = "idempotency-key"

const repeatable = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])

/** Not `randomUUID`, which pages have over TLS only. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** The pause that a response asks for, in milliseconds: `Retry-After` is seconds, of which some servers send fractions, or a date. */
export const retryAfter = ({ headers }: Response): number | undefined => {
  const text = headers.get("retry-after")?.trim() ?? ""
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // `Date.parse` takes other texts for dates too, such as -5.
  const time = /^[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now())
}

/** Twice as long each time, from a quarter of a second, and up to a quarter more so that clients do not come together. */
export const backoff = (failures: number, maxMs: number): number =>
  Math.min(250 * 2 ** failures, maxMs / 1.25) * (1 + Math.random() / 4)

export const isPassing = (status: number): boolean => status === 429 || status === 503

/**
 * A `fetch` that repeats requests. Each POST gets an `Idempotency-Key`, so that the server does it once however often it
 * comes.
 */
export const retrying = (
  fetch: (request: Request) => Promise<Response>,
  { maxDelayMs = 60_000, times = 5 }: RetryOptions
) =>
async (request: Request): Promise<Response> => {
  if (request.method === "POST" && !request.headers.has(idempotencyKey)) request.headers.set(idempotencyKey, newKey())
  const isRepeatable = repeatable.has(request.method) || request.headers.has(idempotencyKey)
  for (let failures = 0;; failures++) {
    const isLast = !isRepeatable || failures >= times
    let delay = backoff(failures, maxDelayMs)
    try {
      const response = await fetch(isLast ? request : request.clone())
      if (isLast || !isPassing(response.status)) return response
      const asked = retryAfter(response)
      if (asked !== undefined && asked > maxDelayMs) return response
      delay = Math.max(delay, asked ?? 0)
      await response.body?.cancel()
    } catch (error) {
      if (isLast || request.signal.aborted) throw error
    }
    await pause(delay, request.signal)
  }
}
