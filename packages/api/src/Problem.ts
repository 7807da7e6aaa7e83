import { KeyScope } from "@headwater/domain/ApiKey"
import { Schema } from "effect"
import { HttpApiError, HttpApiSchema } from "effect/http-api"

const exampleOf = (sentence: string | undefined) => sentence === undefined ? {} : { examples: [sentence] }

/**
 * The one shape of every error of every endpoint: RFC 9457 problem details with `error` (the same human sentence as
 * `detail`), `code` (stable, what programs look at) and `details` (decisions.md, "Conventions").
 */
const members = <const Code extends string, Details extends Schema.Top>(
  code: Code,
  details: Details,
  example?: string
) => ({
  detail: Schema.String.annotate({ description: "What went wrong, as a sentence.", ...exampleOf(example) }),
  error: Schema.String.annotate({ description: "The same sentence as detail.", ...exampleOf(example) }),
  code: Schema.tag(code).annotate({ description: "What went wrong, as a code for programs. Never changes." }),
  details
})

const typeOf = <const Code extends string>(code: Code) => `urn:headwater:problem:${code}` as const

/** The details of a problem beyond its sentence; most have none. */
export const Details = Schema.Record(Schema.String, Schema.Json).annotate({ examples: [{}] })

/** One thing that is wrong with a request: where (dotted, from the body or the query), and why. */
export const Issue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Issue = typeof Issue.Type

const Issues = Schema.Array(Issue).annotate({
  description: "Each field at fault.",
  examples: [[{ path: "limit", message: "Expected a value between 1 and 100" }]]
})

/** The place of a fault in the component's code; lines and columns count from 1. */
export const CodePosition = Schema.Struct({
  message: Schema.String,
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int)
}).annotate({ examples: [{ message: "Unexpected token", file: "component.mjs", line: 3, column: 14 }] })

const HookFault = Schema.Struct({ ...CodePosition.fields, hook: Schema.String }).annotate({
  examples: [{ hook: "deploy", message: "the token was refused", file: "component.mjs", line: 9, column: 13 }]
})

/** The pause before another try, also sent as `Retry-After`. */
export const RetryDetails = Schema.Struct({ retry_after_seconds: Schema.Int }).annotate({
  examples: [{ retry_after_seconds: 5 }]
})

const projectInUseOf = (name: string) =>
  `Sources or workflows belong to the project ${JSON.stringify(name)}: take them out of it, or delete them, first.`

const projectsFullOf = (limit: number) => `An account has at most ${limit} projects: delete one first.`

export class Unauthorized extends HttpApiError.Problem<Unauthorized>()(
  "UnauthorizedProblem",
  { type: typeOf("unauthorized"), status: 401, title: "Unauthorized" },
  members("unauthorized", Details, "Send a live API key as `Authorization: Bearer hw_…`."),
  { description: "The key is missing, malformed, unknown or revoked." }
) {}

export class AccountSuspended extends HttpApiError.Problem<AccountSuspended>()(
  "AccountSuspendedProblem",
  { type: typeOf("account_suspended"), status: 403, title: "Account suspended" },
  members("account_suspended", Details, "The account is suspended. Ask the operator of this server to resume it."),
  { description: "The server's operator has suspended the account." }
) {}

export class CrossSiteRequest extends HttpApiError.Problem<CrossSiteRequest>()(
  "CrossSiteRequestProblem",
  { type: typeOf("cross_site_request"), status: 403, title: "Cross-site request" },
  members("cross_site_request", Details, "A page of another site may not use a session."),
  { description: "A request in a session comes from another site, or lacks the header that shows that it does not." }
) {}

const ScopeDetails = Schema.Struct({
  scope: KeyScope.annotate({ description: "The scope of the key." }),
  needed_scope: KeyScope.annotate({ description: "The scope that the operation needs." })
}).annotate({ examples: [{ scope: "read", needed_scope: "write" }] })

export class InsufficientScope extends HttpApiError.Problem<InsufficientScope>()(
  "InsufficientScopeProblem",
  { type: typeOf("insufficient_scope"), status: 403, title: "Insufficient scope" },
  members("insufficient_scope", ScopeDetails, "This needs a key with the scope write: the scope of this key is read."),
  { description: "The scope of the key does not include the operation." }
) {}

export class NotFound extends HttpApiError.Problem<NotFound>()(
  "NotFoundProblem",
  { type: typeOf("not_found"), status: 404, title: "Not found" },
  members(
    "not_found",
    Details,
    "There is no source \"dc_0Uz7Me6SAe7TzXw9LrNf\". GET /v1/users/me/sources lists yours."
  ),
  { description: "The account has nothing with this id." }
) {}

export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowedProblem",
  { type: typeOf("method_not_allowed"), status: 405, title: "Method not allowed" },
  members(
    "method_not_allowed",
    Schema.Struct({ allow: Schema.Array(Schema.String) }).annotate({
      examples: [{ allow: ["GET", "HEAD", "OPTIONS"] }]
    }),
    "/v1/users/me does not accept DELETE."
  ),
  { description: "The path does not accept the method." }
) {}

export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()(
  "InvalidRequestProblem",
  { type: typeOf("invalid_request"), status: 400, title: "Invalid request" },
  members("invalid_request", Issues, "limit: Expected a value between 1 and 100"),
  { description: "The request is malformed. details names each field at fault." }
) {}

export class PayloadTooLarge extends HttpApiError.Problem<PayloadTooLarge>()(
  "PayloadTooLargeProblem",
  { type: typeOf("payload_too_large"), status: 413, title: "Payload too large" },
  members(
    "payload_too_large",
    Schema.Struct({ limit_bytes: Schema.Int }).annotate({ examples: [{ limit_bytes: 8_388_608 }] }),
    "The request body is larger than 8388608 bytes."
  ),
  { description: "The body, the code or a configured prop is too large." }
) {}

export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaTypeProblem",
  { type: typeOf("unsupported_media_type"), status: 415, title: "Unsupported media type" },
  members("unsupported_media_type", Details, "Send the request body with `Content-Type: application/json`."),
  { description: "The body is not `application/json` in UTF-8, or has a `Content-Encoding`." }
) {}

export class ComponentInvalid extends HttpApiError.Problem<ComponentInvalid>()(
  "ComponentInvalidProblem",
  { type: typeOf("component_invalid"), status: 422, title: "Component invalid" },
  members("component_invalid", CodePosition, "The component could not be loaded: Unexpected token"),
  { description: "The code does not parse, load in time, or export a component." }
) {}

export class HookFailed extends HttpApiError.Problem<HookFailed>()(
  "HookFailedProblem",
  { type: typeOf("hook_failed"), status: 422, title: "Hook failed" },
  members("hook_failed", HookFault, "The deploy hook failed: the token was refused"),
  { description: "The deploy or activate hook threw or ran over a limit." }
) {}

export class BacklogFull extends HttpApiError.Problem<BacklogFull>()(
  "BacklogFullProblem",
  { type: typeOf("backlog_full"), status: 429, title: "Too many requests" },
  members("backlog_full", RetryDetails, "Too many requests wait for a run. Try again later."),
  { description: "As many requests wait for a run as are allowed." }
) {}

export class IdempotencyConflict extends HttpApiError.Problem<IdempotencyConflict>()(
  "IdempotencyConflictProblem",
  { type: typeOf("idempotency_conflict"), status: 409, title: "Idempotency conflict" },
  members("idempotency_conflict", Details, "The Idempotency-Key was used for another request."),
  { description: "The same `Idempotency-Key` came with another request." }
) {}

export class NameTaken extends HttpApiError.Problem<NameTaken>()(
  "NameTakenProblem",
  { type: typeOf("name_taken"), status: 409, title: "Name taken" },
  members("name_taken", Details, "There is a data store \"customers\" already."),
  { description: "Another of the account has the name, or another account the username." }
) {}

export class ComponentInUse extends HttpApiError.Problem<ComponentInUse>()(
  "ComponentInUseProblem",
  { type: typeOf("component_in_use"), status: 409, title: "Component in use" },
  members(
    "component_in_use",
    Schema.Struct({
      sources: Schema.Array(Schema.String).annotate({ description: "The ids of sources that use it, at most 100." })
    }).annotate({ examples: [{ sources: ["dc_0Uz7Me6SAe7TzXw9LrNf"] }] }),
    "The component is the code of the source dc_0Uz7Me6SAe7TzXw9LrNf."
  ),
  { description: "Sources use the component. Delete them, or give them another component, first." }
) {}

export class WorkflowPaused extends HttpApiError.Problem<WorkflowPaused>()(
  "WorkflowPausedProblem",
  { type: typeOf("workflow_paused"), status: 409, title: "Workflow paused" },
  members("workflow_paused", Details, "The workflow is paused."),
  { description: "The workflow is paused and starts no runs." }
) {}

export class ConnectionPending extends HttpApiError.Problem<ConnectionPending>()(
  "ConnectionPendingProblem",
  { type: typeOf("connection_pending"), status: 409, title: "Connection pending" },
  members("connection_pending", RetryDetails, "The user has not entered the code yet: ask again in 5 s."),
  { description: "The user has not entered the device's code yet." }
) {}

export class ConnectionRefused extends HttpApiError.Problem<ConnectionRefused>()(
  "ConnectionRefusedProblem",
  { type: typeOf("connection_refused"), status: 409, title: "Connection refused" },
  members(
    "connection_refused",
    Schema.Struct({ provider_error: Schema.String }).annotate({ examples: [{ provider_error: "invalid_grant" }] }),
    "accounts.example.com: invalid_grant The code has expired."
  ),
  { description: "The provider gives no token, or can't be reached: the message says why." }
) {}

export class RunNotWaiting extends HttpApiError.Problem<RunNotWaiting>()(
  "RunNotWaitingProblem",
  { type: typeOf("run_not_waiting"), status: 409, title: "Run not waiting" },
  members(
    "run_not_waiting",
    Schema.Struct({ status: Schema.String }).annotate({ examples: [{ status: "running" }] }),
    "Only a waiting run can be resumed: the status of this one is running."
  ),
  {
    description:
      "Only a waiting run can be resumed: this one is at a step, about to be, or has ended. Only a run that has " +
      "begun and not ended can be cancelled."
  }
) {}

export class DeliveryNotPending extends HttpApiError.Problem<DeliveryNotPending>()(
  "DeliveryNotPendingProblem",
  { type: typeOf("delivery_not_pending"), status: 409, title: "Delivery not pending" },
  members(
    "delivery_not_pending",
    Schema.Struct({ state: Schema.String }).annotate({ examples: [{ state: "delivered" }] }),
    "Only a pending delivery can be skipped: this one is delivered."
  ),
  { description: "The delivery waits for no attempt. Only a pending delivery can be skipped." }
) {}

export class DeliveryNotRepeatable extends HttpApiError.Problem<DeliveryNotRepeatable>()(
  "DeliveryNotRepeatableProblem",
  { type: typeOf("delivery_not_repeatable"), status: 409, title: "Delivery not repeatable" },
  members(
    "delivery_not_repeatable",
    Schema.Struct({ reason: Schema.Literals(["event_deleted", "subscription_deleted"]) }).annotate({
      examples: [{ reason: "event_deleted" as const }]
    }),
    "The delivery can't be repeated: its event was deleted."
  ),
  { description: "The event or the subscription of the delivery was deleted." }
) {}

export class ProjectInUse extends HttpApiError.Problem<ProjectInUse>()(
  "ProjectInUseProblem",
  { type: typeOf("project_in_use"), status: 409, title: "Project in use" },
  members("project_in_use", Details, projectInUseOf("Shop")),
  { description: "Sources or workflows belong to the project. Take them out of it, or delete them, first." }
) {}

export class ProjectsFull extends HttpApiError.Problem<ProjectsFull>()(
  "ProjectsFullProblem",
  { type: typeOf("projects_full"), status: 409, title: "Too many projects" },
  members(
    "projects_full",
    Schema.Struct({ limit: Schema.Int }).annotate({ examples: [{ limit: 1_000 }] }),
    projectsFullOf(1_000)
  ),
  { description: "The account has as many projects as it may have." }
) {}

export class BulkActionEnded extends HttpApiError.Problem<BulkActionEnded>()(
  "BulkActionEndedProblem",
  { type: typeOf("bulk_action_ended"), status: 409, title: "Bulk action ended" },
  members("bulk_action_ended", Details, "The bulk action \"ba_0Uz7QaB3Lk6RwSe2MxDa\" has ended."),
  { description: "The bulk action is done, or was cancelled." }
) {}

export class BulkActionsFull extends HttpApiError.Problem<BulkActionsFull>()(
  "BulkActionsFullProblem",
  { type: typeOf("bulk_actions_full"), status: 409, title: "Too many bulk actions" },
  members(
    "bulk_actions_full",
    Schema.Struct({ limit: Schema.Int }).annotate({ examples: [{ limit: 20 }] }),
    "20 bulk actions have not ended: cancel one, or wait until one has."
  ),
  { description: "As many bulk actions of the account have not ended as are allowed." }
) {}

export class ClockFixed extends HttpApiError.Problem<ClockFixed>()(
  "ClockFixedProblem",
  { type: typeOf("clock_fixed"), status: 409, title: "Clock can't be moved" },
  members("clock_fixed", Details, "The clock of this server can't be moved."),
  { description: "The server was not started with a dev clock: its clock is real time." }
) {}

export class ClockAdvancing extends HttpApiError.Problem<ClockAdvancing>()(
  "ClockAdvancingProblem",
  { type: typeOf("clock_advancing"), status: 409, title: "Clock is being moved" },
  members("clock_advancing", Details, "The clock is being moved by the operation \"clk_0Uz7QaB3Lk6RwSe2MxDa\"."),
  { description: "An advance of the clock is under way: there is one at a time." }
) {}

export class LeaseHeld extends HttpApiError.Problem<LeaseHeld>()(
  "LeaseHeldProblem",
  { type: typeOf("lease_held"), status: 409, title: "Lease held" },
  members(
    "lease_held",
    Schema.Struct({
      expires_at_ms: Schema.Int.annotate({
        description: "When the lease ends unless it is renewed. Unix milliseconds."
      })
    }).annotate({ examples: [{ expires_at_ms: 1760000180000 }] }),
    "Another reader has this consumer's lease."
  ),
  { description: "Another reader has the lease of the consumer. It ends if that reader is silent." }
) {}

export class LeaseLost extends HttpApiError.Problem<LeaseLost>()(
  "LeaseLostProblem",
  { type: typeOf("lease_lost"), status: 409, title: "Lease lost" },
  members("lease_lost", Details, "This lease is no longer the consumer's. Read without a lease to get another one."),
  {
    description:
      "The lease has ended: it was given back, another reader has taken over, or somebody has sought elsewhere. The events " +
      "that were not committed are read again."
  }
) {}

/** The account sends more requests a second than the operator allows, or has too many bytes of answers under way. */
export class RateLimited extends HttpApiError.Problem<RateLimited>()(
  "RateLimitedProblem",
  { type: typeOf("rate_limited"), status: 429, title: "Too many requests" },
  members("rate_limited", RetryDetails, "The account may send 10 requests a second."),
  { description: "The account sends too many requests a second, or has too many bytes of responses under way." }
) {}

/** The account has used up what the operator lets it use in a day or a billing period. */
export class QuotaExceeded extends HttpApiError.Problem<QuotaExceeded>()(
  "QuotaExceededProblem",
  { type: typeOf("quota_exceeded"), status: 429, title: "Quota exceeded" },
  members("quota_exceeded", RetryDetails, "The account has used up its quota."),
  { description: "The account has used up its quota." }
) {}

export class InternalError extends HttpApiError.Problem<InternalError>()(
  "InternalErrorProblem",
  { type: typeOf("internal_error"), status: 500, title: "Internal error" },
  members(
    "internal_error",
    Details,
    "Something went wrong in the server. Its log has the details under the X-Request-Id."
  ),
  { description: "An error in the server." }
) {}

export class InvalidResponse extends HttpApiError.Problem<InvalidResponse>()("InvalidResponseProblem", {
  type: typeOf("invalid_response"),
  status: 502,
  title: "Invalid response"
}, members("invalid_response", Details, "The run responded with 100, which is not a final status.")) {}

/** A run ended without answering the request it was to answer itself. */
export class NoResponse extends HttpApiError.Problem<NoResponse>()("NoResponseProblem", {
  type: typeOf("no_response"),
  status: 400,
  title: "No response"
}, members("no_response", Details, "The run ended without responding to this request.")) {}

/** A run that was to answer the request itself has not done so in time. */
export class ResponseTimeout extends HttpApiError.Problem<ResponseTimeout>()("ResponseTimeoutProblem", {
  type: typeOf("response_timeout"),
  status: 504,
  title: "Response timeout"
}, members("response_timeout", Details, "The run did not respond in time. It continues.")) {}

/** A request was not run because it has passed through too many sources. */
export class LoopDetected extends HttpApiError.Problem<LoopDetected>()(
  "LoopDetectedProblem",
  {
    type: typeOf("loop_detected"),
    status: 508,
    title: "Loop detected"
  },
  members("loop_detected", Details, "This request has passed through too many emitters, so the server does not run it.")
) {}

export class Unavailable extends HttpApiError.Problem<Unavailable>()(
  "UnavailableProblem",
  { type: typeOf("unavailable"), status: 503, title: "Unavailable" },
  members("unavailable", RetryDetails, "The database is not available."),
  { description: "The database is unavailable, or the server is shutting down or overloaded." }
) {}

export const UnauthorizedResponse = Unauthorized.pipe(
  HttpApiSchema.encodeToWithHeaders({
    body: Unauthorized,
    headers: { "www-authenticate": Schema.String.annotate({ description: "How to authenticate: Bearer." }) }
  }, {
    decode: ({ body }) => body,
    encode: (body) => ({ body, headers: { "www-authenticate": "Bearer" } })
  })
)

const retryHeaders = {
  "retry-after": Schema.Int.annotate({ description: "Seconds to wait before trying again." })
}

const retryAfter = <A extends { readonly details: typeof RetryDetails.Type }>() => ({
  decode: ({ body }: { readonly body: A }) => body,
  encode: (body: A) => ({ body, headers: { "retry-after": body.details.retry_after_seconds } })
})

export const RateLimitedResponse = RateLimited.pipe(
  HttpApiSchema.encodeToWithHeaders({ body: RateLimited, headers: retryHeaders }, retryAfter<RateLimited>())
)

export const UnavailableResponse = Unavailable.pipe(
  HttpApiSchema.encodeToWithHeaders({ body: Unavailable, headers: retryHeaders }, retryAfter<Unavailable>())
)

/** The members that every problem takes, for one that has nothing to tell beyond its sentence. */
export const because = (sentence: string) => ({ detail: sentence, error: sentence, details: {} })

export const insufficientScope = (scope: KeyScope, needed: KeyScope): InsufficientScope => {
  const sentence =
    `This needs a key with the scope ${needed}: the scope of this key is ${scope}. An operator makes one with ` +
    `\`headwater key create <account> --scope ${needed}\`.`
  return new InsufficientScope({ detail: sentence, error: sentence, details: { scope, needed_scope: needed } })
}

/** The lists in which a client can look for the resource that it has named. */
const lists: Readonly<Record<string, string>> = {
  account: "GET /v1/accounts lists yours",
  "auto-subscription": "GET /v1/users/me/auto_subscriptions lists yours",
  "bulk action": "GET /v1/bulk_actions lists yours",
  component: "GET /v1/users/me/components lists yours",
  "component in the registry": "GET /v1/registry/components lists them",
  consumer: "GET /v1/consumers lists yours",
  courier: "GET /v1/couriers lists yours",
  "data store": "GET /v1/data_stores lists yours",
  delivery: "GET /v1/deliveries lists yours",
  emitter: "GET /v1/users/me/sources and GET /v1/users/me/workflows list yours",
  event: "GET /v1/events lists those that are kept",
  import: "GET /v1/imports lists yours",
  key: "GET /v1/users/me/keys lists those that are valid",
  listener: "GET /v1/users/me/sources, /v1/users/me/workflows and /v1/users/me/webhooks list yours",
  project: "GET /v1/projects lists yours",
  run: "GET /v1/workflows/{id}/runs lists those that are kept",
  source: "GET /v1/users/me/sources lists yours",
  subscription: "GET /v1/users/me/subscriptions lists yours",
  webhook: "GET /v1/users/me/webhooks lists yours",
  workflow: "GET /v1/users/me/workflows lists yours"
}

export const notFound = (what: string, id: string): NotFound => {
  const listed = lists[what]
  return new NotFound(because(`There is no ${what} "${id}".${listed === undefined ? "" : ` ${listed}.`}`))
}

export const invalid = (issues: ReadonlyArray<Issue>): InvalidRequest => {
  const sentence = issues.map(({ message, path }) => path === "" ? message : `${path}: ${message}`).join("; ")
  return new InvalidRequest({ detail: sentence, error: sentence, details: issues })
}

export const projectInUse = (name: string): ProjectInUse => new ProjectInUse(because(projectInUseOf(name)))

export const projectsFull = (limit: number): ProjectsFull => {
  const sentence = projectsFullOf(limit)
  return new ProjectsFull({ detail: sentence, error: sentence, details: { limit } })
}

/** @param setting what an operator changes to have it let through */
export const tooLarge = (what: string, limitBytes: number, setting?: string): PayloadTooLarge => {
  const raise = setting === undefined ? "" : ` Send less, or have the operator raise ${setting}.`
  const sentence = `${what} is larger than ${limitBytes} bytes.${raise}`
  return new PayloadTooLarge({ detail: sentence, error: sentence, details: { limit_bytes: limitBytes } })
}

const again = (sentence: string, retryAfterSeconds: number) => ({
  detail: sentence,
  error: sentence,
  details: { retry_after_seconds: retryAfterSeconds }
})

export const unavailable = (sentence: string, retryAfterSeconds: number): Unavailable =>
  new Unavailable(again(sentence, retryAfterSeconds))

export const rateLimited = (sentence: string, retryAfterSeconds: number): RateLimited =>
  new RateLimited(again(sentence, retryAfterSeconds))

export const quotaExceeded = (sentence: string, retryAfterSeconds: number): QuotaExceeded =>
  new QuotaExceeded(again(sentence, retryAfterSeconds))

export const backlogFull = (sentence: string, retryAfterSeconds: number): BacklogFull =>
  new BacklogFull(again(sentence, retryAfterSeconds))
