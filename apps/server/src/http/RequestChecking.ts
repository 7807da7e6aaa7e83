import * as Problem from "@headwater/api/Problem"
import { maxBodyDepth, RequestCheck } from "@headwater/api/RequestCheck"
import { isDeeper } from "@headwater/domain/JsonDepth"
import { ByteSize, Effect, Layer, SchemaIssue, type Types } from "effect"
import { HttpIncomingMessage, HttpServerError, HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { internalError } from "./FailureProblem.ts"
import { HttpSettings, maxApiBody } from "./HttpSettings.ts"
import * as RequestBody from "./RequestBody.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const segment = (part: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof part === "object" ? part.key : part)

type SchemaProblem = Problem.NotFound | Problem.InvalidRequest | Problem.InternalError

/** @param query the parameters of the query, a list for one that is given several times */
const schemaProblem = (
  error: HttpApiError.HttpApiSchemaError,
  query: Readonly<Record<string, string | ReadonlyArray<string>>>
): Effect.Effect<never, SchemaProblem> => {
  switch (error.kind) {
    case "Body":
    case "ResponseHeaders":
      return internalError(error.cause)
    case "Params":
      return Effect.fail(
        new Problem.NotFound(Problem.because("There is nothing at this path: an id in it is malformed."))
      )
    default:
      return Effect.fail(Problem.invalid(
        issuesOf(error.cause.issue).issues.map(({ message, path }) => {
          const name = (path ?? []).map(segment).join(".")
          const given = error.kind === "Query" ? query[name] : undefined
          return {
            path: name,
            message: Array.isArray(given) ? `is given ${given.length} times: give it once` : message
          }
        })
      ))
  }
}

const bodyProblem =
  (maxBytes: number) => (defect: unknown): Effect.Effect<never, Problem.PayloadTooLarge | Problem.InvalidRequest> => {
    const reason = HttpServerError.isHttpServerError(defect) ? defect.reason : undefined
    if (reason?._tag !== "RequestParseError") return Effect.die(defect)
    return Effect.fail(
      reason.reason === "BodyTooLarge"
        ? Problem.tooLarge("The request body", maxBytes)
        : Problem.invalid([{ path: "", message: "The request body could not be read." }])
    )
  }

/** @param options.optional whether the endpoint's parameters may come in the query, so that a body is not asked for */
const checkBody = Effect.fnUntraced(function*(options: { readonly optional: boolean; readonly maxBytes: number }) {
  const { maxBytes } = options
  const request = yield* HttpServerRequest.HttpServerRequest
  if (options.optional && !RequestBody.isPresent(request)) return
  if (!RequestBody.isJson(request)) {
    return yield* new Problem.UnsupportedMediaType(
      Problem.because("Send the request body with `Content-Type: application/json`.")
    )
  }
  if (RequestBody.isDeclaredLargerThan(request, maxBytes)) {
    return yield* Problem.tooLarge("The request body", maxBytes)
  }
  const text = yield* Effect.orDie(request.text)
  if (isDeeper(text, maxBodyDepth)) {
    return yield* Problem.invalid([{ path: "", message: `nested deeper than ${maxBodyDepth} levels` }])
  }
})

const isSchemaError = (error: Types.unhandled): error is Types.unhandled & HttpApiError.HttpApiSchemaError =>
  HttpApiError.HttpApiSchemaError.is(error)

/** Checks the request before its handler, and turns what a schema refuses into the problem that names the field. */
export const layer = Layer.effect(
  RequestCheck,
  Effect.map(HttpSettings, (settings) => {
    const maxBytes = maxApiBody(settings)
    return (handle, { endpoint }) => {
      const handled = handle.pipe(
        Effect.catchIf(
          isSchemaError,
          (error) => Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) => schemaProblem(error, query))
        )
      )
      const checked = endpoint.payload.size > 0
        ? Effect.andThen(checkBody({ optional: endpoint.query !== undefined, maxBytes }), handled)
        : handled
      return checked.pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
        Effect.catchDefect(bodyProblem(maxBytes))
      )
    }
  })
)
