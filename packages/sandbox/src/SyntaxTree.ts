import type { AnyNode } from "acorn"

const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

/** All nodes below one, itself first. */
export const walk = (top: AnyNode, visit: (node: AnyNode) => void): void => {
  const waiting: Array<AnyNode> = [top]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    visit(node)
    const below = Object.values(node).flatMap((value: unknown) => Array.isArray(value) ? value : [value]).filter(isNode)
    waiting.push(...below.toReversed())
  }
}
