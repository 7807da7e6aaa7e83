import type { Schema } from "effect"
import * as FastCheck from "fast-check"
import type { Operation } from "./ApiDocument.ts"
import * as FieldHints from "./FieldHints.ts"
import * as Placeholder from "./Placeholder.ts"
import type * as Plan from "./Plan.ts"
import * as SchemaValues from "./SchemaValues.ts"

/** A request of an operation as its schema sees it, before it is bytes. */
export interface Parts {
  readonly operation: Operation
  readonly path: Readonly<Record<string, string>>
  readonly query: ReadonlyArray<readonly [string, string]>
  readonly body: Schema.Json | undefined
  readonly headers: ReadonlyArray<readonly [string, string]>
}

const textOf = (value: Schema.Json): string => typeof value === "string" ? value : JSON.stringify(value)

type Fields = Readonly<Record<string, Schema.Json>>

/** Values of named fields, some left out unless they are needed. */
const fieldsOf = (
  fields: ReadonlyArray<readonly [string, FastCheck.Arbitrary<Schema.Json>]>,
  needed: ReadonlyArray<string>
): FastCheck.Arbitrary<Fields> =>
  FastCheck.tuple(
    FastCheck.record(Object.fromEntries(fields), { noNullPrototype: true }),
    FastCheck.tuple(...fields.map(([name]) => FastCheck.nat({ max: FieldHints.rarity(name) }).map((n) => n === 0)))
  ).map(([values, chosen]) =>
    Object.fromEntries(
      fields
        .filter(([name], index) => needed.includes(name) || chosen[index] === true)
        .map(([name]) => [name, values[name]!])
    )
  )

/** Requests of an operation that are as its document says, naming what is there. */
export const of = (operation: Operation): FastCheck.Arbitrary<Parts> => {
  const valueOf = (place: FieldHints.Place, name: string, schema: Parameters<typeof SchemaValues.valueOf>[0]) =>
    FieldHints.valueOf(operation, place, name) ?? SchemaValues.valueOf(schema)
  const inPlace = (place: "path" | "query" | "header") =>
    operation.parameters.filter((parameter) => parameter.in === place)
      .map(({ name, schema }) => [name, valueOf(place, name, schema)] as const)
  const required = operation.parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  const bodySchema = operation.body === undefined ? undefined : SchemaValues.objectOf(operation.body)
  const bodyFields = bodySchema === undefined
    ? []
    : SchemaValues.propertiesOf(bodySchema).map(([name, schema]) => [name, valueOf("body", name, schema)] as const)

  const queryNames = new Set(inPlace("query").map(([name]) => name))
  const query = (needed: ReadonlyArray<string>) => fieldsOf(inPlace("query"), [...required, ...needed])
  const body = (needed: ReadonlyArray<string>) =>
    fieldsOf(bodyFields, [...(bodySchema === undefined ? [] : SchemaValues.requiredOf(bodySchema)), ...needed])

  const queryAndBody = FieldHints.needed(operation).chain((needed) => {
    const inQuery = needed.filter((name) => queryNames.has(name))
    const takesEither = bodySchema !== undefined && queryNames.size > 0 && !operation.isBodyRequired
    const viaQuery = FastCheck.record({ query: query(inQuery), body: FastCheck.constant(undefined) })
    if (bodySchema === undefined) return viaQuery
    const viaBody = FastCheck.record({ query: query([]), body: body(needed) })
    return takesEither || inQuery.length > 0 ? FastCheck.oneof(viaQuery, viaBody) : viaBody
  })

  return FastCheck.record({
    together: FieldHints.together(operation),
    bodyTogether: FieldHints.bodyTogether(operation),
    pathTogether: FieldHints.pathTogether(operation),
    path: fieldsOf(inPlace("path"), inPlace("path").map(([name]) => name)),
    header: fieldsOf(inPlace("header"), required),
    queryAndBody
  }).map(({ bodyTogether, header, path, pathTogether, queryAndBody: { body, query }, together }) => ({
    operation,
    path: Object.fromEntries(
      Object.entries({ ...path, ...pathTogether }).map(([name, value]) => [name, textOf(value)])
    ),
    query: together ?? Object.entries(query).map(([name, value]) => [name, textOf(value)]),
    body: together === undefined ? bodyTogether ?? body : undefined,
    headers: Object.entries(header).map(([name, value]) => [name, textOf(value)])
  }))
}

/** As `encodeURIComponent`, for text that has no encoding too. */
const escaped = (text: string): string => encodeURIComponent(text.toWellFormed())

export const targetOf = ({ operation, path, query }: Parts): string => {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => escaped(path[name] ?? ""))
  const search = query.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&")
  return search === "" ? filled : `${filled}?${search}`
}

/** The headers of every orderly request of an account. */
export const headers: ReadonlyArray<readonly [string, string]> = [
  ["host", "fuzz.test"],
  ["authorization", `Bearer ${Placeholder.apiKey}`]
]

/** @param bodyText in place of the body's JSON */
export const messageOf = (parts: Parts, bodyText?: string): Plan.Message => {
  const text = bodyText ?? (parts.body === undefined ? undefined : JSON.stringify(parts.body))
  return {
    method: parts.operation.method,
    target: targetOf(parts),
    headers: [
      ...headers,
      ...(text === undefined ? [] : [["content-type", "application/json"] as const]),
      ...parts.headers
    ],
    body: text === undefined ? { type: "none" } : { type: "text", text, coding: "none" },
    framing: { type: "length" }
  }
}
