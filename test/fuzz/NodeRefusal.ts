import { Predicate } from "effect"
import { type HttpAnswer, jsonOf } from "./HttpAnswer.ts"

/** What the server answers to bytes that don't reach its API, by status. */
const codes: Readonly<Record<number, string>> = {
  400: "invalid_request",
  408: "request_timeout",
  431: "request_header_fields_too_large"
}

const members = ["type", "title", "status", "detail", "error", "code", "details"]

/** Whether an answer is none of the API's, which all have a request id. */
export const isOne = (answer: HttpAnswer): boolean => answer.headers["x-request-id"] === undefined

/** What of an answer to bytes that can't be read as HTTP is not as the API guide says it is. */
export const faultsOf = (answer: HttpAnswer): ReadonlyArray<string> => {
  const code = codes[answer.status]
  if (code === undefined) return [`an answer without X-Request-Id has the status ${answer.status}`]
  const { connection, "content-type": type } = answer.headers
  const body = jsonOf(answer)
  return [
    ...(connection === "close" ? [] : ["a refusal of bytes leaves the connection open"]),
    ...(type === "application/problem+json" ? [] : [`a refusal of bytes has the content type ${type}`]),
    ...(members.every((name) => Predicate.hasProperty(body, name)) ? [] : ["a refusal of bytes lacks members"]),
    ...(Predicate.hasProperty(body, "code") && body.code !== code
      ? [`a refusal of bytes has the code ${body.code}`]
      : [])
  ]
}
