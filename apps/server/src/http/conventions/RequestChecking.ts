import { CurrentAccount } from "@headwater/api/Authorization"
import * as Extension from "@headwater/api/Extension"
import * as Problem from "@headwater/api/Problem"
import { maxBodyDepth, RequestCheck, TakesAnyParameters, TakesFile, TakesLargeBody } from "@headwater/api/RequestCheck"
import * as Charset from "@headwater/domain/Charset"
import { isDeeper } from "@headwater/domain/JsonDepth"
import { structureOf } from "@headwater/domain/JsonReading"
import { Turns } from "@headwater/domain/Turns"
import { ByteSize, Context, Effect, Layer, Option, SchemaIssue, type Types } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerError, HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import { isUtf8 } from "node:buffer"
import { BodyRoom } from "./BodyRoom.ts"
import * as ContentCoding from "./ContentCoding.ts"
import { answerFailures, internalError } from "./FailureProblem.ts"
import { HttpSettings, maxApiBody, maxPlainApiBody, maxValuesOutside } from "./HttpSettings.ts"
import { largeBytes } from "./JsonThread.ts"
import * as RequestBody from "./RequestBody.ts"
import * as UnknownNames from "./UnknownNames.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: UnknownNames.leafHook })

const segment = (part: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof part === "object" ? part.key : part)

/** @param query the parameters of the query, a list for one that is given several times */
const issuesIn = (
  { cause: { issue }, kind }: HttpApiError.HttpApiSchemaError,
  query: Readonly<Record<string, string | ReadonlyArray<string>>>
): ReadonlyArray<Problem.Issue> => {
  const known = issuesOf(issue).issues.flatMap(({ message, path }) => {
    const name = (path ?? []).map(segment).join(".")
    const given = kind === "Query" ? query[name] : undefined
    if (message === UnknownNames.unexpected) return []
    return [{
      path: name,
      message: Array.isArray(given) ? `is given ${given.length} times: give it once` : told(message)
    }]
  })
  return [...UnknownNames.ofFields(issue), ...known]
}

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
        new Problem.NotFound(
          Problem.because(
            "There is nothing at this path: an id in it is malformed. Give it as the API has answered it."
          )
        )
      )
    default:
      return Effect.fail(Problem.invalid(issuesIn(error, query)))
  }
}

/** The framework's words for a body that is not JSON say nothing of what to look for. */
const told = (message: string): string =>
  message === "Expected a valid JSON body"
    ? "Expected a valid JSON body: see that its quotes and commas are right, and that no shell has taken quotes away"
    : message

const bodyProblem =
  (request: HttpServerRequest.HttpServerRequest, maxBytes: number) =>
  (defect: unknown): Effect.Effect<never, Problem.PayloadTooLarge | Problem.InvalidRequest> => {
    const reason = HttpServerError.isHttpServerError(defect) ? defect.reason : undefined
    if (reason?._tag !== "RequestParseError") return Effect.die(defect)
    return Effect.fail(
      reason.reason === "BodyTooLarge"
        ? Problem.tooLarge(
          RequestBody.isOfUnknownLength(request)
            ? "The request body, which has no Content-Length,"
            : "The request body",
          maxBytes
        )
        : Problem.invalid([{ path: "", message: "The request body could not be read." }])
    )
  }

/** The work of the server and its database on a body, in milliseconds for each of its characters, as measured. */
const msPerCharacter = 64e-6

interface BodyLimits {
  readonly bytes: number
  /** Outside of strings, in characters. */
  readonly outside: number
}

const notUtf8 = Problem.invalid([{ path: "", message: "the request body is not UTF-8" }])

/** The body as text, if it is UTF-8: read as such, other bytes would become U+FFFD. */
const textOf = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.flatMap(
    Effect.orDie(request.arrayBuffer),
    (bytes) => isUtf8(bytes) ? Effect.orDie(request.text) : Effect.fail(notUtf8)
  )

const tooDeep = Problem.invalid([{ path: "", message: `nested deeper than ${maxBodyDepth} levels` }])

/** A large body is looked at in the account's turns, which then rest from what reading it and doing as it says takes. */
const checkLarge = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  room: BodyRoom["Service"],
  limits: BodyLimits
) {
  const turns = yield* Turns
  const account = Option.getOrElse(yield* Effect.serviceOption(CurrentAccount), () => "")
  yield* answerFailures(room.hold(account, RequestBody.mostBytes(request, limits.bytes)))
  const text = yield* textOf(request)
  const { depth, outside } = yield* turns.work(account, structureOf(text))
  if (outside > limits.outside) {
    return yield* Problem.tooLarge("What the request body holds outside of strings", limits.outside)
  }
  if (depth > maxBodyDepth) return yield* tooDeep
  turns.charge(account, text.length * msPerCharacter)
}, Effect.scoped)

/** The form of a body that the API does not take: a coding, or another charset than that of JSON (RFC 8259, 8.1). */
const unsupportedForm = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined => {
  const coding = headers["content-encoding"]
  if (coding !== undefined && ContentCoding.named(coding)?.length !== 0) return `the coding ${JSON.stringify(coding)}`
  const charset = Charset.named(headers["content-type"] ?? "")
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)
    ? undefined
    : `the charset ${JSON.stringify(charset)}`
}

/** @param optional whether the endpoint's parameters may come in the query, so that a body is not asked for */
const checkBody = Effect.fnUntraced(function*(optional: boolean, room: BodyRoom["Service"], limits: BodyLimits) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (optional && !RequestBody.isPresent(request)) return
  if (!RequestBody.isJson(request)) {
    return yield* new Problem.UnsupportedMediaType(
      Problem.because("Send the request body with `Content-Type: application/json`.")
    )
  }
  const unsupported = unsupportedForm(request)
  if (unsupported !== undefined) {
    return yield* new Problem.UnsupportedMediaType(
      Problem.because(`Send the request body as UTF-8 without a Content-Encoding: ${unsupported} is not supported.`)
    )
  }
  if (RequestBody.isDeclaredLargerThan(request, limits.bytes)) {
    return yield* Problem.tooLarge("The request body", limits.bytes)
  }
  if (RequestBody.mostBytes(request, limits.bytes) >= largeBytes) return yield* checkLarge(request, room, limits)
  if (isDeeper(yield* textOf(request), maxBodyDepth)) return yield* tooDeep
})

/** A file is kept as it is sent: what a coding made of it would not be the file. */
const checkFile = Effect.fnUntraced(function*() {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const coding = headers["content-encoding"]
  if (coding === undefined || ContentCoding.named(coding)?.length === 0) return
  return yield* new Problem.UnsupportedMediaType(
    Problem.because(`Send the file without a Content-Encoding: ${JSON.stringify(coding)} is not supported.`)
  )
})

/** Nothing is at a path with an empty segment: its handler says so. */
const isAtPath = Effect.map(HttpRouter.params, (params) => !Object.values(params).includes(""))

/** Endpoints of the documented contract take parameters that they do not know, as ever. */
const checkParameters = Effect.fnUntraced(function*(endpoint: HttpApiEndpoint.Top) {
  if (!Extension.isOf(endpoint) || Context.get(endpoint.annotations, TakesAnyParameters)) return
  const unknown = yield* UnknownNames.inQuery(endpoint)
  if (unknown.length > 0 && (yield* isAtPath)) return yield* Problem.invalid(unknown)
})

const isSchemaError = (error: Types.unhandled): error is Types.unhandled & HttpApiError.HttpApiSchemaError =>
  HttpApiError.HttpApiSchemaError.is(error)

/** Checks the request before its handler, and turns what a schema refuses into the problem that names the field. */
export const layer = Layer.effect(
  RequestCheck,
  Effect.gen(function*() {
    const settings = yield* HttpSettings
    const room = yield* BodyRoom
    const plain = maxPlainApiBody(settings)
    const largest = maxApiBody(settings)
    return (handle, { endpoint }) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        // Room is taken for the most that a body may have: one of unknown length is not to take the account's whole room.
        const taken = Context.get(endpoint.annotations, TakesLargeBody)
        const bytes = taken !== false && !RequestBody.isOfUnknownLength(request) ? largest : plain
        const outside = taken === "values" ? maxValuesOutside(settings) : plain
        const handled = handle.pipe(
          Effect.catchIf(
            isSchemaError,
            (error) => Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) => schemaProblem(error, query))
          )
        )
        const checked = Context.get(endpoint.annotations, TakesFile)
          ? Effect.andThen(checkFile(), handled)
          : endpoint.payload.size > 0
          ? Effect.andThen(
            checkBody(endpoint.query !== undefined, room, { bytes, outside: Math.min(bytes, outside) }),
            handled
          )
          : handled
        return Effect.andThen(checkParameters(endpoint), checked).pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytes)),
          Effect.catchDefect(bodyProblem(request, bytes))
        )
      })
  })
)
