/** Flags for the fields of a request, as the API's contract describes them. */
import * as ExactJson from "@headwater/domain/ExactJson"
import { Effect, FileSystem, Option, Predicate, Schema, SchemaAST, SchemaIssue } from "effect"
import { Flag } from "effect/cli"
import { CommandRefused } from "../CommandRefused.ts"
import { placeOf, timeOf } from "../given/TimeFlag.ts"

interface Part {
  readonly ast: SchemaAST.AST
}

/** The parts of an endpoint's contract that hold its fields. */
interface Endpoint {
  readonly query?: Part | undefined
  readonly payload: ReadonlyMap<string, { readonly schemas: ReadonlyArray<Part> }>
}

/** A field of a request. */
export interface Field {
  readonly name: string
  readonly flag: string
  /** Without the null that it may take. */
  readonly type: SchemaAST.AST
  readonly schema: Schema.Codec<Schema.Json>
  readonly isNullable: boolean
  readonly description: string
}

/** A group of the API. A command imports its own alone, since all of them take longer to load than most calls. */
export interface Group {
  readonly endpoints: Readonly<Record<string, Endpoint>>
}

export const has = ({ endpoints }: Group, endpoint: string): boolean => endpoints[endpoint] !== undefined

const isNull = SchemaAST.isNull

const withoutNull = (type: SchemaAST.AST): SchemaAST.AST => {
  if (!SchemaAST.isUnion(type)) return type
  const others = type.types.filter((member) => !isNull(member))
  return others.length === 1 ? others[0]! : type
}

/** Those of a list that are about its pages, and those about the form of the answer. */
const ofTheFrame: ReadonlySet<string> = new Set(["limit", "after", "before", "include", "exclude", "expand"])

/** As the command line says it: with flags in place of fields, a word in place of null, and without the end of a sentence. */
const inWords = (description: string, fields: ReadonlySet<string>, nothing: string): string =>
  description
    .replace(/^Required\. /, "")
    .replace(/^Lists only /, "Only ")
    .replace(/\bnull\b/g, nothing)
    .replace(/a time in Unix milliseconds/g, "a time in ISO 8601, or so long ago, such as 30m, 12h or 7d")
    .replace(/\b[a-z]+(_[a-z]+)+\b/g, (name) => fields.has(name) ? `--${flagNameOf(name)}` : name)
    .replace(/\s+/g, " ")
    .replace(/\.$/, "")

const flagNameOf = (field: string): string =>
  field === "event_name" ? "stream" : field.replace(/_id$/, "").replaceAll("_", "-")

const fieldsOf = (part: Part | undefined): ReadonlyArray<Field> => {
  if (part === undefined || !SchemaAST.isObjects(part.ast)) return []
  const signatures = part.ast.propertySignatures
  const names = new Set(signatures.map(({ name }) => String(name)))
  return signatures.flatMap(({ name, type }) => {
    if (!Predicate.isString(name) || ofTheFrame.has(name)) return []
    return [{
      name,
      flag: flagNameOf(name),
      type: withoutNull(type),
      schema: Schema.make<Schema.Codec<Schema.Json>>(type),
      isNullable: SchemaAST.isUnion(type) && type.types.some(isNull),
      description: inWords(
        SchemaAST.resolveDescription(type) ?? String(type.context?.annotations?.["description"] ?? ""),
        names,
        nothing({ type: withoutNull(type) })
      )
    }]
  })
}

/** The fields by which a list is filtered. */
export const ofQuery = ({ endpoints }: Group, endpoint: string): ReadonlyArray<Field> =>
  fieldsOf(endpoints[endpoint]?.query)

/** The fields of a request's body. */
export const ofPayload = ({ endpoints }: Group, endpoint: string): ReadonlyArray<Field> =>
  [...endpoints[endpoint]?.payload.values() ?? []].flatMap(({ schemas }) => schemas.flatMap(fieldsOf))

/** Other users of the machine can see what the arguments of a command are. */
const isSecret = ({ name }: Field): boolean => name.startsWith("secret_") || name === "tls"

const isCode = ({ name }: Field): boolean => name.endsWith("_code")

const literalsOf = ({ type }: Pick<Field, "type">): ReadonlyArray<string> =>
  SchemaAST.isUnion(type)
    ? type.types.flatMap((member) =>
      SchemaAST.isLiteral(member) && Predicate.isString(member.literal) ? [member.literal] : []
    )
    : []

const isText = ({ type }: Field): boolean => SchemaAST.isString(type) || literalsOf({ type }).length > 0

const isTime = ({ description, type }: Field): boolean =>
  SchemaAST.isNumber(type) && description.includes("Unix time in milliseconds")

/** True for a place in a log, which can be a time. */
const isPlace = ({ type }: Field): boolean =>
  SchemaAST.isUnion(type) && type.types.some(SchemaAST.isNumber) && type.types.some(SchemaAST.isString)

const metavarOf = (field: Field): string => {
  const literals = literalsOf(field)
  const form = isTime(field)
    ? "time"
    : isPlace(field)
    ? "place"
    : literals.length > 0
    ? literals.join("|")
    : SchemaAST.isArrays(field.type)
    ? "a,b"
    : SchemaAST.isNumber(field.type)
    ? "N"
    : isSecret(field) || isCode(field)
    ? "@file"
    : isText(field)
    ? "string"
    : "json"
  return field.isNullable ? `${form}|${nothing(field)}` : form
}

/** The word for null, which is none of the words that the field takes anyway. */
const nothing = (field: Pick<Field, "type">): string => literalsOf(field).includes("none") ? "default" : "none"

const textOf = Effect.fnUntraced(function*(field: Field, text: string) {
  if (!text.startsWith("@")) {
    if (!isSecret(field)) return text
    return yield* new CommandRefused({
      message: `--${field.flag} holds secrets, which others could see in a command line: give a file, as @secrets.json`
    })
  }
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(
    files.readFileString(text.slice(1)),
    ({ message }) => new CommandRefused({ message: `--${field.flag}: ${message}` })
  )
})

const json = Option.liftThrowable((text: string) => ExactJson.parse(text) as Schema.Json)

/** The value that a text means, by the type of the field. */
const valueOf = Effect.fnUntraced(function*(field: Field, given: string) {
  const { flag, isNullable, type } = field
  if (isNullable && given === nothing(field)) return null
  if (isCode(field)) return yield* textOf(field, given)
  if (isText(field)) return given
  if (isTime(field)) return yield* timeOf(`--${flag}`, given)
  if (isPlace(field)) return yield* placeOf(`--${flag}`, given)
  const text = yield* textOf(field, given)
  const parsed = json(text)
  if (Option.isSome(parsed) && (!SchemaAST.isArrays(type) || Array.isArray(parsed.value))) return parsed.value
  if (SchemaAST.isArrays(type)) {
    return text.split(",").map((part) => Option.getOrElse(json(part.trim()), () => part.trim()))
  }
  return yield* new CommandRefused({ message: `--${flag} is not JSON: ${JSON.stringify(text)}` })
})

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => issue._tag === "UnexpectedKey" ? "There is no such field" : SchemaIssue.defaultLeafHook(issue)
})

const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, " ")

/** The value of a field by the text that is given, which has to be one that the API takes. */
export const decode = Effect.fnUntraced(function*(field: Field, given: string | boolean) {
  const value = Predicate.isBoolean(given) ? given : yield* valueOf(field, given)
  return yield* Effect.mapError(
    // A field that the API does not know would go astray without a word.
    Schema.decodeEffect(field.schema)(value, { onExcessProperty: "error" }),
    ({ issue }) =>
      new CommandRefused({
        message: issuesOf(issue).issues.map(({ message, path = [] }) =>
          `${[`--${field.flag}`, ...path.map(String)].join(".")}: ${oneLine(message)}`
        ).join("; ")
      })
  )
})

/** The flag for each field, as the command line has it. */
export const flagsByName = (fields: ReadonlyArray<Field>): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map(({ flag, name }) => [name, `--${flag}`]))

/** A text, which is one of a few where the API takes no other. */
const textFlagOf = (field: Field): Flag.Flag<string> => {
  const text = Flag.String(field.flag)
  const taken = [...literalsOf(field), ...(field.isNullable ? [nothing(field)] : [])]
  return literalsOf(field).length === 0
    ? text
    : Flag.filter(text, (given) => taken.includes(given), () => taken.join(", "))
}

/** A flag for a field. */
export const flagOf = (field: Field): Flag.Flag<Option.Option<string | boolean>> => {
  const flag: Flag.Flag<string | boolean> = SchemaAST.isBoolean(field.type)
    ? Flag.Boolean(field.flag)
    : textFlagOf(field).pipe(Flag.withMetavar(metavarOf(field)))
  const other = field.name === "event_name" ? "event" : /^(.+)-seconds$/.exec(field.flag)?.[1]
  const named = other === undefined ? flag : Flag.withAlias(flag, other)
  return named.pipe(Flag.withDescription(field.description), Flag.optional)
}

/** The fields of a request that are given, by their names in the API. */
export const given = Effect.fnUntraced(
  function*(fields: ReadonlyArray<Field>, values: Readonly<Record<string, Option.Option<string | boolean>>>) {
    const found: Record<string, Schema.Json> = {}
    for (const field of fields) {
      const value = values[field.name]
      if (value !== undefined && Option.isSome(value)) found[field.name] = yield* decode(field, value.value)
    }
    return found
  }
)
