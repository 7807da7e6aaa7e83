import { Clock, Duration, Effect, Random, Result } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"

/** Repetitions of a request that the server could not take: it answered with 429 or 503, or not at all. */
export interface RetryOptions {
  /** The most repetitions. Default: 5. */
  readonly times?: number
  /** The longest pause before a repetition. If the server asks for a longer one, it gets no repetition. Default: a minute. */
  readonly maxDelay?: Duration.Input
  /** The statuses of answers after which a request is repeated. Default: 429 and 503. */
  readonly statuses?: ReadonlySet<number>
}

const keyHeader = "idempotency-key"

const repeatable = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])

const newKey = Effect.sync(() => crypto.randomUUID())

const withKey = Effect.fnUntraced(function*(request: HttpClientRequest.HttpClientRequest) {
  if (request.method !== "POST" || keyHeader in request.headers) return request
  return HttpClientRequest.setHeader(request, keyHeader, yield* newKey)
})

/** The pause that a response asks for: `Retry-After` is seconds, of which some servers send fractions, or a date. */
const askedMs = ({ headers }: HttpClientResponse.HttpClientResponse, now: number): number => {
  const text = headers["retry-after"]?.trim() ?? ""
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // `Date.parse` takes other texts for dates too, such as -5.
  const time = /^[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? 0 : Math.max(0, time - now)
}

const passing: ReadonlySet<number> = new Set([429, 503])

const isPassing = (
  outcome: Result.Result<HttpClientResponse.HttpClientResponse, unknown>,
  statuses: ReadonlySet<number>
): boolean =>
  Result.match(outcome, {
    onFailure: (error) => HttpClientError.isHttpClientError(error) && error.reason._tag === "TransportError",
    onSuccess: ({ status }) => statuses.has(status)
  })

/**
 * Has a client repeat requests. Each POST gets an `Idempotency-Key`, so that the server does it once however often it
 * comes.
 */
export const repeating =
  ({ maxDelay = "1 minute", statuses = passing, times = 5 }: RetryOptions) =>
  <E, R>(client: HttpClient.HttpClient.With<E, R>): HttpClient.HttpClient.With<E, R> =>
    client.pipe(
      HttpClient.mapRequestEffect(withKey),
      HttpClient.transform((send, request) => {
        const mostMs = Duration.toMillis(maxDelay)
        const isRepeatable = repeatable.has(request.method) || keyHeader in request.headers
        const attempt = (failures: number): typeof send =>
          Effect.flatMap(Effect.all([Effect.result(send), Clock.currentTimeMillis]), ([outcome, now]) => {
            const asked = Result.isSuccess(outcome) ? askedMs(outcome.success, now) : 0
            if (!isRepeatable || failures >= times || !isPassing(outcome, statuses) || asked > mostMs) {
              return Effect.fromResult(outcome)
            }
            return Random.nextBetween(1, 1.25).pipe(
              Effect.flatMap((jitter) =>
                Effect.sleep(Math.max(asked, Math.min(250 * 2 ** failures, mostMs / 1.25) * jitter))
              ),
              Effect.andThen(attempt(failures + 1))
            )
          })
        return attempt(0)
      })
    )
