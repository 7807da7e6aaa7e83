import { Schema } from "effect"
import { HttpApiError, HttpApiSchema } from "effect/http-api"

/**
 * The one shape of every error of every endpoint: RFC 9457 problem details with `error` (the same human sentence as
 * `detail`), `code` (stable, what programs look at) and `details` (decisions.md, "Conventions").
 */
const members = <const Code extends string, Details extends Schema.Top>(code: Code, details: Details) => ({
  detail: Schema.String.annotate({ description: "What went wrong, for a person." }),
  error: Schema.String.annotate({ description: "The same sentence as detail." }),
  code: Schema.tag(code).annotate({ description: "What went wrong, for a program. Never changes." }),
  details
})

const typeOf = <const Code extends string>(code: Code) => `urn:headwater:problem:${code}` as const

/** What goes with a problem beyond its sentence; for most there is nothing. */
export const Details = Schema.Record(Schema.String, Schema.Json)

/** One thing that is wrong with a request: where (dotted, from the body or the query), and why. */
export const Issue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Issue = typeof Issue.Type

/** Where in the component's code it went wrong; lines and columns count from 1. */
export const CodePosition = Schema.Struct({
  message: Schema.String,
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int)
})

/** When to try again, also sent as `Retry-After`. */
export const RetryDetails = Schema.Struct({ retry_after_seconds: Schema.Int })

export class Unauthorized extends HttpApiError.Problem<Unauthorized>()("UnauthorizedProblem", {
  type: typeOf("unauthorized"),
  status: 401,
  title: "Unauthorized"
}, members("unauthorized", Details)) {}

export class NotFound extends HttpApiError.Problem<NotFound>()("NotFoundProblem", {
  type: typeOf("not_found"),
  status: 404,
  title: "Not found"
}, members("not_found", Details)) {}

export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()("MethodNotAllowedProblem", {
  type: typeOf("method_not_allowed"),
  status: 405,
  title: "Method not allowed"
}, members("method_not_allowed", Schema.Struct({ allow: Schema.Array(Schema.String) }))) {}

export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()("InvalidRequestProblem", {
  type: typeOf("invalid_request"),
  status: 400,
  title: "Invalid request"
}, members("invalid_request", Schema.Array(Issue))) {}

export class PayloadTooLarge extends HttpApiError.Problem<PayloadTooLarge>()("PayloadTooLargeProblem", {
  type: typeOf("payload_too_large"),
  status: 413,
  title: "Payload too large"
}, members("payload_too_large", Details)) {}

export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()("UnsupportedMediaTypeProblem", {
  type: typeOf("unsupported_media_type"),
  status: 415,
  title: "Unsupported media type"
}, members("unsupported_media_type", Details)) {}

export class ComponentInvalid extends HttpApiError.Problem<ComponentInvalid>()("ComponentInvalidProblem", {
  type: typeOf("component_invalid"),
  status: 422,
  title: "Component invalid"
}, members("component_invalid", CodePosition)) {}

export class HookFailed extends HttpApiError.Problem<HookFailed>()("HookFailedProblem", {
  type: typeOf("hook_failed"),
  status: 422,
  title: "Hook failed"
}, members("hook_failed", Schema.Struct({ ...CodePosition.fields, hook: Schema.String }))) {}

export class BacklogFull extends HttpApiError.Problem<BacklogFull>()("BacklogFullProblem", {
  type: typeOf("backlog_full"),
  status: 429,
  title: "Too many requests"
}, members("backlog_full", RetryDetails)) {}

export class InternalError extends HttpApiError.Problem<InternalError>()("InternalErrorProblem", {
  type: typeOf("internal_error"),
  status: 500,
  title: "Internal error"
}, members("internal_error", Details)) {}

export class InvalidResponse extends HttpApiError.Problem<InvalidResponse>()("InvalidResponseProblem", {
  type: typeOf("invalid_response"),
  status: 502,
  title: "Invalid response"
}, members("invalid_response", Details)) {}

/** A run ended without answering the request it was to answer itself. */
export class NoResponse extends HttpApiError.Problem<NoResponse>()("NoResponseProblem", {
  type: typeOf("no_response"),
  status: 400,
  title: "No response"
}, members("no_response", Details)) {}

/** A run that was to answer the request itself has not done so in time. */
export class ResponseTimeout extends HttpApiError.Problem<ResponseTimeout>()("ResponseTimeoutProblem", {
  type: typeOf("response_timeout"),
  status: 504,
  title: "Response timeout"
}, members("response_timeout", Details)) {}

/** A request was not run because it has passed through too many sources. */
export class LoopDetected extends HttpApiError.Problem<LoopDetected>()("LoopDetectedProblem", {
  type: typeOf("loop_detected"),
  status: 508,
  title: "Loop detected"
}, members("loop_detected", Details)) {}

export class Unavailable extends HttpApiError.Problem<Unavailable>()("UnavailableProblem", {
  type: typeOf("unavailable"),
  status: 503,
  title: "Unavailable"
}, members("unavailable", RetryDetails)) {}

export const UnauthorizedResponse = Unauthorized.pipe(
  HttpApiSchema.encodeToWithHeaders({
    body: Unauthorized,
    headers: { "www-authenticate": Schema.String.annotate({ description: "How to authenticate: Bearer." }) }
  }, {
    decode: ({ body }) => body,
    encode: (body) => ({ body, headers: { "www-authenticate": "Bearer" } })
  })
)

export const UnavailableResponse = Unavailable.pipe(
  HttpApiSchema.encodeToWithHeaders({
    body: Unavailable,
    headers: { "retry-after": Schema.Int.annotate({ description: "Seconds until a new try makes sense." }) }
  }, {
    decode: ({ body }) => body,
    encode: (body) => ({ body, headers: { "retry-after": body.details.retry_after_seconds } })
  })
)

/** The members that every problem takes, for one that has nothing to tell beyond its sentence. */
export const because = (sentence: string) => ({ detail: sentence, error: sentence, details: {} })

export const notFound = (what: string, id: string): NotFound => new NotFound(because(`There is no ${what} "${id}".`))

export const invalid = (issues: ReadonlyArray<Issue>): InvalidRequest => {
  const sentence = issues.map(({ message, path }) => path === "" ? message : `${path}: ${message}`).join("; ")
  return new InvalidRequest({ detail: sentence, error: sentence, details: issues })
}

export const tooLarge = (what: string, limitBytes: number): PayloadTooLarge => {
  const sentence = `${what} is larger than ${limitBytes} bytes.`
  return new PayloadTooLarge({ detail: sentence, error: sentence, details: { limit_bytes: limitBytes } })
}

export const unavailable = (sentence: string, retryAfterSeconds: number): Unavailable =>
  new Unavailable({ detail: sentence, error: sentence, details: { retry_after_seconds: retryAfterSeconds } })
