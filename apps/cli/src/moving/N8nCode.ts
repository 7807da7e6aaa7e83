/** Expressions and code of n8n, as functions of JavaScript over the names that n8n gives them. */
import { parse, parseExpressionAt, tokenizer } from "acorn"
import { Option, type Schema } from "effect"
import { keyOf, literal } from "./MovedModule.ts"

type Json = Schema.Json

/** Something that is said of a piece of code. */
export type Tell = (message: string) => void

/** The names that the runtime gives to expressions and code. */
const given = new Set([
  "$",
  "$json",
  "$input",
  "$node",
  "$items",
  "$now",
  "$today",
  "$workflow",
  "$execution",
  "$env",
  "$vars",
  "$itemIndex",
  "$runIndex",
  "$prevNode",
  "$parameter",
  "items",
  "item"
])

/** Names of n8n that nothing stands for here. */
const isUnknown = (name: string) => /^\$[A-Za-z]/.test(name) && !given.has(name) || name === "DateTime"

const parsed = Option.liftThrowable((text: string) => {
  const whole = `(${text}\n)`
  const { end } = parseExpressionAt(whole, 1, { ecmaVersion: "latest" })
  return /^\s*\)$/.test(whole.slice(end).replace(/\/\/.*|\/\*[^]*?\*\//g, "")) ? true : undefined
})

const isExpression = (text: string) => Option.getOrUndefined(parsed(text)) === true

const tokensOf = Option.liftThrowable((code: string) =>
  [...tokenizer(code, { ecmaVersion: "latest" })].map(({ end, start }) => code.slice(start, end))
)

/** The names that code reads, but for members. */
const namesIn = (code: string): ReadonlyArray<string> => {
  const tokens = Option.getOrElse(tokensOf(code), () => code.match(/[\w$]+|\??\./g) ?? [])
  return [...new Set(tokens.filter((_, index) => !/^(\.|\?\.)$/.test(tokens[index - 1] ?? "")))]
}

const parametersOf = (code: string, tell: Tell, own: ReadonlySet<string> = given) => {
  const names = namesIn(code)
  for (const name of names.filter(isUnknown)) tell(`${name} is not here: write it anew`)
  return names.filter((name) => own.has(name))
}

/** The environment variables that code reads. */
export const variablesIn = (code: string): ReadonlyArray<string> => [
  ...new Set([...code.matchAll(/\$env(?:\.|\[\s*["'])([A-Za-z_]\w*)/g)].map(([, name]) => name!))
]

const thrown = (message: string) => `() => { throw new Error(${literal(message)}) }`

/** Expressions have no items of their own. */
const ofExpressions = new Set([...given].filter((name) => name.startsWith("$")))

/** The parts of a text: each is text, or the code of an expression. */
const partsOf = (text: string): ReadonlyArray<{ readonly text: string } | { readonly code: string }> | undefined => {
  const parts: Array<{ readonly text: string } | { readonly code: string }> = []
  let rest = text
  for (let start = rest.indexOf("{{"); start !== -1; start = rest.indexOf("{{")) {
    if (start > 0) parts.push({ text: rest.slice(0, start) })
    let end = rest.indexOf("}}", start)
    // The braces of an object may be the first that close.
    for (let tries = 0; end !== -1 && tries < 20 && !isExpression(rest.slice(start + 2, end)); tries++) {
      end = rest.indexOf("}}", end + 1)
    }
    if (end === -1 || !isExpression(rest.slice(start + 2, end))) return undefined
    parts.push({ code: rest.slice(start + 2, end).trim() })
    rest = rest.slice(end + 2)
  }
  return rest === "" && parts.length > 0 ? parts : [...parts, { text: rest }]
}

/** A text that is an expression, `=…`, as the source of a function. */
const expression = (text: string, tell: Tell): string => {
  const parts = partsOf(text)
  if (parts === undefined) {
    tell(`the expression ${text.slice(0, 200)} is not understood, and fails when it is read`)
    return thrown(`the expression ${text.slice(0, 200)} did not come over: write it anew`)
  }
  const codes = parts.flatMap((part) => "code" in part ? [part.code] : [])
  if (codes.length === 0) return literal(text)
  const names = `{ ${parametersOf(codes.map((code) => `(${code}\n)`).join(";"), tell, ofExpressions).join(", ")} }`
  const sourceOf = (code: string) => `(${code}${code.includes("//") ? "\n" : ""})`
  if (parts.length === 1) return `(${names}) => ${sourceOf(codes[0]!)}`
  return `(${names}, text) => ${
    parts.map((part) => "code" in part ? `text(${sourceOf(part.code)})` : literal(part.text)).join(" + ")
  }`
}

/** A value of parameters as source: expressions are functions in it. */
export const sourceOf = (value: Json, tell: Tell, indent = "  "): string => {
  if (typeof value === "string") return value.startsWith("=") ? expression(value.slice(1), tell) : literal(value)
  if (value === null || typeof value !== "object") return literal(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const members = isList
    ? (value as ReadonlyArray<Json>).map((each) => sourceOf(each, tell, inner))
    : Object.entries(value).map(([name, each]) => `${keyOf(name)}: ${sourceOf(each, tell, inner)}`)
  const [open, close] = isList ? "[]" : "{}"
  return members.length === 0
    ? `${open}${close}`
    : `${open}\n${members.map((member) => `${inner}${member}`).join(",\n")}\n${indent}${close}`
}

const isBody = Option.liftThrowable((code: string) => {
  parse(code, {
    ecmaVersion: "latest",
    sourceType: "script",
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true
  })
  return true
})

/** The code of a node as the source of a method; none if it does not parse. */
export const methodOf = (code: string, tell: Tell): string | undefined => {
  if (Option.isNone(isBody(code))) return undefined
  const names = parametersOf(code, tell)
  // Code may declare a name anew that it is given here.
  const redeclares = names.some((name) =>
    new RegExp(`\\b(?:const|let|class)\\b[^=;]*${name.replaceAll("$", "\\$")}(?![\\w$])`).test(code)
  )
  const body = redeclares ? `{\n${code}\n}` : code
  return `async run(${names.length === 0 ? "" : `{ ${names.join(", ")} }`}) {\n${body}\n  }`
}
