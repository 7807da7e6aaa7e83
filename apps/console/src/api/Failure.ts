import { humanSeconds } from "../charts/Figures.ts"
import { type CodePlace, placeOf } from "../code/CodePlace.ts"

/** One fault of a request, and its place in the request. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** The reason that the server did not do what was asked, in words for a reader. */
export class Failure extends Error {
  override readonly name = "Failure"
  /** The problem's code; `network` if no answer came. */
  readonly code: string
  /** The HTTP status; 0 if no answer came. */
  readonly status: number
  readonly issues: ReadonlyArray<Issue>
  /** The place of the fault in the code, if it is the code's fault. */
  readonly place: CodePlace | undefined
  readonly requestId: string | null
  readonly retryAfterSeconds: number | undefined

  constructor(given: {
    readonly message: string
    readonly code: string
    readonly status: number
    readonly issues?: ReadonlyArray<Issue>
    readonly place?: CodePlace | undefined
    readonly requestId?: string | null
    readonly retryAfterSeconds?: number | undefined
  }) {
    super(given.message)
    this.code = given.code
    this.status = given.status
    this.issues = given.issues ?? []
    this.place = given.place
    this.requestId = given.requestId ?? null
    this.retryAfterSeconds = given.retryAfterSeconds
  }

  /** True if the same request may succeed in a while. */
  get passes(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }

  /** Advice to the reader. */
  get advice(): string {
    if (this.status === 0) return "Check that the server runs and that you are connected to it, then try again."
    if (this.status === 401) return "Sign in again."
    if (this.code === "account_suspended") return "Ask the operator of this server to resume the account."
    if (this.status === 403) return "Sign in with a key that has a wider scope."
    if (this.status === 404) return "It may have been deleted, or removed after its retention time."
    if (this.status === 400 || this.status === 422) return "Correct it, then try again."
    if (this.status === 429 || this.status === 503) {
      return `Try again in ${humanSeconds(this.retryAfterSeconds ?? 1)}.`
    }
    if (this.status === 409) return "Look at its current state, and decide again."
    return this.requestId === null
      ? "Try again. If the problem persists, check the server's log."
      : `Try again. If the problem persists, look for the request ${this.requestId} in the server's log.`
  }
}

export const failureOf = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure({ message: error instanceof Error ? error.message : String(error), code: "page", status: 500 })

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const isIssue = (value: unknown): value is Issue =>
  isObject(value) && typeof value["path"] === "string" && typeof value["message"] === "string"

/** The failure that a refusal describes (RFC 9457); an answer of a proxy in between may lack the description. */
export const ofResponse = async (response: Response): Promise<Failure> => {
  const text = await response.text().catch(() => "")
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const problem = isObject(body) ? body : {}
  const { code, detail, details } = problem
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN)
  return new Failure({
    message: typeof detail === "string" ? detail : `The server answered ${response.status}.`,
    code: typeof code === "string" ? code : "unknown",
    status: response.status,
    issues: Array.isArray(details) ? details.filter(isIssue) : [],
    place: placeOf(details),
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter
  })
}
