import { Schema } from "effect"

/** The engine can't do this now and the caller may try again: database away, shutting down, timed out, overloaded. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}
