import type { CheckedCode } from "@headwater/api/CodeApi"
import type { ConfigurableProp } from "@headwater/domain/Component"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import { Effect, Option, type Schema } from "effect"
import { ApiAccess } from "./ApiAccess.ts"
import { CommandRefused } from "./CommandRefused.ts"
import * as ComponentEntry from "./ComponentEntry.ts"
import { at, ComponentFiles } from "./ComponentFiles.ts"
import { subjectOf } from "./DeployCommand.ts"
import type * as Deployment from "./Deployment.ts"
import { harmless } from "./HarmlessText.ts"
import * as Output from "./Output.ts"

/** Code that can be checked: not a key of the registry, which nobody here wrote. */
export type Code = Exclude<Deployment.Subject, { readonly _tag: "Key" }>

/** What an argument leads to, and whether it is a workflow. */
export interface Found {
  readonly subject: Deployment.Subject
  readonly isWorkflow: boolean
}

export const find = Effect.fnUntraced(function*(what: string, workflow: boolean) {
  const entry = yield* ComponentEntry.find(what)
  const found: Found = {
    subject: yield* subjectOf(what, entry),
    isWorkflow: workflow || Option.exists(entry, ({ isWorkflow }) => isWorkflow)
  }
  return found
})

/** How a request gives code. */
export const parametersOf = (subject: Code, isWorkflow: boolean) => {
  if (subject._tag === "Url") return isWorkflow ? { workflow_url: subject.url } : { component_url: subject.url }
  const { code } = subject.bundle
  return isWorkflow ? { workflow_code: code } : { component_code: code }
}

/** What the server says of code, its faults in the files that it was written in. */
export const ask = Effect.fnUntraced(function*(subject: Code, isWorkflow: boolean) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ code }) => code.check({ headers: {}, payload: parametersOf(subject, isWorkflow) }))
  if (subject._tag === "Url") return data
  const { place } = subject.bundle
  return {
    ...data,
    errors: data.errors.map((error) =>
      error.file === SourcePlaces.moduleName ? { ...error, ...place(error.line, error.column) } : error
    )
  }
})

/** What is wrong with code, a line for each. */
export const errorLines = ({ errors }: Pick<CheckedCode, "errors">): ReadonlyArray<string> =>
  errors.map((error) => at(error, `${error.message}. ${error.advice}`).replace(/\.\. /, ". "))

const shownDefault = (value: Schema.Json | undefined): string =>
  value === undefined ? "" : `default ${JSON.stringify(value)}`

const optionsOf = (prop: ConfigurableProp): string =>
  prop["remoteOptions"] === true
    ? "options by the code"
    : Array.isArray(prop["options"])
    ? `${prop["options"].length} options`
    : ""

const rowOf = (prop: ConfigurableProp): ReadonlyArray<string> => [
  prop.name,
  prop.type,
  [
    prop["optional"] === true ? "optional" : "",
    prop["secret"] === true ? "secret" : "",
    shownDefault(prop.default),
    optionsOf(prop)
  ].filter((text) => text !== "").join(", ")
]

const linesOf = (checked: CheckedCode): string => {
  const { configurable_props, has_additional_props, hooks, key, kind, methods, name, steps, version } = checked
  const facts = [
    [kind === "source" ? "Source" : "Workflow", name ?? ""],
    ["Key", key ?? "none"],
    ["Version", version ?? ""],
    ...(steps.length === 0 ? [] : [["Steps", steps.join(", ")]]),
    ...(hooks.length === 0 ? [] : [["Hooks", hooks.join(", ")]]),
    ...(methods.length === 0 ? [] : [["Methods", methods.join(", ")]]),
    ...(has_additional_props ? [["Adds props", "yes, depending on the values of these"]] : [])
  ]
  const props = configurable_props.map(rowOf)
  return [
    Output.table(facts),
    ...(props.length === 0 ? [] : ["", Output.table([["Prop", "Type", ""], ...props])])
  ].join("\n")
}

/** Checks code, and fails if it is faulty. */
export const check = Effect.fnUntraced(function*(what: string, workflow: boolean, json: boolean) {
  const { isWorkflow, subject } = yield* find(what, workflow)
  if (subject._tag === "Key") {
    return yield* new CommandRefused({ message: `${JSON.stringify(what)} is not a file, a folder or a URL` })
  }
  const checked = yield* ask(subject, isWorkflow)
  const text = checked.valid ? linesOf(checked) : errorLines(checked).join("\n")
  yield* Output.print(json, checked, harmless(text))
  if (!checked.valid) return yield* new CommandRefused({ message: `${what} can't be deployed` })
}, Effect.provide([ComponentFiles.layer, ApiAccess.layer]))
