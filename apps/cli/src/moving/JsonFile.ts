/** A file of JSON as others have written it, with the lines on which it says what. */
import { type AnyNode, parseExpressionAt } from "acorn"
import { Option, Result, type Schema } from "effect"
import * as WorkflowFile from "./WorkflowFile.ts"

/** The most bytes of a file of an archive. */
export const mostBytes = 16 * 1024 * 1024

/** The most brackets within each other. */
const deepest = 200

/** The place of the first bracket that is too deep, if there is one. */
const tooDeepAt = (text: string): number | undefined => {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isText) {
      if (character === "\\") at += 1
      else if (character === "\"") isText = false
      continue
    }
    if (character === "\"") isText = true
    else if (character === "{" || character === "[") {
      depth += 1
      if (depth > deepest) return at
    } else if (character === "}" || character === "]") depth -= 1
  }
  return undefined
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length

/** The line of what does not parse, where V8 says its position. */
const lineOfError = (text: string, message: string): number => {
  const [, at] = /at position (\d+)/.exec(message) ?? []
  return at === undefined ? 1 : lineAt(text, Number(at))
}

/** JSON is JavaScript, and the tree of that has positions. */
const treeOf = Option.liftThrowable((text: string): AnyNode =>
  parseExpressionAt(`(${text}\n)`, 0, { ecmaVersion: "latest" })
)

const keyOf = (key: AnyNode): string =>
  key.type === "Literal" ? String(key.value) : key.type === "Identifier" ? key.name : ""

/** The node of something, from that of what it is in. The last of a name counts. */
const inner = (node: AnyNode, name: string | number): { readonly at: number; readonly node: AnyNode } | undefined => {
  if (node.type === "ArrayExpression" && typeof name === "number") {
    const element = node.elements[name]
    return element ? { at: element.start, node: element } : undefined
  }
  if (node.type !== "ObjectExpression") return undefined
  const found = node.properties.findLast((property) =>
    property.type === "Property" && keyOf(property.key) === String(name)
  )
  return found?.type === "Property" ? { at: found.start, node: found.value } : undefined
}

/** Reads a file of JSON that holds an object or a list. */
export const read = (
  bytes: Uint8Array
): Result.Result<WorkflowFile.Read<Schema.Json>, ReadonlyArray<WorkflowFile.Fault>> => {
  const failed = (message: string, line = 1) => Result.fail([{ line, message }])
  if (bytes.length > mostBytes) return failed(`is larger than ${mostBytes} bytes`)
  const decoded = WorkflowFile.textOf(bytes)
  if (Option.isNone(decoded)) return failed("is not UTF-8 text")
  const text = decoded.value.replace(/^\uFEFF/, "")
  const deep = tooDeepAt(text)
  if (deep !== undefined) return failed(`has more than ${deepest} brackets within each other`, lineAt(text, deep))
  let value: Schema.Json
  try {
    value = JSON.parse(text) as Schema.Json
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return failed(`is not JSON: ${message}`, lineOfError(text, message))
  }
  if (typeof value !== "object" || value === null) return failed("is neither an object nor a list")
  let tree: AnyNode | undefined
  const lineOf = (path: WorkflowFile.Path): number => {
    let node = tree ??= Option.getOrUndefined(treeOf(text))
    // The bracket before the text is not of it.
    let at = 1
    for (const name of path) {
      const found = node === undefined ? undefined : inner(node, name)
      if (found === undefined) break
      at = found.at
      node = found.node
    }
    return lineAt(text, at - 1)
  }
  return Result.succeed({ value, lineOf, unknown: [] })
}
