import type { Issue } from "@headwater/api/Problem"
import { longestName, most } from "@headwater/api/Warnings"
import * as NearestNames from "@headwater/domain/NearestNames"
import { Effect, Iterable, SchemaAST, SchemaIssue } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"

interface UnknownField {
  readonly path: ReadonlyArray<PropertyKey>
  /** The fields that are known at its place. */
  readonly known: ReadonlyArray<string>
}

/** Stands for an unknown field in the formatter's words, which know neither its name nor those that are known. */
export const unexpected = "There is no such field"

export const leafHook: SchemaIssue.LeafHook = (issue) =>
  issue._tag === "UnexpectedKey" ? unexpected : SchemaIssue.defaultLeafHook(issue)

const knownOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

const fieldsIn = function*(
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey> = []
): Generator<UnknownField> {
  switch (issue._tag) {
    case "UnexpectedKey":
      yield { path, known: knownOf(issue.ast) }
      break
    case "Pointer":
      yield* fieldsIn(issue.issue, [...path, ...issue.path])
      break
    case "Composite":
    case "AnyOf":
      for (const each of issue.issues) yield* fieldsIn(each, path)
      break
    case "Filter":
    case "Encoding":
      yield* fieldsIn(issue.issue, path)
      break
  }
}

const cut = (name: string): string => name.length > longestName ? `${name.slice(0, longestName)}…` : name

/** @param what the kind of thing that has the name */
const issueOf = (what: string, path: string, name: string, known: ReadonlyArray<string>): Issue => {
  const near = NearestNames.of(name, known)
  const meant = near.length > 0
    ? `Did you mean ${near[0]}?`
    : known.length > 0
    ? `There are: ${known.join(", ")}`
    : "It takes none"
  return { path: cut(path), message: `There is no such ${what}. ${meant}` }
}

/** Tells of the first fields, among all that a schema refuses, that it does not know: a body can have very many. */
export const ofFields = (issue: SchemaIssue.Issue): ReadonlyArray<Issue> => {
  const told = new Map<string, Issue>()
  for (const { known, path } of Iterable.take(fieldsIn(issue), most)) {
    const name = path.map(String).join(".")
    told.set(name, issueOf("field", name, String(path.at(-1)), known))
  }
  return [...told.values()]
}

const parametersOf = ({ query }: HttpApiEndpoint.Top): ReadonlyArray<string> =>
  query !== undefined && SchemaAST.isObjects(query.ast)
    ? query.ast.propertySignatures.map(({ name }) => String(name))
    : []

/** Tells of the first parameters of a request's query that its endpoint does not know. */
export const inQuery = (endpoint: HttpApiEndpoint.Top) =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (query): ReadonlyArray<Issue> => {
    const given = Object.keys(query)
    if (given.length === 0) return []
    const known = parametersOf(endpoint)
    return given.filter((name) => !known.includes(name)).slice(0, most).map((name) =>
      issueOf("parameter", name, name, known)
    )
  })
