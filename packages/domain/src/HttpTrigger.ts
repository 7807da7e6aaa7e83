import { Option, Predicate, Result, Schema } from "effect"
import * as AnswerHeader from "./AnswerHeader.ts"
import { type ConfigurableProp, interfaceTypes } from "./Component.ts"
import * as ExactJson from "./ExactJson.ts"
import * as OwnMember from "./OwnMember.ts"
import * as RequestEventBody from "./RequestEventBody.ts"

/** The part of a request that the code gets as its event. */
const Form = Schema.Literals(["whole", "body", "raw"])

/** An answer that is the same for every request. A body that is no text is sent as JSON. */
const FixedAnswer = Schema.Struct({
  status: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 }))),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  body: Schema.optionalKey(Schema.Json)
})
export type FixedAnswer = typeof FixedAnswer.Type

/** The settings of an HTTP interface, as a program keeps them among its props. */
const Settings = Schema.Struct({
  event: Schema.optionalKey(Form),
  /** `accepted`: 200 once the request is durable. `run`: the code responds. */
  response: Schema.optionalKey(Schema.Union([Schema.Literals(["accepted", "run"]), FixedAnswer])),
  /** Requests have to name it as `Authorization: Bearer`. */
  token: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,1000}$/)))
})
export type Settings = typeof Settings.Type

const expected = "expected {event, response, token}, as components.md describes them"

/** Members that responses show, which say nothing when they are sent back. */
const shownAlone: ReadonlySet<string> = new Set(["endpoint_url", "has_token"])

const decode = Schema.decodeUnknownOption(Settings, { onExcessProperty: "error" })

/** The header of a fixed answer that is not sent, if there is one. */
const refusedHeader = ({ response }: Settings): string | undefined =>
  typeof response === "object"
    ? Object.keys(response.headers ?? {}).find((name) => !AnswerHeader.isAllowed(name.toLowerCase()))
    : undefined

/**
 * Reads settings in the form of requests or of responses. A token that is left out stays as it was, as no response shows
 * it; null takes it away. Nothing but what responses always show keeps all: undefined where there is nothing to keep.
 */
export const read = (
  given: Schema.Json,
  kept: Schema.Json | undefined
): Result.Result<Settings | undefined, string> => {
  const before = Option.getOrUndefined(decode(kept))
  if (!Predicate.isObject(given) || Array.isArray(given)) return Result.fail(expected)
  const entries = Object.entries(given).filter(([name, value]) => !shownAlone.has(name) && value !== null)
  if (entries.length === 0 && Object.keys(given).length > 0 && !("token" in given)) return Result.succeed(before)
  const { token } = before ?? {}
  const named = { ...(token === undefined || "token" in given ? {} : { token }), ...Object.fromEntries(entries) }
  const settings = Option.getOrUndefined(decode(named))
  if (settings === undefined) return Result.fail(expected)
  const header = refusedHeader(settings)
  return header === undefined
    ? Result.succeed(settings)
    : Result.fail(`the header ${header} is not sent: ${AnswerHeader.why}`)
}

/** Settings as responses show them: not the token, but that there is one. */
export const render = (kept: Schema.Json | undefined): Record<string, Schema.Json> => {
  const { token, ...settings } = Option.getOrElse(decode(kept), (): Settings => ({}))
  return { ...settings, ...(token === undefined ? {} : { has_token: true }) }
}

/** A value of an HTTP interface without what the server itself gives; undefined if that is all of it. */
export const withoutShown = (value: Schema.Json): Schema.Json | undefined => {
  if (!Predicate.isObject(value)) return undefined
  const own = Object.entries(value as Record<string, Schema.Json>).filter(([name]) => !shownAlone.has(name))
  return own.length === 0 ? undefined : Object.fromEntries(own)
}

/** The way in which a program takes requests at its endpoint. */
export interface HttpTrigger {
  readonly event: typeof Form.Type
  /** `run`: the code responds. */
  readonly response: "accepted" | "run" | FixedAnswer
  readonly token: string | undefined
}

/** The settings of a program's HTTP interface; of several, the first one's. Undefined if it has none. */
export const of = (
  declared: ReadonlyArray<ConfigurableProp>,
  props: Readonly<Record<string, Schema.Json>>
): HttpTrigger | undefined => {
  const all = declared.filter(({ type }) => type === interfaceTypes.http)
  if (all.length === 0) return undefined
  const [settings = {}] = all.flatMap(({ name }) => Option.toArray(decode(OwnMember.get(props, name))))
  const answers = all.some((prop) => prop["customResponse"] === true)
  return {
    event: settings.event ?? "whole",
    response: settings.response ?? (answers ? "run" : "accepted"),
    token: settings.token
  }
}

/** True if the code responds to requests. */
export const answersItself = (trigger: HttpTrigger | undefined): boolean => trigger?.response === "run"

const flat = (headers: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries((headers ?? {}) as Record<string, string | ReadonlyArray<string>>)
      .map(([name, value]) => [name, typeof value === "string" ? value : value.join("; ")])
  )

/** JSON of the event that the code gets of a request, which is in the form in which it is kept. */
export const eventJson = ({ event: form }: HttpTrigger, requestJson: string): string => {
  if (form === "whole") return requestJson
  const request = RequestEventBody.expand(ExactJson.parse(requestJson), ExactJson.parse) as Record<string, unknown>
  if (form === "body") return JSON.stringify(request["body"] ?? {})
  const { body, bodyRaw, headers, ...rest } = request
  // The body of an upload is where its file is, and has no text.
  return JSON.stringify({ ...rest, headers: flat(headers), body: bodyRaw ?? body ?? "" })
}
