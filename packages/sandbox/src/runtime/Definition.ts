/** The faults of a definition that says that it is written to the types of `@headwater/component`. */
import { isBlock } from "./Blocks.ts"
import { isBuiltIn } from "./BuiltInStep.ts"
import { type ComponentDefinition, Invalid } from "./Module.ts"
import { appType, isCallable, resolveAll } from "./Props.ts"

const { entries, getPrototypeOf, hasOwn, keys } = Object
const { stringify } = JSON
const { isArray } = Array
const { isInteger } = Number

/** The path to something of a definition: keys of objects and places in lists, from its top. */
export type DefinitionPath = ReadonlyArray<string | number>

/** The key under which `defineSource` and its like mark a definition with its kind. */
const defined = Symbol.for("@headwater/component")

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null && !isArray(value)

const isPlain = (value: unknown): boolean =>
  isMembers(value) && [Object.prototype, null].includes(getPrototypeOf(value))

const fail = (path: DefinitionPath, message: string): never => {
  throw new Invalid({ reason: "definition", message, path })
}

const named = (path: DefinitionPath): string => path.join(".")

/** The form that a value must have, in words, and the test for it. */
type Form = readonly [expected: string, is: (value: unknown) => boolean]

const text: Form = ["a text", (value) => typeof value === "string"]
const flag: Form = ["true or false", (value) => typeof value === "boolean"]
const number: Form = ["a number", (value) => typeof value === "number"]
const integer: Form = ["an integer", isInteger]
const func: Form = ["a function", isCallable]
const object: Form = ["an object", isMembers]
const json: Form = ["an object", isPlain]

const listOf = ([expected, is]: Form): Form => [
  `a list, each ${expected}`,
  (value) => isArray(value) && value.every((each) => is(each))
]

const anyOf = (...values: ReadonlyArray<string>): Form => [
  values.map((value) => stringify(value)).join(" or "),
  (value) => values.includes(value as string)
]

const timer: Form = ["{intervalSeconds} or {cron, timezone}", (value) => {
  if (!isMembers(value)) return false
  const { cron, intervalSeconds, timezone } = value
  const isInterval = typeof intervalSeconds === "number" && cron === undefined && timezone === undefined
  const isCron = typeof cron === "string" && intervalSeconds === undefined &&
    (timezone === undefined || typeof timezone === "string")
  return (isInterval || isCron) && keys(value).every((key) => ["cron", "intervalSeconds", "timezone"].includes(key))
}]

const httpSettings: Form = [
  "{event, response, token}",
  (value) => isMembers(value) && keys(value).every((key) => ["event", "response", "token"].includes(key))
]

const check = (path: DefinitionPath, value: unknown, [expected, is]: Form): void => {
  if (value !== undefined && !is(value)) fail(path, `${named(path)} must be ${expected}`)
}

const checkMembers = (path: DefinitionPath, value: Members, forms: Readonly<Record<string, Form>>): void => {
  for (const key of keys(value)) {
    const form = hasOwn(forms, key) ? forms[key] : undefined
    if (form !== undefined) check([...path, key], value[key], form)
  }
}

const checkKeys = (path: DefinitionPath, value: Members, known: ReadonlyArray<string>): void => {
  const unknown = keys(value).find((key) => !known.includes(key))
  if (unknown === undefined) return
  const whole = path.length === 0 ? "a definition" : named(path)
  fail([...path, unknown], `${whole} has no member ${stringify(unknown)}: it can have ${known.join(", ")}`)
}

const told: Readonly<Record<string, Form>> = {
  label: text,
  description: text,
  optional: flag,
  secret: flag,
  reloadProps: flag,
  useQuery: flag,
  withLabel: flag,
  hidden: flag,
  disabled: flag,
  readOnly: flag
}

const bounds: Readonly<Record<string, Form>> = { min: number, max: number }

const valued = (value: Form): Readonly<Record<string, Form>> => ({ default: value, static: value })

/** The fields of definitions of each type, beside those of all. */
const types: Readonly<Record<string, Readonly<Record<string, Form>>>> = {
  "string": valued(text),
  "string[]": valued(listOf(text)),
  "integer": { ...valued(integer), ...bounds },
  "integer[]": { ...valued(listOf(integer)), ...bounds },
  "boolean": valued(flag),
  "boolean[]": valued(listOf(flag)),
  "object": valued(json),
  "any": {},
  "sql": {},
  "data_store": {},
  "dir": {},
  "http_request": {},
  "alert": { alertType: text, content: text },
  "app": { app: text, methods: object },
  "$.interface.http": { customResponse: flag, ...valued(httpSettings) },
  "$.interface.timer": valued(timer),
  "$.interface.apphook": { appProp: text },
  "$.interface.email": {},
  "$.service.db": {}
}

/** The form of each of the values to choose from. */
const chosen: Readonly<Record<string, Form>> = {
  "string": text,
  "string[]": text,
  "integer": integer,
  "integer[]": integer,
  "boolean": flag,
  "boolean[]": flag
}

const isType = (type: unknown): type is string => typeof type === "string" && hasOwn(types, type)

const noType = (path: DefinitionPath, type: unknown): never =>
  fail(
    path,
    `${named(path)} can't be ${stringify(type) ?? String(type)}: the types of props are ${keys(types).join(", ")}`
  )

const valueOf = (option: unknown): unknown => isMembers(option) && "value" in option ? option["value"] : option

const checkOptions = (path: DefinitionPath, type: string, options: unknown): void => {
  if (options === undefined || isCallable(options)) return
  const form = hasOwn(chosen, type) ? chosen[type] : undefined
  if (!isArray(options)) return fail(path, `${named(path)} must be a list or a function`)
  if (form === undefined) return
  for (const [index, option] of options.entries()) {
    if (!form[1](valueOf(option))) {
      fail([...path, index], `${named([...path, index])} must be ${form[0]} or {label, value}`)
    }
  }
}

/** Values that the definition gives itself have to be among those to choose from. */
const checkChoice = (path: DefinitionPath, value: unknown, type: string, options: unknown): void => {
  if (value === undefined || !isArray(options) || options.length === 0 || !hasOwn(chosen, type)) return
  const values = options.map(valueOf)
  const given: ReadonlyArray<unknown> = isArray(value) ? value : [value]
  const wrong = given.findIndex((each) => !values.includes(each))
  if (wrong === -1) return
  const place = isArray(value) ? [...path, wrong] : path
  fail(place, `${named(place)} must be one of ${values.map((each) => stringify(each)).join(", ")}`)
}

const checkPropDefinition = (path: DefinitionPath, given: unknown): void => {
  if (given === undefined) return
  const [app, name] = isArray(given) ? given : []
  if (!isMembers(app) || typeof name !== "string") return fail(path, `${named(path)} must be [app, name]`)
  const definitions = isMembers(app["propDefinitions"]) ? app["propDefinitions"] : {}
  if (hasOwn(definitions, name)) return
  const known = keys(definitions).map((each) => stringify(each)).join(", ")
  fail([...path, 1], `the app has no propDefinition ${stringify(name)}: it has ${known === "" ? "none" : known}`)
}

const checkProp = (path: DefinitionPath, given: unknown, definition: Members): void => {
  if (typeof given === "string") return isType(given) ? undefined : noType(path, given)
  if (!isMembers(given)) return fail(path, `${named(path)} must be a type or an object with a type`)
  checkPropDefinition([...path, "propDefinition"], given["propDefinition"])
  const { options, type } = definition
  if (given["type"] === undefined && given["propDefinition"] === undefined) {
    return fail(path, `${named(path)} has neither a type nor a propDefinition`)
  }
  // A fault of the app is told as the app's.
  if (!isType(type)) return given["type"] === undefined ? undefined : noType([...path, "type"], given["type"])
  checkMembers(path, given, { ...told, ...types[type] })
  checkOptions([...path, "options"], type, given["options"])
  for (const key of ["default", "static"]) checkChoice([...path, key], given[key], type, options)
  if (type === appType && given[defined as unknown as string] !== undefined) {
    checkProps([...path, "propDefinitions"], given["propDefinitions"])
  }
}

const checkProps = (path: DefinitionPath, props: unknown): void => {
  if (props === undefined) return
  if (!isMembers(props)) return fail(path, `${named(path)} must be an object`)
  for (const [name, given] of entries(props)) {
    if (isMembers(given)) checkPropDefinition([...path, name, "propDefinition"], given["propDefinition"])
    const [, resolved] = resolveAll({ [name]: given })[0]!
    checkProp([...path, name], given, resolved.definition)
  }
}

const labels: Readonly<Record<string, Form>> = { name: text, key: text, version: text, type: text, description: text }

const ofBoth = [...keys(labels), "props", "methods", "batch", "run"]

const hooks = ["deploy", "activate", "deactivate"]

const checkSource = (definition: Members): void => {
  checkKeys([], definition, [...ofBoth, "hooks", "dedupe", "additionalProps", "sampleEmit"])
  checkMembers([], definition, {
    ...labels,
    methods: object,
    hooks: object,
    dedupe: anyOf("unique", "greatest", "last"),
    additionalProps: func,
    run: func
  })
  const { hooks: given } = definition
  if (!isMembers(given)) return
  checkKeys(["hooks"], given, hooks)
  checkMembers(["hooks"], given, { deploy: func, activate: func, deactivate: func })
}

const checkWorkflow = (definition: Members): void => {
  checkKeys([], definition, [...ofBoth, "additionalProps", "steps"])
  checkMembers([], definition, { ...labels, methods: object, steps: object, run: func, additionalProps: func })
  const { steps } = definition
  for (const [name, step] of isMembers(steps) ? entries(steps) : []) {
    const path = ["steps", name]
    if (!isMembers(step)) return fail(path, `${named(path)} must be an object with run`)
    checkMembers(path, step, { disabled: flag })
    if (step["disabled"] === true) continue
    if (step["lang"] === "python") {
      checkKeys(path, step, ["lang", "code", "props", "disabled"])
      checkMembers(path, step, { code: text })
      checkProps([...path, "props"], step["props"])
      continue
    }
    // Its faults are told where it is made a step of code.
    if (isBuiltIn(step) || isBlock(step)) continue
    if (!isCallable(step["run"])) {
      return fail("run" in step ? [...path, "run"] : path, `${named(path)} has no function run`)
    }
    // An action is a component of its own, which may know nothing of these types.
    if (step["type"] === "action") continue
    checkKeys(path, step, ["props", "methods", "additionalProps", "disabled", "run"])
    checkMembers(path, step, { methods: object, additionalProps: func })
    checkProps([...path, "props"], step["props"])
  }
}

/**
 * Refuses what the compiler refuses, with the place of what is wrong. Only of what was given to a function of
 * `@headwater/component`: components that know nothing of it may say more, and say it otherwise.
 */
export const checkDefined = (definition: ComponentDefinition, kind: "source" | "workflow"): void => {
  const as = definition[defined as unknown as string]
  if (as === undefined) return
  if (as === "source" || as === "workflow") {
    if (as !== kind) fail([], `The code defines a ${as}, not a ${kind}: ${sendAs[as]}`)
    if (kind === "source") checkSource(definition)
    checkProps(["props"], definition.props)
    if (kind === "workflow") checkWorkflow(definition)
  } else fail([], "The code defines an app, which sources and workflows import: it can't be one of them")
}

const sendAs = {
  source: "send it as component_code to POST /sources, or deploy it without --workflow",
  workflow: "send it as workflow_code to POST /workflows, or deploy it with --workflow"
}
