import * as EventId from "@headwater/domain/EventId"
import * as RealTime from "@headwater/domain/RealTime"
import * as Stream from "@headwater/domain/Stream"
import { EgressHttp, type EgressHttpEnding, type EgressHttpResponse } from "@headwater/egress/EgressHttp"
import type { Accounts } from "@headwater/log/access/Accounts"
import { Figures } from "@headwater/log/commit/Figures"
import type { Programs } from "@headwater/log/resources/Programs"
import { Clock, Effect, Metric, Option, Redacted, Result } from "effect"
import type { Environments } from "../ground/Environments.ts"
import * as LogText from "../ground/LogText.ts"
import { WideLog } from "../ground/WideLog.ts"
import * as EventBatch from "../routing/EventBatch.ts"
import * as AttemptRecord from "./AttemptRecord.ts"
import type { AttemptRequest, AttemptResult } from "./AttemptRecord.ts"
import * as DeliveryOutcome from "./DeliveryOutcome.ts"
import { EchoedSecrets } from "./EchoedSecrets.ts"
import * as MailSend from "./MailSend.ts"
import * as ObjectSend from "./ObjectSend.ts"
import * as OutgoingMail from "./OutgoingMail.ts"
import * as OutgoingRequest from "./OutgoingRequest.ts"
import { refuse } from "./RefusedAttempt.ts"
import * as SentHeaders from "./SentHeaders.ts"
import * as StandardWebhook from "./StandardWebhook.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"

const deliveriesTotal = (outcome: "delivered" | "failed") =>
  Metric.counter("headwater_deliveries_total", {
    description: "Attempts to deliver an event to a webhook.",
    incremental: true,
    attributes: { outcome }
  })

const deliveriesBy = { delivered: deliveriesTotal("delivered"), failed: deliveriesTotal("failed") }

const deliveryLag = Metric.histogram("headwater_delivery_lag_seconds", {
  description: "Time from appending an event until its first attempt begins.",
  boundaries: Metric.boundariesFromIterable([0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300, 3_600])
})

/** The request in which events are sent: their payloads to a webhook's URL, or a workflow's own request. */
const requestOf = (
  { target, webhook }: WebhookMemory,
  { batch, event }: AttemptRequest
): OutgoingRequest.OutgoingRequest => {
  // Only requests come into the stream of a workflow's own.
  if (webhook.workflowId !== null) return Option.getOrThrow(OutgoingRequest.parse(event.payload))
  const body = batch === undefined ? event.payload : EventBatch.body(batch)
  return { method: "POST", url: Redacted.value(target), headers: {}, body }
}

/** The start of an attempt, in Unix milliseconds: by the server's clock, and by real time, which receivers check. */
interface AttemptTimes {
  readonly startedAt: number
  readonly signedAt: number
}

/** The headers of an attempt that its record does not tell otherwise. */
const ownHeaders = (
  { requestSettings, signingKeys, webhook }: WebhookMemory,
  { batch, event, isTest }: AttemptRequest,
  request: OutgoingRequest.OutgoingRequest,
  { signedAt, startedAt }: AttemptTimes
): SentHeaders.OwnHeaders => {
  const { body = "" } = request
  return {
    accept: SentHeaders.anything,
    "user-agent": SentHeaders.userAgent,
    ...requestSettings?.headers,
    ...(isTest === undefined ? undefined : { "x-headwater-subscription-id": null, "x-headwater-test": "true" }),
    ...(webhook.workflowId === null ? undefined : {
      "content-type": body === "" ? null : SentHeaders.json,
      ...OutgoingRequest.headersOf(request)
    }),
    "webhook-signature": StandardWebhook.signature(
      signingKeys,
      batch?.id ?? event.emitId,
      Math.floor(signedAt / 1_000),
      body
    ),
    "x-headwater-hops": String(batch === undefined ? event.hops : EventBatch.hops(batch)),
    ...(signedAt === startedAt ? undefined : { "webhook-timestamp": String(Math.floor(signedAt / 1_000)) })
  }
}

const factsOf = ({ attempt, batch, event, subscriptionId }: AttemptRequest, startedAt: number): SentHeaders.Facts => ({
  attempt,
  emitId: batch?.id ?? event.emitId,
  emitterId: event.emitterId,
  eventId: batch?.eventIds[0] ?? event.id,
  startedAt,
  stream: event.stream,
  subscriptionId,
  batch: EventBatch.sent(batch)
})

/** An answer as it is kept: no secret of the request is in it. */
const withoutSecrets = (response: EgressHttpResponse, secrets: EchoedSecrets): EgressHttpResponse => ({
  ...response,
  headers: secrets.headers(response.headers),
  body: secrets.body(response.body, response.bodyTruncated)
})

/** The outcome of an attempt, by the answer it got or did not get. */
const resultOf = (
  memory: WebhookMemory,
  attempt: AttemptRequest,
  secrets: EchoedSecrets,
  requestHeaders: string,
  startedAt: number,
  endedAt: number,
  durationMs: number,
  answer: EgressHttpEnding
): AttemptResult => {
  const outcome = DeliveryOutcome.ofEnding(answer, endedAt)
  const kept = Result.map(answer, (response) => withoutSecrets(response, secrets))
  return AttemptRecord.make(memory, attempt, outcome, requestHeaders, startedAt, endedAt, durationMs, kept)
}

/**
 * Sends an event to a webhook's URL (delivery.md, "The request"), or a workflow's own request, e-mail or objects to their place. Calls back
 * once, after it has returned, with the outcome, unless it is cancelled.
 */
export type WebhookSend = (
  memory: WebhookMemory,
  attempt: AttemptRequest,
  onResult: (result: AttemptResult) => void
) => { readonly cancel: () => void }

export const make: Effect.Effect<
  WebhookSend,
  never,
  Accounts | EgressHttp | Environments | Figures | Programs
> = Effect.gen(function*() {
  const http = yield* EgressHttp
  const sendMail = yield* MailSend.make
  const sendObjects = yield* ObjectSend.make
  const wideLog = yield* WideLog
  const figures = yield* Figures
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<never>()

  /** Tells operators of an attempt. */
  const report = ({ webhook }: WebhookMemory, { event, isTest }: AttemptRequest, { record }: AttemptResult) => {
    if (isTest) return
    deliveriesBy[record.outcome].updateUnsafe(1, context)
    figures.noteAttempt(webhook.accountId, webhook.id, record.outcome !== "delivered", record.durationMs)
    if (record.attempt === 1) {
      const lagMs = Math.max(0, record.startedAt - EventId.milliseconds(event.id))
      deliveryLag.updateUnsafe(lagMs / 1_000, context)
    }
    wideLog.write({
      message: "delivery",
      isFailure: record.outcome !== "delivered",
      fields: {
        account_id: webhook.accountId,
        webhook_id: webhook.id,
        delivery_id: record.deliveryId,
        subscription_id: record.subscriptionId,
        emitter_id: record.emitterId,
        event_id: EventId.format(record.eventId),
        event_count: record.batch?.events,
        emit_id: record.emitId,
        attempt: record.attempt,
        requests: record.firstRequest === undefined ? undefined : 2,
        outcome: record.outcome,
        status: record.status ?? undefined,
        error_class: record.errorClass ?? undefined,
        error: record.errorClass === null ? undefined : LogText.make(record.errorMessage ?? ""),
        duration_ms: record.durationMs
      }
    }, context)
  }

  return (memory, attempt, onResult) => {
    const startedAt = clock.currentTimeMillisUnsafe()
    const beganAt = RealTime.elapsedUnsafe(clock)
    const signedAt = RealTime.isApart(clock) ? RealTime.of(clock).currentTimeMillisUnsafe() : startedAt
    const { requestSettings, webhook } = memory
    const done = (result: AttemptResult) => {
      report(memory, attempt, result)
      onResult(result)
    }
    if (webhook.workflowId !== null && attempt.event.stream === Stream.objects) {
      return sendObjects(memory, attempt, done)
    }
    const mail = webhook.workflowId === null ? Option.none() : OutgoingMail.parse(attempt.event.payload)
    if (Option.isSome(mail)) return sendMail(memory, attempt, mail.value, done)
    const request = requestOf(memory, attempt)
    if (requestSettings?.maxBytes !== undefined) {
      const bytes = Buffer.byteLength(request.body ?? "")
      if (bytes > requestSettings.maxBytes) {
        const outcome = DeliveryOutcome.tooLarge(bytes, requestSettings.maxBytes)
        return refuse(AttemptRecord.make(memory, attempt, outcome, null, startedAt, startedAt, 0, undefined), done)
      }
    }
    const own = ownHeaders(memory, attempt, request, { signedAt, startedAt })
    const shown = requestSettings === undefined ? own : { ...own, ...requestSettings.shownHeaders }
    const kept = SentHeaders.kept(memory.urlHeaders ?? SentHeaders.ofUrl(request.url), shown)
    return http.start({
      ...request,
      asker: {
        accountId: webhook.accountId,
        use: "delivery",
        programId: webhook.workflowId ?? undefined
      },
      headers: SentHeaders.all(factsOf(attempt, startedAt), own),
      tls: requestSettings?.tls,
      http2: requestSettings?.http2,
      timeoutMillis: webhook.settings.timeoutMs,
      maxBodyBytes: AttemptRecord.keptOfFailure
    }, (answer) => {
      const durationMs = Math.round(RealTime.elapsedUnsafe(clock) - beganAt)
      const secrets = memory.secrets ?? EchoedSecrets.of(request.url, request.headers)
      const result = resultOf(
        memory,
        attempt,
        secrets,
        kept,
        startedAt,
        clock.currentTimeMillisUnsafe(),
        durationMs,
        answer
      )
      done(result)
    })
  }
})
