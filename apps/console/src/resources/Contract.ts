import * as TimeSpan from "@headwater/domain/TimeSpan"
import { root } from "../api/Address.ts"
import { ofResponse } from "../api/Failure.ts"
import type { Prop, Values } from "./Props.ts"

/** A JSON schema, as far as the server's OpenAPI document uses it for bodies. */
interface Shape {
  readonly $ref?: string
  readonly anyOf?: ReadonlyArray<Shape>
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Shape
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly description?: string
}

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Shape } } }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Shape>> }
}

let document: Promise<Document> | undefined

const read = async (): Promise<Document> => {
  const response = await fetch(new URL("../openapi.json", root))
  if (!response.ok) throw await ofResponse(response)
  return await response.json() as Document
}

/** The server's own description of its API, which is read once. */
const described = (): Promise<Document> =>
  document ??= read().catch((error: unknown) => {
    document = undefined
    throw error
  })

/** Those of a body that are about the form of the answer. */
const ofTheFrame: ReadonlySet<string> = new Set(["include", "exclude"])

/** Those that nobody should read over a shoulder. */
const secret: ReadonlySet<string> = new Set(["client_secret", "access_token", "refresh_token"])

/** True for what the API takes in milliseconds, and people write as a duration. */
const isDuration = (name: string): boolean => name.endsWith("_ms") || name === "daily_compute_time"

/** The kinds of things that a field names, by their ids. */
const named: Readonly<Record<string, ReadonlyArray<string>>> = {
  emitter_id: ["source", "workflow", "account"],
  listener_id: ["source", "workflow", "webhook"]
}

/** A longer text has several lines. */
const maxLine = 2_048

const words: Readonly<Record<string, string>> = {
  ca: "certificates of authorities",
  client_id: "client ID",
  event_name: "stream",
  http2: "HTTP/2",
  limit: "at most",
  oauth: "OAuth 2",
  tls: "TLS"
}

/** The words for the beginnings and the ends of names. */
const parts: ReadonlyArray<readonly [RegExp, string]> = [
  [/^max_/, "maximum "],
  [/_id$/, ""],
  [/_mb$/, " in MiB"],
  [/_ms$/, ""],
  [/_seconds$/, " in seconds"],
  [/(^|_)url$/, "$1URL"]
]

const wordsOf = (name: string): string =>
  words[name] ?? parts.reduce((text, [part, word]) => text.replace(part, word), name).replaceAll("_", " ")

const labelOf = (path: ReadonlyArray<string>): string => {
  const text = path.map(wordsOf).join(": ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** An empty field stands for null. */
const inWords = (text: string): string =>
  text.replace(/^Extension: /, "").replace(/(^|\. )null\b/g, "$1Empty").replace(/\bnull\b/g, "empty")

/** A text about milliseconds as one about durations. */
const inDurations = (text: string): string =>
  text.replace(", in milliseconds", "").replace(/^Milliseconds of c/, "C")
    .replace(/\b\d+\b/g, (ms) => TimeSpan.textOf(Number(ms)))

/** A text about true and false as one about yes and no, which a field offers. */
const inYesAndNo = (text: string): string =>
  text.replace(/(^|\. )true\b/g, "$1Yes").replace(/(^|\. )false\b/g, "$1No").replace(/\btrue\b/g, "yes")
    .replace(/\bfalse\b/g, "no")

const typeOf = ({ anyOf, items, type }: Shape): string =>
  type === "array"
    ? items?.type === "integer" ? "integer[]" : items?.type === "string" ? "string[]" : "any"
    : anyOf !== undefined
    ? "string"
    : type ?? "any"

/** A schema without the null that it may take, and with the text that is nearest to it. */
const bare = (document: Document, shape: Shape): { readonly shape: Shape; readonly isNullable: boolean } => {
  if (shape.$ref !== undefined) {
    const { $ref, ...own } = shape
    return bare(document, { ...document.components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)]!, ...own })
  }
  const others = shape.anyOf?.filter(({ type }) => type !== "null") ?? []
  const isNullable = others.length < (shape.anyOf?.length ?? 0)
  if (others.length !== 1) return { shape, isNullable }
  const { anyOf: _, ...own } = shape
  return { shape: { ...bare(document, others[0]!).shape, ...own }, isNullable }
}

const noteOf = (shape: Shape, isRequired: boolean): string => {
  const text = inWords(shape.description ?? "")
  // A list that is empty is a value of its own.
  const own = shape.type === "array"
    ? text.replace(/ ?Empty: the default\./, "")
    : shape.type === "boolean"
    ? inYesAndNo(text)
    : text
  return isRequired ? `Required. ${own}`.trim() : own
}

const fieldOf = (shape: Shape, path: ReadonlyArray<string>, isNullable: boolean, isRequired: boolean): Prop => {
  const name = path.at(-1)!
  const isSecret = secret.has(name)
  const note = noteOf(shape, isRequired)
  return {
    name: path.join("."),
    type: isDuration(name) ? "duration" : typeOf(shape),
    label: labelOf(path),
    description: isDuration(name) ? inDurations(note) : note,
    ...(shape.enum === undefined ? {} : { options: shape.enum }),
    ...(shape.minimum === undefined ? {} : { min: shape.minimum }),
    ...(shape.maximum === undefined ? {} : { max: shape.maximum }),
    ...(isSecret ? { secret: true } : {}),
    ...(named[name] === undefined ? {} : { kinds: named[name] }),
    isNullable,
    isLong: (shape.maxLength ?? 0) > maxLine && !isSecret,
    isOfApi: true
  }
}

/** The fields of a schema. Those of an object in it stand among the others, under a name with a dot. */
const fieldsOf = (document: Document, parent: Shape, path: ReadonlyArray<string>): ReadonlyArray<Prop> =>
  Object.entries(parent.properties ?? {}).filter(([name]) => !ofTheFrame.has(name)).flatMap(([name, given]) => {
    const { isNullable, shape } = bare(document, given)
    const own = [...path, name]
    if (shape.properties === undefined) {
      const isRequired = path.length === 0 && parent.required?.includes(name) === true
      return [fieldOf(shape, own, isNullable, isRequired)]
    }
    return fieldsOf(document, shape, own).map((field, index) => ({
      ...field,
      isGroupNullable: isNullable,
      // The text on the object stands at its first field.
      ...(index > 0 ? {} : { description: `${noteOf(shape, false)} ${field.description ?? ""}`.trim() })
    }))
  })

const operationOf = (document: Document, id: string): Operation => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
  const found = operations.find(({ operationId }) => operationId === id)
  if (found === undefined) throw new Error(`The server's document has no operation ${id}.`)
  return found
}

/**
 * The fields of the body that an operation of the API takes, as a form asks for them.
 *
 * @throws Failure
 */
export const bodyFields = async (operation: string): Promise<ReadonlyArray<Prop>> => {
  const document = await described()
  const schema = operationOf(document, operation).requestBody?.content["application/json"].schema ?? {}
  const body = schema.anyOf?.find(({ type }) => type !== "null") ?? schema
  return fieldsOf(document, bare(document, body).shape, [])
}

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The present values of the fields in a resource. */
export const valuesOf = (fields: ReadonlyArray<Prop>, resource: Values): Values =>
  Object.fromEntries(fields.flatMap(({ name }) => {
    let value: unknown = resource
    for (const part of name.split(".")) value = isObject(value) ? value[part] : undefined
    return value === undefined || value === null ? [] : [[name, value]]
  }))

/**
 * The body that says what was changed. An object in it is given whole.
 *
 * @param changes by the fields' names; null takes a value back
 */
export const bodyOf = (fields: ReadonlyArray<Prop>, current: Values, changes: Values): Values => {
  const may = (name: string, what: "isNullable" | "isGroupNullable"): boolean =>
    fields.find((one) => one.name === name)?.[what] === true
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(changes)) {
    const [group, ...rest] = name.split(".")
    if (rest.length === 0) {
      if (value !== null || may(name, "isNullable")) body[name] = value
      // A text that is no longer there.
      else if (Object.hasOwn(current, name)) body[name] = ""
      continue
    }
    const prefix = `${group}.`
    const whole = Object.entries({ ...current, ...changes }).filter(([one, value]) =>
      one.startsWith(prefix) && (value !== null || may(one, "isNullable"))
    )
    if (whole.some(([, value]) => value !== null)) {
      body[group!] = Object.fromEntries(whole.map(([one, value]) => [one.slice(prefix.length), value]))
    } else if (may(name, "isGroupNullable")) body[group!] = null
  }
  return body
}
