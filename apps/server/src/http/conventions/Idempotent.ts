import { CurrentAccount } from "@headwater/api/Authorization"
import { Idempotency, isKey, replayedHeader } from "@headwater/api/Idempotency"
import * as Problem from "@headwater/api/Problem"
import * as RealTime from "@headwater/domain/RealTime"
import * as Recurring from "@headwater/domain/Recurring"
import {
  IdempotencyKeys,
  type KeyClaim,
  type KeyedRequest,
  leaseMs,
  type StoredAnswer
} from "@headwater/log/access/IdempotencyKeys"
import { isTransient, retrySchedule } from "@headwater/log/database/TransientSqlError"
import { Cause, Effect, Exit, Fiber, Layer, type Types } from "effect"
import { Digest } from "effect/crypto"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { answerFailures } from "./FailureProblem.ts"
import { type AnyProblem, isProblem, problemResponse } from "./ProblemResponse.ts"

/** The time that a request waits for one under the same key, in milliseconds: longer than a killed server's lease. */
const patienceMs = leaseMs + 5_000
/** The first and the longest pause between two looks, in milliseconds. It doubles each time. */
const firstPollMs = 50
const longestPollMs = 1_000
const retryAfterSeconds = 5

const renewEvery = leaseMs / 3

/** The time for tries to keep an answer, before it goes out all the same. */
const keepPatience = "5 seconds"

const sweepEvery = "1 minute"
const sweepBite = 200

const keyHeader = "Idempotency-Key"

/** Of the request's exact method, path, query and body. */
const hashOf = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const digest = yield* Digest.Digest
  const body = yield* Effect.orDie(request.arrayBuffer)
  const head = new TextEncoder().encode(`${request.method} ${request.originalUrl}\n`)
  return yield* digest.digest(Digest.sha256, Buffer.concat([head, new Uint8Array(body)]))
})

/**
 * Refused before anything was done, or for a reason that passes: the request may be mended, or sent again, under the
 * same key.
 */
const unkept: ReadonlySet<number> = new Set([400, 401, 408, 413, 415, 429])

/** A response as it is kept for repeats of its request; undefined for one that a repeat may better. */
const storedOf = (response: HttpServerResponse.HttpServerResponse): StoredAnswer | undefined => {
  const { body, status } = response
  if (status >= 500 || unkept.has(status)) return undefined
  const headers = Headers.remove(response.headers, "content-length")
  if (body._tag === "Empty") return { status, headers, body: "" }
  if (body._tag !== "Uint8Array") return undefined
  return { status, headers: { ...headers, "content-type": body.contentType }, body: Buffer.from(body.body).toString() }
}

const replayOf = (
  { body, headers: { "content-type": contentType, ...kept }, status }: StoredAnswer
): HttpServerResponse.HttpServerResponse => {
  const headers = { ...kept, [replayedHeader]: "true" }
  return body === ""
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, headers, ...(contentType === undefined ? {} : { contentType }) })
}

type Handling = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>

const isRefusal = (error: Types.unhandled): error is Types.unhandled & AnyProblem => isProblem(error)

const conflict = new Problem.IdempotencyConflict(
  Problem.because(`This ${keyHeader} was used for another request. A new request needs a new key.`)
)

const badKey = Problem.invalid([{ path: keyHeader, message: "must be 1 to 255 printable ASCII characters" }])

const underWay = Problem.unavailable(
  `The first request with this ${keyHeader} is still in progress.`,
  retryAfterSeconds
)

const cutOff = Problem.unavailable("The server is shutting down.", 1)

/**
 * Does what a POST asks once per `Idempotency-Key`, and answers repeats as the first one was answered. Work that was
 * begun goes on after its client has gone, so that a repeat learns how it ended.
 */
export const make = Effect.gen(function*() {
  const keys = yield* IdempotencyKeys
  const digest = yield* Digest.Digest
  const scope = yield* Effect.scope

  yield* Recurring.every(
    "remove old idempotency keys",
    sweepEvery,
    Effect.repeat(keys.removeExpired(sweepBite), { until: (removed) => removed < sweepBite })
  )

  /**
   * Waits while another request does it.
   *
   * @param pause lets the wait be cut off; a claim is not, or what was claimed would be held by nobody
   */
  const claim = Effect.fnUntraced(function*(
    request: KeyedRequest,
    pause: (wait: Effect.Effect<void>) => Effect.Effect<void>
  ) {
    const deadline = (yield* RealTime.elapsed) + patienceMs
    for (let waitMs = firstPollMs;; waitMs = Math.min(2 * waitMs, longestPollMs)) {
      const outcome = yield* keys.claim(request)
      if (outcome._tag !== "UnderWay") return outcome
      if ((yield* RealTime.elapsed) >= deadline) return yield* underWay
      yield* pause(Effect.sleep(waitMs))
    }
  })

  const holding = (claim: KeyClaim) =>
    Effect.sleep(renewEvery).pipe(
      Effect.andThen(keys.renew(claim)),
      Effect.catch((error) => Effect.logWarning("Could not renew the claim on an idempotency key", error)),
      Effect.forever
    )

  const keep = Effect.fnUntraced(function*(claim: KeyClaim, response: HttpServerResponse.HttpServerResponse) {
    const answer = storedOf(response)
    if (answer === undefined) return yield* keys.release(claim)
    yield* Effect.retry(keys.answer(claim, answer), { schedule: retrySchedule, while: isTransient }).pipe(
      Effect.timeout(keepPatience)
    )
  }, Effect.catch((error) => Effect.logWarning("Could not keep a response for its idempotency key", error)))

  const release = (claim: KeyClaim) =>
    keys.release(claim).pipe(
      Effect.catch((error) => Effect.logWarning("Could not release an idempotency key; its lease will expire", error))
    )

  const perform = (claim: KeyClaim, handle: Handling) =>
    Effect.gen(function*() {
      yield* Effect.forkChild(holding(claim))
      const response = yield* handle.pipe(
        Effect.catchIf(isRefusal, problemResponse),
        Effect.onError(() => release(claim))
      )
      yield* Effect.uninterruptible(keep(claim, response))
      return response
    })

  return Effect.fnUntraced(function*(handle: Handling) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const key = request.headers[keyHeader.toLowerCase()]
    if (key === undefined) return yield* handle
    if (!isKey(key)) return yield* badKey
    const requestHash = yield* hashOf(request).pipe(Effect.provideService(Digest.Digest, digest))
    const accountId = yield* CurrentAccount
    return yield* Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      const outcome = yield* claim({ accountId, key, requestHash }, restore).pipe(answerFailures)
      switch (outcome._tag) {
        case "Answered":
          return replayOf(outcome.answer)
        case "Conflict":
          return yield* conflict
        case "Claimed": {
          const performed = yield* Effect.forkIn(perform(outcome.claim, handle), scope)
          const exit = yield* restore(Fiber.await(performed))
          return yield* Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? cutOff : exit
        }
      }
    }))
  })
})

export const layer = Layer.effect(Idempotency, make)
