import { type AnyNode, type Expression, type Node, parse, type Property, type SpreadElement } from "acorn"
import { walk } from "../SyntaxTree.ts"

/** A definition leads to others by names; one that leads to itself would never end. */
const longestChain = 64

type Found = { readonly at: Node; readonly value: AnyNode }

const isExports = (node: AnyNode): boolean =>
  node.type === "MemberExpression" && node.property.type === "Identifier" &&
  node.object.type === "Identifier" &&
  ((node.object.name === "module" && node.property.name === "exports") ||
    (node.object.name === "exports" && node.property.name === "default"))

const nameOf = ({ computed, key }: Property): string | undefined =>
  key.type === "Literal" ? String(key.value) : !computed && key.type === "Identifier" ? key.name : undefined

/**
 * The position of something of a module's default export: keys of objects and places in lists lead there, and names,
 * calls such as `defineSource(…)` and spread objects on the way are followed. If it is not to be found, the position of
 * the last thing that leads there.
 */
export const placeOf = (
  code: string,
  path: ReadonlyArray<string | number>
): { readonly line: number; readonly column: number } | undefined => {
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true, allowHashBang: true })
  const values = new Map<string, AnyNode>()
  let exported: AnyNode | undefined
  let common: AnyNode | undefined
  walk(program, (node) => {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.init) {
      if (!values.has(node.id.name)) values.set(node.id.name, node.init)
    } else if (node.type === "ExportDefaultDeclaration") exported = node.declaration
    else if (
      node.type === "ExportSpecifier" && node.exported.type === "Identifier" && node.exported.name === "default"
    ) {
      exported = node.local
    } else if (node.type === "AssignmentExpression" && isExports(node.left)) common = node.right
  })

  const meant = (node: AnyNode, chain = 0): AnyNode => {
    if (chain > longestChain) return node
    const on = (next: AnyNode) => meant(next, chain + 1)
    switch (node.type) {
      case "Identifier": {
        const value = values.get(node.name)
        return value === undefined ? node : on(value)
      }
      case "CallExpression": {
        const given = node.arguments.map(on).find(({ type }) => type === "ObjectExpression")
        return given ?? (common === undefined || node.arguments.length > 0 ? node : on(common))
      }
      case "MemberExpression": {
        const name = node.property.type === "Identifier" && !node.computed ? node.property.name : undefined
        const found = name === undefined ? undefined : memberOf(on(node.object), name, chain + 1)
        return found === undefined ? node : on(found.value)
      }
      case "AssignmentExpression":
        return on(node.right)
      case "SequenceExpression":
        return on(node.expressions.at(-1)!)
      default:
        return node
    }
  }

  const memberOf = (node: AnyNode, key: string | number, chain: number): Found | undefined => {
    if (chain > longestChain) return undefined
    if (node.type === "ArrayExpression") {
      const element: Expression | SpreadElement | null | undefined = typeof key === "number" ? node.elements[key] : null
      return element ? { at: element, value: element } : undefined
    }
    if (node.type !== "ObjectExpression") return undefined
    for (const property of node.properties.toReversed()) {
      if (property.type === "SpreadElement") {
        const found = memberOf(meant(property.argument), key, chain + 1)
        if (found !== undefined) return found
      } else if (nameOf(property) === String(key)) return { at: property.key, value: property.value }
    }
    return undefined
  }

  const top = exported ?? common
  if (top === undefined) return undefined
  let value = meant(top)
  let at: Node = value
  for (const key of path) {
    const found = memberOf(value, key, 0)
    if (found === undefined) break
    at = found.at
    value = meant(found.value)
  }
  return at.loc ? { line: at.loc.start.line, column: at.loc.start.column + 1 } : undefined
}
