import * as Schema from "effect/Schema"
import { Phases } from "./Phases.ts"

/** No answer was received. `refused` is the guard's own; the others are the network's or the target's. */
export class EgressHttpFailed extends Schema.TaggedError<EgressHttpFailed>()("EgressHttpFailed", {
  reason: Schema.Literals([
    "refused",
    "dns",
    "connect",
    "tls",
    "certificate",
    "timeout",
    "reset",
    "protocol"
  ]),
  message: Schema.String,
  address: Schema.optionalKey(Schema.String),
  durationMs: Schema.Finite,
  phases: Phases
}) {}
