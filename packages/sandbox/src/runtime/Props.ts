/** The props that a component declares (`components.md`, "Props"), and the apps among them. */
import * as OwnMember from "@headwater/domain/OwnMember"
import { type ComponentDefinition, Invalid } from "./Module.ts"

const { parse, stringify } = JSON
const { entries, fromEntries } = Object

export type PropDefinition = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is PropDefinition => typeof value === "object" && value !== null

/** One app may take a prop from another; one that takes it from itself would never end. */
const longestChain = 16

const invalid = (name: string, why: string): Invalid =>
  new Invalid({
    reason: "definition",
    message: `the prop ${JSON.stringify(name)} ${why}`,
    path: ["props", name, "propDefinition"]
  })

/** A prop with what it takes from an app. */
interface Resolved {
  readonly definition: PropDefinition
  /** The app that its `options` are of, where they are not the component's own. */
  readonly app?: PropDefinition
  /** The component's own argument for the app's `options`, beside the usual one. */
  readonly argument?: unknown
}

const resolve = (name: string, declared: unknown, chain = 0): Resolved => {
  if (typeof declared === "string") return { definition: { type: declared } }
  if (!isObject(declared)) return { definition: {} }
  const { propDefinition, ...own } = declared
  if (propDefinition === undefined) return { definition: own }
  const [app, taken, argument] = Array.isArray(propDefinition) ? propDefinition : []
  if (!isObject(app) || typeof taken !== "string") {
    throw invalid(name, "has a propDefinition that is not [app, name]")
  }
  const base = isObject(app["propDefinitions"]) ? OwnMember.get(app["propDefinitions"], taken) : undefined
  if (base === undefined || chain >= longestChain) {
    throw invalid(name, `uses the propDefinition ${JSON.stringify(taken)}, which its app does not have`)
  }
  const inherited = resolve(name, base, chain + 1)
  const definition = { ...inherited.definition, ...own }
  return own["options"] !== undefined ? { definition } : { app, argument, ...inherited, definition }
}

type Declared = ReadonlyArray<readonly [string, Resolved]>

export const resolveAll = (props: unknown): Declared =>
  isObject(props) ? entries(props).map(([name, definition]) => [name, resolve(name, definition)]) : []

/** The props with what they take from apps; their own keys win. */
export const declared = (component: ComponentDefinition): Declared => resolveAll(component.props)

/** The members of an app that are for its code alone. */
const codeOfApp = new Set(["methods", "propDefinitions"])

export const appType = "app"

/** A prop as JSON; a function among its options becomes `remoteOptions`. */
export const describe = (name: string, definition: PropDefinition): Record<string, unknown> => {
  const isApp = definition["type"] === appType
  const told = entries(definition).filter(([key]) => !isApp || !codeOfApp.has(key))
  return {
    ...parse(stringify(fromEntries(told))),
    name,
    type: typeof definition["type"] === "string" ? definition["type"] : "any",
    ...(typeof definition["options"] === "function" ? { remoteOptions: true } : {})
  }
}

type Callable = (this: unknown, ...values: Array<unknown>) => unknown

export const isCallable = (value: unknown): value is Callable => typeof value === "function"

/** Methods as members of the object that they are bound to, since components take them off it. */
export const bindMethods = (self: Record<string, unknown>, methods: unknown): void => {
  if (!isObject(methods)) return
  for (const [name, method] of entries(methods)) {
    self[name] = isCallable(method) ? method.bind(self) : method
  }
}

/** An app as components see it: its methods, and the credentials that the user has given it. */
export const makeApp = (definition: PropDefinition, credentials: unknown): Record<string, unknown> => {
  const app: Record<string, unknown> = {}
  bindMethods(app, definition["methods"])
  app["$auth"] = credentials
  return app
}
