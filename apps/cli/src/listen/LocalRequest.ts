/** Requests to a program on this machine, as those to a webhook are. */
import type { EventSummary } from "@headwater/api/EventsApi"
import * as EventId from "@headwater/domain/EventId"
import * as SigningKey from "@headwater/domain/SigningKey"
import * as SentHeaders from "@headwater/engine/SentHeaders"
import * as StandardWebhook from "@headwater/engine/StandardWebhook"
import { Clock, Effect, Option, Predicate, type Redacted, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { whyAway } from "../access/ApiAccess.ts"

/** The answer to a request, or the reason why there is none. */
export interface Answer {
  readonly status: number | null
  readonly error: string | null
  /** True if nothing took the connection. */
  readonly isRefused: boolean
  readonly body: string
  readonly durationMs: number
}

class Unanswered extends Schema.TaggedError<Unanswered>()("Unanswered", { cause: Schema.Unknown }) {}

/** So long a webhook's endpoint has, unless it is set otherwise. */
const patience = "15 seconds"

/** The payload as it was emitted. */
const payloadOf = ({ event }: EventSummary): string =>
  JSON.stringify(Predicate.isObject(event) && "raw_event" in event ? event["raw_event"] : event)

const headersOf = (event: EventSummary, body: string, secret: Redacted.Redacted, attempt: number, at: number) => {
  const { emit_id: emitId, emitter_id: emitterId, name } = event.metadata
  const signature = StandardWebhook.signature([SigningKey.signer(secret)], emitId, Math.floor(at / 1_000), body)
  const facts = {
    attempt,
    emitId,
    emitterId,
    eventId: Option.getOrThrow(EventId.parse(event.id)),
    startedAt: at,
    stream: name,
    subscriptionId: "",
    batch: undefined
  }
  return SentHeaders.all(facts, {
    accept: SentHeaders.anything,
    "user-agent": SentHeaders.userAgent,
    // There is no subscription.
    "x-headwater-subscription-id": null,
    "webhook-signature": signature
  })
}

const failed = (error: string, isRefused: boolean) => ({ status: null, error, isRefused, body: "" })

const refusal = (error: unknown): boolean => {
  const cause = Predicate.hasProperty(error, "cause") ? error.cause : undefined
  return Predicate.hasProperty(cause, "code") && cause.code === "ECONNREFUSED"
}

/** Sends an event. */
export const send = Effect.fnUntraced(
  function*(url: string, event: EventSummary, secret: Redacted.Redacted, attempt: number) {
    const request = yield* FetchHttpClient.Fetch
    const body = payloadOf(event)
    const at = yield* Clock.currentTimeMillis
    const outcome = yield* Effect.tryPromise({
      try: async (signal) => {
        const headers = headersOf(event, body, secret, attempt, at)
        const answer = await request(url, { method: "POST", headers, body, redirect: "manual", signal })
        return { status: answer.status, error: null, isRefused: false, body: await answer.text() }
      },
      catch: (cause) => new Unanswered({ cause })
    }).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.succeed(failed(`no answer within ${patience}`, false))
      }),
      Effect.catchTag("Unanswered", ({ cause }) =>
        Effect.succeed(
          refusal(cause) ? failed("nothing listens there (ECONNREFUSED)", true) : failed(whyAway(cause), false)
        ))
    )
    const durationMs = (yield* Clock.currentTimeMillis) - at
    return { ...outcome, durationMs } satisfies Answer as Answer
  }
)
