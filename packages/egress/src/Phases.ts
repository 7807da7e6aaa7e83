import { Schema } from "effect"

/**
 * The duration of each part of a request, in milliseconds. Null for a part that it did not reach or did not need: a
 * request on a kept connection neither connects nor shakes hands.
 */
export const Phases = Schema.Struct({
  /** Until the addresses of the host were known. */
  dnsMs: Schema.NullOr(Schema.Finite),
  connectMs: Schema.NullOr(Schema.Finite),
  tlsMs: Schema.NullOr(Schema.Finite),
  /** From sending the request until the answer began. */
  firstByteMs: Schema.NullOr(Schema.Finite)
})
export type Phases = typeof Phases.Type
