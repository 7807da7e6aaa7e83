/** Blocks of a workflow's steps: branches of which some are run (`docs/workflows.md`, "Branches"). */
import type { Fork } from "../StepAnswer.ts"
import { type ComponentDefinition, Invalid } from "./Module.ts"
import { isCallable } from "./Props.ts"
import type { PythonStep } from "./Python.ts"

const { stringify } = JSON
const { entries, fromEntries, hasOwn, keys } = Object

export type Step =
  & ComponentDefinition
  & ({
    readonly run: (this: unknown, given: { readonly steps: unknown; readonly $: unknown }) => unknown
  } | PythonStep)

interface Branch {
  readonly name: string
  readonly nodes: Nodes
}

interface Block {
  readonly branches: ReadonlyArray<Branch>
  /** True if several of them may be run, and what each gave is told by its name. */
  readonly isAll: boolean
  /** True if they are run at the same time. */
  readonly isParallel?: boolean
}

/** A step; that of a block answers the names of the branches that are run. */
export interface Node {
  readonly name: string
  readonly step: Step
  readonly block?: Block
}

export type Nodes = ReadonlyArray<Node>

type Results = Readonly<Record<string, unknown>>
type Path = ReadonlyArray<string>

/** Reads steps within a block. */
type Read = (steps: unknown, path: Path) => Nodes

const fail = (message: string, path: Path): never => {
  throw new Invalid({ reason: "definition", message, path })
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const forms: Readonly<Record<string, ReadonlyArray<string>>> = {
  if: ["if", "then", "else"],
  switch: ["switch", "cases", "default"],
  branches: ["branches", "match"],
  parallel: ["parallel"]
}

const formOf = (step: ComponentDefinition): string | undefined => keys(forms).find((form) => hasOwn(step, form))

export const isBlock = (value: unknown): value is ComponentDefinition =>
  isMembers(value) && !("run" in value) && formOf(value as ComponentDefinition) !== undefined

/** A condition of a block: where it is no function it is a prop, so that it may have expressions. */
interface Condition {
  readonly prop: string
  readonly given: unknown
}

const propsOf = (conditions: ReadonlyArray<Condition>) =>
  fromEntries(
    conditions.flatMap(({ given, prop }) => isCallable(given) ? [] : [[prop, { type: "any", static: given }]])
  )

const blockOf = (
  conditions: ReadonlyArray<Condition>,
  block: Block,
  choose: (valueOf: (condition: Condition) => Promise<unknown>) => Promise<ReadonlyArray<string>>
): Pick<Node, "step" | "block"> => ({
  step: {
    props: propsOf(conditions),
    run(this: unknown, given) {
      const self = this as Record<string, unknown>
      return choose(async ({ given: value, prop }) => isCallable(value) ? value.call(this, given) : self[prop])
    }
  },
  block
})

const readers: Readonly<
  Record<string, (step: ComponentDefinition, path: Path, read: Read) => Pick<Node, "step" | "block">>
> = {
  if: (step, path, read) => {
    const condition = { prop: "if", given: step["if"] }
    const branches = ["then", "else"].flatMap((name) =>
      step[name] === undefined ? [] : [{ name, nodes: read(step[name], [...path, name]) }]
    )
    return blockOf([condition], { branches, isAll: false }, async (valueOf) => {
      const taken = await valueOf(condition) ? "then" : "else"
      return branches.some(({ name }) => name === taken) ? [taken] : []
    })
  },
  switch: (step, path, read) => {
    const condition = { prop: "switch", given: step["switch"] }
    const { cases, default: other } = step
    if (!isMembers(cases)) return fail("a switch must have an object of cases", [...path, "cases"])
    const branches = entries(cases).map(([name, steps]) => ({ name, nodes: read(steps, [...path, "cases", name]) }))
    if (other !== undefined && hasOwn(cases, "default")) {
      return fail(`a switch with a default can't have a case "default" too`, [...path, "cases", "default"])
    }
    const last = other === undefined ? [] : [{ name: "default", nodes: read(other, [...path, "default"]) }]
    return blockOf([condition], { branches: [...branches, ...last], isAll: false }, async (valueOf) => {
      const value = String(await valueOf(condition))
      if (hasOwn(cases, value)) return [value]
      return last.length === 0 ? [] : ["default"]
    })
  },
  branches: (step, path, read) => {
    const { branches: given, match = "first" } = step
    if (!isMembers(given)) return fail("branches must be an object", [...path, "branches"])
    if (match !== "first" && match !== "every") return fail("match must be first or every", [...path, "match"])
    const all = entries(given).map(([name, branch]) => {
      const place = [...path, "branches", name]
      if (!isMembers(branch)) return fail(`the branch ${stringify(name)} must be an object with steps`, place)
      const other = keys(branch).find((key) => key !== "when" && key !== "steps")
      if (other !== undefined) return fail(`the branch ${stringify(name)} can't have ${stringify(other)}`, place)
      const { steps, when = true } = branch
      return { name, nodes: read(steps, [...place, "steps"]), condition: { prop: `when ${name}`, given: when } }
    })
    const conditions = all.map(({ condition }) => condition)
    return blockOf(conditions, { branches: all, isAll: match === "every" }, async (valueOf) => {
      const taken: Array<string> = []
      for (const { condition, name } of all) {
        if (taken.length > 0 && match === "first") break
        if (await valueOf(condition)) taken.push(name)
      }
      return taken
    })
  },
  parallel: (step, path, read) => {
    const { parallel } = step
    if (!isMembers(parallel)) return fail("parallel must be an object of branches", [...path, "parallel"])
    const branches = entries(parallel).map(([name, steps]) => ({
      name,
      nodes: read(steps, [...path, "parallel", name])
    }))
    return blockOf([], { branches, isAll: true, isParallel: true }, async () => branches.map(({ name }) => name))
  }
}

export const readBlock = (name: string, step: ComponentDefinition, path: Path, read: Read): Node => {
  const form = formOf(step)!
  const other = keys(step).find((key) => !forms[form]!.includes(key))
  if (other !== undefined) fail(`the step ${stringify(name)} with ${form} can't have ${stringify(other)} too`, path)
  return { name, ...readers[form]!(step, path, read) }
}

/** All steps, each block before its branches: a run only ever goes on to one that comes later. */
export const flatten = (nodes: Nodes): Nodes =>
  nodes.flatMap((node) => [node, ...(node.block?.branches ?? []).flatMap((branch) => flatten(branch.nodes))])

const has = (nodes: Nodes, name: string): boolean => flatten(nodes).some((node) => node.name === name)

/**
 * The branches of a block that are run: those that its step gave, and the one that a run began within, which is of one
 * branch then.
 */
const takenOf = ({ block, name }: Node, results: Results): ReadonlyArray<Branch> => {
  if (block === undefined) return []
  const { branches, isAll } = block
  const given = (results[name] as { readonly $return_value?: unknown } | undefined)?.$return_value
  const isGiven = (branch: Branch) => Array.isArray(given) && given.includes(branch.name)
  // Results are in the order in which the steps were run.
  const done = keys(results).filter((step) => branches.some(({ nodes }) => has(nodes, step)))
  if (isAll) return branches.filter((branch) => isGiven(branch) || done.some((step) => has(branch.nodes, step)))
  const last = done.at(-1)
  return branches.filter((branch) => last === undefined ? isGiven(branch) : has(branch.nodes, last))
}

/** The steps in the order in which a run comes to them, as far as that is decided, without those within a block. */
function* walk(nodes: Nodes, results: Results, without?: string): Generator<string> {
  for (const node of nodes) {
    yield node.name
    if (node.name === without) continue
    for (const branch of takenOf(node, results)) yield* walk(branch.nodes, results, without)
  }
}

const placeBehind = (nodes: Nodes, path: ReadonlyArray<string>, step: string): number => {
  const next = path[path.indexOf(step) + 1]
  const all = flatten(nodes)
  return next === undefined ? all.length : all.findIndex(({ name }) => name === next)
}

/** The place among all steps of the one that comes after a step that has its result; their number behind the last. */
export const placeAfter = (nodes: Nodes, results: Results, step: string): number =>
  placeBehind(nodes, [...walk(nodes, results)], step)

/** The branches in which a run goes on at once after the step of their block; undefined where it goes on in one alone. */
export const forkAt = (nodes: Nodes, results: Results, step: string): Fork | undefined => {
  const all = flatten(nodes)
  const node = all.find(({ name }) => name === step)
  if (node?.block?.isParallel !== true) return undefined
  const taken = takenOf(node, results).filter((branch) => branch.nodes.length > 0)
  if (taken.length < 2) return undefined
  const placeOf = (name: string) => all.findIndex((other) => other.name === name)
  const branches = taken.map((branch) => {
    const from = placeOf(branch.nodes[0]!.name)
    return { name: branch.name, from, until: from + flatten(branch.nodes).length }
  })
  return { branches, joins: placeBehind(nodes, [...walk(nodes, results, step)], step) }
}

const resultOf = (node: Node, results: Results): unknown => {
  const { block, name } = node
  const taken = takenOf(node, results)
  if (block === undefined || results[name] === undefined && taken.length === 0) return results[name]
  if (block.isAll) return fromEntries(taken.map((branch) => [branch.name, lastOf(branch.nodes, results) ?? {}]))
  return taken.length === 0 ? {} : lastOf(taken[0]!.nodes, results) ?? {}
}

/** The result of the last step of a path that was run. */
const lastOf = (nodes: Nodes, results: Results): unknown =>
  nodes.map((node) => resultOf(node, results)).findLast((result) => result !== undefined)

/** The results that a step sees: of the steps before it on its own path, and of blocks what they export. */
export const seenFrom = (nodes: Nodes, results: Results, step: string): Record<string, unknown> => {
  const seen: Record<string, unknown> = {}
  for (const node of nodes) {
    if (node.name === step) break
    const within = node.block?.branches.find((branch) => has(branch.nodes, step))
    if (within !== undefined) return { ...seen, ...seenFrom(within.nodes, results, step) }
    const result = resultOf(node, results)
    if (result !== undefined) seen[node.name] = result
  }
  return seen
}
