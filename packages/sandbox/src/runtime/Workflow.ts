/** A workflow's steps, what each sees as `this` and `$`, and what it answers (`decisions.md`, "Workflows"). */
import type { RunFile } from "@headwater/domain/RunFile"
import * as RunKey from "@headwater/domain/RunKey"
import { keepFiles, restoreFiles } from "./Files.ts"
import { filesOf } from "./FileStore.ts"
import { type ComponentDefinition, Invalid } from "./Module.ts"
import { bindMethods, isCallable } from "./Props.ts"
import type { RunContext } from "./RunContext.ts"
import { valueOf } from "./StepProps.ts"
import { type Bindings, definitions, emit, makeThis, respond, type This } from "./This.ts"

const { parse, stringify } = JSON
const { entries, fromEntries, hasOwn } = Object

/** One of the steps to run: what the steps before it gave, and where the run stands. */
export interface StepCall {
  readonly _tag: "Step"
  readonly step: string
  readonly n: number
  readonly steps: Record<string, unknown>
  readonly keys: { readonly url: string; readonly secret: string }
  readonly context: { readonly run: { readonly runs: number } } & Record<string, unknown>
  /** The files that the run has. */
  readonly files: ReadonlyArray<RunFile>
  /** True if no step comes after it. */
  readonly isLast: boolean
}

interface Step extends ComponentDefinition {
  readonly run: (this: unknown, given: { readonly steps: unknown; readonly $: unknown }) => unknown
}

/** The step of a workflow that is a single function. */
const onlyStep = "run"

const invalid = (message: string, path: ReadonlyArray<string> = []) =>
  new Invalid({ reason: "definition", message, path })

const isStep = (value: unknown): value is Step =>
  typeof value === "object" && value !== null && "run" in value && isCallable(value.run)

/** JavaScript lists names that are whole numbers first, whatever their place: steps can't be told in order by such. */
const isName = (name: string): boolean => !/^\d*$/.test(name) && !name.includes(".") && name !== "trigger"

type Steps = ReadonlyArray<readonly [string, Step]>

const readSteps = (workflow: ComponentDefinition): Steps => {
  const { run, steps } = workflow
  if (isCallable(run)) return [[onlyStep, { run }]]
  if (typeof steps !== "object" || steps === null) {
    throw invalid("a workflow must have a function run or an object of steps")
  }
  const all = entries(steps).map(([name, step]) => {
    if (!isName(name)) {
      throw invalid(
        `a step can't be named ${stringify(name)}: a name must not be a number, contain a dot or be trigger`,
        ["steps", name]
      )
    }
    if (!isStep(step)) throw invalid(`the step ${stringify(name)} has no function run`, ["steps", name])
    return [name, step] as const
  })
  if (all.length === 0) throw invalid("a workflow must have at least one step", ["steps"])
  return all
}

const placeOf = (step: string, prop: string) => `${step}.${prop}`

/** A workflow's steps, and the workflow with their props among its own, under the names of both. */
interface Read {
  readonly steps: Steps
  readonly definition: ComponentDefinition
}

const known = new WeakMap<ComponentDefinition, Read>()

const read = (workflow: ComponentDefinition): Read => {
  const before = known.get(workflow)
  if (before !== undefined) return before
  const steps = readSteps(workflow)
  const ofSteps = steps.flatMap(([step, { props = {} }]) =>
    entries(props).map(([name, prop]) => [placeOf(step, name), prop])
  )
  const result = { steps, definition: { ...workflow, props: { ...workflow.props, ...fromEntries(ofSteps) } } }
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
  return { definition, hasAdditionalProps, steps: steps.map(([name]) => name) }
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
    ...(isCallable(workflow.run) ? [] : steps).map(([name, step]) => ({
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

/** The `this` of a step: the workflow's own props, and over them those of the step. */
const thisOf = (workflow: ComponentDefinition, name: string, step: Step, run: RunContext, bindings: Bindings) => {
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

const json = (value: unknown): unknown => value === undefined ? undefined : parse(stringify(value) ?? "null")

/** The stream of what is sent over HTTP, which the server sends when the step is done. */
const sends = "$sends"

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const outgoing = (request: unknown): Record<string, unknown> => {
  const { body, data = body, headers, method, url } = (request ?? {}) as Record<string, unknown>
  const wanted = String(method ?? (data === undefined ? "GET" : "POST")).toUpperCase()
  if (!methods.has(wanted)) throw new TypeError(`$.send.http does not support the method ${wanted}`)
  if (!/^https?:\/\/[^/]/i.test(String(url)) || !URL.canParse(String(url))) {
    throw new TypeError(`${String(url)} is not an http or https URL`)
  }
  const named = entries((headers ?? {}) as Record<string, unknown>)
    .flatMap(([name, value]) => value === undefined || value === null ? [] : [[name.toLowerCase(), String(value)]])
  return {
    method: wanted,
    url: new URL(String(url)).href,
    headers: fromEntries(named),
    ...(data === undefined || data === null ? {} : { body: typeof data === "string" ? data : stringify(data) })
  }
}

/** A step's `$.context`. */
const contextOf = ({ context, steps }: StepCall, { wallMs }: Bindings) => {
  const trigger = steps["trigger"] as { readonly context?: object } | undefined
  return { ...trigger?.context, deadline: Date.now() + wallMs, JIT: false, ...context }
}

/** The URLs by which somebody has a run go on that waits after this step, or ends it. */
const urlsOf = ({ context, keys, n }: StepCall) => {
  const urlFor = (action: RunKey.RunAction) =>
    keys.url + RunKey.make(keys.secret, { run: String(context["id"]), n }, action)
  return { resume_url: urlFor("resume"), cancel_url: urlFor("cancel") }
}

const make$ = (run: RunContext, bindings: Bindings, call: StepCall, context: StepCall["context"]) => {
  const exports: Record<string, unknown> = {}
  const flow: Record<string, unknown> = {}
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
      http: (request: unknown) => send(outgoing(request), { name: sends })
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
      }
    }
  }
  return { $, exports, flow }
}

/** Runs a step, and answers what the steps after it see and where the run goes from there. */
export const runStep = async (
  workflow: ComponentDefinition,
  run: RunContext,
  bindings: Bindings,
  call: StepCall
): Promise<unknown> => {
  const { definition, steps } = read(workflow)
  const step = steps.find(([name]) => name === call.step)?.[1]
  if (step === undefined) throw invalid(`the workflow has no step ${stringify(call.step)}`)
  await restoreFiles(run, call.files)
  const context = contextOf(call, bindings)
  const props = { ...bindings.props, ...propsOf(definition, bindings, call, context) }
  const { $, exports, flow } = make$(run, bindings, call, context)
  const self = thisOf(definition, call.step, step, run, { ...bindings, props })
  const value = await step.run.call(self, { steps: call.steps, $ })
  const goesOn = flow["exit"] === undefined && (!call.isLast || flow["rerun"] !== undefined)
  if (goesOn) await keepFiles(run, call.files)
  return { result: { ...exports, $return_value: value }, flow }
}
