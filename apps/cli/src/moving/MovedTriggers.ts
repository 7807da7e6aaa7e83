import type { Schema } from "effect"
import * as CodeReading from "./CodeReading.ts"
import type { ProjectWorkflow } from "./ProjectFolder.ts"
import type { WorkflowFindings } from "./WorkflowFindings.ts"

type Json = Schema.Json

/** An event that began the workflow. */
export interface MovedTrigger {
  readonly id: string
  /** The prop of the workflow that stands for it; a subscription has none. */
  readonly prop: string | undefined
  readonly type: string
  readonly line: number
}

/** The settings of a trigger, as an archive has them. The others are undefined. */
export interface TriggerSettings {
  /** Its URL or address there. */
  readonly address?: string | undefined
  /** The value of the prop of a timer. */
  readonly schedule?: Json | undefined
  /** True if the code answered requests, or the answer. */
  readonly answer?: Json | undefined
  /** True if it was switched off by itself. */
  readonly isOff: boolean
  /** True if what it listens to is made here, too. */
  readonly hasEmitter?: boolean
}

export interface MovedTriggers {
  readonly triggers: ReadonlyArray<MovedTrigger>
  /** Values of their props. */
  readonly props: Readonly<Record<string, Json>>
  /** True if the code answers requests. */
  readonly responds: boolean
}

const types: Readonly<Record<string, readonly [prop: string | undefined, type: string]>> = {
  hi: ["http", "$.interface.http"],
  ti: ["timer", "$.interface.timer"],
  ei: ["email", "$.interface.email"],
  dc: [undefined, "source"],
  sub: [undefined, "subscription"]
}

const typeOf = (id: string) => {
  const [prefix = ""] = id.split("_")
  return Object.hasOwn(types, prefix) ? types[prefix]! : [undefined, undefined] as const
}

/** The value of an endpoint's prop, and what to say of it. */
const endpoint = ({ address, answer }: TriggerSettings, reading: CodeReading.CodeReading) => {
  const shape = CodeReading.eventShapeOf(reading)
  const responds = answer === undefined ? reading.responds : answer === true
  const fixed = typeof answer === "object" && answer !== null ? answer : undefined
  const from = address === undefined ? "" : ` in place of ${address}`
  const answers = fixed !== undefined
    ? "the answer is the one there"
    : responds
    ? "the code answers"
    : "the answer is 200"
  return {
    responds,
    value: {
      ...(shape === "body" ? { event: shape } : {}),
      ...(fixed === undefined ? {} : { response: fixed })
    },
    message: answer === undefined
      ? `has another URL here${from}. Its settings are not in the folder: by what the code reads, the event is ` +
        `${shape === "body" ? "the body alone" : "the whole request"}, and ${answers}`
      : `has another URL here${from}. By what the code reads, the event is ` +
        `${shape === "body" ? "the body alone" : "the whole request"}; ${answers}`
  }
}

/** The triggers of a workflow with this code. */
export const of = (
  { file: { lineOf, value }, triggers: settings }: Pick<ProjectWorkflow, "file" | "triggers">,
  reading: CodeReading.CodeReading,
  findings: WorkflowFindings
): MovedTriggers => {
  const triggers: Array<MovedTrigger> = []
  const props: Record<string, Json> = {}
  const taken = new Map<string, number>()
  let { responds } = reading
  for (const [index, { id }] of (value.triggers ?? []).entries()) {
    const at = ["triggers", index]
    const own = settings?.get(id) ?? { isOff: false }
    const [base, type] = typeOf(id)
    if (type === undefined) {
      findings.tell("failed", at, `${id}: triggers of this kind are not known`)
      continue
    }
    if (own.isOff) {
      findings.tell("different", at, `${id}: was switched off there, by itself, and is left out`)
      continue
    }
    if (base === undefined) {
      triggers.push({ id, prop: undefined, type, line: lineOf(at) })
      if (own.hasEmitter !== true) {
        findings.tell(
          "missing",
          at,
          `${id}: the ${type} of this trigger is not in the folder: create it here, and give it with ` +
            `\`headwater import finish --set ${id}=<source>\``
        )
      }
      continue
    }
    const count = (taken.get(base) ?? 0) + 1
    taken.set(base, count)
    if (count > 1 && base !== "timer") {
      findings.tell(
        "different",
        at,
        `${id}: a workflow has one endpoint: all that was sent to its triggers of this kind comes to it`
      )
      continue
    }
    const prop = count === 1 ? base : `${base}_${count}`
    triggers.push({ id, prop, type, line: lineOf(at) })
    if (base === "timer") {
      if (own.schedule === undefined) {
        findings.tell(
          "missing",
          at,
          `${id}: its schedule is not in the folder: give it with \`headwater import finish --set '${prop}={"cron": "0 9 * * *", "timezone": "UTC"}'\``
        )
      } else props[prop] = own.schedule
    } else if (base === "email") {
      const from = own.address === undefined ? "" : ` in place of ${own.address}`
      findings.tell("different", at, `${id}: has another address here${from}, if the operator has switched e-mail on`)
    } else {
      const made = endpoint(own, reading)
      responds = made.responds
      if (Object.keys(made.value).length > 0) props[prop] = made.value
      findings.tell("different", at, `${id}: ${made.message}`)
    }
  }
  return { triggers, props, responds }
}
