/** The values of a step's props: expressions evaluated, and text taken for the type that the prop has (`docs/workflows.md`). */
import * as TypedText from "@headwater/domain/TypedText"
import type { Part, Templates } from "../Expression.ts"

const { stringify } = JSON
const { entries, fromEntries } = Object
const { isArray } = Array

/** The values that expressions are evaluated over. */
export interface Scope {
  readonly steps: unknown
  readonly context: unknown
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  return typeof value === "object" ? stringify(value) ?? "" : String(value)
}

/** A message of the engine, which speaks of the code as it runs. */
const asWritten = (message: string): string => message.replaceAll("?.[", "[").replaceAll("?.", ".")

/** The value of an expression. An error tells where it stands. */
const evaluate = ({ code, source }: Exclude<Part, string>, prop: string, { context, steps }: Scope): unknown => {
  try {
    // The code is in brackets of its own lines: a comment at its end does not reach them.
    return new Function("steps", "$", `"use strict"; return (\n${code}\n)`)(steps, { context })
  } catch (cause) {
    const why = cause instanceof Error ? `${cause.name}: ${asWritten(cause.message)}` : String(cause)
    throw new Error(`${prop} can't be had: {{ ${source} }}: ${why}`, { cause })
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !isArray(value)

/** A value with its expressions evaluated. A text that is one expression has the type of its value. */
const filled = (value: unknown, templates: Templates, prop: string, scope: Scope): unknown => {
  if (typeof value === "string") {
    const parts = templates[value]
    if (parts === undefined) return value
    const [only] = parts
    if (parts.length === 1 && typeof only === "object") return evaluate(only, prop, scope)
    return parts.map((part) => typeof part === "string" ? part : textOf(evaluate(part, prop, scope))).join("")
  }
  if (isArray(value)) return value.map((each) => filled(each, templates, prop, scope))
  return isRecord(value)
    ? fromEntries(entries(value).map(([name, each]) => [name, filled(each, templates, prop, scope)]))
    : value
}

/** Databases whose drivers number the parameters of a query. */
const numbers = /postgres|redshift|cockroach|neon|supabase|timescale/i

/** A query with a parameter in place of each expression: its value never becomes text of the query. */
const prepared = (
  value: Record<string, unknown>,
  app: unknown,
  templates: Templates,
  prop: string,
  scope: Scope
): unknown => {
  const { query: given, value: shown, ...rest } = value
  const text = given ?? shown
  const params: Array<unknown> = []
  const parts = typeof text === "string" ? templates[text] ?? [text] : []
  const query = parts.map((part) => {
    if (typeof part === "string") return part
    params.push(evaluate(part, prop, scope))
    return numbers.test(String(app)) ? `$${params.length}` : "?"
  }).join("")
  return { ...rest, query, params }
}

/**
 * The value of a prop of a step.
 *
 * @param prop the words that errors call it by
 */
export const valueOf = (
  prop: string,
  definition: Readonly<Record<string, unknown>>,
  value: unknown,
  templates: Templates,
  scope: Scope
): unknown => {
  const type = String(definition["type"])
  if (type === "sql" && isRecord(value) && value["usePreparedStatements"] === true) {
    const { auth } = definition
    return prepared(value, isRecord(auth) ? auth["app"] : undefined, templates, prop, scope)
  }
  return TypedText.read(type, filled(value, templates, prop, scope))
}
