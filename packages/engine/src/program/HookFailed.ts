import { Schema } from "effect"

/** A hook threw, or ran over a limit. */
export class HookFailed extends Schema.TaggedError<HookFailed>()("HookFailed", {
  hook: Schema.String,
  message: Schema.String,
  stack: Schema.optional(Schema.String),
  line: Schema.optional(Schema.Int),
  column: Schema.optional(Schema.Int)
}) {}
