/** A workflow's steps, what each sees as `this` and `$`, and what it answers (`decisions.md`, "Workflows"). */
import { type ComponentDefinition, Invalid } from "./Module.ts"
import { bindMethods, isCallable } from "./Props.ts"
import type { RunContext } from "./RunContext.ts"
import { type Bindings, emit, makeThis, respond } from "./This.ts"

const { parse, stringify } = JSON
const { entries, fromEntries, hasOwn } = Object

/** One of the steps to run: what the steps before it gave, and where the run stands. */
export interface StepCall {
  readonly _tag: "Step"
  readonly step: string
  readonly steps: Record<string, unknown>
  readonly context: { readonly run: { readonly runs: number } } & Record<string, unknown>
}

interface Step {
  readonly props?: Record<string, unknown>
  readonly methods?: Record<string, unknown>
  readonly run: (this: unknown, given: { readonly steps: unknown; readonly $: unknown }) => unknown
}

/** The step of a workflow that is a single function. */
const onlyStep = "run"

const invalid = (message: string) => new Invalid({ reason: "definition", message })

const isStep = (value: unknown): value is Step =>
  typeof value === "object" && value !== null && "run" in value && isCallable(value.run)

/** JavaScript lists names that are whole numbers first, whatever their place: steps can't be told in order by such. */
const isName = (name: string): boolean => !/^\d*$/.test(name) && !name.includes(".") && name !== "trigger"

const stepsOf = (workflow: ComponentDefinition): ReadonlyArray<readonly [string, Step]> => {
  const { run, steps } = workflow
  if (isCallable(run)) return [[onlyStep, { run }]]
  if (typeof steps !== "object" || steps === null) throw invalid("a workflow has a function run, or an object of steps")
  const all = entries(steps).map(([name, step]) => {
    if (!isName(name)) {
      throw invalid(`a step can't be named ${stringify(name)}: a name is no number, has no dot and is not trigger`)
    }
    if (!isStep(step)) throw invalid(`the step ${stringify(name)} has no function run`)
    return [name, step] as const
  })
  if (all.length === 0) throw invalid("a workflow has one step at least")
  return all
}

const placeOf = (step: string, prop: string) => `${step}.${prop}`

/** The workflow with the props of its steps among its own, under the names of both. */
const withStepProps = (workflow: ComponentDefinition): ComponentDefinition => ({
  ...workflow,
  props: {
    ...workflow.props,
    ...fromEntries(
      stepsOf(workflow).flatMap(([step, { props = {} }]) =>
        entries(props).map(([name, prop]) => [placeOf(step, name), prop])
      )
    )
  }
})

export const describe = (workflow: ComponentDefinition) => {
  const steps = stepsOf(workflow)
  for (const name of Object.keys(workflow.props ?? {})) {
    if (name.includes(".")) throw invalid(`the prop ${stringify(name)} has a dot in its name`)
  }
  return { definition: withStepProps(workflow), steps: steps.map(([name]) => name) }
}

/** What a step's `this` has: the workflow's own props, and over them those of the step. */
const thisOf = (workflow: ComponentDefinition, name: string, step: Step, run: RunContext, bindings: Bindings) => {
  const all = makeThis(withStepProps(workflow), run, bindings)
  const own = placeOf(name, "")
  const self: Record<string, unknown> = {}
  for (const [key, value] of entries(all)) if (!key.includes(".")) self[key] = value
  for (const [key, value] of entries(all)) if (key.startsWith(own)) self[key.slice(own.length)] = value
  bindMethods(self, step.methods)
  return self
}

/** Thrown by `$.flow.exit`, which nothing of the step is to come after. */
class Exit extends Error {
  override readonly name = "Exit"
}

const longestDelay = 366 * 24 * 3_600_000

const milliseconds = (value: unknown): number => {
  const ms = Number(value)
  if (!(ms >= 0 && ms <= longestDelay)) throw new RangeError(`a delay is 0 to ${longestDelay} milliseconds`)
  return Math.ceil(ms)
}

/** How often a step is run again unless it says otherwise. */
const reruns = 10

const json = (value: unknown): unknown => value === undefined ? undefined : parse(stringify(value) ?? "null")

const make$ = (run: RunContext, bindings: Bindings, { context }: StepCall) => {
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
    respond: async (answer: unknown) => respond(run, answer, bindings),
    emit: send,
    send: {
      emit: (event: unknown, name?: unknown) => send(event, name === undefined ? {} : { name })
    },
    flow: {
      exit: (reason?: unknown) => {
        flow["exit"] = reason === undefined ? "" : String(reason)
        throw new Exit("the run has ended")
      },
      delay: (ms: unknown) => {
        flow["delay"] = milliseconds(ms)
      },
      rerun: (ms: unknown, handed?: unknown, max: unknown = reruns) => {
        const delay = milliseconds(ms)
        if (context.run.runs <= Number(max)) flow["rerun"] = { delay, context: json(handed) ?? null }
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
  const step = stepsOf(workflow).find(([name]) => name === call.step)?.[1]
  if (step === undefined) throw invalid(`the workflow has no step ${stringify(call.step)}`)
  const { $, exports, flow } = make$(run, bindings, call)
  let value: unknown
  try {
    value = json(await step.run.call(thisOf(workflow, call.step, step, run, bindings), { steps: call.steps, $ }))
  } catch (thrown) {
    if (!(thrown instanceof Exit) || !hasOwn(flow, "exit")) throw thrown
  }
  return { result: { ...exports, ...(value === undefined ? {} : { $return_value: value }) }, flow }
}
