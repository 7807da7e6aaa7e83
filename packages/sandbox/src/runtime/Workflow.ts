/** A workflow's steps, what each sees as `this` and `$`, and what it answers (`decisions.md`, "Workflows"). */
import * as ExactJson from "@headwater/domain/ExactJson"
import * as ObjectPrefix from "@headwater/domain/ObjectPrefix"
import type { RunFile } from "@headwater/domain/RunFile"
import * as RunKey from "@headwater/domain/RunKey"
import { told } from "../ToldProps.ts"
import * as Blocks from "./Blocks.ts"
import { isBuiltIn, toStep } from "./BuiltInStep.ts"
import { keepFiles, restoreFiles } from "./Files.ts"
import { filesOf } from "./FileStore.ts"
import { type ComponentDefinition, Invalid } from "./Module.ts"
import { appType, bindMethods, isCallable } from "./Props.ts"
import { check as checkPython, isPython, openFiles, runPython } from "./Python.ts"
import type { PythonFiles } from "./PythonFiles.ts"
import type { RunContext } from "./RunContext.ts"
import { valueOf } from "./StepProps.ts"
import { type Bindings, chosen, definitions, emit, makeThis, respond, type This } from "./This.ts"

const { stringify } = JSON
const { entries, fromEntries, hasOwn } = Object
const { isArray } = Array

/** One of the steps to run: what the steps before it gave, and where the run stands. */
export interface StepCall {
  readonly _tag: "Step"
  readonly step: string
  readonly path?: string
  readonly n: number
  readonly steps: Record<string, unknown>
  readonly keys: { readonly url: string; readonly secret: string }
  readonly context: {
    readonly run: { readonly runs: number }
    readonly shadow?: { readonly reads: ReadonlyArray<string> }
  } & Record<string, unknown>
  /** The files that the run has. */
  readonly files: ReadonlyArray<RunFile>
  /** `steps` with its numbers as they are written. */
  readonly exactSteps: () => Record<string, unknown>
}

/** The step of a workflow that is a single function. */
const onlyStep = "run"

const invalid = (message: string, path: ReadonlyArray<string> = []) =>
  new Invalid({ reason: "definition", message, path })

const isStep = (value: unknown): value is Blocks.Step =>
  isPython(value) || (typeof value === "object" && value !== null && "run" in value && isCallable(value.run))

/** JavaScript lists names that are whole numbers first, whatever their place: steps can't be told in order by such. */
const isName = (name: string): boolean => !/^\d*$/.test(name) && !name.includes(".") && name !== "trigger"

const faultOf = (name: string, step: unknown): string => {
  const lang: unknown = typeof step === "object" && step !== null && "lang" in step ? step.lang : undefined
  if (lang === undefined) return `the step ${stringify(name)} has no function run`
  return lang === "python"
    ? `the step ${stringify(name)} has no text code`
    : `the step ${stringify(name)} has the lang ${stringify(lang) ?? String(lang)}, which can't run here: ` +
      "write it in JavaScript, with a function run, or in Python"
}

/** The step, unless it is switched off. */
const switchedOn = (step: unknown, path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  if (typeof step !== "object" || step === null || !("disabled" in step)) return [step]
  const { disabled, ...rest } = step
  if (typeof disabled !== "boolean") {
    throw invalid(`${path.join(".")}.disabled must be a boolean`, [...path, "disabled"])
  }
  return disabled ? [] : [rest]
}

const readSteps = (steps: unknown, path: ReadonlyArray<string>): Blocks.Nodes => {
  if (typeof steps !== "object" || steps === null) {
    throw invalid(
      path.length > 1
        ? `${path.join(".")} must be an object of steps`
        : "a workflow must have a function run or an object of steps",
      path.length > 1 ? path : []
    )
  }
  const all = entries(steps).flatMap(([name, step]) =>
    switchedOn(step, [...path, name]).map((each) => [name, each] as const)
  )
  return all.map(([name, step]) => {
    const place = [...path, name]
    if (!isName(name)) {
      throw invalid(
        `a step can't be named ${stringify(name)}: a name must not be a number, contain a dot or be trigger`,
        place
      )
    }
    if (Blocks.isBlock(step)) return Blocks.readBlock(name, step, place, readSteps)
    if (isBuiltIn(step)) return { name, step: toStep(step, place) }
    if (!isStep(step)) throw invalid(faultOf(name, step), place)
    return { name, step }
  })
}

const readAll = (workflow: ComponentDefinition): Blocks.Nodes => {
  const { run, steps } = workflow
  if (isCallable(run)) return [{ name: onlyStep, step: { run } as Blocks.Step }]
  if (isPython(workflow)) return [{ name: onlyStep, step: { lang: workflow.lang, code: workflow.code } }]
  const nodes = readSteps(steps, ["steps"])
  const names = Blocks.flatten(nodes).map(({ name }) => name)
  if (names.length === 0) throw invalid("a workflow must have at least one step that is not disabled", ["steps"])
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw invalid(`there are two steps named ${stringify(twice)}`, ["steps", twice])
  return nodes
}

type Steps = ReadonlyArray<readonly [string, Blocks.Step]>

const placeOf = (step: string, prop: string) => `${step}.${prop}`

/** A workflow's steps, and the workflow with their props among its own, under the names of both. */
interface Read {
  /** In the order in which they are written, each block before what is within. */
  readonly steps: Steps
  /** Undefined where there are no blocks. */
  readonly nodes: Blocks.Nodes | undefined
  readonly definition: ComponentDefinition
}

const known = new WeakMap<ComponentDefinition, Read>()

const read = (workflow: ComponentDefinition): Read => {
  const before = known.get(workflow)
  if (before !== undefined) return before
  const nodes = readAll(workflow)
  const steps: Steps = Blocks.flatten(nodes).map(({ name, step }) => [name, step] as const)
  const ofSteps = steps.flatMap(([step, { props = {} }]) =>
    entries(props).map(([name, prop]) => [placeOf(step, name), prop])
  )
  const hasBlocks = nodes.some(({ block }) => block !== undefined)
  const result = {
    steps,
    nodes: hasBlocks ? nodes : undefined,
    definition: { ...workflow, props: { ...workflow.props, ...fromEntries(ofSteps) } }
  }
  known.set(workflow, result)
  return result
}

export const describe = (workflow: ComponentDefinition) => {
  const { definition, steps } = read(workflow)
  for (const name of Object.keys(workflow.props ?? {})) {
    if (name.includes(".")) throw invalid(`the prop ${stringify(name)} has a dot in its name`, ["props", name])
  }
  const hasAdditionalProps = [workflow, ...steps.map(([, step]) => step)].some((each) =>
    isCallable(each["additionalProps"])
  )
  return {
    definition,
    hasAdditionalProps,
    steps: steps.map(([name, step]) =>
      isPython(step) ? { name, lang: step.lang, ...checkPython(name, step) } : { name }
    )
  }
}

/** A workflow or one of its steps, as far as its props go, with what stands before their names among all of the workflow. */
export interface Part {
  readonly prefix: string
  readonly component: ComponentDefinition
  readonly self: () => This
}

/** The workflow, and each of its steps. */
export const partsOf = (workflow: ComponentDefinition, run: RunContext, bindings: Bindings): ReadonlyArray<Part> => {
  const { definition, steps } = read(workflow)
  return [
    { prefix: "", component: workflow, self: () => makeThis(definition, run, bindings) },
    ...(isCallable(workflow.run) || isPython(workflow) ? [] : steps).map(([name, step]) => ({
      prefix: placeOf(name, ""),
      component: step,
      self: () => thisOf(definition, name, step, run, bindings)
    }))
  ]
}

/** The values of a step's props as they are in this run, with the expressions in them evaluated. */
const propsOf = (workflow: ComponentDefinition, bindings: Bindings, call: StepCall, context: object) => {
  const own = placeOf(call.step, "")
  const { props, templates = {} } = bindings
  const scope = { steps: call.steps, context }
  return fromEntries(
    definitions(workflow, bindings).flatMap(([name, definition]) => {
      if (!name.startsWith(own) || !hasOwn(props, name)) return []
      const prop = `the prop ${name.slice(own.length)} of the step ${call.step}`
      return [[name, valueOf(prop, definition, props[name], templates, scope)]]
    })
  )
}

/** Tells the values that a step's own props have, of those that are data and may be seen, under their own names. */
const tellProps = (
  workflow: ComponentDefinition,
  run: RunContext,
  bindings: Bindings,
  { step }: StepCall,
  values: Readonly<Record<string, unknown>>
): void => {
  const own = placeOf(step, "")
  const { interfaces, stores } = bindings
  const shown = definitions(workflow, bindings).flatMap(([name, { secret, type, withLabel }]) =>
    !hasOwn(values, name) || secret === true || type === appType || type === "dir" || hasOwn(stores, name) ||
      hasOwn(interfaces, name)
      ? []
      : [[name.slice(own.length), chosen(values[name], withLabel === true)] as const]
  )
  if (shown.length > 0) run.say({ _tag: "Configured", props: told(fromEntries(shown)) })
}

/** The `this` of a step: the workflow's own props, and over them those of the step. */
const thisOf = (
  workflow: ComponentDefinition,
  name: string,
  step: Blocks.Step,
  run: RunContext,
  bindings: Bindings
) => {
  const all = makeThis(workflow, run, bindings)
  const own = placeOf(name, "")
  const self: This = {}
  for (const [key, value] of entries(all)) if (!key.includes(".")) self[key] = value
  for (const [key, value] of entries(all)) if (key.startsWith(own)) self[key.slice(own.length)] = value
  bindMethods(self, step.methods)
  return self
}

const longestDelay = 366 * 24 * 3_600_000

const milliseconds = (value: unknown): number => {
  const ms = Number(value)
  if (!(ms >= 0 && ms <= longestDelay)) throw new RangeError(`a delay must be from 0 to ${longestDelay} milliseconds`)
  return Math.ceil(ms)
}

/** The most times that a step is run again unless it says otherwise. */
const reruns = 10

/** The time for which a run is suspended unless it says otherwise. */
const suspension = 24 * 3_600_000

const json = (value: unknown): unknown => value === undefined ? undefined : ExactJson.parse(stringify(value) ?? "null")

/** The stream of what is sent over HTTP, which the server sends when the step is done. */
const sends = "$sends"

/** The stream of lines that the server gathers into objects. */
const objects = "$s3"

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** The pairs that a parameter adds to a query, as axios names them: a list's name ends in brackets. */
const pairsOf = ([name, value]: readonly [string, unknown]): ReadonlyArray<readonly [string, string]> => {
  if (value === undefined || value === null) return []
  if (isArray(value)) return value.flatMap((each) => pairsOf([name.endsWith("[]") ? name : `${name}[]`, each]))
  if (value instanceof Date) return [[name, value.toISOString()]]
  return [[name, typeof value === "object" ? stringify(value) : String(value)]]
}

const urlOf = (url: unknown, params: unknown): string => {
  const whole = new URL(String(url))
  const pairs = params instanceof URLSearchParams ? [...params] : entries((params ?? {}) as object).flatMap(pairsOf)
  for (const [name, value] of pairs) whole.searchParams.append(name, value)
  return whole.href
}

/** The header that names a user and a password. */
const authorizationOf = (auth: unknown): string => {
  const { password = "", username = "" } = auth as Record<string, unknown>
  return `Basic ${Buffer.from(`${String(username)}:${String(password)}`).toString("base64")}`
}

const outgoing = (request: unknown): Record<string, unknown> => {
  const { auth, body, data = body, headers, method, params, url } = (request ?? {}) as Record<string, unknown>
  const wanted = String(method ?? (data === undefined ? "GET" : "POST")).toUpperCase()
  if (!methods.has(wanted)) throw new TypeError(`$.send.http does not support the method ${wanted}`)
  if (!/^https?:\/\/[^/]/i.test(String(url)) || !URL.canParse(String(url))) {
    throw new TypeError(`${String(url)} is not an http or https URL`)
  }
  const named = entries((headers ?? {}) as Record<string, unknown>)
    .flatMap(([name, value]) => value === undefined || value === null ? [] : [[name.toLowerCase(), String(value)]])
  return {
    method: wanted,
    url: urlOf(url, params),
    headers: {
      ...fromEntries(named),
      ...(auth === undefined || auth === null ? {} : { authorization: authorizationOf(auth) })
    },
    ...(data === undefined || data === null ? {} : { body: typeof data === "string" ? data : stringify(data) })
  }
}

const mail = (message: unknown): Record<string, unknown> => {
  const { html, subject, text } = (message ?? {}) as Record<string, unknown>
  const parts = entries({ text, html }).filter(([, part]) => part !== undefined && part !== null)
  if (subject === undefined && parts.length === 0) throw new TypeError("$.send.email needs a subject, a text or html")
  return {
    email: { subject: String(subject ?? ""), ...fromEntries(parts.map(([name, part]) => [name, String(part)])) }
  }
}

const line = (given: unknown): Record<string, unknown> => {
  const { bucket, payload, prefix = "" } = (given ?? {}) as Record<string, unknown>
  if (typeof bucket !== "string" || !/^[\w.-]{3,255}$/.test(bucket)) {
    throw new TypeError("$.send.s3 needs the name of a bucket")
  }
  if (payload === undefined) throw new TypeError("$.send.s3 needs a payload")
  const trimmed = String(prefix).replace(/^\/+|\/+$/g, "")
  if (!ObjectPrefix.is(trimmed)) throw new TypeError(`$.send.s3 can't take the prefix: ${ObjectPrefix.expected}`)
  return { s3: { bucket, prefix: trimmed, payload } }
}

/** A step's `$.context`. */
const contextOf = ({ context, steps }: StepCall, { wallMs }: Bindings) => {
  const trigger = steps["trigger"] as { readonly context?: object } | undefined
  return { ...trigger?.context, deadline: Date.now() + wallMs, JIT: false, ...context }
}

/** The URLs by which somebody has a run go on that waits after this step, or ends it. */
const urlsOf = ({ context, keys, n, path }: StepCall) => {
  const urlFor = (action: RunKey.RunAction) =>
    keys.url + RunKey.make(keys.secret, { run: String(context["id"]), path, n }, action)
  return { resume_url: urlFor("resume"), cancel_url: urlFor("cancel") }
}

const make$ = (run: RunContext, bindings: Bindings, call: StepCall, context: StepCall["context"]) => {
  const exports: Record<string, unknown> = {}
  const flow: Record<string, unknown> = {}
  const triggers: Array<{ readonly workflow: string; readonly event: unknown }> = []
  const send = (event: unknown, metadata: unknown) => {
    emit(run, event, typeof metadata === "object" && metadata !== null ? metadata as Record<string, unknown> : {})
    return Promise.resolve()
  }
  const $ = {
    context,
    export: (name: unknown, value: unknown) => {
      exports[String(name)] = json(value)
    },
    files: filesOf(run),
    respond: async (answer: unknown) => respond(run, answer, bindings),
    emit: send,
    send: {
      emit: (event: unknown, name?: unknown) => send(event, name === undefined ? {} : { name }),
      http: (request: unknown) => send(outgoing(request), { name: sends }),
      email: (message: unknown) => send(mail(message), { name: sends }),
      s3: (given: unknown) => send(line(given), { name: objects }),
      sse: (given: unknown) => {
        const { channel, payload } = (given ?? {}) as Record<string, unknown>
        return send(payload, channel === undefined ? {} : { name: String(channel) })
      }
    },
    flow: {
      exit: (reason?: unknown) => {
        flow["exit"] = reason === undefined ? "" : String(reason)
      },
      delay: (ms: unknown) => {
        flow["delay"] = milliseconds(ms)
        return urlsOf(call)
      },
      suspend: (ms: unknown = suspension) => {
        flow["suspend"] = milliseconds(ms)
        return urlsOf(call)
      },
      rerun: (ms: unknown, handed?: unknown, max: unknown = reruns) => {
        const delay = milliseconds(ms)
        if (context.run.runs <= Number(max)) flow["rerun"] = { delay, context: json(handed) ?? null }
        return urlsOf(call)
      },
      trigger: (workflow: unknown, event?: unknown) => {
        triggers.push({ workflow: String(workflow), event: json(event) ?? null })
        flow["triggers"] = triggers
        return Promise.resolve()
      }
    }
  }
  return { $, exports, flow }
}

const runOn = async (
  files: PythonFiles | undefined,
  workflow: ComponentDefinition,
  run: RunContext,
  bindings: Bindings,
  asked: StepCall
): Promise<unknown> => {
  const { definition, nodes, steps } = read(workflow)
  const step = steps.find(([name]) => name === asked.step)?.[1]
  if (step === undefined) throw invalid(`the workflow has no step ${stringify(asked.step)}`)
  const seen = (results: Record<string, unknown>): Record<string, unknown> =>
    nodes === undefined ? results : { trigger: results["trigger"], ...Blocks.seenFrom(nodes, results, asked.step) }
  const call = { ...asked, steps: seen(asked.steps) }
  await restoreFiles(run, asked.files, files)
  const context = contextOf(call, bindings)
  const own = propsOf(definition, bindings, call, context)
  tellProps(definition, run, bindings, call, own)
  const props = { ...bindings.props, ...own }
  const { $, exports, flow } = make$(run, bindings, call, context)
  const self = thisOf(definition, call.step, step, run, { ...bindings, props })
  const wheels = run.file?.wheels
  const value = isPython(step)
    ? await runPython(run, { name: call.step, step, self, stepsJson: stringify(seen(asked.exactSteps())), $, wheels })
    : await step.run.call(self, { steps: call.steps, $ })
  const result = { ...exports, $return_value: value }
  const after = { ...asked.steps, [asked.step]: result }
  const next = nodes === undefined
    ? steps.findIndex(([name]) => name === asked.step) + 1
    : Blocks.placeAfter(nodes, after, asked.step)
  const goesOn = flow["exit"] === undefined && (next < steps.length || flow["rerun"] !== undefined)
  if (goesOn) await keepFiles(run, asked.files, files)
  const fork = nodes === undefined ? undefined : Blocks.forkAt(nodes, after, asked.step)
  return { result, flow: nodes === undefined ? flow : { ...flow, next, ...(fork === undefined ? {} : { fork }) } }
}

/** Runs a step, and answers what the steps after it see and where the run goes from there. */
export const runStep = async (
  workflow: ComponentDefinition,
  run: RunContext,
  bindings: Bindings,
  call: StepCall
): Promise<unknown> => {
  const files = openFiles()
  try {
    return await runOn(files, workflow, run, bindings, call)
  } finally {
    files?.close()
  }
}
