import { Schema } from "effect"

/** The event that a program's HTTP interface hands to `run` (components.md, "Props"). */
export const HttpRequestEvent = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  query: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  /** Names in lower case. Of a name that came several times the values are one text, but those of `set-cookie` a list. */
  headers: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  /** The body as text. Left out while it is kept, where there is `bodyBase64`. */
  bodyRaw: Schema.optional(Schema.String),
  /** The body's bytes, where those of `bodyRaw` in UTF-8 are others. */
  bodyBase64: Schema.optional(Schema.String),
  /** Left out while it is kept, where `RequestEventBody.expand` puts it in again. */
  body: Schema.optional(Schema.Json),
  client_ip: Schema.String,
  url: Schema.String
})
export type HttpRequestEvent = typeof HttpRequestEvent.Type

/** The answer to a request: the engine's own, or the component's through `respond`. */
export const HttpReply = Schema.Struct({
  status: Schema.Int,
  /** A list where a header is sent several times. */
  headers: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  body: Schema.Uint8ArrayFromBase64
})
export type HttpReply = typeof HttpReply.Type

/** No active program answers at this endpoint. */
export class EndpointNotFound extends Schema.TaggedError<EndpointNotFound>()("EndpointNotFound", {}) {}

/** No run waits for the key: it was used, its time is over, or nobody was given it. */
export class RunKeyInvalid extends Schema.TaggedError<RunKeyInvalid>()("RunKeyInvalid", {}) {}

/** A run can't go on with a request: it would hold more than a run may. */
export class RunTooLarge extends Schema.TaggedError<RunTooLarge>()("RunTooLarge", {
  /** The characters that the results of its steps may have together. */
  limit: Schema.Int
}) {}
/** The request does not name the token that the program asks for. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {}) {}

/** The program has acknowledged more requests than it may hold unrun. */
export class BacklogFull extends Schema.TaggedError<BacklogFull>()("BacklogFull", {
  programId: Schema.String
}) {}

/** A request that a component was to answer itself got no answer from it. The request is in the log all the same. */
export class NotAnswered extends Schema.TaggedError<NotAnswered>()("NotAnswered", {
  /** `ended`: the run ended without one. `late`: it goes on. `hops`: the request was not run, to end a loop. */
  reason: Schema.Literals(["ended", "late", "hops"])
}) {}
