import type { Issue } from "@headwater/api/Problem"
import { CurrentWarnings, header, knownFields, most, Warnings } from "@headwater/api/Warnings"
import { Effect, Exit, Function, Layer, Schema } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import * as UnknownNames from "./UnknownNames.ts"

/** Reads a body as strictly as an endpoint does that knows its fields. */
const strictBody = Function.memoize((endpoint: HttpApiEndpoint.Top) => {
  const schemas = endpoint.payload.get("application/json")?.schemas as ReadonlyArray<Schema.Codec<unknown>> | undefined
  return schemas === undefined ? null : Schema.decodeUnknownExit(Schema.Union(schemas), knownFields)
})

const unknownFields = Effect.fnUntraced(function*(readStrictly: NonNullable<ReturnType<typeof strictBody>>) {
  const text = yield* Effect.orDie((yield* HttpServerRequest.HttpServerRequest).text)
  if (text === "") return []
  const exit = readStrictly(JSON.parse(text))
  return Exit.isSuccess(exit)
    ? []
    : exit.cause.reasons.flatMap((reason) => reason._tag === "Fail" ? UnknownNames.ofFields(reason.error.issue) : [])
})

/** Headers are ASCII. */
const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Proxies refuse an answer with more than 4 KiB of headers, where nobody says otherwise. */
const mostInHeader = 3_000

const headerOf = (warnings: ReadonlyArray<Issue>): string => {
  const told: Array<string> = []
  let length = 2
  for (const warning of warnings) {
    const json = ascii(JSON.stringify(warning))
    length += json.length + 1
    if (length > mostInHeader) break
    told.push(json)
  }
  return `[${told.join(",")}]`
}

/** The list stands behind what the answer has, so that a long one need not be read. */
const withWarnings = (response: HttpServerResponse.HttpServerResponse, warnings: ReadonlyArray<Issue>) => {
  const headed = HttpServerResponse.setHeader(response, header, headerOf(warnings))
  const { body } = response
  if (body._tag !== "Uint8Array") return headed
  const whole = Buffer.concat([body.body.subarray(0, -1), Buffer.from(`,"warnings":${JSON.stringify(warnings)}}`)])
  return HttpServerResponse.setBody(headed, HttpBody.uint8Array(new Uint8Array(whole), body.contentType))
}

/** Tells, beside an answer, of what the request says for nothing. */
export const layer = Layer.succeed(
  Warnings,
  Warnings.of(Effect.fnUntraced(function*(handle, { endpoint }) {
    const warnings: Array<Issue> = []
    const response = yield* Effect.provideService(handle, CurrentWarnings, {
      add: (warning) => warnings.push(warning)
    })
    const unknown = yield* UnknownNames.inQuery(endpoint)
    const readStrictly = strictBody(endpoint)
    const fields = readStrictly === null ? [] : yield* unknownFields(readStrictly)
    const all = [...warnings, ...unknown, ...fields].slice(0, most)
    return all.length === 0 || response.status >= 300 ? response : withWarnings(response, all)
  }))
)
