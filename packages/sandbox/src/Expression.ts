/**
 * Expressions in the props of steps: `{{ JavaScript }}`, alone or within text (`docs/workflows.md`, "Expressions").
 *
 * - E1. A text is cut where an expression ends, not at the first `}}`: those within its strings and objects are its own.
 * - E2. Text that only looks like one, as templates of others do, stays as it is, or is refused by name.
 * - E3. A path that leads nowhere is undefined: each `.` of an expression is made `?.`, unless that is no JavaScript, as where
 *   something is assigned to it.
 */
import { type AnyNode, type Expression as ExpressionNode, parseExpressionAt } from "acorn"
import * as Result from "effect/Result"
import { walk } from "./SyntaxTree.ts"

/** A part of a text: text as it is, or an expression. */
export type Part = string | {
  /** As it was written. */
  readonly source: string
  /** JavaScript to evaluate, over `steps` and `$`. */
  readonly code: string
}

/** The parts of texts that have expressions, by the whole text. */
export type Templates = Readonly<Record<string, ReadonlyArray<Part>>>

/** A text in a prop of a step that has a mistake in an expression. */
export interface ExpressionFault {
  readonly source: string
  readonly message: string
}

const opening = "{{"
const closing = "}}"

/** The most openings in one text: each may be read to the end of the text. */
const mostOpenings = 500

/** Text that does not parse is taken for an expression if it speaks of these. */
const speaksOfRun = /(?:^|[^\w$.])(?:steps|process|\$)\s*(?:\?\.|\.|\[)/

/** The names that an expression may begin with, beside those that JavaScript has everywhere. */
const given = new Set(["steps", "$", "process"])

const parsed = (text: string, at: number): ExpressionNode | SyntaxError => {
  try {
    return parseExpressionAt(text, at, { ecmaVersion: "latest" })
  } catch (error) {
    // Brackets that go deeper than the stack are none that somebody wrote.
    return error instanceof SyntaxError ? error : new SyntaxError("it goes too deep")
  }
}

/** The code of an expression, in which a path that leads nowhere is undefined. */
const codeOf = (text: string, top: ExpressionNode): string => {
  const places: Array<number> = []
  walk(top, (node) => {
    if (node.type !== "MemberExpression" || node.optional) return
    // Behind the object, and what closes the brackets around it, comes `.` or `[`.
    places.push(text.indexOf(node.computed ? "[" : ".", node.object.end))
  })
  let code = ""
  let from = top.start
  for (const at of places.toSorted((one, other) => one - other)) {
    code += `${text.slice(from, at)}?.`
    from = text[at] === "." ? at + 1 : at
  }
  code += text.slice(from, top.end)
  return parsed(code, 0) instanceof SyntaxError ? text.slice(top.start, top.end) : code
}

const rootOf = (node: ExpressionNode): AnyNode => {
  let root: AnyNode = node
  while (root.type === "MemberExpression" || root.type === "ChainExpression") {
    root = root.type === "ChainExpression" ? root.expression : root.object
  }
  return root
}

/** The step that a node speaks of, as in `steps.name` or `steps["name"]`. */
const stepIn = (node: AnyNode): string | undefined => {
  if (node.type !== "MemberExpression" || node.object.type !== "Identifier" || node.object.name !== "steps") {
    return undefined
  }
  const { property } = node
  if (property.type === "Identifier" && !node.computed) return property.name
  return property.type === "Literal" && typeof property.value === "string" ? property.value : undefined
}

/** The position behind blanks and comments. */
const behindBlanks = (text: string, at: number): number => {
  const blank = /(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/y
  blank.lastIndex = at
  blank.exec(text)
  return blank.lastIndex
}

const syntaxFault = (text: string, start: number, error: SyntaxError | undefined): ExpressionFault | undefined => {
  const end = text.indexOf(closing, start)
  if (end === -1) return undefined
  const source = text.slice(start + opening.length, end)
  if (!speaksOfRun.test(source)) return undefined
  return { source: source.trim(), message: error?.message.replace(/ \(\d+:\d+\)$/, "") ?? `expected ${closing}` }
}

/** Reads the expressions of a text. Answers undefined for one without any. */
export const read = (
  text: string,
  checkStep: (step: string) => string | undefined = () => undefined
): Result.Result<ReadonlyArray<Part> | undefined, ExpressionFault> => {
  const parts: Array<Part> = []
  let from = 0
  let openings = 0
  for (let start = text.indexOf(opening); start !== -1; start = text.indexOf(opening, start)) {
    openings += 1
    if (openings > mostOpenings) {
      return Result.fail({ source: opening, message: `a text has at most ${mostOpenings} expressions` })
    }
    const node = parsed(text, start + opening.length)
    const end = node instanceof SyntaxError ? -1 : behindBlanks(text, node.end)
    if (node instanceof SyntaxError || !text.startsWith(closing, end)) {
      const fault = syntaxFault(text, start, node instanceof SyntaxError ? node : undefined)
      if (fault !== undefined) return Result.fail(fault)
      start += 1
      continue
    }
    const source = text.slice(start + opening.length, end).trim()
    const root = rootOf(node)
    if (root.type === "Identifier" && !given.has(root.name) && !(root.name in globalThis)) {
      const message = `there is no ${root.name}: an expression has steps, $.context and process.env. ` +
        `Text that is to have ${opening} in it is the expression ${opening} ${
          JSON.stringify(text.slice(start, end + closing.length))
        } ${closing}`
      return Result.fail({ source, message })
    }
    let refused: string | undefined
    walk(node, (each) => {
      const step = stepIn(each)
      if (step !== undefined) refused ??= checkStep(step)
    })
    if (refused !== undefined) return Result.fail({ source, message: refused })
    if (start > from) parts.push(text.slice(from, start))
    parts.push({ source, code: codeOf(text, node) })
    start = from = end + closing.length
  }
  if (parts.length === 0) return Result.succeed(undefined)
  if (from < text.length) parts.push(text.slice(from))
  return Result.succeed(parts)
}

/** Visits the texts of a JSON value. */
const textsIn = (value: unknown, visit: (text: string) => void): void => {
  if (typeof value === "string") visit(value)
  else if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) {
      textsIn(each, visit)
    }
  }
}

/** The first fault among the expressions of a prop's value, at a step to which only these others are known. */
export const faultIn = (value: unknown, steps: ReadonlyArray<string>, step: string): ExpressionFault | undefined => {
  const at = steps.indexOf(step)
  const checkStep = (named: string): string | undefined => {
    const place = steps.indexOf(named)
    if (place === -1 || place < at) return undefined
    return place === at ? `${named} is the step itself` : `the step ${named} comes later`
  }
  let fault: ExpressionFault | undefined
  textsIn(value, (text) => {
    const found = fault === undefined ? read(text, checkStep) : undefined
    if (found !== undefined && Result.isFailure(found)) fault = found.failure
  })
  return fault
}

/** True if a value is text, or has text in it, with expressions: its type shows when they are evaluated. */
export const isIn = (value: unknown): boolean => {
  let found = false
  textsIn(value, (text) => {
    const parts = found ? undefined : read(text)
    found ||= parts !== undefined && Result.isSuccess(parts) && parts.success !== undefined
  })
  return found
}

const known = new WeakMap<object, Templates | undefined>()

/** The expressions of all texts of a program's props. Those that are faulty were refused before; their text stays. */
export const templatesOf = (values: Readonly<Record<string, unknown>>): Templates | undefined => {
  if (known.has(values)) return known.get(values)
  let templates: Record<string, ReadonlyArray<Part>> | undefined
  textsIn(values, (text) => {
    if (!text.includes(opening)) return
    const parts = read(text)
    if (Result.isSuccess(parts) && parts.success !== undefined) (templates ??= {})[text] = parts.success
  })
  known.set(values, templates)
  return templates
}
