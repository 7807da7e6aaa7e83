/** Steps of a workflow that are given by a value in place of code (`docs/workflows.md`, "Steps without code"). */
import { type ComponentDefinition, Invalid } from "./Module.ts"
import { isCallable } from "./Props.ts"

const { stringify } = JSON
const { hasOwn } = Object

interface Services {
  readonly flow: {
    readonly exit: (reason?: unknown) => void
    readonly delay: (ms: unknown) => unknown
  }
}

interface Step extends ComponentDefinition {
  readonly run: (this: unknown, given: { readonly steps: unknown; readonly $: unknown }) => unknown
}

/** The milliseconds until a time, or those that are given. */
const millisecondsOf = (value: unknown): unknown => {
  const isTime = value instanceof Date || typeof value === "string" && !Number.isFinite(Number(value))
  const at = isTime ? new Date(value).getTime() : Number.NaN
  return isTime && !Number.isNaN(at) ? Math.max(0, at - Date.now()) : value
}

/** Does what a step of its kind does, with the value that it has in this run. */
const kinds: Readonly<Record<string, (value: unknown, $: Services, step: ComponentDefinition) => unknown>> = {
  filter: (value, $, { reason }) => {
    if (!value) $.flow.exit(reason ?? "filtered out")
    return Boolean(value)
  },
  delay: (value, $) => {
    $.flow.delay(millisecondsOf(value))
  },
  end: (value, $) => $.flow.exit(value === true ? "" : value)
}

const kindOf = (step: ComponentDefinition): string | undefined => Object.keys(kinds).find((kind) => hasOwn(step, kind))

export const isBuiltIn = (value: unknown): value is ComponentDefinition =>
  typeof value === "object" && value !== null && !("run" in value) && kindOf(value as ComponentDefinition) !== undefined

/** The prop that holds the value of a step: a function, or what may have expressions, which nobody can change. */
const propsOf = (kind: string, value: unknown) => isCallable(value) ? {} : { [kind]: { type: "any", static: value } }

/**
 * The step as one of code.
 *
 * @param path where it stands in the definition
 */
export const toStep = (step: ComponentDefinition, path: ReadonlyArray<string>): Step => {
  const kind = kindOf(step)!
  const { [kind]: value } = step
  const other = Object.keys(step).find((key) => key !== kind && !(kind === "filter" && key === "reason"))
  if (other !== undefined || value === undefined || value === null) {
    const message = other === undefined
      ? `the step ${stringify(path.at(-1))} has no value for ${kind}`
      : `the step ${stringify(path.at(-1))} with ${kind} can't have ${stringify(other)} too`
    throw new Invalid({ reason: "definition", message, path: [...path, other ?? kind] })
  }
  const does = kinds[kind]!
  return {
    props: propsOf(kind, value),
    async run(this: unknown, given) {
      const now = isCallable(value) ? await value.call(this, given) : (this as Record<string, unknown>)[kind]
      return does(now, given.$ as Services, step)
    }
  }
}
