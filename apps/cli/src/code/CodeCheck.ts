import type { CheckedCode } from "@headwater/api/CodeApi"
import type { ConfigurableProp } from "@headwater/domain/Component"
import type { ModulePosition } from "@headwater/sandbox/BundlerProtocol"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import { Console, Effect, Option, type Schema } from "effect"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import { subjectOf } from "../commands/DeployCommand.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import * as CodeFile from "./CodeFile.ts"
import * as ComponentEntry from "./ComponentEntry.ts"
import { at, ComponentFiles } from "./ComponentFiles.ts"
import type * as Deployment from "./Deployment.ts"
import * as PackageFile from "./PackageFile.ts"
import * as TypeCheck from "./TypeCheck.ts"

/** Code that can be checked: not a key of the registry, which nobody here wrote. */
export type Code = Exclude<Deployment.Subject, { readonly _tag: "Key" }>

/** The component that an argument leads to. */
export interface Found {
  readonly subject: Deployment.Subject
  readonly isWorkflow: boolean
  /** The absolute path of its first file, if it is on disk. */
  readonly file: Option.Option<string>
}

export const find = Effect.fnUntraced(function*(what: string, workflow: boolean) {
  const entry = yield* ComponentEntry.find(what)
  const found: Found = {
    subject: yield* subjectOf(what, entry),
    isWorkflow: workflow || Option.exists(entry, ({ isWorkflow }) => isWorkflow),
    file: Option.map(entry, ({ file }) => file)
  }
  return found
})

/** The form in which a request gives code. */
export const parametersOf = (subject: Code, isWorkflow: boolean) => {
  if (subject._tag === "Url") return isWorkflow ? { workflow_url: subject.url } : { component_url: subject.url }
  const { code } = subject.bundle
  return isWorkflow ? { workflow_code: code } : { component_code: code }
}

/** The server's answer about code, with its faults in the files that the code was written in. */
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

/** The faults of code, a line for each. */
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

/** The faults that the project's TypeScript finds in a file; none if the project has no TypeScript. */
const typeFaults = Effect.fnUntraced(function*(file: string) {
  return yield* TypeCheck.check(file).pipe(
    Effect.catchTag("NoCompiler", ({ message }) =>
      Effect.gen(function*() {
        // Nobody expects it of JavaScript, or of a file that is of no project.
        const isExpected = CodeFile.typeOf(file) === "ts" && Option.isSome(yield* PackageFile.above(Path.dirname(file)))
        if (isExpected) yield* Console.error(`headwater: types are not checked: ${message}`)
        return []
      }))
  )
})

const placeOf = ({ column, file, line }: ModulePosition): string => `${file}:${line}:${column}`

/** Checks code, and fails if it is faulty. */
export const check = Effect.fnUntraced(function*(what: string, workflow: boolean, json: boolean) {
  const { file, isWorkflow, subject } = yield* find(what, workflow)
  if (subject._tag === "Key") {
    return yield* new CommandRefused({ message: `${JSON.stringify(what)} is not a file, a folder or a URL` })
  }
  const faults = Option.isSome(file) ? yield* typeFaults(file.value) : []
  const checked = yield* ask(subject, isWorkflow)
  // A fault that both find is told in the server's words, which say what to do.
  const told = new Set(checked.errors.map(placeOf))
  const lines = [...faults.filter((fault) => !told.has(placeOf(fault))).map(TypeCheck.textOf), ...errorLines(checked)]
  yield* Output.print(
    json,
    { ...checked, type_errors: faults },
    harmless(lines.length === 0 ? linesOf(checked) : lines.join("\n"))
  )
  if (lines.length > 0) return yield* new CommandRefused({ message: `${what} can't be deployed` })
}, Effect.provide([ComponentFiles.layer, ApiAccess.layer]))
