import { Schema } from "effect"

/** A time that a client gives, in Unix milliseconds. */
export const UnixMillis = Schema.Int.pipe(
  Schema.check(Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000_000 }))
)
