/** The `this` of a component (`components.md`, "Props", "Running"). */
import * as AnswerHeader from "@headwater/domain/AnswerHeader"
import * as OwnMember from "@headwater/domain/OwnMember"
import * as Storable from "@headwater/domain/Storable"
import type { Templates } from "../Expression.ts"
import { type LiveToken, withToken } from "./AccountTokens.ts"
import { storeOf } from "./DataStore.ts"
import { filesOf } from "./FileStore.ts"
import { makeHttpRequest } from "./HttpRequest.ts"
import type { ComponentDefinition } from "./Module.ts"
import { appType, bindMethods, declared, makeApp } from "./Props.ts"
import type { RunContext } from "./RunContext.ts"

export interface Bindings {
  readonly additionalProps: Record<string, Readonly<Record<string, unknown>>>
  readonly props: Record<string, unknown>
  /** The expressions among the props of steps. */
  readonly templates?: Templates
  readonly credentials: Record<string, unknown>
  /** The tokens of accounts, by prop. */
  readonly tokens: Record<string, LiveToken>
  readonly env: Record<string, string>
  readonly interfaces: Record<
    string,
    { readonly _tag: string; readonly endpoint?: string; readonly address?: string | null }
  >
  readonly store: Store
  readonly maxDbBytes: number
  /** The ids of data stores, by prop. */
  readonly stores: Record<string, string>
  readonly maxStoreValueBytes: number
  /** The time that a run may take, in milliseconds. */
  readonly wallMs: number
  readonly maxResponseBytes: number
  readonly maxHeaderBytes: number
  readonly tellsRequests: boolean
}

const { parse, stringify } = JSON
const encoder = new TextEncoder()
const byteLength = (text: string): number => encoder.encode(text).length

export const toText = (value: unknown): string => stringify(value) ?? "null"

/** The contents of a program's `$.service.db`, as JSON texts: runs that follow each other go on with it. */
export class Store {
  readonly values: Map<string, string>
  bytes = 0

  constructor(snapshot: Record<string, string>) {
    this.values = new Map(Object.entries(snapshot))
    for (const [key, value] of this.values) this.bytes += byteLength(key) + byteLength(value)
  }
}

/** The service behind `$.service.db`: JSON values in memory, each write told to the host before `set` returns. */
export class Database {
  readonly #run: RunContext
  readonly #store: Store
  readonly #maxBytes: number

  constructor(run: RunContext, store: Store, maxBytes: number) {
    this.#run = run
    this.#store = store
    this.#maxBytes = maxBytes
  }

  get(key: string): unknown {
    const value = this.#store.values.get(String(key))
    return value === undefined ? undefined : parse(value)
  }

  set(key: string, value: unknown): void {
    const name = String(key)
    if (!Storable.isKey(name)) throw new TypeError(`$.service.db: ${Storable.keyExpected}`)
    const text = value === undefined ? null : toText(value)
    // The store is the next run's.
    if (this.#run.ended) return
    const { values } = this.#store
    const old = values.get(name)
    const bytes = this.#store.bytes -
      (old === undefined ? 0 : byteLength(name) + byteLength(old)) +
      (text === null ? 0 : byteLength(name) + byteLength(text))
    if (text !== null && bytes > this.#maxBytes) {
      throw new RangeError(`$.service.db holds at most ${this.#maxBytes} bytes per source; this would make it ${bytes}`)
    }
    this.#store.bytes = bytes
    if (text === null) values.delete(name)
    else values.set(name, text)
    this.#run.say({ _tag: "Stored", key: name, value: text })
  }
}

/** A member that is left out where nothing is given, or nothing usable. */
const optional = (key: string, value: unknown, convert: (value: unknown) => unknown) => {
  const converted = value === undefined || value === null ? undefined : convert(value)
  return converted === undefined ? {} : { [key]: converted }
}

const finite = (value: number): number | undefined => Number.isFinite(value) ? value : undefined

/** An object is its JSON, or the text that its JSON is, as of ids that are instances of a class. */
const asId = (value: unknown): string | number | undefined => {
  if (typeof value === "number") return finite(value)
  if (typeof value !== "object" && typeof value !== "function") return String(value)
  const json = stringify(value)
  if (json === undefined || json === "null") return undefined
  return json.startsWith(`"`) ? parse(json) as string : json
}

/** A text is read by the server. Objects that are times, a Date or a library's, have the milliseconds as their value. */
const asTime = (value: unknown): string | number | undefined => {
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "bigint") return finite(Number(value))
  if (typeof value !== "object" || value === null) return undefined
  const primitive: unknown = value.valueOf()
  return typeof primitive === "number" ? finite(primitive) : String(value)
}

const asMillis = (value: unknown): number | undefined => {
  if (value === undefined || value === null) return undefined
  const millis = Number(asTime(value))
  if (!Number.isFinite(millis)) throw new TypeError("delivery_ts must be a time in Unix milliseconds")
  return millis
}

export const emit = (run: RunContext, event: unknown, metadata: Record<string, unknown>): void => {
  run.say({
    _tag: "Emitted",
    payload: toText(event),
    ...optional("id", metadata["id"], asId),
    ...optional("name", metadata["name"], String),
    ...optional("summary", metadata["summary"], String),
    ...optional("ts", metadata["ts"], asTime),
    ...optional("deliveryTs", asMillis(metadata["delivery_ts"]), (value) => value)
  })
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value

const pairsOf = (headers: unknown): ReadonlyArray<readonly [unknown, unknown]> =>
  isIterable(headers) ? [...headers] as ReadonlyArray<[unknown, unknown]> : Object.entries(headers ?? {})

/**
 * The headers of an answer by name in lower case: of an object, whose values may be lists, or of pairs such as a
 * `Headers` has. Of an object with a name in several spellings the last counts, but for cookies.
 */
const headersOf = (given: unknown, maxBytes: number): Map<string, ReadonlyArray<string>> => {
  const sent = new Map<string, ReadonlyArray<string>>()
  let bytes = 0
  for (const [key, value] of pairsOf(given)) {
    const name = String(key).toLowerCase()
    const values = [value].flat().filter((each) => each !== undefined && each !== null).map(String)
    for (const each of values) bytes += byteLength(name) + byteLength(each)
    if (bytes > maxBytes) throw new RangeError(`The headers of a response take over ${maxBytes} bytes`)
    if (values.length === 0) continue
    const before = isIterable(given) || name === "set-cookie" ? sent.get(name) ?? [] : []
    sent.set(name, [...before, ...values])
  }
  return sent
}

export const respond = (run: RunContext, answer: unknown, { maxHeaderBytes, maxResponseBytes }: Bindings): void => {
  const { status, headers, body } = (answer ?? {}) as Record<string, unknown>
  const sent = headersOf(headers, maxHeaderBytes)
  for (const name of sent.keys()) {
    if (AnswerHeader.isAllowed(name)) continue
    run.say({ _tag: "Logged", level: "warn", message: `respond: the header ${name} is not sent: ${AnswerHeader.why}` })
  }
  const code = Number(status ?? 200)
  if (!Number.isInteger(code) || code < 100 || code > 599) {
    throw new RangeError(`${String(status)} is not an HTTP status`)
  }
  const say = (content: { readonly text: string } | { readonly base64: string }, bytes: number) => {
    if (bytes > maxResponseBytes) throw new RangeError(`The body of a response takes over ${maxResponseBytes} bytes`)
    const said = Object.fromEntries([...sent].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
    run.say({ _tag: "Responded", status: code, headers: said, ...content })
  }
  const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body
  if (bytes instanceof Uint8Array) return say({ base64: Buffer.from(bytes).toString("base64") }, bytes.length)
  if (body === undefined || body === null) return say({ text: "" }, 0)
  if (typeof body === "string") return say({ text: body }, byteLength(body))
  if (!sent.has("content-type")) sent.set("content-type", ["application/json"])
  const text = toText(body)
  say({ text }, byteLength(text))
}

export type This = Record<string, unknown>

/** All props of the source: of those that the code has added, what is data. */
export const definitions = (component: ComponentDefinition, { additionalProps }: Bindings) => [
  ...declared(component).map(([name, { definition }]) => [name, definition] as const),
  ...Object.entries(additionalProps).filter(([name]) => !Object.hasOwn(component.props ?? {}, name))
]

const valueOf = (labelled: unknown): unknown => (labelled as { readonly value?: unknown } | null)?.value

/**
 * A value that was chosen with its label, or several: with both if the prop asks for them (`withLabel`), else its
 * value.
 */
export const chosen = (value: unknown, withLabel: boolean): unknown => {
  if (typeof value !== "object" || value === null || !("__lv" in value)) return value
  const { __lv: labelled } = value
  if (withLabel) return labelled
  return Array.isArray(labelled) ? labelled.map(valueOf) : valueOf(labelled)
}

export const makeThis = (component: ComponentDefinition, run: RunContext, bindings: Bindings): This => {
  const self: This = {}
  bindMethods(self, component.methods)
  const defined = new Map(definitions(component, bindings))
  for (const [name, value] of Object.entries(bindings.props)) {
    self[name] = chosen(value, defined.get(name)?.["withLabel"] === true)
  }
  for (const [name, definition] of defined) {
    if (definition["type"] === appType) {
      const credentials = OwnMember.get(bindings.credentials, name) ?? {}
      self[name] = makeApp(definition, withToken(credentials as object, OwnMember.get(bindings.tokens, name)))
    }
    if (definition["type"] === "dir") self[name] = filesOf(run)
    if (definition["type"] === "http_request") self[name] = makeHttpRequest(OwnMember.get(bindings.props, name))
  }
  for (const [name, id] of Object.entries(bindings.stores)) self[name] = storeOf(run, id, bindings.maxStoreValueBytes)
  const database = new Database(run, bindings.store, bindings.maxDbBytes)
  for (const [name, binding] of Object.entries(bindings.interfaces)) {
    if (binding._tag === "Db") self[name] = database
    if (binding._tag === "Http") {
      self[name] = {
        endpoint: binding.endpoint,
        respond: async (answer: unknown) => respond(run, answer, bindings)
      }
    }
    if (binding._tag === "Email") self[name] = { address: binding.address }
    if (binding._tag === "Apphook") self[name] = { endpoint: binding.endpoint }
  }
  self["$emit"] = (event: unknown, metadata?: unknown): Promise<void> => {
    emit(run, event, (metadata ?? {}) as Record<string, unknown>)
    return Promise.resolve()
  }
  return self
}
