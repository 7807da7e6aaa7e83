import * as Problem from "@headwater/api/Problem"
import type { LinkedCode } from "@headwater/domain/Component"
import { componentFault, type DefinitionPath } from "@headwater/sandbox/ComponentDescription"
import type { LinkFailure } from "@headwater/sandbox/ModuleLinker"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import { Schema } from "effect"

/** The pause before another try when a registry of packages can't be reached. */
export const retryAfterSeconds = 30

/** The code is not a usable component. */
export class CodeFault extends Schema.TaggedError<CodeFault>()("CodeFault", {
  ...Problem.CodePosition.fields,
  /** `package`: an import from outside of the code; `label`: a name that can't be stored. */
  reason: Schema.Union([componentFault.reason, Schema.Literals(["package", "label"])])
}) {}

/** Maps a place in a component's code to the place where it was written; lines and columns count from 1. */
export type Place = (line: number, column: number) => Required<Pick<Position, "file" | "line" | "column">>

type Position = typeof Problem.CodePosition.Type

/** The reason why code is no component, with its place in the code that runs, or in the definition. */
export interface Fault extends Pick<Position, "message"> {
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** The file that it is in, if that is not the component's own. */
  readonly file?: string | undefined
  readonly path?: DefinitionPath | undefined
  readonly reason?: CodeFault["reason"]
}

/** In the code itself. */
export const inCode: Place = (line, column) => ({ file: SourcePlaces.moduleName, line, column })

/** In one of the files that code is linked of: any but the code itself is told as it is. */
const inFile = (file: string, place: Place): Place =>
  file === SourcePlaces.moduleName ? place : (line, column) => ({ file, line, column })

/** The problem of code that a client asked to be used. */
export const componentInvalid = ({ column, file, line, message }: CodeFault): Problem.ComponentInvalid => {
  const details = {
    message,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column })
  }
  return new Problem.ComponentInvalid({ detail: message, error: message, details })
}

/** Maps a place in the linked code to the place where it was written. */
export const placeThrough = (linked: LinkedCode | null, place: Place): Place => {
  if (linked === null) return place
  const places = SourcePlaces.make(linked.map, SourcePlaces.start)
  return (line, column) => {
    const found = places(line, column)
    return inFile(found.file, place)(found.line, found.column)
  }
}

export const unlinkable = (place: Place) => (failure: LinkFailure): CodeFault | Problem.Unavailable =>
  failure._tag === "PackagesUnreachable"
    ? Problem.unavailable(`The server can't install npm packages now: ${failure.message}.`, retryAfterSeconds)
    : unusable(
      { ...failure.at, message: failure.message },
      inFile(failure.at.file, place),
      failure._tag === "ModuleFaulty" ? "package" : "import"
    )

/** A fault of the module as a whole, such as a missing default export, is told of its beginning. */
export const unusable = (
  { column, line, message }: Omit<Position, "file">,
  place: Place,
  reason: CodeFault["reason"]
): CodeFault => new CodeFault({ message, ...place(line ?? 1, column ?? 1), reason })
