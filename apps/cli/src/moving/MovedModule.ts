/** The module of a workflow, which imports each of its steps from its file. */
import type { Schema } from "effect"
import * as Path from "node:path"
import * as DistinctNames from "../text/DistinctNames.ts"
import * as BuiltInSteps from "./BuiltInSteps.ts"
import type { MovedStep } from "./MovedSteps.ts"
import type { MovedWorkflow } from "./MovedWorkflow.ts"
import type { ActionName } from "./StepCode.ts"
import type { Block, Branch } from "./WorkflowFile.ts"

/** The import of an action, or the path of its file in the set-up. */
export type Places = (action: ActionName) => string

const identifier = /^[A-Za-z_$][\w$]*$/

/** Words that can't name a variable of a module (ECMA-262, "Keywords and Reserved Words"), and those that are taken. */
const reserved = new Set(
  ("arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally " +
    "for function if implements import in instanceof interface let new null package private protected public return static super " +
    "switch this throw true try typeof undefined var void while with yield").split(" ")
)

/** Text as a literal that ends no line before its time. */
export const literal = (value: Schema.Json): string =>
  JSON.stringify(value).replace(/[\u2028\u2029]/g, (separator) => `\\u${separator.charCodeAt(0).toString(16)}`)

export const keyOf = (name: string): string =>
  name === "__proto__" ? `["__proto__"]` : identifier.test(name) ? name : literal(name)

const commentLines = (text: string, indent: string): ReadonlyArray<string> =>
  text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `${indent}// ${line}`.trimEnd())

/** Gives each import a name of its own. */
const namesDistinctly = () => {
  const free = DistinctNames.make()
  return (wanted: string): string => {
    const plain = wanted.replace(/[^\w$]+/g, "_").replace(/^(?=\d)/, "_") || "step"
    return free(reserved.has(plain) ? `${plain}_` : plain)
  }
}

const unclear = "() => { throw new Error(\"this condition did not come over: write it anew\") }"

/** The members of a block, whose branches have their steps by `branchOf`. */
const blockOf = (
  { branches, isUnclear, kind, matchesEvery, value }: Block,
  indent: string,
  branchOf: (branch: Branch, indent: string) => string
): string => {
  const inner = `${indent}  `
  const decides = isUnclear ? unclear : literal(value ?? null)
  const named = (list: ReadonlyArray<Branch>, of: (branch: Branch) => string) =>
    `{\n${list.map((branch) => `${inner}  ${keyOf(branch.name)}: ${of(branch)}`).join(",\n")}\n${inner}}`
  const stepsOf = (branch: Branch) => branchOf(branch, `${inner}  `)
  const whenOf = ({ when }: Branch) =>
    isUnclear ? `when: ${unclear}, ` : when === undefined ? "" : `when: ${literal(when)}, `
  const isDefault = ({ name }: Branch) => name === "default"
  const members = {
    if: () => [`if: ${decides}`, ...branches.map((branch) => `${branch.name}: ${branchOf(branch, inner)}`)],
    parallel: () => [`parallel: ${named(branches, stepsOf)}`],
    switch: () => [
      `switch: ${decides}`,
      `cases: ${named(branches.filter((branch) => !isDefault(branch)), stepsOf)}`,
      ...branches.filter(isDefault).map((branch) => `default: ${branchOf(branch, inner)}`)
    ],
    branches: () => [
      `branches: ${named(branches, (branch) => `{ ${whenOf(branch)}steps: ${stepsOf(branch)} }`)}`,
      ...(matchesEvery === true ? ["match: \"every\""] : [])
    ]
  }
  return members[kind]().map((member) => `${inner}${member}`).join(",\n")
}

/** The module of a workflow in the set-up, beside the files that are the workflow's own. */
export const fileOf = (ref: string, { files }: Pick<MovedWorkflow, "files">): string => {
  const taken = new Set(files.map(({ path }) => path.toLowerCase()))
  let name = "workflow.mjs"
  for (let count = 2; taken.has(name); count++) name = `workflow_${count}.mjs`
  return `${ref}/${name}`
}

export const textOf = (
  { folder, id, name, responds, steps, triggers }: MovedWorkflow,
  ref: string,
  placeOf: Places
): string => {
  const nameOf = namesDistinctly()
  const imports = new Map<string, string>()
  const imported = (specifier: string, wanted: string): string => {
    const known = imports.get(specifier)
    if (known !== undefined) return known
    const own = nameOf(wanted)
    imports.set(specifier, own)
    return own
  }
  const relative = (path: string): string => Path.posix.relative(ref, path).replace(/^(?!\.)/, "./")
  const importOf = ({ code, name: step }: MovedStep): string | undefined => {
    switch (code._tag) {
      case "File":
        return imported(`./${code.path}`, step)
      case "BuiltIn":
        return imported(relative(BuiltInSteps.fileOf(code.name)), code.name)
      case "Action": {
        const place = placeOf(code.action)
        return imported(place.startsWith("actions/") ? relative(place) : place, step)
      }
      default:
        return undefined
    }
  }
  const byIndex = new Map(steps.map((step) => [step.index, step]))
  const inBranches = new Set(
    steps.flatMap(({ code }) => code._tag === "Block" ? code.block.branches.flatMap(({ steps }) => steps) : [])
  )
  const branchOf = ({ steps }: Branch, indent: string): string => {
    const own = steps.flatMap((index) => byIndex.get(index) ?? [])
    return own.length === 0 ? "{}" : `{\n${linesOf(own, `${indent}  `).join("\n")}\n${indent}}`
  }
  const membersOf = ({ code, declared, disabled }: MovedStep, own: string | undefined): ReadonlyArray<string> => [
    ...(own === undefined ? [] : [`...${own}`]),
    ...(code._tag === "Delay" ? [`delay: ${literal(code.delay)}`] : []),
    ...(code._tag === "End" ? [`end: ${literal(code.reason)}`] : []),
    ...(code._tag === "Left"
      ? [`run() { throw new Error(${literal(code.why ?? "this step did not come over: write it anew")}) }`]
      : []),
    ...(declared.length === 0
      ? []
      : [
        `props: { ${declared.map(({ declaration, name }) => `${keyOf(name)}: ${literal(declaration)}`).join(", ")} }`
      ]),
    ...(disabled ? ["disabled: true"] : [])
  ]
  const linesOf = (list: ReadonlyArray<MovedStep>, indent: string): ReadonlyArray<string> =>
    list.flatMap((step, index) => {
      const { code, disabled } = step
      const own = importOf(step)
      const members = membersOf(step, own)
      const key = keyOf(step.name)
      const isPlain = own !== undefined && members.length === 1
      const value = code._tag === "Block"
        ? `{\n${blockOf(code.block, indent, branchOf)}${disabled ? `,\n${indent}  disabled: true` : ""}\n${indent}}`
        : isPlain
        ? own
        : `{ ${members.join(", ")} }`
      const comma = index === list.length - 1 ? "" : ","
      return [
        ...step.notes.flatMap((note) => commentLines(note, indent)),
        isPlain && key === own ? `${indent}${own}${comma}` : `${indent}${key}: ${value}${comma}`
      ]
    })
  const stepLines = linesOf(steps.filter(({ index }) => !inBranches.has(index)), "    ")
  const props = triggers.flatMap(({ prop, type }) =>
    prop === undefined
      ? []
      : [
        `    ${prop}: ${
          type === "$.interface.http" && responds ? `{ type: ${literal(type)}, customResponse: true }` : literal(type)
        }`
      ]
  )
  return [
    ...commentLines(`Moved from ${folder === "" ? id : `${folder} (${id})`}`, ""),
    ...[...imports].map(([specifier, own]) => `import ${own} from ${literal(specifier)}`),
    "",
    "export default {",
    `  name: ${literal(name)},`,
    ...(props.length === 0 ? [] : ["  props: {", props.join(",\n"), "  },"]),
    "  steps: {",
    ...stepLines,
    "  }",
    "}",
    ""
  ].join("\n")
}
