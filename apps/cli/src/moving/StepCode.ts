/** The code of a step, and the values that it reads. */
import type { Schema } from "effect"
import * as Path from "node:path"
import * as CodeFile from "../code/CodeFile.ts"
import * as BuiltInSteps from "./BuiltInSteps.ts"
import * as MovedProps from "./MovedProps.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"
import type { WorkflowFindings } from "./WorkflowFindings.ts"

type Json = Schema.Json

/** An action of the registry or of the workspace, as a step names it. */
export interface ActionName {
  readonly key: string
  readonly version: string | undefined
  /** Of the workspace alone, whose code is not in the folder. */
  readonly isPrivate: boolean
}

/** The code that a step runs. */
export type Code =
  | { readonly _tag: "File"; readonly path: string }
  | { readonly _tag: "Action"; readonly action: ActionName }
  | { readonly _tag: "BuiltIn"; readonly name: BuiltInSteps.Name }
  | { readonly _tag: "Delay"; readonly delay: Json }
  | { readonly _tag: "End"; readonly reason: Json }
  | { readonly _tag: "Block"; readonly block: WorkflowFile.Block }
  /** Nothing: the run fails when it comes to it. */
  | { readonly _tag: "Left"; readonly why?: string }

/** A step of `workflow.yaml`. */
export interface GivenStep {
  readonly step: WorkflowFile.Step
  readonly at: WorkflowFile.Path
  /** Its props, as they are here. */
  readonly own: MovedProps.MovedProps
}

export interface StepCode {
  readonly code: Code
  readonly values: Readonly<Record<string, Json>>
}

const entryNames = ["entry.js", "entry.mjs", "entry.ts", "entry.cjs", "entry.py", "handler.py"]

const actionIn = (uses: string): ActionName | undefined => {
  const isPrivate = uses.startsWith("@")
  const text = isPrivate ? uses.replace(/^@[^/]*\//, "") : uses
  const at = text.lastIndexOf("@")
  const [key, version] = at > 0 ? [text.slice(0, at), text.slice(at + 1)] : [text, undefined]
  return /^[\w-]+$/.test(key) && (version === undefined || /^[\w.+-]+$/.test(version))
    ? { key, version, isPrivate }
    : undefined
}

/** Tells of the values of a step that nothing reads in its place. */
const tellUnread = (
  { at, own, step: { disabled, namespace } }: GivenStep,
  reads: ReadonlyArray<string>,
  why: string,
  findings: WorkflowFindings
) => {
  if (disabled === true) return
  for (const prop of MovedProps.namesIn({ ...own, accounts: {} }).filter((prop) => !reads.includes(prop))) {
    findings.tell("different", [...at, "props", prop], `${namespace}.${prop}: is left out: ${why}`)
  }
}

const filterCode = (
  { at, step: { namespace } }: GivenStep,
  filter: Json,
  findings: WorkflowFindings
): Code | undefined => {
  const rules = (filter as { readonly rules?: unknown } | null)?.rules
  const unknown = BuiltInSteps.unknownOperators(rules)
  const where = [...at, "props", "_filter"]
  if (unknown === undefined) {
    findings.tell("failed", where, `${namespace}._filter: the rules are not understood: ${JSON.stringify(filter)}`)
    return undefined
  }
  if (unknown.length > 0) {
    findings.tell(
      "missing",
      where,
      `${namespace}._filter: the operators ${[...new Set(unknown)].join(", ")} are not known: ` +
        `write them in ${BuiltInSteps.fileOf("filterRules")}. Until then the step fails when it comes to them`
    )
  }
  findings.tell(
    "different",
    where,
    `${namespace} is a filter: its rules are carried out by ${BuiltInSteps.fileOf("filterRules")}, ` +
      "and the code of the step, if it has any, is not run"
  )
  return { _tag: "BuiltIn", name: "filterRules" }
}

const actionCode = (
  { at, step: { namespace } }: GivenStep,
  uses: string,
  findings: WorkflowFindings
): Code | undefined => {
  const action = actionIn(uses)
  if (action !== undefined) return { _tag: "Action", action }
  const message = `${namespace}: uses: ${JSON.stringify(uses)} is neither a file nor an action`
  findings.tell("failed", [...at, "uses"], message)
  return undefined
}

const fileCode = (
  { at, step: { namespace, runtime, uses } }: GivenStep,
  paths: ReadonlySet<string>,
  findings: WorkflowFindings
): Code | undefined => {
  const named = Path.posix.normalize(uses ?? `${namespace}/`)
  if (named.startsWith("../") || named.startsWith("/")) {
    findings.tell(
      "failed",
      [...at, "uses"],
      `${namespace}: uses: ${JSON.stringify(uses)} leads out of the folder of the workflow`
    )
    return undefined
  }
  const found = [named, ...entryNames.map((name) => Path.posix.join(namespace, name))].find((path) => paths.has(path))
  if (found === undefined) {
    findings.tell(
      "failed",
      [...at, "uses"],
      `${namespace}: there is no file ${uses ?? entryNames.map((name) => `${namespace}/${name}`).join(", ")}`
    )
    return undefined
  }
  if (CodeFile.typeOf(found) === undefined) {
    findings.tell(
      "failed",
      [...at, runtime === undefined ? "uses" : "runtime"],
      `${namespace}: ${found} is neither JavaScript, TypeScript nor Python (${
        runtime ?? "no runtime"
      }): write the step anew`
    )
    return undefined
  }
  if (uses !== undefined && uses !== null && found !== named) {
    findings.tell("different", [...at, "uses"], `${namespace}: there is no file ${uses}: ${found} is taken`)
  }
  return { _tag: "File", path: found }
}

/** The code that a step names. */
const named = (given: GivenStep, paths: ReadonlySet<string>, findings: WorkflowFindings): Code | undefined => {
  const { own: { filter }, step: { block, left, uses } } = given
  if (left !== undefined) return { _tag: "Left", why: left }
  if (block !== undefined) return { _tag: "Block", block }
  if (filter !== undefined) return filterCode(given, filter, findings)
  const isFile = uses === undefined || uses === null || /^\.{0,2}\//.test(uses)
  return isFile ? fileCode(given, paths, findings) : actionCode(given, uses, findings)
}

/** The step of this server's own that stands for an action, or a step that is left if that reads a value that is lost. */
const replaced = (
  given: GivenStep,
  key: string,
  replacement: BuiltInSteps.Replacement,
  findings: WorkflowFindings
): StepCode => {
  const { at, own, step: { disabled, namespace } } = given
  findings.tell("different", [...at, "uses"], `${namespace}: ${key} is a step of this server's own here`)
  // A seal of the whole may hide any of them.
  const reads = ["_enc", ...replacement.reads]
  tellUnread(given, reads, `the step that stands for ${key} does not read it`, findings)
  const lost = disabled === true
    ? []
    : [...own.sealed, ...Object.keys(own.refused)].filter((prop) => reads.includes(prop))
  for (const prop of lost) {
    findings.tell(
      "failed",
      [...at, "props", prop],
      `${namespace}.${prop}: ${
        own.sealed.includes(prop) ? "was sealed there" : "its expression is refused"
      }: the step fails when a run comes to it, until you write it anew`
    )
  }
  if (lost.length > 0) return { code: { _tag: "Left" }, values: {} }
  return replacement._tag === "File"
    ? { code: { _tag: "BuiltIn", name: replacement.name }, values: replacement.props }
    : { code: replacement, values: {} }
}

/**
 * Gives the code of a step; none if it can't be brought.
 *
 * @param paths the files of the workflow
 */
export const of = (
  given: GivenStep,
  paths: ReadonlySet<string>,
  findings: WorkflowFindings
): StepCode | undefined => {
  const { own: { filter, values }, step: { runtime } } = given
  const code = named(given, paths, findings)
  if (code === undefined || /^(go|bash)/.test(runtime ?? "")) return undefined
  if (filter !== undefined) {
    tellUnread(given, [], "the filter does not read it", findings)
    return { code, values: { filter } }
  }
  if (code._tag !== "Action") return { code, values }
  const { key } = code.action
  const replacement = BuiltInSteps.replacementOf(key, values)
  return replacement === undefined ? { code, values } : replaced(given, key, replacement, findings)
}
