import type { Schema } from "effect"
import * as CodeReading from "./CodeReading.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"
import type { WorkflowFindings } from "./WorkflowFindings.ts"

/** An event that began the workflow. */
export interface MovedTrigger {
  readonly id: string
  /** The prop of the workflow that stands for it; a subscription has none. */
  readonly prop: string | undefined
  readonly type: string
  readonly line: number
}

export interface MovedTriggers {
  readonly triggers: ReadonlyArray<MovedTrigger>
  /** Values of their props. */
  readonly props: Readonly<Record<string, Schema.Json>>
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

/** The triggers of a workflow with this code. */
export const of = (
  { lineOf, value }: WorkflowFile.Read<WorkflowFile.WorkflowFile>,
  reading: CodeReading.CodeReading,
  findings: WorkflowFindings
): MovedTriggers => {
  const triggers: Array<MovedTrigger> = []
  const props: Record<string, Schema.Json> = {}
  const taken = new Map<string, number>()
  for (const [index, { id }] of (value.triggers ?? []).entries()) {
    const at = ["triggers", index]
    const [base, type] = typeOf(id)
    if (type === undefined) {
      findings.tell("failed", at, `${id}: triggers of this kind are not known`)
      continue
    }
    if (base === undefined) {
      triggers.push({ id, prop: undefined, type, line: lineOf(at) })
      findings.tell(
        "missing",
        at,
        `${id}: the ${type} of this trigger is not in the folder: create it here, and give it with ` +
          `\`headwater import finish --set ${id}=<source>\``
      )
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
      findings.tell(
        "missing",
        at,
        `${id}: its schedule is not in the folder: give it with \`headwater import finish --set '${prop}={"cron": "0 9 * * *", "timezone": "UTC"}'\``
      )
    } else if (base === "email") {
      findings.tell("different", at, `${id}: has another address here, if the operator has switched e-mail on`)
    } else {
      const shape = CodeReading.eventShapeOf(reading)
      if (shape === "body") props[prop] = { event: shape }
      findings.tell(
        "different",
        at,
        `${id}: has another URL here. Its settings are not in the folder: by what the code reads, the event is ` +
          `${shape === "body" ? "the body alone" : "the whole request"}, and ` +
          (reading.responds ? "the code answers" : "the answer is 200")
      )
    }
  }
  return { triggers, props }
}
