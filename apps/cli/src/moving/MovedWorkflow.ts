/** A workflow of the hosted service in the form that the set-up has of it, before it is known where its actions are. */
import type { Schema } from "effect"
import * as Path from "node:path"
import * as CodeFile from "../code/CodeFile.ts"
import * as BuiltInSteps from "./BuiltInSteps.ts"
import * as CodeReading from "./CodeReading.ts"
import * as MovedProps from "./MovedProps.ts"
import type { Finding } from "./MovingReport.ts"
import { type ProjectWorkflow, workflowFile } from "./ProjectFolder.ts"
import * as WorkflowFile from "./WorkflowFile.ts"

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
  /** Nothing: the run fails when it comes to it. */
  | { readonly _tag: "Left" }

export interface MovedStep {
  readonly name: string
  readonly code: Code
  readonly disabled: boolean
  readonly notes: ReadonlyArray<string>
  readonly declared: ReadonlyArray<MovedProps.DeclaredProp>
  readonly line: number
}

/** An event that began the workflow. */
export interface MovedTrigger {
  readonly id: string
  /** The prop of the workflow that stands for it; a subscription has none. */
  readonly prop: string | undefined
  readonly type: string
  readonly line: number
}

export interface MovedWorkflow {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly folder: string
  /** True if it was switched off. */
  readonly wasInactive: boolean
  readonly triggers: ReadonlyArray<MovedTrigger>
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
  readonly variables: ReadonlyArray<string>
  readonly files: ProjectWorkflow["files"]
  readonly findings: ReadonlyArray<Finding>
}

const triggerTypes: Readonly<Record<string, readonly [prop: string | undefined, type: string]>> = {
  hi: ["http", "$.interface.http"],
  ti: ["timer", "$.interface.timer"],
  ei: ["email", "$.interface.email"],
  dc: [undefined, "source"],
  sub: [undefined, "subscription"]
}

const entryNames = ["entry.js", "entry.mjs", "entry.ts", "entry.cjs", "entry.py", "handler.py"]

/** Longest that a workflow's setting takes (`timeout_seconds`). */
const longestTimeout = 300

/** The memory of a sandbox, in MB, unless the operator says otherwise. */
const usualMemory = 256

/** Least and most that a workflow's setting takes (`memory_mb`). */
const [leastMemory, mostMemory] = [128, 16_384]

const actionOf = (uses: string): ActionName | undefined => {
  const isPrivate = uses.startsWith("@")
  const text = isPrivate ? uses.replace(/^@[^/]*\//, "") : uses
  const at = text.lastIndexOf("@")
  const [key, version] = at > 0 ? [text.slice(0, at), text.slice(at + 1)] : [text, undefined]
  return /^[\w-]+$/.test(key) && (version === undefined || /^[\w.+-]+$/.test(version))
    ? { key, version, isPrivate }
    : undefined
}

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

export const of = ({ file, files, findings: told, folder, id, slug }: ProjectWorkflow): MovedWorkflow => {
  const { value } = file
  const shown = (path: string) => Path.posix.join(folder, path)
  const findings: Array<Finding> = [...told]
  const tell = (kind: Finding["kind"], path: WorkflowFile.Path, message: string) =>
    findings.push({ kind, file: shown(workflowFile), line: file.lineOf(path), message })
  const paths = new Set(files.map(({ path }) => path))
  const texts = new Map(files.flatMap(({ bytes, path }) => {
    const text = CodeFile.typeOf(path) === undefined ? undefined : WorkflowFile.textOf(bytes)
    return text?._tag === "Some" ? [[shown(path), text.value] as const] : []
  }))
  texts.set(shown(workflowFile), "")
  const given = value.steps ?? []
  const names = given.map(({ namespace }) => namespace)
  const steps: Array<MovedStep> = []
  const props: Record<string, Json> = {}
  const accounts: Record<string, string> = {}
  const stores: Record<string, string> = {}
  const refused: Record<string, Json> = {}
  const propTexts: Array<Json> = []

  for (const path of file.unknown) {
    tell("different", path, `${path.join(".")} is not known here, and is left out`)
  }

  const codeOf = (step: WorkflowFile.Step, at: WorkflowFile.Path, own: MovedProps.MovedProps): Code | undefined => {
    const { namespace, runtime, uses } = step
    if (own.filter !== undefined) {
      const rules = (own.filter as { readonly rules?: unknown } | null)?.rules
      const unknown = BuiltInSteps.unknownOperators(rules)
      const where = [...at, "props", "_filter"]
      if (unknown === undefined) {
        tell("failed", where, `${namespace}._filter: the rules are not understood: ${JSON.stringify(own.filter)}`)
        return undefined
      }
      if (unknown.length > 0) {
        tell(
          "missing",
          where,
          `${namespace}._filter: the operators ${[...new Set(unknown)].join(", ")} are not known: ` +
            `write them in ${BuiltInSteps.fileOf("filterRules")}. Until then the step fails when it comes to them`
        )
      }
      tell(
        "different",
        where,
        `${namespace} is a filter: its rules are carried out by ${BuiltInSteps.fileOf("filterRules")}, ` +
          "and the code of the step, if it has any, is not run"
      )
      return { _tag: "BuiltIn", name: "filterRules" }
    }
    const isCode = uses === undefined || uses === null || /^\.{0,2}\//.test(uses)
    if (!isCode) {
      const action = actionOf(uses)
      if (action !== undefined) return { _tag: "Action", action }
      tell("failed", [...at, "uses"], `${namespace}: uses: ${JSON.stringify(uses)} is neither a file nor an action`)
      return undefined
    }
    const named = Path.posix.normalize(uses ?? `${namespace}/`)
    if (named.startsWith("../") || named.startsWith("/")) {
      tell(
        "failed",
        [...at, "uses"],
        `${namespace}: uses: ${JSON.stringify(uses)} leads out of the folder of the workflow`
      )
      return undefined
    }
    const found = [named, ...entryNames.map((name) => Path.posix.join(namespace, name))].find((path) => paths.has(path))
    if (found === undefined) {
      tell(
        "failed",
        [...at, "uses"],
        `${namespace}: there is no file ${uses ?? entryNames.map((name) => `${namespace}/${name}`).join(", ")}`
      )
      return undefined
    }
    if (CodeFile.typeOf(found) === undefined) {
      tell(
        "failed",
        [...at, runtime === undefined ? "uses" : "runtime"],
        `${namespace}: ${found} is neither JavaScript, TypeScript nor Python (${
          runtime ?? "no runtime"
        }): write the step anew`
      )
      return undefined
    }
    if (uses !== undefined && uses !== null && found !== named) {
      tell("different", [...at, "uses"], `${namespace}: there is no file ${uses}: ${found} is taken`)
    }
    return { _tag: "File", path: found }
  }

  /** Tells of the values of a step that nothing reads in its place. */
  const drop = (
    at: WorkflowFile.Path,
    { disabled, namespace }: WorkflowFile.Step,
    own: MovedProps.MovedProps,
    reads: ReadonlyArray<string>,
    why: string
  ) => {
    if (disabled === true) return
    for (const prop of namesIn({ ...own, accounts: {} }).filter((prop) => !reads.includes(prop))) {
      tell("different", [...at, "props", prop], `${namespace}.${prop}: is left out: ${why}`)
    }
  }

  const seen = new Set<string>()
  for (const [index, step] of given.entries()) {
    const at = ["steps", index] as const
    const { namespace } = step
    if (seen.has(namespace) || isImpossible(namespace)) {
      const fault = seen.has(namespace)
        ? `another step is called ${JSON.stringify(namespace)}, too`
        : `a step can't be called ${JSON.stringify(namespace)} here`
      if (step.disabled === true) {
        tell("different", [...at, "namespace"], `${fault}: this one was switched off, and is left out`)
        continue
      }
      const name = freeName(namespace, new Set([...names, ...steps.map(({ name }) => name)]))
      tell(
        "failed",
        [...at, "namespace"],
        `${fault}: this one is ${name}, and fails when a run comes to it, until you write it anew`
      )
      steps.push({
        name,
        code: { _tag: "Left" },
        disabled: false,
        notes: [...notesIn(step.note), ...notesIn(step.notes)],
        declared: [],
        line: file.lineOf(at)
      })
      continue
    }
    seen.add(namespace)
    const own = MovedProps.of(step.props ?? {}, namespace, names, (path) => file.lineOf([...at, "props", ...path]))
    let code = codeOf(step, at, own)
    if (step.runtime !== undefined && step.runtime !== null && /^(go|bash)/.test(step.runtime)) code = undefined
    if (code === undefined) {
      if (step.disabled === true) {
        tell("different", at, `${namespace} was switched off, and is left out`)
        continue
      }
      tell("failed", at, `${namespace} fails when a run comes to it, until you write it anew`)
      code = { _tag: "Left" }
    }
    let values: Readonly<Record<string, Json>> = code._tag === "Left" ? {} : own.values
    if (code._tag === "BuiltIn") {
      values = { filter: own.filter! }
      drop(at, step, own, [], "the filter does not read it")
    }
    if (code._tag === "Action") {
      const { key } = code.action
      const replacement = BuiltInSteps.replacementOf(key, own.values)
      if (replacement !== undefined) {
        tell("different", [...at, "uses"], `${namespace}: ${key} is a step of this server's own here`)
        // A seal of the whole may hide any of them.
        const reads = ["_enc", ...replacement.reads]
        drop(at, step, own, reads, `the step that stands for ${key} does not read it`)
        const lost = step.disabled === true
          ? []
          : [...own.sealed, ...Object.keys(own.refused)].filter((prop) => reads.includes(prop))
        values = replacement._tag === "File" && lost.length === 0 ? replacement.props : {}
        code = lost.length > 0
          ? { _tag: "Left" }
          : replacement._tag === "File"
          ? { _tag: "BuiltIn", name: replacement.name }
          : replacement
        for (const prop of lost) {
          tell(
            "failed",
            [...at, "props", prop],
            `${namespace}.${prop}: ${
              own.sealed.includes(prop) ? "was sealed there" : "its expression is refused"
            }: the step fails when a run comes to it, until you write it anew`
          )
        }
      }
    }
    if (step.disabled === true) {
      const names = namesIn(own)
      if (names.length > 0) {
        tell(
          "different",
          [...at, "props"],
          `${namespace} is switched off, and has no props here: give ${names.join(", ")} when you switch it on`
        )
      }
    } else {
      for (const [prop, each] of Object.entries(values)) props[`${namespace}.${prop}`] = each
    }
    if (step.disabled !== true && (code._tag === "File" || code._tag === "Action")) {
      findings.push(...own.findings.map((finding) => ({ ...finding, file: shown(workflowFile) })))
      for (const [prop, account] of Object.entries(own.accounts)) accounts[`${namespace}.${prop}`] = account
      for (const [prop, store] of Object.entries(own.stores)) stores[`${namespace}.${prop}`] = store
      for (const [prop, each] of Object.entries(own.refused)) refused[`${namespace}.${prop}`] = each
    }
    propTexts.push(own.values as Json)
    steps.push({
      name: namespace,
      code,
      disabled: step.disabled === true,
      notes: [...notesIn(step.note), ...notesIn(step.notes)],
      // Only a step in Python has its props declared beside its code.
      declared: code._tag === "File" && CodeFile.typeOf(code.path) === "py"
        ? declaredWith(own)
        : [],
      line: file.lineOf(at)
    })
  }

  const reading = CodeReading.read(new Map([...texts, [shown(workflowFile), JSON.stringify(propTexts)]]))
  for (const { file: where, kind, line, message } of reading.differences) {
    findings.push({ kind, file: where, line, message })
  }
  const variables = [...reading.variables.keys()].sort()
  for (const [name, place] of reading.variables) {
    findings.push({
      kind: "missing",
      ...place,
      message: `reads the environment variable ${name}: set it with \`headwater env set ${name}\``
    })
  }
  const responds = reading.responds ||
    steps.some(({ code }) => code._tag === "BuiltIn" && code.name === "respond") ||
    steps.some(({ code }) => code._tag === "Action" && /respon[ds]/.test(code.action.key))

  const triggers: Array<MovedTrigger> = []
  const taken = new Map<string, number>()
  for (const [index, { id: trigger }] of (value.triggers ?? []).entries()) {
    const at = ["triggers", index]
    const [prefix = ""] = trigger.split("_")
    const [base, type] = Object.hasOwn(triggerTypes, prefix) ? triggerTypes[prefix]! : [undefined, undefined]
    if (type === undefined) {
      tell("failed", at, `${trigger}: triggers of this kind are not known`)
      continue
    }
    if (base === undefined) {
      triggers.push({ id: trigger, prop: undefined, type, line: file.lineOf(at) })
      tell(
        "missing",
        at,
        `${trigger}: the ${type} of this trigger is not in the folder: create it here, and give it with ` +
          `\`headwater import finish --set ${trigger}=<source>\``
      )
      continue
    }
    const count = (taken.get(base) ?? 0) + 1
    taken.set(base, count)
    if (count > 1 && base !== "timer") {
      tell(
        "different",
        at,
        `${trigger}: a workflow has one endpoint: all that was sent to its triggers of this kind comes to it`
      )
      continue
    }
    const prop = count === 1 ? base : `${base}_${count}`
    triggers.push({ id: trigger, prop, type, line: file.lineOf(at) })
    if (base === "timer") {
      tell(
        "missing",
        at,
        `${trigger}: its schedule is not in the folder: give it with \`headwater import finish --set '${prop}={"cron": "0 9 * * *", "timezone": "UTC"}'\``
      )
    } else if (base === "email") {
      tell("different", at, `${trigger}: has another address here, if the operator has switched e-mail on`)
    } else {
      const shape = CodeReading.eventShapeOf(reading)
      if (shape === "body") props[prop] = { event: shape }
      tell(
        "different",
        at,
        `${trigger}: has another URL here. Its settings are not in the folder: by what the code reads, the event is ` +
          `${shape === "body" ? "the body alone" : "the whole request"}, and ` +
          (responds ? "the code answers" : "the answer is 200")
      )
    }
  }

  const { error_notification: notifies, lambda_memory: memory, lambda_timeout: timeout, network } = value.settings ?? {}
  const setting = (name: string) => ["settings", name]
  if (notifies === false) {
    tell(
      "different",
      setting("error_notification"),
      "the owner gets an e-mail about errors, if the operator has set an SMTP server; it can't be switched off for one workflow"
    )
  }
  if (typeof memory === "number" && memory > usualMemory) {
    tell(
      "different",
      setting("lambda_memory"),
      `${memory} MB: a step has ${usualMemory} MB here, unless the operator says otherwise. Give the workflow's file ` +
        `\`memory_mb\`, ${leastMemory} to ${mostMemory}, of which the operator allows some (HEADWATER_RUN_HEAP_MAX)`
    )
  }
  if (network !== undefined && network !== null) {
    tell("different", setting("network"), "addresses for requests that leave are a matter of the server's own network")
  }
  let timeoutSeconds: number | undefined
  if (typeof timeout === "number" && timeout > 0) {
    timeoutSeconds = Math.min(Math.ceil(timeout), longestTimeout)
    if (timeout > longestTimeout) {
      tell(
        "different",
        setting("lambda_timeout"),
        `${timeout} s: a step takes ${longestTimeout} s at most, and what the server allows (HEADWATER_RUN_SECONDS)`
      )
    }
  }
  if (given.length === 0) tell("failed", ["steps"], "has no steps")
  if (value.inactive === true) {
    tell(
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
    wasInactive: value.inactive === true,
    triggers,
    steps,
    timeoutSeconds,
    props,
    responds,
    accounts,
    stores,
    refused,
    variables,
    files,
    findings
  }
}

/** The names of all props that have a value. */
const namesIn = ({ accounts, refused, sealed, stores, values }: MovedProps.MovedProps): ReadonlyArray<string> => [
  ...new Set([...Object.keys({ ...values, ...stores, ...accounts, ...refused }), ...sealed])
]

/** The declarations that a step in Python comes with, and those that its values let see. */
const declaredWith = ({ accounts, declared, stores, values }: MovedProps.MovedProps): MovedStep["declared"] => {
  const names = new Set(declared.map(({ name }) => name))
  return [
    ...declared,
    ...Object.keys(accounts).filter((name) => !names.has(name))
      .map((name) => ({ name, declaration: { type: "app", app: name } })),
    ...Object.keys(stores).filter((name) => !names.has(name))
      .map((name) => ({ name, declaration: { type: "data_store" } })),
    ...Object.keys(values).filter((name) => !names.has(name) && stores[name] === undefined)
      .map((name) => ({ name, declaration: { type: "any", optional: true } }))
  ]
}
