import { FirstRequest } from "@headwater/log/work/Attempts"
import { Schema } from "effect"

/** The outcome of a request that was sent to try a webhook. Nothing else tells of it. */
export const TestedAttempt = Schema.Struct({
  accountId: Schema.String,
  deliveryId: Schema.String,
  attempt: Schema.Int,
  webhookId: Schema.String,
  subscriptionId: Schema.String,
  emitterId: Schema.String,
  stream: Schema.String,
  eventId: Schema.BigInt,
  emitId: Schema.String,
  startedAt: Schema.Int,
  durationMs: Schema.Int,
  outcome: Schema.Literals(["delivered", "failed"]),
  status: Schema.NullOr(Schema.Int),
  address: Schema.NullOr(Schema.String),
  errorClass: Schema.NullOr(Schema.String),
  errorMessage: Schema.NullOr(Schema.String),
  dnsMs: Schema.NullOr(Schema.Int),
  connectMs: Schema.NullOr(Schema.Int),
  tlsMs: Schema.NullOr(Schema.Int),
  firstByteMs: Schema.NullOr(Schema.Int),
  requestHeaders: Schema.NullOr(Schema.String),
  responseHeaders: Schema.NullOr(Schema.String),
  responseBody: Schema.NullOr(Schema.Uint8Array),
  nextAt: Schema.NullOr(Schema.Int),
  firstRequest: Schema.optionalKey(Schema.UndefinedOr(FirstRequest))
})
export type TestedAttempt = typeof TestedAttempt.Type
