import { Schema } from "effect"

/** A command can't be done as it was given. The message says what is wrong. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  message: Schema.String
}) {}
