import * as Problem from "@headwater/api/Problem"
import * as AnswerHeader from "@headwater/domain/AnswerHeader"
import type { HttpReply, NotAnswered } from "@headwater/engine/Ingest"
import type { RequestError } from "@headwater/engine/Ingest"
import type { QuotaExceeded } from "@headwater/engine/Ingest"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { validateHeaderName, validateHeaderValue } from "node:http"
import * as ContentCoding from "../conventions/ContentCoding.ts"
import { answerFailures, type Failure } from "../conventions/FailureProblem.ts"
import { type AnyProblem, problemResponse } from "../conventions/ProblemResponse.ts"
import { backlogFull, quotaExceeded } from "../handlers/IntakeProblem.ts"
import * as EndpointCookie from "./EndpointCookie.ts"
import * as PageSandbox from "./PageSandbox.ts"

/** The reasons for which a request is not taken, or not answered. */
export type IntakeError = RequestError | QuotaExceeded | Failure | AnyProblem

const isSendable = (name: string, value: string): boolean => {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** The values that a component gives a header and that are sent. */
const valuesOf = (name: string, given: string | ReadonlyArray<string>, endpointPath: string): ReadonlyArray<string> => {
  if (!AnswerHeader.isAllowed(name.toLowerCase())) return []
  const values = typeof given === "string" ? [given] : given
  const confined = name.toLowerCase() === "set-cookie"
    ? values.flatMap((value) => EndpointCookie.confined(value, endpointPath) ?? [])
    : values
  return confined.filter((value) => isSendable(name, value))
}

/** Answers that have no body by what their status means (RFC 9110, 15.3.5 and 15.4.5). */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** Node's response: it takes headers with several values, which an `HttpServerResponse` has no place for. */
export interface SentResponse {
  readonly setHeader: (name: string, values: ReadonlyArray<string>) => unknown
}

const responseOf = ({ body, headers, status }: HttpReply, endpointPath: string, sent: SentResponse) => {
  if (status < 200) {
    return Effect.fail(
      new Problem.InvalidResponse(Problem.because(`The run responded with ${status}, which is not a final status.`))
    )
  }
  const response = bodiless.has(status)
    ? HttpServerResponse.empty({ status })
    : body.length === 0
    // Said, or the empty body would be sent in chunks.
    ? HttpServerResponse.empty({ status, headers: { "content-length": "0" } })
    : HttpServerResponse.uint8Array(body, { status, contentType: "text/plain; charset=utf-8" })
  const single: Array<readonly [string, string]> = []
  for (const [name, given] of Object.entries(body.length === 0 ? headers : PageSandbox.around(headers))) {
    const values = valuesOf(name, given, endpointPath)
    if (values.length === 1) single.push([name, values[0]!])
    else if (values.length > 1) sent.setHeader(name, values)
  }
  return Effect.succeed(single.length === 0 ? response : HttpServerResponse.setHeaders(response, single))
}

/** A refusal says what is accepted: of codings (RFC 9110, 12.5.3), and of credentials (RFC 9110, 11.6.1). */
const acceptedOf: Readonly<Record<number, readonly [string, string]>> = {
  401: ["www-authenticate", "Bearer"],
  415: ["accept-encoding", ContentCoding.accepted]
}

const refusal = (problem: AnyProblem) =>
  Effect.map(problemResponse(problem), (response) => {
    const header = acceptedOf[response.status]
    return header === undefined ? response : HttpServerResponse.setHeader(response, header[0], header[1])
  })

/**
 * The answer to a request: what it is replied, or why it is not, as a problem.
 *
 * @param endpointPath what a component's cookies are for
 */
export const make = (
  reply: Effect.Effect<HttpReply, IntakeError>,
  endpointPath: string,
  sent: SentResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  reply.pipe(
    Effect.flatMap((reply) => responseOf(reply, endpointPath, sent)),
    Effect.catchTags({
      EndpointNotFound: () => noEndpoint,
      RunKeyInvalid: () => Effect.fail(noRun),
      RunTooLarge: ({ limit }) => Effect.fail(runTooLarge(limit)),
      TokenRefused: () => Effect.fail(tokenRefused),
      BacklogFull: () => Effect.fail(backlogFull),
      NotAnswered: ({ reason }) => Effect.fail(notAnswered(reason)),
      QuotaExceeded: (error) => Effect.flatMap(quotaExceeded(error), Effect.fail)
    }),
    answerFailures,
    Effect.catch(refusal)
  )

export const noEndpoint = Effect.fail(
  new Problem.NotFound(Problem.because(
    "There is no active endpoint at this URL. The configured_props of an active source or workflow show its endpoint_url."
  ))
)

const noRun = new Problem.NotFound(Problem.because(
  "No run waits for this URL: it was used, its time is over, or it is not whole."
))

export const runTooLarge = (limit: number) => Problem.tooLarge("What the run's steps gave, with this,", limit)
const tokenRefused = new Problem.Unauthorized(
  Problem.because("This endpoint asks for a token. Send it as `Authorization: Bearer <token>`.")
)

const notAnswered = (reason: NotAnswered["reason"]) => {
  switch (reason) {
    case "ended":
      return new Problem.NoResponse(Problem.because("The run ended without responding to this request."))
    case "late":
      return new Problem.ResponseTimeout(Problem.because("The run did not respond in time. It continues."))
    case "hops":
      return new Problem.LoopDetected(
        Problem.because("This request has passed through too many emitters, so the server does not run it.")
      )
  }
}
