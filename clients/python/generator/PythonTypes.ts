import type { JsonSchema } from "effect"
import * as PythonName from "./PythonName.ts"
import { docstring, enclosed, fitted, indented, literal, wrapped } from "./PythonText.ts"

type Schema = JsonSchema.JsonSchema

const textOf = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

const scalars: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None"
}

/** Names of fields that would hide a type from the fields behind them. */
const hiding = new Set(["Any", "Literal", "dict", "list", ...Object.values(scalars)])

/** The pages of lists have one of these, which need no type for each list. */
const sharedPageInfo = (schema: Schema): string | undefined => {
  const names = Object.keys(schema.properties ?? {})
  if (names.includes("total_count")) return "PageInfo"
  return names.every((name) => ["count", "start_cursor", "end_cursor", "has_more"].includes(name))
    ? "OpenPageInfo"
    : undefined
}

interface Field {
  readonly name: string
  readonly type: string
  readonly description: string | undefined
}

const fieldLines = ({ description, name, type }: Field): ReadonlyArray<string> => [
  ...fitted(`${name}: ${type}`, 4),
  ...docstring([description], 4)
]

/** A part of a type, of fields that no class can have. */
const partWithKeywords = (name: string, fields: ReadonlyArray<Field>, total: boolean): ReadonlyArray<string> => [
  `${name} = TypedDict(`,
  ...indented([
    `${literal(name)},`,
    "{",
    ...indented(fields.flatMap(({ description, name, type }) => [
      ...(description === undefined ? [] : wrapped(description, 100).map((line) => `# ${line}`)),
      `${literal(name)}: ${literal(type)},`
    ])),
    "},",
    ...(total ? [] : ["total=False,"])
  ]),
  ")",
  "",
  ""
]

const typedDictClass = (
  name: string,
  bases: ReadonlyArray<string>,
  fields: ReadonlyArray<Field>,
  { description, total }: { readonly description?: string | undefined; readonly total: boolean }
): ReadonlyArray<string> => {
  const documented = docstring([description], 4)
  const lines = fields.flatMap(fieldLines)
  return [
    `class ${name}(${
      [...(bases.length === 0 ? ["TypedDict"] : bases), ...(total ? [] : ["total=False"])].join(", ")
    }):`,
    ...indented([
      ...documented,
      ...(documented.length > 0 && lines.length > 0 ? [""] : []),
      ...(documented.length + lines.length === 0 ? ["pass"] : lines)
    ])
  ]
}

/** A type with parts, since `NotRequired` is newer than the oldest Python that has to read this. */
const typedDict = (
  name: string,
  description: string | undefined,
  required: ReadonlyArray<Field>,
  optional: ReadonlyArray<Field>
): ReadonlyArray<string> => {
  const isField = (field: Field) => PythonName.isField(field.name) && !hiding.has(field.name)
  const isKeyword = (field: Field) => !isField(field)
  const [fields, perhaps] = [required.filter(isField), optional.filter(isField)]
  const parts = [
    [`_${name}Keywords`, required.filter(isKeyword), true],
    [`_${name}OptionalKeywords`, optional.filter(isKeyword), false]
  ] as const
  const kept = parts.filter(([, its]) => its.length > 0)
  const bases = kept.map(([part]) => part)
  const ofKeywords = kept.flatMap(([part, its, total]) => partWithKeywords(part, its, total))
  if (perhaps.length === 0) return [...ofKeywords, ...typedDictClass(name, bases, fields, { description, total: true })]
  if (fields.length === 0) {
    return [...ofKeywords, ...typedDictClass(name, bases, perhaps, { description, total: false })]
  }
  const base = `_${name}Optional`
  return [
    ...ofKeywords,
    ...typedDictClass(base, [], perhaps, { total: false }),
    "",
    "",
    ...typedDictClass(name, [...bases, base], fields, { description, total: true })
  ]
}

/** The types that a document describes, each with a name. */
export class PythonTypes {
  readonly #declarations = new Map<string, string>()
  readonly #schemas: Readonly<Record<string, Schema>>

  /** @param schemas that have a name in the document */
  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas
    for (const [name, schema] of Object.entries(schemas)) {
      const type = this.of(schema, name)
      if (type !== name) this.#declare(name, () => [`${name}: TypeAlias = ${literal(type)}`])
    }
  }

  /** All types that were asked for so far, each below the one that has it. */
  declarations(): ReadonlyArray<string> {
    return [...this.#declarations.values()]
  }

  /** Declares a name for one of several types that are declared, or of several texts. */
  choice(name: string, of: "Literal" | "Union", parts: ReadonlyArray<string>): void {
    this.#declare(name, () => enclosed(`${name}: TypeAlias = ${of}[`, parts, "]", 0))
  }

  /**
   * The type of what a schema describes.
   *
   * @param name of the type, if it needs one of its own
   */
  of(schema: Schema, name: string): string {
    if (typeof schema.$ref === "string") return PythonName.classOf(schema.$ref.split("/").at(-1)!)
    if (Array.isArray(schema.enum)) return `Literal[${schema.enum.map(literal).join(", ")}]`
    if (Array.isArray(schema.anyOf)) return this.#union(schema.anyOf, name)
    if (schema.type === "array") return `list[${this.of(schema.items as Schema ?? {}, `${name}Item`)}]`
    if (schema.type === "object") return this.#object(schema, name)
    if (schema.type === undefined && ["allOf", "oneOf", "not"].every((key) => !(key in schema))) return "Any"
    const scalar = scalars[String(schema.type)]
    if (scalar === undefined) throw new Error(`The type of ${name} is not known: ${JSON.stringify(schema)}`)
    return scalar
  }

  /** As {@link of}, for a module that has imported the one with the types as `types`. */
  from(schema: Schema, name: string): string {
    return this.of(schema, name).replaceAll(/\w+/g, (word) => this.#declarations.has(word) ? `types.${word}` : word)
  }

  #union(alternatives: ReadonlyArray<Schema>, name: string): string {
    const types = alternatives.map((one) => {
      const title = textOf(one.title)
      return this.of(one, title === undefined ? name : PythonName.classOf(title))
    })
    return types.includes("Any") ? "Any" : [...new Set(types)].join(" | ")
  }

  #object(schema: Schema, name: string): string {
    const properties = Object.entries(schema.properties as Record<string, Schema> | undefined ?? {})
    if (properties.length === 0) {
      const values = typeof schema.additionalProperties === "object" ? schema.additionalProperties as Schema : {}
      return `dict[str, ${this.of(values, `${name}Value`)}]`
    }
    this.#declare(name, () => {
      const required = schema.required as ReadonlyArray<string> | undefined ?? []
      const fieldsOf = (isRequired: boolean): ReadonlyArray<Field> =>
        properties.filter(([field]) => required.includes(field) === isRequired).map(([field, its]) => ({
          name: field,
          type: this.of(its, (field === "page_info" && sharedPageInfo(its)) || this.#within(name, field)),
          description: textOf(its.description)
        }))
      return typedDict(name, textOf(schema.description), fieldsOf(true), fieldsOf(false))
    })
    return name
  }

  /** The name of a type that a field of another has. */
  #within(name: string, field: string): string {
    const whole = name + PythonName.classOf(field)
    return whole in this.#schemas ? `${whole}Value` : whole
  }

  #declare(name: string, lines: () => ReadonlyArray<string>): void {
    const before = this.#declarations.get(name)
    // Its place is above that of the types that it has.
    if (before === undefined) this.#declarations.set(name, "")
    const declaration = lines().join("\n")
    if (before !== undefined && before !== declaration) throw new Error(`There are two types ${name}.`)
    this.#declarations.set(name, declaration)
  }
}
