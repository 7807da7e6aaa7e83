import { NoAnswer } from "@headwater/domain/ErrorClass"
import { Schema } from "effect"
import { Phases } from "./Phases.ts"

/** A request that was sent before the one that counts, over a connection that ended without a byte of an answer. */
export const EarlierRequest = Schema.Struct({
  reason: NoAnswer,
  message: Schema.String,
  address: Schema.String,
  durationMs: Schema.Finite,
  phases: Phases
})
export type EarlierRequest = typeof EarlierRequest.Type

/** No answer was received. `refused` is the guard's own; the others are the network's or the target's. */
export class EgressHttpFailed extends Schema.TaggedError<EgressHttpFailed>()("EgressHttpFailed", {
  reason: NoAnswer,
  message: Schema.String,
  address: Schema.optionalKey(Schema.String),
  durationMs: Schema.Finite,
  phases: Phases,
  earlier: Schema.optionalKey(EarlierRequest)
}) {}
