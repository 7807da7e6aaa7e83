/** The calls of a component, and its description for others (`components.md`, "Module", "Props", "Running"). */
import * as ExactJson from "@headwater/domain/ExactJson"
import { isDeeper, maxComponentDepth } from "@headwater/domain/JsonDepth"
import { expand } from "@headwater/domain/RequestEventBody"
import { eventOf, isOfApphook } from "./Apphook.ts"
import { checkDefined } from "./Definition.ts"
import { type ComponentDefinition, Invalid } from "./Module.ts"
import { appType, declared, describe as describeProp, isCallable, makeApp, resolveAll } from "./Props.ts"
import type { RunContext } from "./RunContext.ts"
import { type Bindings, definitions, emit, makeThis, type This, toText } from "./This.ts"
import {
  describe as describeWorkflow,
  type Part,
  partsOf as partsOfWorkflow,
  runStep,
  type StepCall
} from "./Workflow.ts"

export type Call =
  | {
    readonly _tag: "Run"
    readonly event: unknown
    /** The same with its numbers as they are written (`ExactJson`). */
    readonly exactEvent: () => unknown
    readonly isRequest?: boolean
  }
  | { readonly _tag: "Hook"; readonly hook: string }
  | { readonly _tag: "Options"; readonly prop: string; readonly request: Record<string, unknown> }
  | { readonly _tag: "AdditionalProps" }
  | StepCall

const { stringify } = JSON
const { hasOwn } = Object

/** A source, or a workflow with its steps: each declares props, and may add some. */
const partsOf = (component: ComponentDefinition, run: RunContext, bindings: Bindings): ReadonlyArray<Part> =>
  typeof component["steps"] === "object"
    ? partsOfWorkflow(component, run, bindings)
    : [{ prefix: "", component, self: () => makeThis(component, run, bindings) }]

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
  const changed = own.filter(([name, before]) => hasOwn(given, name) && stringify(given[name]) !== stringify(before))
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

/** The props that all parts add, under the names that the props of steps have among all of the workflow. */
const additionalPropsOf = async (parts: ReadonlyArray<Part>) => {
  const all: Array<Record<string, unknown>> = []
  for (const { component, prefix, self } of parts) {
    for (const [name, { definition }] of resolveAll(await additionalProps(component, self()))) {
      all.push(describeProp(prefix + name, definition))
    }
  }
  return all
}

/** The part that declares or adds a prop, by the name that it has among all. */
const partOf = (parts: ReadonlyArray<Part>, prop: string): Part =>
  parts.find(({ prefix }) => prefix !== "" && prop.startsWith(prefix)) ?? parts[0]!

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

/** True if events are to come with their numbers as they are written: code that has no `run` only passes them on. */
const takesExact = (component: ComponentDefinition): boolean =>
  component["exactNumbers"] === true || !isCallable(component.run)

/** Does what is asked of the component; one without `run` emits what its interface received. */
export const call = async (
  component: ComponentDefinition,
  run: RunContext,
  bindings: Bindings,
  what: Call
): Promise<void> => {
  const answer = (value: unknown) => {
    const json = toText(value)
    // The host takes it for one.
    if (isDeeper(json, maxComponentDepth)) run.failed = true
    run.say({ _tag: "Answered", json })
  }
  if (what._tag === "Step") return answer(await runStep(component, run, bindings, what))
  switch (what._tag) {
    case "Hook": {
      const hook = component.hooks?.[what.hook]
      if (isCallable(hook)) await hook.call(makeThis(component, run, bindings))
      return
    }
    case "AdditionalProps":
      return answer(await additionalPropsOf(partsOf(component, run, bindings)))
    case "Options": {
      const part = partOf(partsOf(component, run, bindings), what.prop)
      return answer(await options(part.component, part.self(), what.prop.slice(part.prefix.length), what.request))
    }
    case "Run": {
      const self = makeThis(component, run, bindings)
      const isExact = takesExact(component)
      const given = isExact ? what.exactEvent() : what.event
      if (what.isRequest !== true) return runEvent(component, run, self, given)
      const request = isExact ? expand(given, ExactJson.parse) : expand(given)
      const apphook = apphookOf(component, bindings)
      if (apphook === undefined) return runEvent(component, run, self, request)
      const event = eventOf(request)
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

/** A definition's request for lists of events, unchecked; nothing if it asks for none. */
const batchIn = ({ batch }: Record<string, unknown>): { readonly batch?: unknown } =>
  batch === undefined || batch === false ? {} : { batch: isCallable(batch) ? null : batch }

/** The names of a definition's methods, if it has any. */
const methodsIn = ({ methods }: Record<string, unknown>): { readonly methods?: ReadonlyArray<string> } => {
  const names = typeof methods === "object" && methods !== null
    ? Object.entries(methods).flatMap(([name, method]) => isCallable(method) ? [name] : [])
    : []
  return names.length === 0 ? {} : { methods: names }
}

export const describe = (component: ComponentDefinition, kind: "source" | "workflow"): Record<string, unknown> => {
  checkDefined(component, kind)
  const described: Record<string, unknown> = {}
  for (const key of ["name", "key", "version", "type", "description", "dedupe"]) {
    const value = scalar(component[key])
    if (value !== undefined) described[key] = String(value)
  }
  if (kind === "workflow") {
    const { definition, hasAdditionalProps, steps } = describeWorkflow(component)
    delete described["dedupe"]
    const props = declared(definition).map((each) => describeEach(each)[1])
    return {
      ...described,
      ...batchIn(component),
      ...methodsIn(component),
      hasRun: true,
      hooks: [],
      hasAdditionalProps,
      props,
      steps
    }
  }
  if (!isCallable(component.run) && typeof component.props !== "object") {
    throw new Invalid({
      reason: "no_default_export",
      message: typeof component["steps"] === "object"
        ? "The code has steps, so it is a workflow and not a source: send it as workflow_code to POST /workflows, or deploy it with --workflow"
        : "The default export must be an object with props or run"
    })
  }
  const { dedupe } = described
  if (dedupe !== undefined && dedupe !== "unique" && dedupe !== "greatest" && dedupe !== "last") {
    throw new Invalid({
      reason: "definition",
      message: `dedupe must be unique, greatest or last, not "${dedupe}"`,
      path: ["dedupe"]
    })
  }
  return {
    ...described,
    ...batchIn(component),
    ...methodsIn(component),
    hasRun: isCallable(component.run),
    hooks: ["deploy", "activate", "deactivate"].filter((hook) => isCallable(component.hooks?.[hook])),
    hasAdditionalProps: isCallable(component["additionalProps"]),
    props: declared(component).map((each) => describeEach(each)[1])
  }
}
