import type * as Generated from "./generated/types.gen.ts"

/** The problem that the server answers with when it refuses a request: RFC 9457, told apart by `code`. */
export type Problem =
  | Generated.AccountSuspendedProblem
  | Generated.BacklogFullProblem
  | Generated.BulkActionEndedProblem
  | Generated.BulkActionsFullProblem
  | Generated.ClockAdvancingProblem
  | Generated.ClockFixedProblem
  | Generated.ComponentInUseProblem
  | Generated.ComponentInvalidProblem
  | Generated.CrossSiteRequestProblem
  | Generated.ConnectionPendingProblem
  | Generated.ConnectionRefusedProblem
  | Generated.DeliveryNotPendingProblem
  | Generated.DeliveryNotRepeatableProblem
  | Generated.HookFailedProblem
  | Generated.IdempotencyConflictProblem
  | Generated.InsufficientScopeProblem
  | Generated.InternalErrorProblem
  | Generated.InvalidRequestProblem
  | Generated.InvalidResponseProblem
  | Generated.LeaseHeldProblem
  | Generated.LeaseLostProblem
  | Generated.LoopDetectedProblem
  | Generated.MethodNotAllowedProblem
  | Generated.NameTakenProblem
  | Generated.NoResponseProblem
  | Generated.NotFoundProblem
  | Generated.PayloadTooLargeProblem
  | Generated.ProjectInUseProblem
  | Generated.ProjectsFullProblem
  | Generated.QuotaExceededProblem
  | Generated.RateLimitedProblem
  | Generated.ResponseTimeoutProblem
  | Generated.RunNotWaitingProblem
  | Generated.UnauthorizedProblem
  | Generated.UnavailableProblem
  | Generated.UnsupportedMediaTypeProblem
  | Generated.WorkflowPausedProblem

export type ProblemCode = Problem["code"]

const isProblem = (body: unknown): body is Problem =>
  typeof body === "object" && body !== null && "code" in body && typeof body.code === "string" && "details" in body &&
  "detail" in body && typeof body.detail === "string"

/** The server refused a request, or something between here and the server did. */
export class HeadwaterError extends Error {
  override readonly name = "HeadwaterError"
  /** The HTTP status. */
  readonly status: number
  /** The server's problem document; undefined if the response is not one of a Headwater server. */
  readonly problem: Problem | undefined
  /** Names the request in the server's log. */
  readonly requestId: string | undefined

  constructor(message: string, options: {
    readonly status: number
    readonly problem: Problem | undefined
    readonly requestId: string | undefined
  }) {
    super(message)
    this.status = options.status
    this.problem = options.problem
    this.requestId = options.requestId
  }

  /** @param body of the response, as JSON or text */
  static of(response: Response, body: unknown): HeadwaterError {
    const { headers, status, statusText, url } = response
    const problem = isProblem(body) ? body : undefined
    const server = URL.canParse(url) ? new URL(url).origin : "The server"
    const strange = `${server} does not answer like a Headwater server: ${status} ${statusText}`.trim()
    return new HeadwaterError(problem?.detail ?? strange, {
      status,
      problem,
      requestId: headers.get("x-request-id") ?? undefined
    })
  }

  /** True if an error is of this kind, and its `problem` has this code. */
  static is<Code extends ProblemCode>(
    error: unknown,
    code: Code
  ): error is HeadwaterError & { readonly problem: Extract<Problem, { readonly code: Code }> } {
    return error instanceof HeadwaterError && error.problem?.code === code
  }
}
