import { Schema } from "effect"

/** The run could not be made, or came to nothing that can be reported. */
export class BenchFailed extends Schema.TaggedError<BenchFailed>()("BenchFailed", {
  message: Schema.String
}) {}
