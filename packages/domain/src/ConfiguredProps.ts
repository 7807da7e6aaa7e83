import { Effect, Equal, Option, Predicate, Result, Schema } from "effect"
import * as AppAccount from "./AppAccount.ts"
import { type ConfigurableProp, interfaceTypes } from "./Component.ts"
import * as DataStore from "./DataStore.ts"
import * as HttpTrigger from "./HttpTrigger.ts"
import * as OwnMember from "./OwnMember.ts"
import * as Timer from "./Timer.ts"
import * as TypedText from "./TypedText.ts"

/** A value that does not fit: its path, `configured_props.<name>`, and the reason. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** The message about a prop that must have a value and has none. */
export const missing = "is required"

/** Values as a program keeps them: timers apart from plain props, and nothing for props that take no value. */
export interface ConfiguredValues {
  readonly props: Record<string, Schema.Json>
  readonly timers: Record<string, Timer.Timer>
}

export interface ConfiguredProps extends ConfiguredValues {
  /** True if an interface that takes requests or e-mail is among them, so that the program needs an endpoint. */
  readonly hasEndpoint: boolean
}

/** Types whose value the client has to give where the component has none; others get theirs from the engine or none. */
const valued: ReadonlySet<string> = new Set([
  "string",
  "string[]",
  "integer",
  "integer[]",
  "boolean",
  "boolean[]",
  "object",
  "any",
  "app",
  "sql",
  DataStore.propType,
  "http_request"
])

/** Interfaces and services of the engine, which stand behind the prop without a value. */
const valueless: ReadonlySet<string> = new Set([
  interfaceTypes.db,
  interfaceTypes.apphook,
  interfaceTypes.email,
  "alert"
])

const needsValue = (prop: ConfigurableProp): boolean =>
  (prop.type === interfaceTypes.timer || valued.has(prop.type)) && prop["optional"] !== true

/** The names of props that need a value and have none. */
export const missingOf = (
  declared: ReadonlyArray<ConfigurableProp>,
  { props, timers }: Readonly<Record<"props" | "timers", Readonly<Record<string, unknown>>>>
): ReadonlyArray<string> =>
  declared.filter((prop) =>
    needsValue(prop) && OwnMember.get(props, prop.name) === undefined && OwnMember.get(timers, prop.name) === undefined
  ).map(({ name }) => name)

/** A value as a file has it: without what the server itself gives. Undefined if that is all of it. */
export const ofFile = ({ type }: ConfigurableProp, value: Schema.Json): Schema.Json | undefined =>
  valueless.has(type) ? undefined : type === interfaceTypes.http ? HttpTrigger.withoutShown(value) : value

const isAnswering = (type: string): boolean => type === interfaceTypes.http || type === interfaceTypes.apphook

/** The path of a prop's issues. */
export const pathOf = (name: string): string => `configured_props.${name}`

const refuse = (name: string, message: string): Result.Result<never, Issue> =>
  Result.fail({ path: pathOf(name), message })

/** The name of the first prop whose value takes more than so many bytes as JSON. */
export const oversized = (given: Record<string, Schema.Json>, maxBytes: number): string | undefined =>
  Object.keys(given).find((name) => new TextEncoder().encode(JSON.stringify(given[name])).length > maxBytes)

const isGiven = (value: Schema.Json | undefined): value is Exclude<Schema.Json, null> =>
  value !== undefined && value !== null

const ResponseTimer = Schema.Struct({
  cron: Schema.optionalKey(Schema.NullOr(Schema.String)),
  timezone: Schema.optionalKey(Schema.NullOr(Schema.String)),
  intervalSeconds: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  interval_seconds: Schema.optionalKey(Schema.NullOr(Schema.Int))
})

const decodeResponseTimer = Schema.decodeUnknownOption(ResponseTimer)
const decodeTimer = Schema.decodeUnknownOption(Timer.Timer)

/** Reads a timer in the form of requests (`intervalSeconds`) or of responses (`interval_seconds`, unused keys null). */
const readTimer = (name: string, value: Schema.Json): Result.Result<Timer.Timer, Issue> => {
  const form = "expected {intervalSeconds} or {cron, timezone}"
  const read = decodeResponseTimer(value)
  if (Option.isNone(read)) return refuse(name, form)
  const seconds = read.value.intervalSeconds ?? read.value.interval_seconds
  const cron = read.value.cron ?? undefined
  const timezone = read.value.timezone ?? undefined
  if ((seconds ?? undefined) === undefined && cron === undefined) return refuse(name, form)
  if ((seconds ?? undefined) !== undefined && cron !== undefined) {
    return refuse(name, "has both an interval and a cron expression: give one")
  }
  const timer = decodeTimer(
    cron === undefined ? { intervalSeconds: seconds } : { cron, ...(timezone === undefined ? {} : { timezone }) }
  )
  if (Option.isNone(timer)) return refuse(name, "the interval must be from 1 second to 366 days")
  // Validation neither waits nor needs anything: it is an Effect for its typed error.
  const checked = Effect.runSync(Effect.result(Timer.validate(timer.value)))
  return Result.isFailure(checked) ? refuse(name, checked.failure.message) : Result.succeed(timer.value)
}

/** Reads the settings of an HTTP interface; null and what is not given as they are. */
const readHttp = (
  name: string,
  value: Schema.Json | undefined,
  kept: Schema.Json | undefined
): Result.Result<Schema.Json | undefined, Issue> =>
  isGiven(value)
    ? Result.mapError(HttpTrigger.read(value, kept), (message): Issue => ({ path: pathOf(name), message }))
    : Result.succeed(value)

/** The code's own values, of the props that have one. */
export const defaultsOf = (declared: ReadonlyArray<ConfigurableProp>): Record<string, Schema.Json> =>
  Object.fromEntries(declared.flatMap((prop) => prop.default === undefined ? [] : [[prop.name, prop.default]]))

/** The values of the declared props. */
export const ofDeclared = <A>(
  declared: ReadonlyArray<ConfigurableProp>,
  values: Readonly<Record<string, A>>
): Record<string, A> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => declared.some((prop) => prop.name === name)))

/** The values that the prop's value has to be among, if the code lists any. */
export const optionValues = (prop: ConfigurableProp): ReadonlyArray<Schema.Json> | undefined => {
  const options = prop["options"]
  if (!Array.isArray(options) || options.length === 0) return undefined
  return options.map((option: Schema.Json) =>
    Predicate.isObject(option) && "value" in option ? option["value"] as Schema.Json : option
  )
}

const isPlainObject = (value: Schema.Json): boolean => Predicate.isObject(value) && !Array.isArray(value)

const checkElement = (prop: ConfigurableProp, type: string, value: Schema.Json): string | undefined => {
  switch (type) {
    case "string":
      if (typeof value !== "string") return "expected a string"
      break
    case "integer": {
      if (!Number.isSafeInteger(value)) return "expected an integer"
      const { max, min } = prop
      if (typeof min === "number" && (value as number) < min) return `expected at least ${min}`
      if (typeof max === "number" && (value as number) > max) return `expected at most ${max}`
      break
    }
    case "boolean":
      if (typeof value !== "boolean") return "expected true or false"
      break
  }
  const options = optionValues(prop)
  if (options !== undefined && !options.includes(value)) {
    return `expected one of ${options.map((option) => JSON.stringify(option)).join(", ")}`
  }
  return undefined
}

const check = (prop: ConfigurableProp, value: Schema.Json): string | undefined => {
  // A value chosen with its label, as props with `withLabel` take it.
  if (Predicate.isObject(value) && "__lv" in value) return undefined
  switch (prop.type) {
    case "string":
    case "integer":
    case "boolean":
      return checkElement(prop, prop.type, value)
    case "string[]":
    case "integer[]":
    case "boolean[]": {
      if (!Array.isArray(value)) return "expected an array"
      const elements = value as ReadonlyArray<Schema.Json>
      for (const [index, element] of elements.entries()) {
        const problem = checkElement(prop, prop.type.slice(0, -2), element)
        if (problem !== undefined) return `element ${index}: ${problem}`
      }
      return undefined
    }
    case "app":
      return AppAccount.isReference(value)
        ? undefined
        : "expected {authProvisionId}, the id of an account with the app: POST /v1/accounts and `headwater credentials create` make one"
    case "object":
      return isPlainObject(value) ? undefined : "expected an object"
    case DataStore.propType:
      return DataStore.referenceOf(value) === undefined ? "expected the id or the name of a data store" : undefined
    default:
      return undefined
  }
}

/** True if the value of a step's prop has expressions, of which each run has its own values; or the fault of one. */
export type Expressions = (prop: string, value: Schema.Json) => Result.Result<boolean, string>

/** Takes every value that may have expressions: for those who only ask whether a value may fit. */
export const mayHaveExpressions: Expressions = (_, value) => Result.succeed(JSON.stringify(value).includes("{{"))

/** The reason why a value does not fit a prop of a step, whose name is `<step>.<prop>`. */
const checkOfStep = (prop: ConfigurableProp, value: Schema.Json, expressions: Expressions): string | undefined => {
  const has = expressions(prop.name, value)
  if (Result.isFailure(has)) return has.failure
  return has.success ? undefined : check(prop, TypedText.read(prop.type, value) as Schema.Json)
}

const renderTimer = (timer: Timer.Timer): Schema.Json =>
  "cron" in timer
    ? { cron: timer.cron, interval_seconds: null, timezone: timer.timezone ?? "UTC" }
    : { cron: null, interval_seconds: timer.intervalSeconds }

/** True if two values mean the same; a timer can be written in several ways. */
const isSame = (prop: ConfigurableProp, one: Schema.Json, other: Schema.Json): boolean => {
  const meaning = (value: Schema.Json) =>
    prop.type === interfaceTypes.timer
      ? Result.getOrElse(Result.map(readTimer(prop.name, value), renderTimer), () => value)
      : value
  return Equal.equals(meaning(one), meaning(other))
}

const choose = (
  prop: ConfigurableProp,
  given: Schema.Json | undefined,
  kept: Schema.Json | undefined
): Result.Result<Schema.Json | undefined, Issue> => {
  const fixed = prop["static"]
  if (isGiven(fixed)) {
    return isGiven(given) && !isSame(prop, given, fixed)
      ? refuse(prop.name, "is fixed by the component")
      : Result.succeed(fixed)
  }
  if (isGiven(given)) return Result.succeed(given)
  // Null takes a value back; leaving the prop out keeps it.
  if (given === undefined && kept !== undefined) return Result.succeed(kept)
  return Result.succeed(prop["default"] ?? undefined)
}

/**
 * The values a program of a component has: those given, else those it keeps from before, else the code's own
 * (components.md, "Props"). Every value that does not fit is an issue, as is a name the component does not declare.
 *
 * @param expressions of the steps of a workflow
 * @param mayLack whether props that need a value may be without one for now
 */
export const resolve = (
  declared: ReadonlyArray<ConfigurableProp>,
  existing: ConfiguredValues | undefined,
  values: Record<string, unknown>,
  expressions?: Expressions,
  mayLack = false
): Result.Result<ConfiguredProps, ReadonlyArray<Issue>> => {
  const issues: Array<Issue> = []
  const props: Array<[string, Schema.Json]> = []
  const timers: Array<[string, Timer.Timer]> = []

  for (const name of Object.keys(values)) {
    if (!declared.some((prop) => prop.name === name)) {
      issues.push({ path: pathOf(name), message: "the component has no such prop" })
    }
  }
  for (const prop of declared) {
    const { name } = prop
    const value = OwnMember.get(values as Record<string, Schema.Json>, name)
    if (valueless.has(prop.type)) {
      // A client may send back the value that responses show.
      const shown = Predicate.isObject(value) &&
        Object.keys(value).every((key) => key === "endpoint_url" || key === "address")
      if (isGiven(value) && !shown) issues.push({ path: pathOf(name), message: "takes no value" })
      continue
    }
    const isTimer = prop.type === interfaceTypes.timer
    const kept = OwnMember.get<Schema.Json | Timer.Timer>((isTimer ? existing?.timers : existing?.props) ?? {}, name)
    const isHttp = prop.type === interfaceTypes.http
    const chosen = Result.flatMap(
      isHttp ? readHttp(name, value, kept as Schema.Json | undefined) : Result.succeed(value),
      (value) => choose(prop, value, kept as Schema.Json | undefined)
    )
    if (Result.isFailure(chosen)) {
      issues.push(chosen.failure)
      continue
    }
    if (chosen.success === undefined) {
      if (needsValue(prop) && !mayLack) issues.push({ path: pathOf(name), message: missing })
      continue
    }
    if (isTimer) {
      const timer = readTimer(name, chosen.success)
      if (Result.isFailure(timer)) issues.push(timer.failure)
      else timers.push([name, timer.success])
      continue
    }
    const problem = expressions !== undefined && name.includes(".")
      ? checkOfStep(prop, chosen.success, expressions)
      : check(prop, chosen.success)
    if (problem === undefined) props.push([name, chosen.success])
    else issues.push({ path: pathOf(name), message: problem })
  }
  return issues.length > 0 ? Result.fail(issues) : Result.succeed({
    props: Object.fromEntries(props),
    timers: Object.fromEntries(timers),
    hasEndpoint: declared.some(({ type }) => isAnswering(type) || type === interfaceTypes.email)
  })
}

/**
 * `configured_props` as responses show them (rest-api.md, "Source"). A prop marked `secret` is not shown.
 *
 * @param endpointUrl where the program's HTTP interface or apphook answers, if it has one
 * @param address where it takes e-mail; null where the server takes none
 */
export const render = (
  declared: ReadonlyArray<ConfigurableProp>,
  values: ConfiguredValues,
  endpointUrl: string | undefined,
  address: string | null = null
): Record<string, Schema.Json> => {
  const shown: Array<[string, Schema.Json]> = []
  for (const { name, type, ...prop } of declared) {
    const timer = OwnMember.get(values.timers, name)
    const value = OwnMember.get(values.props, name)
    if (isAnswering(type) && endpointUrl !== undefined) {
      shown.push([name, { endpoint_url: endpointUrl, ...HttpTrigger.render(value) }])
    } else if (type === interfaceTypes.email && endpointUrl !== undefined) {
      shown.push([name, { address }])
    } else if (type === interfaceTypes.http) {
      if (value !== undefined) shown.push([name, HttpTrigger.render(value)])
    } else if (timer !== undefined) shown.push([name, renderTimer(timer)])
    else if (value !== undefined && prop["secret"] !== true) shown.push([name, value])
  }
  return Object.fromEntries(shown)
}
