import type { JsonSchema } from "effect"
import * as PythonName from "./PythonName.ts"
import { type Arguments, docstring, enclosed, indented, literal } from "./PythonText.ts"
import type { PythonTypes } from "./PythonTypes.ts"

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema.JsonSchema }>>
}

interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly description?: string
  readonly schema: JsonSchema.JsonSchema
}

/** An operation of an OpenAPI document. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: Content & { readonly required: boolean }
  readonly responses: Readonly<Record<string, Content>>
}

/** Parameters of many operations, which the documents of the API explain once. */
const general = new Set(["limit", "after", "before", "include", "exclude", "Idempotency-Key"])

const schemaOf = ({ content }: Content): JsonSchema.JsonSchema | undefined => content?.["application/json"]?.schema

/** A list may be given as any sequence. Within a group, `list` can be one of its methods. */
const given = (type: string): string => type.replace(/^list\[/, "Sequence[")

/** An argument that has those of these parameters. */
const dictionary = (argument: string, parameters: ReadonlyArray<Parameter>): ReadonlyArray<string> => {
  const entries = parameters.map(({ name }) => `${literal(name)}: ${PythonName.memberOf(name)}`)
  return entries.length === 0 ? [] : [enclosed(`${argument}={`, entries, "}", 12).join("\n")]
}

/** The docstring's descriptions of parameters. */
const explained = (parameters: ReadonlyArray<Parameter>): Arguments =>
  parameters.flatMap(({ description, name }) =>
    description === undefined || general.has(name) ? [] : [[PythonName.memberOf(name), description]]
  )

const nameOf = ({ operationId }: Operation): readonly [group: string, method: string] => {
  const [group, method] = operationId.split(".")
  return [group!, method!]
}

/** A method, by the types of what it takes and gives. */
const method = (verb: string, path: string, operation: Operation, types: PythonTypes): ReadonlyArray<string> => {
  const [group, name] = nameOf(operation)
  const typeName = PythonName.classOf(group) + PythonName.classOf(name)
  const placed = (place: Parameter["in"]) => operation.parameters.filter((parameter) => parameter.in === place)
  const [inPath, query, headers] = [placed("path"), placed("query"), placed("header")]
  const typeOf = ({ name, schema }: Parameter) => given(types.from(schema, typeName + PythonName.classOf(name)))
  const body = operation.requestBody
  /** That of JSON; any other content is bytes, and none is nothing. */
  const typeOfContent = (content: Content, name: string): string => {
    const schema = schemaOf(content)
    if (schema !== undefined) return types.from(schema, name)
    return content.content === undefined ? "None" : "bytes"
  }
  const bodyType = body === undefined ? "" : typeOfContent(body, `${typeName}Body`)
  const keywords = [
    ...(body === undefined ? [] : [body.required ? `body: ${bodyType}` : `body: ${bodyType} | None = None`]),
    ...[...query, ...headers].map((one) => `${PythonName.memberOf(one.name)}: ${typeOf(one)} | None = None`)
  ]
  const parameters = [
    "self",
    ...inPath.map((one) => `${PythonName.memberOf(one.name)}: ${typeOf(one)}`),
    ...(keywords.length === 0 ? [] : ["*", ...keywords])
  ]
  const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))!
  const answer = typeOfContent(success, `${typeName}Response`)
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{segment(${PythonName.memberOf(name)})}`)
  const sent = [
    literal(verb.toUpperCase()),
    `${inPath.length === 0 ? "" : "f"}${literal(target)}`,
    ...dictionary("query", query),
    ...dictionary("headers", headers),
    ...(body === undefined ? [] : ["body=body"]),
    ...(answer === "bytes" ? ["raw=True"] : [])
  ]
  return [
    ...enclosed(`def ${PythonName.memberOf(name)}(`, parameters, `) -> ${answer}:`, 4),
    ...indented([
      ...docstring([`${operation.summary}.`, operation.description], 8, explained([...inPath, ...query])),
      ...enclosed(`${answer === "None" ? "" : "return "}self._send(`, sent, ")", 8)
    ])
  ]
}

const groupClass = (group: string): string => `${PythonName.classOf(group)}Operations`

/** The classes of an API's groups, and the one that has them all. */
export const declarations = (
  operations: ReadonlyArray<readonly [verb: string, path: string, operation: Operation]>,
  types: PythonTypes
): ReadonlyArray<string> => {
  const groups = Map.groupBy(operations, ([, , operation]) => nameOf(operation)[0])
  const classes = [...groups].map(([group, its]) => {
    const methods = its.map(([verb, path, operation]) => method(verb, path, operation, types))
    return [
      `class ${groupClass(group)}(Group):`,
      ...methods.flatMap((lines, index) => [...(index === 0 ? [] : [""]), ...indented(lines)])
    ].join("\n")
  })
  const all = [
    "class Operations:",
    ...indented([
      ...docstring(["All operations, by their groups."], 4),
      "",
      "def __init__(self, send: Send) -> None:",
      ...indented([...groups.keys()].map((group) => `self.${PythonName.memberOf(group)} = ${groupClass(group)}(send)`))
    ])
  ].join("\n")
  return [...classes, all]
}
