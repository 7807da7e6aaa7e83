/** A workflow of the hosted service in the form that the set-up has of it, before it is known where its actions are. */
import type { Schema } from "effect"
import * as CodeFile from "../code/CodeFile.ts"
import * as CodeReading from "./CodeReading.ts"
import * as FirstGeneration from "./FirstGeneration.ts"
import * as MovedSettings from "./MovedSettings.ts"
import { type MovedStep, MovedSteps } from "./MovedSteps.ts"
import * as MovedTriggers from "./MovedTriggers.ts"
import type { Finding } from "./MovingReport.ts"
import { fileOf, placeOf, type ProjectWorkflow } from "./ProjectFolder.ts"
import * as WorkflowFile from "./WorkflowFile.ts"
import { WorkflowFindings } from "./WorkflowFindings.ts"

type Json = Schema.Json

export interface MovedWorkflow {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly folder: string
  readonly archivedIn: string | undefined
  /** True if it was switched off. */
  readonly wasInactive: boolean
  readonly triggers: ReadonlyArray<MovedTriggers.MovedTrigger>
  /** The URLs of its HTTP triggers there, by their ids; null where the project does not say it. */
  readonly endpoints: Readonly<Record<string, string | null>>
  readonly steps: ReadonlyArray<MovedStep>
  readonly timeoutSeconds: number | undefined
  /** Values of props, those of a step as `<step>.<prop>`. */
  readonly props: Record<string, Json>
  /** True if the code answers requests. */
  readonly responds: boolean
  /** Ids of accounts and data stores there, by the prop. */
  readonly accounts: Readonly<Record<string, string>>
  readonly stores: Readonly<Record<string, string>>
  /** Values that the server would refuse. */
  readonly refused: Readonly<Record<string, Json>>
  /** Props whose values only the service has, as `<step>.<prop>`. */
  readonly sealed: ReadonlyArray<string>
  readonly variables: ReadonlyArray<string>
  /** Members that the code reads of its event, and of the body in it. */
  readonly eventMembers: ReadonlyArray<string>
  readonly bodyMembers: ReadonlyArray<string>
  /** True if the event of a request is its body alone. */
  readonly takesBody: boolean
  /** True if the code reads nothing of its event, and asks nothing of others. */
  readonly isAlone: boolean
  /** An event that came there. */
  readonly sample: Json | undefined
  readonly files: ProjectWorkflow["files"]
  readonly findings: ReadonlyArray<Finding>
}

/** True if a step whose code is not in the folder answers requests. */
const isAnswer = ({ code }: MovedStep): boolean =>
  code._tag === "BuiltIn" && code.name === "respond" ||
  code._tag === "Action" && /respon[ds]/.test(code.action.key)

/** Reads the code of a workflow, its own files and the expressions of its steps. */
const readCode = (workflow: ProjectWorkflow, steps: MovedSteps): CodeReading.CodeReading => {
  const texts = workflow.files.flatMap(({ bytes, path }) => {
    const isCode = CodeFile.typeOf(path) !== undefined || path.endsWith(`/${FirstGeneration.originalFile}`)
    const text = isCode ? WorkflowFile.textOf(bytes) : undefined
    return text?._tag === "Some" && !FirstGeneration.isMade(text.value)
      ? [[placeOf(workflow, path), text.value] as const]
      : []
  })
  const expressions = [fileOf(workflow), JSON.stringify(steps.values)] as const
  const reading = CodeReading.read(new Map([...texts, expressions]))
  return { ...reading, responds: reading.responds || steps.all.some(isAnswer) }
}

const findingsOf = ({ differences, variables }: CodeReading.CodeReading): ReadonlyArray<Finding> => [
  ...differences.map(({ file, kind, line, message }) => ({ kind, file, line, message })),
  ...[...variables].map(([name, place]): Finding => ({
    kind: "missing",
    ...place,
    message: `reads the environment variable ${name}: set it with \`headwater env set ${name}\``
  }))
]

export const of = (workflow: ProjectWorkflow): MovedWorkflow => {
  const { file, files, folder, id, slug } = workflow
  const { value } = file
  const findings = new WorkflowFindings(workflow)
  for (const path of file.unknown) {
    findings.tell("different", path, `${path.join(".")} is not known here, and is left out`)
  }
  const steps = new MovedSteps(workflow, findings)
  const reading = readCode(workflow, steps)
  findings.all.push(...findingsOf(reading))
  const { props, responds, triggers } = MovedTriggers.of(workflow, reading, findings)
  const { timeoutSeconds } = MovedSettings.of(value, findings)
  if ((value.steps ?? []).length === 0) findings.tell("failed", ["steps"], "has no steps")
  if (value.inactive === true) {
    findings.tell(
      "different",
      ["inactive"],
      "was switched off there: switch it on with `headwater import finish` if you want to"
    )
  }
  return {
    id,
    name: value.name?.trim() || slug,
    slug,
    folder,
    archivedIn: workflow.archivedIn,
    wasInactive: value.inactive === true,
    triggers,
    endpoints: Object.fromEntries(
      (value.triggers ?? []).flatMap(({ id }) => {
        const address = workflow.triggers?.get(id)?.address
        const isUrl = /^https?:$/.test(URL.parse(address ?? "")?.protocol ?? "")
        return id.startsWith("hi_") ? [[id, isUrl ? address ?? null : null] as const] : []
      })
    ),
    steps: steps.all,
    timeoutSeconds,
    props: { ...steps.props, ...props },
    responds,
    accounts: steps.accounts,
    stores: steps.stores,
    refused: steps.refused,
    sealed: steps.sealed,
    variables: [...reading.variables.keys()].sort(),
    eventMembers: [...reading.eventMembers].sort(),
    bodyMembers: [...reading.bodyMembers].sort(),
    takesBody: CodeReading.eventShapeOf(reading) === "body",
    isAlone: reading.isAlone && steps.all.every(({ code }) => code._tag !== "Action"),
    sample: workflow.sample,
    files,
    findings: findings.all
  }
}
