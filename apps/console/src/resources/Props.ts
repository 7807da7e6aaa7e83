import type { ComponentConfigurationResource, ComponentResource } from "@headwater/api/ComponentsApi"
import { post, type Single } from "../api/Api.ts"

/** A prop as the code declares it. */
export type Prop = ComponentResource["configurable_props"][number]

/** Values by the name of the prop, as the API takes and shows them. */
export type Values = Readonly<Record<string, unknown>>

/** The kind of field that fills in a prop. `nothing`: the prop takes no value and has none to show. */
export type Entry =
  | "nothing"
  | "note"
  | "endpoint"
  | "timer"
  | "choice"
  | "choices"
  | "boolean"
  | "integer"
  | "duration"
  | "text"
  | "texts"
  | "integers"
  | "app"
  | "json"

const entries: Readonly<Record<string, Entry>> = {
  "$.interface.http": "endpoint",
  "$.interface.apphook": "endpoint",
  "$.interface.timer": "timer",
  "$.service.db": "nothing",
  alert: "note",
  app: "app",
  string: "text",
  "string[]": "texts",
  integer: "integer",
  duration: "duration",
  "integer[]": "integers",
  boolean: "boolean",
  object: "json",
  any: "json",
  sql: "json",
  data_store: "json",
  http_request: "json",
  "boolean[]": "json"
}

export interface Option {
  readonly label: string
  readonly value: unknown
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const written = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? ""

const optionOf = (given: unknown): Option => {
  if (!isFields(given)) return { label: written(given), value: given }
  const lv = given["__lv"]
  const { label, value } = isFields(lv) ? lv : given
  return { label: label === undefined ? written(value) : written(label), value }
}

export const optionsOf = (given: unknown): ReadonlyArray<Option> => Array.isArray(given) ? given.map(optionOf) : []

export const entryOf = (prop: Prop): Entry => {
  const entry = (Object.hasOwn(entries, prop.type) ? entries[prop.type] : undefined) ?? "nothing"
  const hasOptions = optionsOf(prop["options"]).length > 0
  if (hasOptions && (entry === "text" || entry === "integer")) return "choice"
  if (hasOptions && (entry === "texts" || entry === "integers")) return "choices"
  return entry
}

/** True if a value can be entered for the prop. */
export const takesValue = (prop: Prop): boolean => !["endpoint", "note", "nothing"].includes(entryOf(prop))

export const labelOf = ({ label, name }: Prop): string => label ?? name

export const isSecret = (prop: Prop): boolean => prop["secret"] === true

export const isOptional = (prop: Prop): boolean => prop["optional"] === true

/** True if the prop's value can't be chosen: the code has fixed it, or has made it read only or disabled. */
export const isFixed = (prop: Prop): boolean =>
  (prop["static"] ?? null) !== null || prop["readOnly"] === true || prop["disabled"] === true

export const hasRemoteOptions = (prop: Prop): boolean => prop["remoteOptions"] === true

/** A value without the label under which it was chosen. */
export const bare = (value: unknown): unknown =>
  isFields(value) && isFields(value["__lv"]) ? value["__lv"]["value"] : value

/** A prop's value: the reader's change, else the code's fixed value, else the program's value, else the default. */
export const valueOf = (prop: Prop, current: Values, changes: Values): unknown => {
  if (Object.hasOwn(changes, prop.name)) return changes[prop.name] ?? undefined
  return bare(prop["static"] ?? (Object.hasOwn(current, prop.name) ? current[prop.name] : prop.default))
}

export const isEndpoint = (value: unknown): value is { readonly endpoint_url: string } =>
  isFields(value) && typeof value["endpoint_url"] === "string"

/** The values so far, as they are sent to the code that is asked for options and further props. */
export const chosen = (current: Values, changes: Values): Values =>
  Object.fromEntries(
    Object.entries({ ...current, ...changes }).filter(([, value]) => value !== null && !isEndpoint(value))
  )

/** The URL of a program that answers HTTP. */
export const endpointOf = (values: Values): string | undefined => Object.values(values).find(isEndpoint)?.endpoint_url

const typeOf = (value: unknown): string => {
  if (isEndpoint(value)) return "$.interface.http"
  if (isFields(value) && "cron" in value && "interval_seconds" in value) return "$.interface.timer"
  if (typeof value === "boolean") return "boolean"
  if (Number.isSafeInteger(value)) return "integer"
  if (Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === "string")) {
    return "string[]"
  }
  return typeof value === "string" ? "string" : "any"
}

/** The props of code that can't be read, with types guessed from their values. */
export const ofValues = (values: Values): ReadonlyArray<Prop> =>
  Object.entries(values).map(([name, value]) => ({ name, type: typeOf(value) }))

/**
 * Asks the component's code for its props with these values.
 *
 * @throws Failure
 */
export const declared = async (component: string, values: Values, signal: AbortSignal): Promise<ReadonlyArray<Prop>> =>
  (await post<Single<ComponentConfigurationResource>>(["components", component, "configure"], {
    body: { configured_props: values },
    signal
  })).data.configurable_props ?? []

/** A page of a prop's possible values, and the context with which to ask for the next page. */
export interface RemoteOptions {
  readonly options: ReadonlyArray<Option>
  readonly context: unknown
}

/**
 * Asks the component's code for a prop's possible values.
 *
 * @throws Failure
 */
export const remoteOptions = async (
  component: string,
  prop: string,
  asked: { readonly values: Values; readonly page: number; readonly context: unknown; readonly query: string }
): Promise<RemoteOptions> => {
  const { context, page, query, values } = asked
  const { data } = await post<Single<ComponentConfigurationResource>>(["components", component, "configure"], {
    body: {
      prop_name: prop,
      configured_props: values,
      page,
      ...(context === undefined ? {} : { prev_context: context }),
      ...(query === "" ? {} : { query })
    }
  })
  return { options: optionsOf(data.options), context: data.context }
}

/** A value as the reader sees it. */
export const shown = (value: unknown): string => {
  const one = bare(value)
  if (isEndpoint(one)) return one.endpoint_url
  if (isFields(one) && "cron" in one && "interval_seconds" in one) {
    return one["cron"] === null ?
      `every ${written(one["interval_seconds"])} s` :
      `${written(one["cron"])} in ${written(one["timezone"] ?? "UTC")}`
  }
  return written(one)
}
