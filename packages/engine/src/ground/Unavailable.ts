import { isTransient } from "@headwater/log/database/TransientSqlError"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"

/** The engine can't do this now and the caller may try again: database away, shutting down, timed out, overloaded. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}

/** For a caller who can try again: a database that is away is said so, and what it refuses is a defect. */
export const toUnavailable = (error: SqlError.SqlError): Effect.Effect<never, Unavailable> =>
  isTransient(error)
    ? Effect.andThen(
      Effect.logWarning("The database is not available", error),
      new Unavailable({ message: "The database is not available.", retryAfterSeconds: 1 })
    )
    : Effect.die(error)
