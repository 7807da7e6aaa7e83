import type { Schema } from "effect"
import * as CodeFile from "../code/CodeFile.ts"
import * as MovedProps from "./MovedProps.ts"
import type { ProjectWorkflow } from "./ProjectFolder.ts"
import * as StepCode from "./StepCode.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"
import type { WorkflowFindings } from "./WorkflowFindings.ts"

type Json = Schema.Json

export interface MovedStep {
  /** Its place in the list of all. */
  readonly index: number
  readonly name: string
  readonly code: StepCode.Code
  readonly disabled: boolean
  readonly notes: ReadonlyArray<string>
  readonly declared: ReadonlyArray<MovedProps.DeclaredProp>
  readonly line: number
}

/** True if a run fails when it comes to the step, until somebody writes it anew. */
export const isLeft = ({ code }: MovedStep): boolean =>
  code._tag === "Left" || code._tag === "Block" && code.block.isUnclear

const notesIn = (value: Json | undefined): ReadonlyArray<string> =>
  typeof value === "string"
    ? value.trim() === "" ? [] : [value]
    : Array.isArray(value)
    ? value.flatMap((each) => notesIn(each))
    : value !== null && typeof value === "object"
    ? Object.values(value).flatMap((each) => notesIn(each))
    : []

/** Names that a step can't have here. */
const isImpossible = (name: string) =>
  name === "trigger" || name.includes(".") || /^\d+$/.test(name) || name.length > 500

/** A name that a step can have, and that no other has. */
const freeName = (name: string, taken: ReadonlySet<string>): string => {
  const plain = name.replace(/\W+/g, "_").slice(0, 100)
  const base = isImpossible(plain) ? `step_${plain}` : plain
  let free = base
  for (let count = 2; taken.has(free); count++) free = `${base}_${count}`
  return free
}

const left: StepCode.StepCode = { code: { _tag: "Left" }, values: {} }

/** The steps of a workflow, with the values of their props as `<step>.<prop>`. */
export class MovedSteps {
  readonly all: Array<MovedStep> = []
  readonly props: Record<string, Json> = {}
  /** Ids of accounts and data stores there, by the prop. */
  readonly accounts: Record<string, string> = {}
  readonly stores: Record<string, string> = {}
  /** Values that the server would refuse. */
  readonly refused: Record<string, Json> = {}
  /** Props whose values only the service has. */
  readonly sealed: Array<string> = []
  /** All values of the steps that came, even those that nothing reads here. */
  readonly values: Array<MovedProps.MovedProps["values"]> = []
  readonly #seen = new Set<string>()
  /** The names of all steps, in their order. */
  readonly #names: ReadonlyArray<string>
  readonly #paths: ReadonlySet<string>
  readonly #lineOf: (path: WorkflowFile.Path) => number
  readonly #findings: WorkflowFindings

  constructor({ file, files }: ProjectWorkflow, findings: WorkflowFindings) {
    const given = file.value.steps ?? []
    this.#names = given.map(({ namespace }) => namespace)
    this.#paths = new Set(files.map(({ path }) => path))
    this.#lineOf = file.lineOf
    this.#findings = findings
    for (const [index, step] of given.entries()) this.#read(step, ["steps", index])
  }

  #read(step: WorkflowFile.Step, at: WorkflowFile.Path): void {
    const { disabled, namespace } = step
    const fault = this.#faultIn(namespace)
    if (fault !== undefined) {
      this.#rename(step, at, fault)
      return
    }
    this.#seen.add(namespace)
    const lineOf = (path: WorkflowFile.Path) => this.#lineOf([...at, "props", ...path])
    const own = MovedProps.of(step.props ?? {}, namespace, this.#names, lineOf)
    const found = StepCode.of({ at, own, step }, this.#paths, this.#findings)
    if (found === undefined) {
      if (disabled === true) {
        this.#findings.tell("different", at, `${namespace} was switched off, and is left out`)
        return
      }
      this.#findings.tell("failed", at, `${namespace} fails when a run comes to it, until you write it anew`)
    }
    const { code, values } = found ?? left
    if (disabled === true) this.#tellValueless({ at, own, step })
    else this.#take(namespace, own, { code, values })
    this.values.push(own.values)
    // Only a step in Python has its props declared beside its code.
    const declared = code._tag === "File" && CodeFile.typeOf(code.path) === "py" ? MovedProps.declaredIn(own) : []
    this.#add(step, at, { name: namespace, code, disabled: disabled === true, declared })
  }

  #faultIn(name: string): string | undefined {
    return this.#seen.has(name)
      ? `another step is called ${JSON.stringify(name)}, too`
      : isImpossible(name)
      ? `a step can't be called ${JSON.stringify(name)} here`
      : undefined
  }

  /** Leaves a step that can't have its name, under another. */
  #rename(step: WorkflowFile.Step, at: WorkflowFile.Path, fault: string): void {
    const place = [...at, "namespace"]
    if (step.disabled === true) {
      this.#findings.tell("different", place, `${fault}: this one was switched off, and is left out`)
      return
    }
    const name = freeName(step.namespace, new Set([...this.#names, ...this.all.map(({ name }) => name)]))
    this.#findings.tell(
      "failed",
      place,
      `${fault}: this one is ${name}, and fails when a run comes to it, until you write it anew`
    )
    this.#add(step, at, { name, code: left.code, disabled: false, declared: [] })
  }

  #tellValueless({ at, own, step: { namespace } }: StepCode.GivenStep): void {
    const names = MovedProps.namesIn(own)
    if (names.length === 0) return
    this.#findings.tell(
      "different",
      [...at, "props"],
      `${namespace} is switched off, and has no props here: give ${names.join(", ")} when you switch it on`
    )
  }

  /** Takes the values that a step reads, and what its own code has yet to be given. */
  #take(step: string, own: MovedProps.MovedProps, { code, values }: StepCode.StepCode): void {
    for (const [prop, value] of Object.entries(values)) this.props[`${step}.${prop}`] = value
    if (code._tag !== "File" && code._tag !== "Action") return
    this.#findings.tellAll(own.findings)
    for (const [prop, account] of Object.entries(own.accounts)) this.accounts[`${step}.${prop}`] = account
    for (const [prop, store] of Object.entries(own.stores)) this.stores[`${step}.${prop}`] = store
    for (const prop of own.sealed) this.sealed.push(`${step}.${prop}`)
    for (const [prop, value] of Object.entries(own.refused)) this.refused[`${step}.${prop}`] = value
  }

  #add(
    { note, notes }: WorkflowFile.Step,
    at: WorkflowFile.Path,
    step: Omit<MovedStep, "index" | "notes" | "line">
  ): void {
    const { code, declared, disabled, name } = step
    this.all.push({
      index: Number(at[1]),
      name,
      code,
      disabled,
      notes: [...notesIn(note), ...notesIn(notes)],
      declared,
      line: this.#lineOf(at)
    })
  }
}
