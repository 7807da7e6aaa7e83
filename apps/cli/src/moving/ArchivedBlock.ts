/** Control flow of an export, by its shape: a condition and the steps of each way. */
import { parseExpressionAt } from "acorn"
import { Option, type Schema } from "effect"
import * as DistinctNames from "../text/DistinctNames.ts"
import * as BuiltInSteps from "./BuiltInSteps.ts"
import { type Fields, isFields } from "./Fields.ts"
import type { Shape } from "./Shape.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

type Json = Schema.Json

/** The steps of one way, and what leads there. */
interface Way {
  readonly name: string
  readonly when: Json | undefined
  readonly steps: ReadonlyArray<Json>
  readonly path: WorkflowFile.Path
}

export interface Found {
  readonly kind: WorkflowFile.Block["kind"]
  readonly value: Json | undefined
  readonly ways: ReadonlyArray<Way>
}

const conditionNames = ["condition", "if", "when", "test", "expression", "rules", "filter"]
const stepNames = ["steps", "cells", "actions", "then", "blocks"]
const thenNames = ["then", "if_true", "ifTrue", "true", "consequent", "yes"]
const elseNames = ["else", "if_false", "ifFalse", "false", "alternate", "no", "otherwise"]

/** The list of steps that something is or has. */
const stepsIn = (value: Json | undefined, path: WorkflowFile.Path): Pick<Way, "steps" | "path"> | undefined => {
  if (Array.isArray(value)) return { steps: value, path }
  if (!isFields(value)) return undefined
  const name = stepNames.find((name) => Array.isArray(value[name]))
  return name === undefined ? undefined : { steps: value[name] as ReadonlyArray<Json>, path: [...path, name] }
}

/** The first of the names under which there are steps, without reading what has none. */
const wayAt = (shape: Shape, names: ReadonlyArray<string>, name: string): Way | undefined => {
  for (const key of names) {
    const found = stepsIn(shape.peek(key), [...shape.path, key])
    if (found === undefined) continue
    shape.value(key)
    return { name, when: undefined, ...found }
  }
  return undefined
}

/** A condition, which has to be an expression as a whole, or rules of it. */
const simple = /^\s*\{\{[^]*\}\}\s*$/

const isExpression = Option.liftThrowable((text: string) => parseExpressionAt(text, 0, { ecmaVersion: "latest" }))

const operand = (value: Json | undefined): string | undefined => {
  if (typeof value !== "string" || !value.includes("{{")) return JSON.stringify(value ?? null)
  const [, inner] = /^\s*\{\{([^]*)\}\}\s*$/.exec(value) ?? []
  return inner === undefined || Option.isNone(isExpression(`(${inner})`)) ? undefined : `(${inner.trim()})`
}

const number = (code: string) => `Number.parseFloat(String(${code}))`

const comparisons: Readonly<Record<string, (one: string, other: string) => string>> = {
  "str=": (one, other) => `String(${one}) === String(${other})`,
  "str/": (one, other) => `String(${one}).includes(String(${other}))`,
  "num=": (one, other) => `${number(one)} === ${number(other)}`,
  "num>": (one, other) => `${number(one)} > ${number(other)}`,
  "num>=": (one, other) => `${number(one)} >= ${number(other)}`,
  "num<": (one, other) => `${number(one)} < ${number(other)}`,
  "num<=": (one, other) => `${number(one)} <= ${number(other)}`
}

/** Rules, as those of a filter, as the code of an expression. */
const codeOfRules = (rule: Fields): string | undefined => {
  const { a, b, op, r, t } = rule
  if (t === "and" || t === "or") {
    const inner = Array.isArray(r) ? r.map((each) => isFields(each) ? codeOfRules(each) : undefined) : [undefined]
    if (inner.includes(undefined)) return undefined
    return inner.length === 0
      ? String(t === "and")
      : inner.map((code) => `(${code})`).join(t === "and" ? " && " : " || ")
  }
  const compare = typeof op === "string" && Object.hasOwn(comparisons, op) ? comparisons[op] : undefined
  const [one, other] = [operand(a), operand(b)]
  return compare === undefined || one === undefined || other === undefined ? undefined : compare(one, other)
}

/** A condition in the form of this server; undefined if it is not understood. */
export const conditionOf = (value: Json | undefined): Json | undefined => {
  if (typeof value === "boolean") return value
  if (typeof value === "string") return simple.test(value) ? value : undefined
  if (!isFields(value)) return undefined
  const rules = isFields(value["rules"]) ? value["rules"] : value
  if (BuiltInSteps.unknownOperators(rules)?.length !== 0) return undefined
  const code = codeOfRules(rules)
  return code === undefined ? undefined : `{{ ${code} }}`
}

/** A name that no other way has. */
const distinctly = () => {
  const free = DistinctNames.make()
  return (wanted: Json | undefined, index: number): string =>
    free(
      typeof wanted === "string" || typeof wanted === "number" || typeof wanted === "boolean"
        ? String(wanted)
        : `branch_${index + 1}`
    )
}

/** The ways that are listed under a name. */
const waysAt = (shape: Shape, name: string, named: ReadonlyArray<string>): ReadonlyArray<Way> | undefined => {
  const value = shape.peek(name)
  const entries: ReadonlyArray<readonly [string | number, Json]> = Array.isArray(value)
    ? [...value.entries()]
    : isFields(value)
    ? Object.entries(value)
    : []
  const free = distinctly()
  const ways = entries.map(([key, each], index): Way | undefined => {
    const path = [...shape.path, name, key]
    const found = stepsIn(each, path)
    if (found === undefined) return undefined
    const fields = isFields(each) ? each : {}
    const own = named.map((name) => fields[name]).find((value) => value !== undefined && value !== null)
    const when = conditionNames.map((name) => fields[name]).find((value) => value !== undefined && value !== null)
    return { name: free(own ?? (typeof key === "string" ? key : undefined), index), when, ...found }
  })
  if (ways.length === 0 || ways.includes(undefined)) return undefined
  shape.value(name)
  return ways.filter((way) => way !== undefined)
}

const inShape = (shape: Shape): Found | undefined => {
  const cases = waysAt(shape, "cases", ["value", "case", "match", "when", "name"])
  if (cases !== undefined) {
    const otherwise = wayAt(shape, ["default", ...elseNames], "default")
    const value = shape.value("switch", "expression", "value", "on", "discriminant", "condition")
    return { kind: "switch", value, ways: [...cases, ...(otherwise === undefined ? [] : [otherwise])] }
  }
  const then = wayAt(shape, thenNames, "then")
  if (then !== undefined) {
    const otherwise = wayAt(shape, elseNames, "else")
    const value = shape.value(...conditionNames)
    return { kind: "if", value, ways: [then, ...(otherwise === undefined ? [] : [otherwise])] }
  }
  const parallel = waysAt(shape, "parallel", ["name", "key", "label"])
  if (parallel !== undefined) return { kind: "parallel", value: undefined, ways: parallel }
  const ways = waysAt(shape, "branches", ["name", "key", "label"]) ?? waysAt(shape, "paths", ["name", "key", "label"])
  if (ways === undefined) return undefined
  const isParallel = /parallel/i.test(shape.text("type", "kind", "operator") ?? "")
  return { kind: isParallel ? "parallel" : "branches", value: undefined, ways }
}

/** The control flow that an object is, or has within. */
export const find = (shape: Shape): Found | undefined => {
  const own = inShape(shape)
  if (own !== undefined) return own
  for (const name of ["config", "control_flow", "controlFlow", "configuration", "block"]) {
    const inner = isFields(shape.peek(name)) ? shape.shape(name) : undefined
    const found = inner === undefined ? undefined : inShape(inner)
    if (found === undefined) shape.unread(name)
    else {
      inner?.rest()
      return found
    }
  }
  return undefined
}

const isText = (value: Json | undefined) => typeof value === "string" && simple.test(value)

/**
 * The block of what was found.
 *
 * @param readSteps reads a list of steps, and answers their places
 */
export const of = (
  { kind, value, ways }: Found,
  readSteps: (list: ReadonlyArray<Json>, path: WorkflowFile.Path) => ReadonlyArray<number>
): WorkflowFile.Block => {
  const decides = kind === "if" ? conditionOf(value) : kind === "switch" && isText(value) ? value : undefined
  const branches = ways.map(({ name, path, steps, when }) => ({
    name,
    when: kind === "branches" ? conditionOf(when) : undefined,
    steps: readSteps(steps, path)
  }))
  const isUnclear = (kind === "if" || kind === "switch") && decides === undefined ||
    kind === "branches" && ways.some(({ when }, index) =>
        // One without a condition is taken otherwise, which only the last one can be.
        when === undefined ? index < ways.length - 1 : conditionOf(when) === undefined
      )
  return { kind, value: decides, isUnclear, branches }
}
