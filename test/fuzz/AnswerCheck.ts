import { Predicate } from "effect"
import type { ContractValidator } from "../ContractValidator.ts"
import { type HttpAnswer, jsonOf } from "./HttpAnswer.ts"
import * as NodeRefusal from "./NodeRefusal.ts"
import type { Expectation, Mode } from "./Plan.ts"

/** What the server under test can do wrong. */
export const faultKinds = {
  server_error: "a status from 500 on",
  undocumented: "an answer that is not as the document says",
  leak: "something of one account shown to another",
  misjudged: "a request in order refused, or one that is not taken",
  unanswered: "no answer to a whole request"
} as const
export type FaultKind = keyof typeof faultKinds

export interface Fault {
  readonly kind: FaultKind
  readonly what: string
}

/** A request as it was sent. */
export interface Request {
  readonly method: string
  readonly target: string
  readonly body: string
}

/** An answer, and what it is one to, as far as that is known. */
export interface Exchange {
  readonly mode: Mode
  readonly expects: Expectation
  readonly request: Request | undefined
  readonly answer: HttpAnswer
}

/** Paths beside the document, which hold nothing of an account. */
const beside = /^\/(docs(\/[^?#;]*)?|healthz|metrics|openapi\.json|readyz)\/?($|[?#;])/

/** How a source's endpoint says that its component answered badly, late, or was not asked. */
const componentProblems: Readonly<Record<number, string>> = {
  502: "invalid_response",
  504: "response_timeout",
  508: "loop_detected"
}

export const isEndpoint = (target: string): boolean => target.startsWith("/http/")

const codeOf = (answer: HttpAnswer): unknown => {
  const body = jsonOf(answer)
  return Predicate.hasProperty(body, "code") ? body.code : undefined
}

const isProblem = (answer: HttpAnswer): boolean =>
  (answer.headers["content-type"] ?? "").startsWith("application/problem+json")

/**
 * Whether a change or removal takes so long that it is answered before it is done (docs/api.md): its hooks wait for a process
 * behind hostile code of the same account.
 */
const goesOn = ({ answer, request }: Exchange): boolean =>
  answer.status === 503 && answer.headers["retry-after"] === "30" && request !== undefined &&
  (request.method === "PUT" || request.method === "DELETE") &&
  /^\/v1\/(sources|workflows)\//.test(normal(request.target))

/** Whether a request is refused for its `Host`, whatever it asks for. */
const isRefusedForHost = (answer: HttpAnswer): boolean => {
  const body = jsonOf(answer)
  return answer.status === 400 && Predicate.hasProperty(body, "details") && Array.isArray(body.details) &&
    body.details.some((detail) => Predicate.hasProperty(detail, "path") && detail.path === "Host")
}

/**
 * Whether a status from 500 on is the server's own fault. 503 is one too: what a run of this command sends is far from
 * overload. A component behind an endpoint may answer whatever it likes.
 */
const isServerError = (exchange: Exchange): boolean => {
  const { answer, request } = exchange
  if (answer.status < 500 || goesOn(exchange)) return false
  if (request === undefined || !isEndpoint(request.target)) return true
  const expected = componentProblems[answer.status]
  const isExpected = expected !== undefined && (request.method === "HEAD" || codeOf(answer) === expected)
  return isProblem(answer) && !isExpected
}

/**
 * The same path as another writing of it (RFC 3986, 6.2.2.2), without what precedes it in an absolute target. A target has no
 * fragment (RFC 9112, 3.2): the server takes `#` as a part of it.
 */
const normal = (target: string): string =>
  target
    .replace(/^https?:\/\/[^/?#]*/i, "")
    .replaceAll("#", "%23")
    .replace(/%([0-9a-f]{2})/gi, (escape, code: string) => {
      const character = String.fromCharCode(Number.parseInt(code, 16))
      return /[\w.~-]/.test(character) ? character : escape
    })

const taken: ReadonlySet<number> = new Set([404, 409, 422, 429])

/** Whether nothing is there without a live key or cookie of a session, which no generated request has. */
const isOfSession = ({ request }: Exchange): boolean =>
  request !== undefined && /^\/v1\/session\/?(?:\?|$)/.test(normal(request.target))

/** Whether a request is of an account that may be over OAuth 2 or not, on which what it may be asked depends. */
const isOfAccount = ({ answer: { status }, request }: Exchange): boolean =>
  status === 400 && request !== undefined && /^\/v1\/accounts(?:[/?]|$)/.test(normal(request.target))

const misjudged = (exchange: Exchange): ReadonlyArray<Fault> => {
  const { answer: { status }, expects } = exchange
  const isTaken = status < 300 || taken.has(status) || (status === 401 && isOfSession(exchange)) ||
    isOfAccount(exchange)
  if (expects === "taken" && !isTaken && !goesOn(exchange)) {
    return [{ kind: "misjudged", what: `a request in order is answered by ${status}` }]
  }
  return expects === "refused" && status < 400
    ? [{ kind: "misjudged", what: `a request that is not in order is answered by ${status}` }]
    : []
}

const undocumented = (exchange: Exchange, validator: ContractValidator): ReadonlyArray<string> => {
  const { answer, mode, request } = exchange
  if (NodeRefusal.isOne(answer)) {
    const orderly = mode === "valid" || mode === "nearly"
    return orderly ? [`an orderly request is refused as bytes, by ${answer.status}`] : NodeRefusal.faultsOf(answer)
  }
  // An absolute target without a host names nothing, nor does an asterisk.
  if (request === undefined || /^(https?:\/\/\/|\*$)/i.test(request.target)) return []
  const path = normal(request.target)
  if (isEndpoint(path) || beside.test(path) || isRefusedForHost(answer)) return []
  return validator.validate({
    method: request.method,
    path,
    projected: /"(include|exclude)"\s*:/.test(request.body),
    status: answer.status,
    headers: answer.headers,
    body: answer.body.toString("utf8")
  })
}

/** What is wrong with an answer by itself. */
export const check = (exchange: Exchange, validator: ContractValidator): ReadonlyArray<Fault> => {
  if (isServerError(exchange)) {
    const text = exchange.answer.body.toString("utf8").slice(0, 300)
    return [{ kind: "server_error", what: `${exchange.answer.status}: ${text}` }]
  }
  return [
    ...undocumented(exchange, validator).map((what): Fault => ({ kind: "undocumented", what })),
    ...misjudged(exchange)
  ]
}
