import type { Issue } from "@headwater/api/Problem"
import { longestName } from "@headwater/api/Warnings"
import * as NearestNames from "@headwater/domain/NearestNames"
import { SchemaAST, SchemaIssue } from "effect"

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

/** The fields, among all that a schema refuses, that it does not know. */
export const fieldsIn = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<UnknownField> => {
  switch (issue._tag) {
    case "UnexpectedKey":
      return [{ path, known: knownOf(issue.ast) }]
    case "Pointer":
      return fieldsIn(issue.issue, [...path, ...issue.path])
    case "Composite":
    case "AnyOf":
      return issue.issues.flatMap((each) => fieldsIn(each, path))
    case "Filter":
    case "Encoding":
      return fieldsIn(issue.issue, path)
    default:
      return []
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

export const ofField = ({ known, path }: UnknownField): Issue =>
  issueOf("field", path.map(String).join("."), String(path.at(-1)), known)

export const ofParameter = (name: string, known: ReadonlyArray<string>): Issue =>
  issueOf("parameter", name, name, known)
