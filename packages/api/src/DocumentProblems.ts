import { type JsonSchema, Predicate } from "effect"

/** A response of the document, or a reference to one. */
export type Response = Readonly<Record<string, unknown>>

export interface Operation {
  readonly responses: Readonly<Record<string, Response>>
  readonly [member: string]: unknown
}

/** The operations of a path, by method. */
export type PathItem = Readonly<Record<string, Operation>>

const problemType = "application/problem+json"

const nameOf = (schema: JsonSchema.JsonSchema): string =>
  Array.isArray(schema.anyOf)
    ? schema.anyOf.map(nameOf).join("Or")
    : String(schema.$ref).split("/").at(-1)!.replace(/Problem$/, "")

/** By its problems, and by whether it may repeat an answer under an idempotency key. */
const responseName = ({ content, headers }: Response): string | undefined => {
  if (!Predicate.hasProperty(content, problemType)) return undefined
  const media = content[problemType]
  if (!Predicate.hasProperty(media, "schema") || !Predicate.isObject(media.schema)) return undefined
  const isRepeated = Predicate.hasProperty(headers, "Idempotency-Replayed")
  return `${nameOf(media.schema)}${isRepeated ? "Repeated" : ""}`
}

/** Describes each problem that operations answer with once, where all of them can refer to it. */
export const share = (
  paths: Readonly<Record<string, PathItem>>
): { readonly paths: Readonly<Record<string, PathItem>>; readonly responses: Readonly<Record<string, Response>> } => {
  const responses = new Map<string, Response>()
  const shared = (response: Response): Response => {
    const name = responseName(response)
    if (name === undefined) return response
    // That of an operation of the API, if there is one, speaks for all: its description is the problem's own.
    if (!responses.has(name)) responses.set(name, response)
    return { $ref: `#/components/responses/${name}` }
  }
  const sharedPaths = Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          {
            ...operation,
            responses: Object.fromEntries(
              Object.entries(operation.responses).map(([status, response]) => [status, shared(response)])
            )
          }
        ])
      )
    ])
  )
  return {
    paths: sharedPaths,
    responses: Object.fromEntries([...responses].toSorted(([a], [b]) => a < b ? -1 : 1))
  }
}
