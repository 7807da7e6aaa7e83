/** What a component sees as `this`, and what others are told about it (`components.md`, "Module", "Props", "Running"). */
import { eventOf, isOfApphook } from "./Apphook.ts"
import { makeHttpRequest } from "./HttpRequest.ts"
import { type ComponentDefinition, Invalid } from "./Module.ts"
import { appType, bindMethods, declared, describe as describeProp, isCallable, makeApp, resolveAll } from "./Props.ts"
import type { RunContext } from "./RunContext.ts"

export interface Bindings {
  readonly additionalProps: Record<string, Readonly<Record<string, unknown>>>
  readonly props: Record<string, unknown>
  readonly credentials: Record<string, unknown>
  readonly interfaces: Record<string, { readonly _tag: string; readonly endpoint?: string }>
  readonly db: Record<string, string>
  readonly maxDbBytes: number
  readonly maxResponseBytes: number
  readonly maxHeaderBytes: number
}

export type Call =
  | { readonly _tag: "Run"; readonly event: unknown; readonly isRequest?: boolean }
  | { readonly _tag: "Hook"; readonly hook: string }
  | { readonly _tag: "Options"; readonly prop: string; readonly request: Record<string, unknown> }
  | { readonly _tag: "AdditionalProps" }

const { parse, stringify } = JSON
const encoder = new TextEncoder()
const byteLength = (text: string): number => encoder.encode(text).length

const toText = (value: unknown): string => stringify(value) ?? "null"

/** The service behind `$.service.db`: JSON values in memory, each write told to the host before `set` returns. */
class Database {
  readonly #run: RunContext
  readonly #values: Map<string, string>
  readonly #maxBytes: number
  #bytes = 0

  constructor(run: RunContext, snapshot: Record<string, string>, maxBytes: number) {
    this.#run = run
    this.#maxBytes = maxBytes
    this.#values = new Map(Object.entries(snapshot))
    for (const [key, value] of this.#values) this.#bytes += byteLength(key) + byteLength(value)
  }

  get(key: string): unknown {
    const value = this.#values.get(String(key))
    return value === undefined ? undefined : parse(value)
  }

  set(key: string, value: unknown): void {
    const name = String(key)
    const text = value === undefined ? null : toText(value)
    const old = this.#values.get(name)
    const bytes = this.#bytes -
      (old === undefined ? 0 : byteLength(name) + byteLength(old)) +
      (text === null ? 0 : byteLength(name) + byteLength(text))
    if (text !== null && bytes > this.#maxBytes) {
      throw new RangeError(`$.service.db holds at most ${this.#maxBytes} bytes per source; this would make it ${bytes}`)
    }
    this.#bytes = bytes
    if (text === null) this.#values.delete(name)
    else this.#values.set(name, text)
    this.#run.say({ _tag: "Stored", key: name, value: text })
  }
}

const optional = (key: string, value: unknown, convert: (value: unknown) => unknown) =>
  value === undefined || value === null ? {} : { [key]: convert(value) }

const asId = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : String(value))

const asTime = (value: unknown) => (value instanceof Date ? value.getTime() : asId(value))

const asMillis = (value: unknown): number | undefined => {
  if (value === undefined || value === null) return undefined
  const millis = Number(asTime(value))
  if (!Number.isFinite(millis)) throw new TypeError("delivery_ts must be a time in Unix milliseconds")
  return millis
}

const emit = (run: RunContext, event: unknown, metadata: Record<string, unknown>): void => {
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

const respond = (run: RunContext, answer: unknown, { maxHeaderBytes, maxResponseBytes }: Bindings): void => {
  const { status, headers, body } = (answer ?? {}) as Record<string, unknown>
  const sent: Record<string, string> = {}
  let headerBytes = 0
  for (const [name, value] of Object.entries((headers ?? {}) as Record<string, unknown>)) {
    if (value === undefined || value === null) continue
    const text = String(value)
    headerBytes += byteLength(name) + byteLength(text)
    if (headerBytes > maxHeaderBytes) {
      throw new RangeError(`The headers of a response take over ${maxHeaderBytes} bytes`)
    }
    sent[name.toLowerCase()] = text
  }
  const code = Number(status ?? 200)
  if (!Number.isInteger(code) || code < 100 || code > 599) {
    throw new RangeError(`${String(status)} is not an HTTP status`)
  }
  const say = (content: { readonly text: string } | { readonly base64: string }, bytes: number) => {
    if (bytes > maxResponseBytes) throw new RangeError(`The body of a response takes over ${maxResponseBytes} bytes`)
    run.say({ _tag: "Responded", status: code, headers: sent, ...content })
  }
  const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body
  if (bytes instanceof Uint8Array) return say({ base64: Buffer.from(bytes).toString("base64") }, bytes.length)
  if (body === undefined || body === null) return say({ text: "" }, 0)
  if (typeof body === "string") return say({ text: body }, byteLength(body))
  sent["content-type"] ??= "application/json"
  const text = toText(body)
  say({ text }, byteLength(text))
}

type This = Record<string, unknown>

/** All props of the source: of those that the code has added, what is data. */
const definitions = (component: ComponentDefinition, { additionalProps }: Bindings) => [
  ...declared(component).map(([name, { definition }]) => [name, definition] as const),
  ...Object.entries(additionalProps).filter(([name]) => !Object.hasOwn(component.props ?? {}, name))
]

const makeThis = (component: ComponentDefinition, run: RunContext, bindings: Bindings): This => {
  const self: This = {}
  bindMethods(self, component.methods)
  Object.assign(self, bindings.props)
  for (const [name, definition] of definitions(component, bindings)) {
    if (definition["type"] === appType) self[name] = makeApp(definition, bindings.credentials[name] ?? {})
    if (definition["type"] === "http_request") self[name] = makeHttpRequest(bindings.props[name])
  }
  const database = new Database(run, bindings.db, bindings.maxDbBytes)
  for (const [name, binding] of Object.entries(bindings.interfaces)) {
    if (binding._tag === "Db") self[name] = database
    if (binding._tag === "Http") {
      self[name] = {
        endpoint: binding.endpoint,
        respond: async (answer: unknown) => respond(run, answer, bindings)
      }
    }
    if (binding._tag === "Apphook") self[name] = { endpoint: binding.endpoint }
  }
  self["$emit"] = (event: unknown, metadata?: unknown): Promise<void> => {
    emit(run, event, (metadata ?? {}) as Record<string, unknown>)
    return Promise.resolve()
  }
  return self
}

/**
 * The props that the code adds to those it declares, which may depend on the values of those, and declared ones that it
 * changes in what it is given.
 */
const additionalProps = async (component: ComponentDefinition, self: This): Promise<Record<string, unknown>> => {
  const add = component["additionalProps"]
  if (!isCallable(add)) return {}
  const own = declared(component).map(describeEach)
  const given = structuredClone(Object.fromEntries(own))
  const added = await add.call(self, given)
  const changed = own.filter(([name, before]) => name in given && stringify(given[name]) !== stringify(before))
  return {
    ...Object.fromEntries(changed.map(([name]) => [name, given[name]])),
    ...(typeof added === "object" ? added : {})
  }
}

const describeEach = ([name, { definition }]: ReturnType<typeof declared>[number]) =>
  [name, describeProp(name, definition)] as const

const findProp = async (component: ComponentDefinition, self: This, name: string) => {
  const [, own] = declared(component).find(([each]) => each === name) ?? []
  if (own !== undefined) return own
  const [, added] = resolveAll(await additionalProps(component, self)).find(([each]) => each === name) ?? []
  if (added === undefined) throw new Error(`the component has no prop ${JSON.stringify(name)}`)
  return added
}

/** The app's methods with the credentials that the component has for it, which `options` of the app are called on. */
const appIn = (component: ComponentDefinition, self: This, app: Readonly<Record<string, unknown>>): unknown => {
  const [name] = Object.entries(component.props ?? {}).find(([, definition]) => definition === app) ??
    declared(component).find(([, { definition }]) =>
      definition["type"] === appType && definition["app"] !== undefined && definition["app"] === app["app"]
    ) ?? []
  return name === undefined ? makeApp(app, {}) : self[name]
}

const options = async (component: ComponentDefinition, self: This, name: string, request: Record<string, unknown>) => {
  const { app, argument, definition } = await findProp(component, self, name)
  const { options: given } = definition
  if (!isCallable(given)) return { options: Array.isArray(given) ? given : [] }
  const more = isCallable(argument) ? await argument.call(self, self) : argument
  const answer = await given.call(app === undefined ? self : appIn(component, self, app), {
    ...request,
    ...(typeof more === "object" ? more : {})
  })
  const { context, options } = Array.isArray(answer)
    ? { context: undefined, options: answer }
    : (answer ?? {}) as This
  return { options: options ?? [], ...(context === undefined ? {} : { context }) }
}

const runEvent = async (component: ComponentDefinition, run: RunContext, self: This, event: unknown) => {
  if (isCallable(component.run)) await component.run.call(self, event)
  else emit(run, event, {})
}

/** Does what is asked of the component; one without `run` emits what its interface received. */
export const call = async (
  component: ComponentDefinition,
  run: RunContext,
  bindings: Bindings,
  what: Call
): Promise<void> => {
  const self = makeThis(component, run, bindings)
  const answer = (value: unknown) => run.say({ _tag: "Answered", json: toText(value) })
  switch (what._tag) {
    case "Hook": {
      const hook = component.hooks?.[what.hook]
      if (isCallable(hook)) await hook.call(self)
      return
    }
    case "AdditionalProps":
      return answer(resolveAll(await additionalProps(component, self)).map((each) => describeEach(each)[1]))
    case "Options":
      return answer(await options(component, self, what.prop, what.request))
    case "Run": {
      const apphook = what.isRequest === true ? apphookOf(component, bindings) : undefined
      if (apphook === undefined) return runEvent(component, run, self, what.event)
      const event = eventOf(what.event)
      if (await isOfApphook(apphook, self, event)) await runEvent(component, run, self, event)
    }
  }
}

/** The apphook that requests are for, unless they are for an HTTP interface. */
const apphookOf = (component: ComponentDefinition, bindings: Bindings) => {
  const ofType = (type: string) =>
    definitions(component, bindings).find(([, definition]) => definition["type"] === type)?.[1]
  return ofType("$.interface.http") === undefined ? ofType("$.interface.apphook") : undefined
}

const scalar = (value: unknown): unknown =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined

export const describe = (component: ComponentDefinition): Record<string, unknown> => {
  const described: Record<string, unknown> = {}
  for (const key of ["name", "key", "version", "type", "description", "dedupe"]) {
    const value = scalar(component[key])
    if (value !== undefined) described[key] = String(value)
  }
  const { dedupe } = described
  if (dedupe !== undefined && dedupe !== "unique" && dedupe !== "greatest" && dedupe !== "last") {
    throw new Invalid({ reason: "definition", message: `dedupe must be unique, greatest or last, not "${dedupe}"` })
  }
  return {
    ...described,
    hasRun: isCallable(component.run),
    hooks: ["deploy", "activate", "deactivate"].filter((hook) => isCallable(component.hooks?.[hook])),
    hasAdditionalProps: isCallable(component["additionalProps"]),
    props: declared(component).map((each) => describeEach(each)[1])
  }
}
