import { parser } from "@lezer/javascript"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import type { Member, Type, Types } from "../src/code/ComponentTypes.ts"
import { declarations } from "./ConsoleBuild.ts"

type Node = ReturnType<ReturnType<typeof parser.parse>["cursor"]>["node"]

const childrenOf = (node: Node): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child)
  return found
}

const unquoted = (text: string): string => text.replace(/^"(.*)"$/, "$1")

const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

const commentText = (comment: string): string => inOneLine(comment.replace(/^\/\*\*|\*\/$|^\s*\*/gm, " "))

/** A type without what only a compiler needs of it. */
const signature = (text: string): string =>
  inOneLine(text.replace(/\/\*\*.*?\*\//gs, "").replace(/\breadonly /g, "")).replace(/^\??: |^<[^(]*>(?=\()/, "")

/** The members of an object type, each with the comment before it. */
const membersOf = (node: Node, text: string): ReadonlyArray<Member> =>
  childrenOf(node).flatMap((member) => {
    const name = member.getChild("PropertyDefinition") ?? member.getChild("String")
    if ((member.name !== "PropertyType" && member.name !== "MethodType") || name === null) return []
    const before = member.prevSibling
    const annotation = member.getChild("TypeAnnotation")
    return [{
      label: unquoted(text.slice(name.from, name.to)),
      detail: signature(text.slice(name.to, member.to)),
      info: before?.name === "BlockComment" ? commentText(text.slice(before.from, before.to)) : "",
      type: annotation === null || member.name === "MethodType" ? [] : typeOf(annotation, text)
    }]
  })

const typeOf = (node: Node, text: string): Type => {
  switch (node.name) {
    case "TypeName":
      return [text.slice(node.from, node.to)]
    case "ObjectType":
      return [membersOf(node, text)]
    case "IndexedType": {
      const [of, , index] = childrenOf(node)
      return [`${text.slice(of!.from, of!.to)}.${unquoted(text.slice(index!.from, index!.to))}`]
    }
    case "ParameterizedType":
      return typeOf(node.firstChild!, text)
    case "TypeAnnotation":
    case "IntersectionType":
    case "UnionType":
    case "ParenthesizedType":
      return childrenOf(node).flatMap((part) => typeOf(part, text))
    default:
      return []
  }
}

/** The types of the declarations, by their names. */
export const read = async (): Promise<Types> => {
  const found: Record<string, Type> = {}
  for (const name of (await Fs.readdir(declarations)).filter((name) => name.endsWith(".d.ts"))) {
    const text = await Fs.readFile(Path.join(declarations, name), "utf8")
    const { topNode } = parser.configure({ dialect: "ts" }).parse(text)
    for (const statement of childrenOf(topNode)) {
      const declared = statement.getChild("InterfaceDeclaration") ?? statement.getChild("TypeAliasDeclaration") ??
        statement
      const defined = declared.getChild("TypeDefinition")
      if (defined === null) continue
      const last = declared.lastChild!
      found[text.slice(defined.from, defined.to)] = typeOf(last, text)
    }
  }
  return found
}
