import { Effect, FileSystem, Option, Predicate, Result, Schema, SemVerRange } from "effect"
import { isBuiltin } from "node:module"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as CodeFile from "./CodeFile.ts"

const Dependencies = Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))

const Content = Schema.fromJsonString(Schema.Struct({
  main: Schema.optionalKey(Schema.Unknown),
  exports: Schema.optionalKey(Schema.Unknown),
  dependencies: Dependencies,
  optionalDependencies: Dependencies,
  peerDependencies: Dependencies,
  devDependencies: Dependencies
}))

/** The parts of a `package.json` that matter to a component. */
export interface PackageFile {
  readonly path: string
  readonly content: typeof Content.Type
}

/** The `package.json` of a folder. */
export const of = Effect.fnUntraced(function*(folder: string) {
  const path = Path.join(folder, "package.json")
  if (!(yield* CodeFile.isFile(path))) return Option.none<PackageFile>()
  const content = yield* FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.readFileString(path)),
    Effect.flatMap(Schema.decodeEffect(Content)),
    Effect.mapError((error) => new CommandRefused({ message: `${path} can't be read: ${error.message}` }))
  )
  return Option.some<PackageFile>({ path, content })
})

/** That of the folder or of the nearest one above it. */
export const above = Effect.fnUntraced(function*(folder: string) {
  for (let at = folder;; at = Path.dirname(at)) {
    const found = yield* of(at)
    if (Option.isSome(found) || Path.dirname(at) === at) return found
  }
})

const entryOf = (exported: unknown): unknown => {
  if (Array.isArray(exported)) return exported.map(entryOf).find(Predicate.isString)
  if (!Predicate.isObject(exported)) return exported
  const names = ["." in exported ? "." : "", "import", "node", "default", "require"]
  return names.map((name) => entryOf(Reflect.get(exported, name))).find(Predicate.isString)
}

/** The module that others get who import the package, as written, if the file names one. */
export const entry = ({ content }: PackageFile): string | undefined =>
  [entryOf(content.exports), content.main].find(Predicate.isString)

/** The packages that the server has itself, in the one version there is. */
const provided = new Set(["@headwater/component", "@pipedream/platform", "@pipedream/types"])

/** The specifier of a package's module, with the range of versions that is asked for of the package in it. */
export const pinned = ({ content }: PackageFile, specifier: string): string => {
  const [, name, path = ""] = /^((?:@[^/@]+\/)?[^/@:.][^/@:]*)(\/.*)?$/.exec(specifier) ?? []
  if (name === undefined || provided.has(name) || isBuiltin(specifier)) return specifier
  const range = [
    content.dependencies,
    content.optionalDependencies,
    content.peerDependencies,
    content.devDependencies
  ].map((ranges) => ranges !== undefined && Object.hasOwn(ranges, name) ? ranges[name] : undefined)
    .find(Predicate.isString)?.trim()
  const isRange = range !== undefined && range !== "" && Result.isSuccess(SemVerRange.parse(range))
  return isRange ? `${name}@${range}${path}` : specifier
}
