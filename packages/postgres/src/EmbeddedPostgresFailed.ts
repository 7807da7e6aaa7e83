import { Effect, Schema } from "effect"

/** Postgres could not be set up or started. The message ends with what it said itself. */
export class EmbeddedPostgresFailed extends Schema.TaggedError<EmbeddedPostgresFailed>()("EmbeddedPostgresFailed", {
  directory: Schema.String,
  message: Schema.String
}) {}

/** For the directory, says what did not work and why. */
export const failed = (directory: string, what: string, cause: unknown) =>
  new EmbeddedPostgresFailed({ directory, message: `${what}: ${String(cause)}` })

/** Does it, or fails by saying what did not work. */
export const attempt = <A>(directory: string, what: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => failed(directory, what, cause) })
