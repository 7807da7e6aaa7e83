import { Effect, Predicate } from "effect"
import { HttpServerRespondable, HttpServerResponse } from "effect/http"

/** One of the API's problems: what `Problem` makes. */
export type AnyProblem = HttpServerRespondable.Respondable & { readonly details: unknown }

export const isProblem = (error: unknown): error is AnyProblem =>
  HttpServerRespondable.isRespondable(error) && Predicate.hasProperty(error, "details")

/** A problem as a response with the header that goes with it, for routes that no endpoint of the contract declares. */
export const problemResponse = (problem: AnyProblem): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(HttpServerRespondable.toResponse(problem), (response) => {
    const { details } = problem
    if (Predicate.isTagged(problem, "UnauthorizedProblem")) {
      return HttpServerResponse.setHeader(response, "www-authenticate", "Bearer")
    }
    if (Predicate.hasProperty(details, "retry_after_seconds")) {
      return HttpServerResponse.setHeader(response, "retry-after", String(details.retry_after_seconds))
    }
    if (Predicate.hasProperty(details, "allow") && Array.isArray(details.allow)) {
      return HttpServerResponse.setHeader(response, "allow", details.allow.join(", "))
    }
    return response
  })
